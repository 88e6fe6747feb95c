"""Rules for secrets that stand beside a name: settings, code, named keys, users and passwords.

Owns: which names mean a secret, and which only look so (a length, a limit, the key of a table).
"""

from __future__ import annotations

import re
from typing import Final

from cognid_daemon.intake.credential_places import FILL, SIGN, is_number, value_at
from cognid_daemon.intake.credential_rule import Rule, Span, listed
from cognid_daemon.intake.credential_words import (
    NO_VALUE,
    is_code,
    looks_chosen,
    looks_drawn,
    looks_made_up,
    stands_for_a_secret,
)


def _is_pair(text: str, match: re.Match[str]) -> Span | None:
    place = value_at(text, match.end())
    if place is None:
        return None
    start, end, quoted = place
    value = text[start:end]
    if stands_for_a_secret(value) or is_code(text[start : end + 1]):
        return None
    if looks_chosen(value) or is_number(text, start, end):
        return start, end
    netrc = text.startswith("machine", match.start())
    fits = (quoted or netrc) and len(value) >= 4 and value.lower() not in NO_VALUE
    return (start, end) if fits else None


_MARKS: Final = frozenset("!#$%&*?^~@")


def _is_odd_pair(text: str, match: re.Match[str]) -> Span | None:
    """What stands beside a user's name is a password only where it can hardly be anything else."""
    before = text[max(0, match.start() - 1) : match.start()]
    place = value_at(text, match.end())
    if place is None or before.isalnum() or before in ("_", "-", "/", ".", "@"):
        return None
    start, end, _ = place
    end += len(text[end : end + 3]) - len(text[end : end + 3].lstrip("!?"))  # "hunter2!!"
    value = text[start:end]
    odd = (match["known"] is None and looks_made_up(value)) or (
        looks_chosen(value)
        and any(map(str.isdigit, value))
        and not _MARKS.isdisjoint(value)
        and value[0].isalnum()
    )
    if not odd or ":" in value or _ADDRESS.match(value) is not None:
        return None
    if stands_for_a_secret(value) or is_code(text[start : end + 1]):
        return None
    return start, end


_ADMITS: Final = re.compile(
    r"(?:with|as|use|using|try|enter|type|wants?|takes?|mit|con|avec"
    r"|com)\s(?P<user>[\w.@+-]{2,64})\s"
    r"(?:and|plus|with|und|y|et|e|con|mit)\s(?:(?:the|dem|das|la|le|el|il|a|o)\s)?\Z"
)
_KNOWN_USER: Final = re.compile(
    r"(?:root|admin|administrator|guest)\Z|[\w.+-]{1,64}@[\w.-]{3,64}\Z"
)
_JOINED: Final = re.compile(r"[^\W\d_]{3,20}(?:-[^\W\d_]{3,20}){1,4}")
_OF_A_PASSWORD: Final = frozenset(
    listed(
        "link|grant|manager|hash|hashing|prompt|field|form|page|box|policy|database|file|reset|"
        "self|multi|single|cross|double|service|based|only|protected|free|less|login|sign|time|"
        "app|screen|dialog|input|generator|vault|store|check|email|mail|flow|credentials|type"
    )
)
"""Words behind "the password" that it only goes before: the password grant."""
_ENDED: Final = re.compile(
    r"[\"'`)]{0,2}(?:[.,;!?]{0,3}(?:\s{0,2}\Z|\n)|[.,;!?]|\s(?:to|on|for|in|at|and|an|when|if|so"
    r"|but"
    r"|then|from|into|please|it|para|pour|per|um|en)\b)"
)


def _is_admitted(text: str, match: re.Match[str]) -> Span | None:
    """The password that stands behind its user: "use admin and the password otter-lamp"."""
    user = _ADMITS.search(text[max(0, match.start() - 100) : match.start()].lower())
    place = value_at(text, match.end())
    if user is None or place is None:
        return None
    start, end, _ = place
    value = text[start:end]
    if stands_for_a_secret(value) or is_code(text[start : end + 1]):
        return None
    if looks_chosen(value) and any(map(str.isdigit, value)):
        return start, end
    parts = value.lower().split("-")
    if any(part in NO_VALUE or part in _OF_A_PASSWORD for part in parts):
        return None
    if _JOINED.fullmatch(value) is not None:
        return (start, end) if _ENDED.match(text, end) else None
    alone = value.isalpha() and len(value) >= 5 and _ENDED.match(text, end) is not None
    known = _KNOWN_USER.match(user["user"]) is not None
    return (start, end) if alone and known and not text[end : end + 1].isspace() else None


