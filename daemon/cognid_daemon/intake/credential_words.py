"""What a secret value looks like: chosen by somebody, drawn at random, or only standing for one.

Owns: the judgement of a single value, wherever it was found, and the words that judgement needs. A
value comes with its case kept; every test is linear in its length, and values are short.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final


def _split(words: str) -> frozenset[str]:
    return frozenset(words.split())


_WORDS_THAT_STAND_FOR_A_SECRET: Final = _split(
    "password passwd pass passwort pwd pw secret token key apikey user username login credentials "
    "changeme change_me change-me changeit example placeholder dummy redacted removed hidden "
    "masked "
    "censored todo tbd foo bar baz foobar value string str text bytes int number null nil none "
    "undefined true false optional required any void varchar char object empty blank here input "
    "prompt env xxx abc n/a na mypassword yourpassword my_password my-password mysecret "
    "contraseña senha wachtwoord parola"
)
"""What documentation, forms and type annotations write where a value would stand."""

_STANDS_FOR_ONE: Final = re.compile(
    r"(?:^|[_-])your[_-]|your(?:own|api|app|access|auth|secret|client|private|personal|bot|key|"
    r"token|pass|real|actual)"
    r"|(?:example|redacted|placeholder|changeme|dummy)|(?:insert|replace|put|enter|paste)[_-]"
    r"|x{4}|\*{3}|•{3}|\.{3}|…|_here\b|-here\b|process\.env|import\.meta|environ|getenv|\benv[.(\[]"
    r"|^[a-z]{0,8}_?(?:password|passwort|passwd|pass|secret)_?$|^(?:my|new|old|"
    r"test)secretpass(?:word)?$",
    re.IGNORECASE,
)
_REFERENCE: Final = re.compile(
    r"(?:ref\+)?(?:op|vault|ssm|awssm|secretsmanager|gcpsm|azkv|akv|keyring|keychain|env|file|sops"
    r"|bws|doppler|infisical):[/\w]|arn:aws[\w-]*:|!vault\b|!(?:secret|sops|env)\b"
    r"|@microsoft\.keyvault|projects/[\w-]+/secrets/|/run/secrets/|\$__file",
    re.IGNORECASE,
)
"""How a setting names the secret that a manager of secrets keeps."""
_LOOK: Final = 80
"""Characters of a value that are judged: enough to tell, and it bounds the cost of a look."""

_MASK: Final = frozenset("xX*.•·…_-#?0●■█ ")
_TEMPLATE: Final = re.compile(
    r"[<\[{(][^\n]*|\$[{(][^\n]*|\$[A-Z_][A-Z0-9_]*|\$[a-z_]+|%[({]?[A-Za-z_]+[)}]?[s%]?"
)

_QUANTITY_OR_NAME: Final = re.compile(
    r"[~<>≥≤]?\d[\d.,]*(?:st|nd|rd|th|x|am|pm|[kmgt]i?b?|ms|s|secs?|mins?|h|hrs?|d|w|y|kg|km|cm|mm|"
    r"bits?|bytes?|chars?|digits?|letters?|words?|days?|hours?|weeks?|months?|years?|min|%|€|\$|£)?"
    r"|\d+-[a-z]+(?:-[a-z]+)*|\d+\+?|v?\d+(?:\.\d+)+[\w.+-]*|v\d+"
    r"|\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(?:t[\d:.]+z?)?|\d{1,2}:\d{2}(?::\d{2})?(?:am|pm)?"
    r"|(?:sha|md|aes|rsa|utf|iso|rfc|oauth|argon|pbkdf|base|https?|ipv|wpa|wep|python|java|es|php|"
    r"ios|"
    r"macos|windows|android|ubuntu|ed|secp|bcrypt|scrypt|hmac|hs|rs|bip|fido|web|log|x|level|phase|"
    r"step|room|page|line|chapter|section|option|part|day|week|q)[-_ ]?\d+[a-z]?\d{0,3}(?:id|url|"
    r"-\w{1,12})?"
    r"|cve-\d{4}-\d{4,7}"
    r"|(?:k8s|i18n|l10n|a11y|s3|ec2|h2|u2f|2fa|mfa|1password|1pass|keepass\w*|l2tp|tls1\.\d)(?:'s)?"
    r"|(?:https?|ftp|file|ssh)://.*|www\..*|[\w.+-]+@[\w-]+(?:\.[\w-]+)+|(?:~|\.{1,2})?/[\w./-]+"
    r"|[\w./-]+\.(?:txt|md|json|ya?ml|toml|ini|env|cfg|conf|py|js|tsx?|go|rs|java|rb|php|sh|html?|"
    r"css|"
    r"pdf|docx?|xlsx?|csv|kdbx?|pem|key|crt|zip|png|jpe?g|com|org|net|io|dev)(?::\d+)?",
    re.IGNORECASE,
)
"""What nobody takes for a secret: amounts, dates, versions, standards, addresses."""

_DIGIT: Final = re.compile(r"\d")
_JOINING: Final = str.maketrans("", "", "'’-/., ")

_MADE_UP: Final = re.compile(r"[^\W\d_]\d{1,4}[a-z]{2}|\w[!@#$%^&*+?~]\w|\d[!#$^*?~]{1,3}$")
_NO_PASSWORD: Final = re.compile(
    r"[(){}\[\]<>=/\\|]|::|->|^[A-Z0-9-]+$|\d(?:x|th|st|nd|rd|px|pt|gb|mb)$"
)

_UUID: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_CODE: Final = re.compile(
    r"[A-Za-z_$][\w$]*(?:(?:\.|->|::|\?\.)[A-Za-z_$][\w$]*)*(?:[(\[{]|\?$)"
    r"|[a-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)+[,;]?$"
    r"|(?:await|new|not|self|this|lambda|function)(?:[\s.]|$)"
)
_NAMED_FOR_IT: Final = re.compile(r"pass|pwd|secret|token|key|cred|auth|input|field|value", re.I)

_GOES_ON: Final = _split(
    "a an the this that these those it its he she they we you i me my our your his her their "
    "him them us mine yours ours what which who whom whose where when why how and or but nor "
    "so if because as than then though although while until unless since after before to for "
    "of on in at by with without from into onto over under about between through during above "
    "below up down out off again not no never ever always just only also too very quite rather "
    "pretty really way much more most less least even still yet already now soon later today "
    "tomorrow yesterday currently almost nearly both either neither each every all any some "
    "none one two three four five six seven eight nine ten twelve being been be is are was "
    "were has have had do does did will would can could should must may might shall ought "
    "going getting like same similar such else here there everywhere nowhere somewhere "
    "something anything nothing everything someone nobody whatever probably maybe perhaps "
    "basically totally actually definitely apparently simply super kinda sort kind yes "
    # other tongues
    "zu sehr nicht kein mein dein der die das ein eine noch schon immer hier leider mal muy el "
    "un una en trop sur dans le pas toujours très troppo molto non nel nella il lo uno muito "
    "não na uma os niet te op het een de не слишком здесь там на в у"
)
"""Words that go on with a sentence: no value begins or holds one."""

NO_VALUE: Final = _GOES_ON | _split(
    # what a password is said to be
    "wrong right correct incorrect invalid valid weak strong strongest short shorter shortest "
    "long longer longest easy easier hard harder difficult simple complex complicated secure "
    "insecure safe unsafe safer secret private public personal confidential important "
    "necessary mandatory optional unique random different identical new old older fresh "
    "outdated temporary permanent case-sensitive sensitive empty blank null missing absent "
    "gone unknown known visible hidden okay ok fine good better best bad worse worst great "
    "terrible awful horrible funny stupid silly ridiculous obvious dumb cool weird crazy "
    "annoying ready due overdue dead broken forgotten stolen written shown kept sent lost set "
    "stuck hard-coded hardcoded plaintext plain safely compromised fixed default alphanumeric "
    "numeric case global local shared common separate useless meaningless garbage trash "
    "rubbish crap history toast bullshit nonsense key crucial essential enough worthless "
    "static dynamic specific generic sufficient insufficient inactive active available "
    "unavailable unclear unlikely likely impossible possible wherever "
    # what is done with one, and what follows the word
    "manager managers reset resets policy policies field fields prompt hint hints box page "
    "form rules generator vault protection protected change changes strength length file "
    "entry requirements recovery hash hashes hashing based less free auth login "
    # other tongues
    "falsch richtig sicher unsicher abgelaufen weg geheim lang kurz schwach stark neu alt "
    "incorrecta incorrecto demasiado larga corta segura débil la mauvais incorrect expiré faux "
    "perdu oublié sbagliata scaduta errada incorreta fraca forte verkeerd fout verlopen zwak "
    "sterk неверный неправильный простой сложный"
)
"""Words after "password is" that say something of it, not what it is."""

_NUMERALS: Final = _split("one two three four five six seven eight nine ten eleven twelve")
_SAID_OF_PHRASES: Final = (_GOES_ON - _NUMERALS - _split("over under")) | _split(
    "page chapter line step version see least most max min maximum minimum characters words digits"
)

_SAID_OF_IT: Final = ("ed", "ing", "ly", "able", "ible", "ful", "less", "ous", "ish", "n't")

UNIT: Final = re.compile(
    r"[\s-]{0,2}(?:or more |plus |\+ ?)?(?:digit|char|letter|number|word|symbol|bit|byte|day|week|"
    r"month|year|hour|min|sec|time|attempt|tr(?:y|ies)|people|user|account|item|thing|%|percent|"
    r"stell|zeichen|ziffer|tage|dígitos|digitos|caract|chiffres|cifre|cijfers|tekens|знак|цифр|"
    r"символ"
    r"|position|am\b|pm\b|st\b|nd\b|rd\b|th\b|dollar|euro|usd|eur|km|kg|miles)"
)


def stands_for_a_secret(value: str) -> bool:
    """Whether it is a placeholder: a mask, a template, a variable, or a word of documentation."""
    folded = value.lower()
    return (
        folded.strip("\"'`.,;:!?") in _WORDS_THAT_STAND_FOR_A_SECRET
        or _MASK.issuperset(value)
        or _TEMPLATE.fullmatch(value) is not None
        or _REFERENCE.match(value) is not None
        or _STANDS_FOR_ONE.search(value[:_LOOK]) is not None
    )


def looks_chosen(value: str) -> bool:
    """Whether somebody may have chosen it as a password: letters with digits or with symbols."""
    if not 5 <= len(value) <= 128 or _QUANTITY_OR_NAME.fullmatch(value):
        return False
    digit = any(map(str.isdigit, value))
    letter = any(map(str.isalpha, value))
    if digit:
        symbol = not value.translate(_JOINING).isalnum()
        return letter or (symbol and sum(map(str.isdigit, value)) >= 4)
    if value.islower():
        return False
    inner = value.strip(".,;:!?()*\"'_")
    odd = not inner.translate(_JOINING).isalnum() or "-" in inner
    mixed = inner != inner.lower() and inner != inner.upper() and not inner.istitle()
    return letter and ((mixed and len(inner) >= 8) or (odd and inner != inner.lower()))


def looks_made_up(value: str) -> bool:
    """Whether it can hardly be anything but a password: m4rigold, Sea$weed; not Room12 or K8s."""
    if not 6 <= len(value) <= 64 or not looks_chosen(value) or _NO_PASSWORD.search(value):
        return False
    return _MADE_UP.search(value) is not None


def looks_drawn(value: str, least: int = 10) -> bool:
    """Whether a machine may have drawn it: long, letters and digits mixed, no numbered name."""
    if not least <= len(value) <= 4096:
        return False
    value = value[:_LOOK]
    digits = len(_DIGIT.findall(value))
    if not (digits or value.isalnum()) or _QUANTITY_OR_NAME.fullmatch(value):
        return False
    if _UUID.fullmatch(value):
        return True
    if digits >= 2 and (digits >= 3 or len(value) >= 16) and digits < len(value):
        return any(map(str.isalpha, value)) and not _is_a_name(value)
    if len(value) >= 16 and value.isalnum() and value.isascii():
        # Base32, or base64 that happens to hold no digit.
        mixed = not value.islower() and not value.isupper()
        changes = sum(a.isupper() != b.isupper() for a, b in pairwise(value))
        return value.isupper() or digits >= 1 or (mixed and changes >= len(value) // 3)
    return False


def _is_a_name(value: str) -> bool:
    """Whether each part between hyphens, dots, slashes is a word or a number: gpt-4-turbo-2024."""
    parts = [part for part in re.split(r"[-_./:]", value) if part]
    return len(parts) <= 12 and all(
        part.isdigit() or re.fullmatch(r"[A-Za-z]{2,20}\d{0,4}|[a-z]|\d{1,3}[a-z]{1,2}", part)
        for part in parts
    )


def is_code(value: str) -> bool:
    """Whether it is an expression of a program and not a value: a call, an attribute, an index."""
    return _CODE.match(value) is not None or (
        value.strip(",;").isidentifier()
        and not any(c.isdigit() for c in value)
        and _NAMED_FOR_IT.search(value) is not None
    )


def is_a_plain_value(words: list[str]) -> bool:
    """Whether the words after "password is" are the password, and nothing said about it."""
    if not 1 <= len(words) <= 8 or (len(words) == 1 and len(words[0]) < 4):
        return False
    folded = [word.lower() for word in words]
    # "correct horse battery staple" is a pass phrase, though "correct" alone says something of one.
    excluded = NO_VALUE if len(words) < 4 or folded[1] in NO_VALUE else _GOES_ON
    if len(words) > 1 and folded[0].endswith(_SAID_OF_IT) and folded[0] == words[0]:
        return False
    return not any(
        word in excluded
        or word in _WORDS_THAT_STAND_FOR_A_SECRET
        or (len(words) < 4 and word.endswith(_SAID_OF_IT) and spelled == word)
        or not word.replace("-", "").replace("'", "").isalpha()
        for word, spelled in zip(folded, words, strict=True)
    )


_WITHIN_A_PHRASE: Final = _split("a an the in on at by of under over with and to from near for her")


def is_a_told_phrase(words: list[str]) -> bool:
    """Whether they are a pass phrase told as a sentence is: "seven wet otters at the pier"."""
    plain = [word.lower() for word in words]
    if not 4 <= len(plain) <= 10 or not all(word.isalpha() for word in plain):
        return False
    head, rest = plain[:3], plain[3:]
    if any(word in _SAID_OF_PHRASES or word in _TOLD_OF_IT for word in head):
        return False
    if head[0] in NO_VALUE - _NUMERALS and head[1] in NO_VALUE:
        return False
    if head[0].endswith(_SAID_OF_IT) or head[1] in ("words", "characters", "digits"):
        return False
    return not any(word in _SAID_OF_PHRASES and word not in _WITHIN_A_PHRASE for word in rest)


_TOLD_OF_IT: Final = _split(
    "part kept stored saved written printed known protected safe hidden shared different longer "
    "shorter stronger weaker common somewhere required needed enough based home made used"
)
"""Words that tell of a phrase and are none of it, among its first."""


def is_a_numbered_phrase(words: list[str]) -> bool:
    """Whether they are a pass phrase with a number in it: "nine wet otters 61"."""
    plain = [word.lower() for word in words if word.isalpha()]
    numbers = [place for place, word in enumerate(words) if word.isdigit()]
    if len(numbers) != 1 or not 3 <= len(plain) <= 7 or len(plain) + 1 != len(words):
        return False
    if plain[0].endswith(_SAID_OF_IT) or UNIT.match(" ".join(words[numbers[0] + 1 :]).lower()):
        return False
    return not any(word in _SAID_OF_PHRASES for word in plain)