_ADDRESS: Final = re.compile(r"[\w.+-]{1,64}@[\w-]{1,64}\.|@|[\w/]*\?\w+=")


def _is_piped(text: str, match: re.Match[str]) -> Span | None:
    group = next(name for name in "abc" if match[name] is not None)
    value = text[slice(*match.span(group))]
    return None if stands_for_a_secret(value) or value.startswith("$") else match.span(group)


_PAIRS: Final = (
    Rule(
        "credential.login_pair",
        "a user and password",
        re.compile(
            r"(?:credentials|credential|creds|logins?|log in|zugangsdaten|identifiants|"
            r"credenciales|"
            r"credenciais|credenziali|anmeldedaten)"
            r"(?:\s(?:for|to|of|für|zum|para|del?|pour|per)(?:\s[\w'.-]{1,24}){1,5}?)?"
            r"(?:\s?(?:is|are|was|were|with|as|sind|son|sont|ist|[:=]|->|→|=>)\s{0,3}|\s)"
            r"[\w.@+-]{1,64}(?:\s?[/|,]\s?|:(?=\S)|\s(?:and|with|und|y|et)\s)(?:the\s)?"
            r"(?:(?:password|pass|pw|pwd|passwort|word|passcode)\s?(?:is|:|=|ist)?\s{0,2})?"
        ),
        listed(
            "credential|creds|login|log in|zugangsdaten|identifiants|credenci|credenziali|"
            "anmeldedaten"
        ),
        _is_pair,
        ("the admin credentials are admin / Kelp4you!", "log in with dana and kelp4you"),
        ("login is dana@kiln.test and it works", "credentials: stored in 1Password"),
    ),
    Rule(
        "credential.user_pair",
        "a user and password",
        re.compile(
            r"(?:(?:user(?:name|id|\sname|\sid)?|benutzer(?:name)?|nutzer(?:name)?|usuario"
            r"|utilisateur|"
            r"utente|usuário|gebruiker|пользователь|логин|acc(?:oun)?t)"
            r"(?:\s?(?:is|ist|es|est|è|é|[:=])\s{0,2}|\s{1,2})"
            r"(?P<user>[\w.@+-]{1,64})(?:\s?[/|,]\s{0,2}|\s?[–—-]\s|:(?=\S)|\s(?:and|with|und|y|et"
            r"|e)\s)"
            r"|(?P<known>root|admin|administrator)(?::(?=\S)|\s?/\s)"
            r"|u:\s{0,2}[\w.@+-]{1,64}[,;]?\s{1,3}p:\s{0,2})"
        ),
        listed(
            "user|nutzer|usuario|utilisateur|utente|usuário|gebruiker|пользователь|логин|account"
            "|acct|"
            "root:|admin:|administrator:|root /|admin /|u:"
        ),
        _is_odd_pair,
        (
            "user dana / Kelp&Tide7",
            "username: dana, m4rigold",
            "root:Kelp#Tide2 works on the switch",
        ),
        (
            "user dana / editor and user ana / viewer",
            "user: dana, role: admin2",
            "root:x:0:0:root:/root:/bin/bash",
            "user dana and K8s",
            "admin / editor",
            "admin:admin123role",
        ),
    ),
    Rule(
        "credential.admitted",
        "a user and password",
        re.compile(
            r"(?:password|passphrase|passwort|kennwort|contraseña|mot de passe|senha)\s{1,2}(?=\S)"
        ),
        listed("password|passphrase|passwort|kennwort|contraseña|mot de passe|senha"),
        _is_admitted,
        ("use admin and the password otter-lamp",),
        ("use OAuth and the password grant", "use admin and the password you set"),
    ),
    Rule(
        "credential.piped",
        "a password given to a command",
        re.compile(
            r"(?:echo|printf)\s(?:-\w{1,3}\s)?(?:\"(?P<a>[^\"\n$]{4,128})\"|'(?P<b>[^'\n]{4,128})'"
            r"|(?P<c>[^\s\"'$|]{4,128}))\s{0,3}\|[^\n|]{0,120}?(?:--password-stdin|passwd --stdin"
            r"|chpasswd"
            r"|sudo -s\b|cryptsetup|--passphrase-fd)"
        ),
        listed("echo |printf "),
        _is_piped,
        ("echo 'kelp-T1de' | docker login -u ci --password-stdin",),
        ("echo $PASSWORD | docker login --password-stdin", "echo hello | wc -c"),
    ),
    Rule(
        "credential.netrc",
        "a user and password",
        re.compile(r"machine\s{1,4}\S{1,128}\s{1,4}login\s{1,4}\S{1,128}\s{1,4}password\s{1,4}"),
        ("machine",),
        _is_pair,
        ("machine kiln.test login dana password marigold",),
        ("machine HOST login USER password PASSWORD",),
    ),
)

_NAMES: Final = listed(
    "passw|passphrase|passcode|pwd|secret|token|api_key|apikey|api-key|api key|access_key|"
    "accesskey|"
    "access-key|private_key|privatekey|auth_key|authkey|encryption_key|encryptionkey|signing_key|"
    "master_key|account_key|app_key|credential|_pass|_pw|_auth"
)
_NO_SECRET: Final = listed(
    "count|limit|length|len|min|max|type|name|names|id|ids|url|uri|endpoint|path|file|field|policy"
    "|ttl|"
    "expiry|expire|expires|expiration|hash|hint|label|regex|format|input|reset|age|bucket|ref"
    "|budget|"
    "usage|size|env|var|prompt|manager|version|status|description|placeholder|rotation|arn"
)
"""Ends of names that hold something about a secret."""


_IN_A_NAME: Final = re.compile(r"\barn:[\w:/-]{0,90}\Z")
"""The name of something in a cloud, of which "secret:" is a part."""


_NEXT_VALUE: Final = re.compile(r"[;&,\"']|\\n|</")
_NEXT_SETTING: Final = re.compile(r"[;&,](?:\Z|[A-Za-z_][\w.-]{1,32}=)|[\"']|\\n|</")
"""Where a variable's value ends: any mark may stand in it."""


def _is_any_marks(value: str) -> bool:
    """Whether a machine drew it from letters, digits and marks, a bracket among them or not."""
    digits = sum(map(str.isdigit, value))
    marks = sum(c in "!#$%&*?^~@+=(-_)" for c in value)
    return len(value) >= 24 and digits >= 4 and marks >= 5 and not value.endswith("]")


def _is_set(text: str, match: re.Match[str]) -> Span | None:
    if match["rest"].endswith(_NO_SECRET) or match["rest"] == "s":
        return None
    if _IN_A_NAME.search(text, max(0, match.start() - 96), match.start()):
        return None
    place = value_at(text, match.end())
    if place is None:
        return None
    start, end, quoted = place
    # A list of settings in one line: the value ends where the next begins.
    variable = text[match.start() : match.end("name")].isupper()
    marked = variable and match["mark"] == "="
    cut = (_NEXT_SETTING if marked else _NEXT_VALUE).search(text[start:end])
    if not quoted and cut is not None and cut.start() >= 3:
        end = start + cut.start()
    value = text[start:end]
    if match["name"].startswith("app_key") and not value.startswith("base64:"):
        return None
    password = match["name"].startswith(("pass", "pwd", "_p"))
    if match["mark"].startswith(","):
        # set("smtp_pass", "…"): a second argument that is a password, no second name.
        marked = any(map(str.isdigit, value)) and not _MARKS.isdisjoint(value)
        chosen = looks_made_up(value) or (looks_chosen(value) and marked and " " not in value)
        return (start, end) if chosen and not stands_for_a_secret(value) else None
    # "DD_API_KEY 1f10…": without a sign, an identifier and a value that a machine drew.
    bare = match["mark"].isspace()
    if (bare or not password) and not looks_drawn(value, 16 if bare else 8):
        return None
    if bare and "_" not in match["name"]:
        return None
    drawn = marked and _is_any_marks(value)
    if not drawn and (
        stands_for_a_secret(value) or (not quoted and is_code(text[start : end + 1]))
    ):
        return None
    if not password or looks_chosen(value) or is_number(text, start, end):
        return start, end
    folded = value.lower()
    if not folded.isalpha() or len(value) < 4 or folded in NO_VALUE or "pass" in folded:
        return None
    # An everyday word is a password only where nothing but a value can stand.
    return (start, end) if quoted or match["mark"] == "=" or variable else None


def _is_named(text: str, match: re.Match[str]) -> Span | None:
    if _IN_A_NAME.search(text, max(0, match.start() - 96), match.start()):
        return None
    before = text[max(0, match.start() - 48) : match.start()].lower()
    if before[-1:].isalnum() or before[-1:] == "_" or before.rstrip(" -").endswith(_PLAIN_KEYS):
        return None
    place = value_at(text, match.end())
    if place is None:
        return None
    start, end, _ = place
    value = text[start:end]
    if value.isdigit():
        # The key of a wireless network is often digits only.
        network = any(word in before for word in ("wifi", "wi-fi", "wlan", "wpa", "network"))
        return (start, end) if network and len(value) >= 8 else None
    if not looks_drawn(value, 20 if match["word"] == "key" else 10):
        return None
    if stands_for_a_secret(value) or is_code(text[start : end + 1]):
        return None
    return start, end


_PLAIN_KEYS: Final = listed(
    "primary|foreign|partition|sort|cache|public|row|object|idempotency|composite|unique|map|dict"
    "|hash|"
    "issue|s3|publishable|anon|surrogate|lookup|sync|group|session|ssh|host|storage|bucket|redis|"
    "translation|i18n|config|registry|license|product|next|page|pagination|continuation|dedup|"
    "deduplication|record|message|document|trace|correlation|routing|shard|join|index"
)
"""What stands before a key that opens nothing."""

_SETTINGS: Final = (
    Rule(
        "credential.setting",
        "a secret in a setting",
        re.compile(
            rf"(?P<name>(?:{'|'.join(_NAMES)})(?P<rest>[\w-]{{0,32}}))[\"'\])]{{0,2}}"
            r"(?P<mark>\s{0,4}(?:=>|:=|->|==|:|=)\s{0,4}|(?<=[\"']),\s{0,3}(?=[\"'])|\s(?=\S{16}))"
        ),
        _NAMES,
        _is_set,
        (
            "DB_PASSWORD=marigold",
            "MYSQL_PASSWORD: marigold",
            f"const apiKey = '{'a1b2c3d4' * 4}';",
            '{"password": "marigold"}',
            'config.set("smtp_pass", "Kelp&Tide7")',
        ),
        (
            "PASSWORD_MIN_LENGTH = 12",
            "max_tokens: 4096",
            "password = getpass()",
            "api_key = os.environ['KEY']",
            "apiKey: import.meta.env.KEY",
            "token_url = 'https://kiln.test/token2'",
            '["password", "username2"]',
        ),
    ),
    Rule(
        "credential.named_key",
        "a key, token or secret",
        re.compile(
            r"(?P<word>(?:api|access|secret|private|auth|encryption|signing|account|"
            r"master)[\s-]key|"
            r"token|secret|key)s?(?:\s#?\d{1,2}(?=\s?:))?"
            r"(?:\s{1,2}(?:for|to|of|on|at|in|from|i|we|that|which)"
            r"(?:\s{1,2}[\w'@./&+-]{1,32}){0,6}?)?"
            rf"(?:{SIGN}|'s\s|\s{{1,2}}(?:is|was|are|ist|lautet|est|es|è|é)(?:\s{{0,2}}:)?\s{{1,3}}"
            rf"|是|は|\s{{1,2}}(?=\S{{16}})){FILL}"
        ),
        listed(
            "api key|api-key|access key|secret key|private key|auth key|encryption key|signing key|"
            "account key|master key|token|secret|key"
        ),
        _is_named,
        (f"the deploy token is {'a1b2c3d4' * 4}", f"our API key: {'a1B2c3D4' * 3}"),
        (
            "the key is patience",
            f"primary key is {'a1b2c3d4' * 4}",
            "the token expired yesterday",
        ),
    ),
)

SETTING_RULES: Final = (*_PAIRS, *_SETTINGS)
