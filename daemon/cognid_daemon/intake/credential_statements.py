"""Rules for passwords that are known by what is said of them: "the wifi password is …".

Owns: the ways of saying it, before the value and behind it. Where the value stands is read by
credential_places, whether it is one is judged by credential_words.
"""

from __future__ import annotations

import re
from typing import Final

from cognid_daemon.intake.credential_opened import NOUN_AFTER, PARTED
from cognid_daemon.intake.credential_places import (
    FILL,
    SIGN,
    TRAILING,
    clause,
    is_number,
    told,
    value_at,
)
from cognid_daemon.intake.credential_rule import Check, Rule, Span, listed
from cognid_daemon.intake.credential_tongues import TONGUES, Tongue
from cognid_daemon.intake.credential_words import (
    NO_VALUE,
    is_a_numbered_phrase,
    is_a_plain_value,
    is_a_told_phrase,
    is_code,
    looks_chosen,
    looks_made_up,
    stands_for_a_secret,
)

_PHRASES: Final = ("passphrase", "pass phrase", "pass-phrase")


def _said(tongue: Tongue) -> Check:
    """Judge the value of a statement in one language."""

    def check(text: str, match: re.Match[str]) -> Span | None:
        before = text[max(0, match.start() - 1) : match.start()]
        # An identifier (db_password) belongs to the rule for settings.
        if before == "_" or (tongue.plain and before.isalpha()):
            return None
        place = value_at(text, match.end(), ascii_only=not tongue.spaced)
        if place is None:
            return None
        start, end, quoted = place
        value = text[start:end]
        sign = match["sign"] is not None
        if sign and " where " in match[0]:  # SQL
            return None
        if stands_for_a_secret(value) or (not quoted and sign and is_code(text[start : end + 1])):
            return None
        if looks_chosen(value) or is_number(text, start, end):
            return start, end
        folded = value.lower()
        if quoted:
            fits = len(value) >= 4 and folded not in NO_VALUE and value[0] not in ",;)]}"
            return (start, end) if fits else None
        if not tongue.spaced:
            return None
        before_it = text[max(0, match.start() - 7) : match.start()].lower()
        phrase = match[0].startswith(_PHRASES) or before_it == "master "
        if tongue.plain and phrase and is_a_told_phrase(words := told(text, start)):
            return start, start + len(" ".join(words))
        words = clause(text, start)
        length = len(" ".join(words))
        if tongue.plain and (sign or match[0].startswith(_PHRASES)) and is_a_numbered_phrase(words):
            return start, start + length
        if len(value) < 4 or folded in NO_VALUE:
            return None
        if tongue.plain:
            if text.startswith("(", start + length):  # raise ValueError(
                return None
            if match["aside"] and len(words) < 4:
                return None
            return (start, start + length) if is_a_plain_value(words) else None
        single = len(words) == 1 and match["aside"] is None and is_a_plain_value(words)
        return (start, end) if single and (value != folded or sign) else None

    return check


def _spaced(tongue: Tongue) -> str:
    """What stands between the word and the value, where words stand apart."""
    joined = (
        r"(?:\s?[(\[][^()\[\]\n]{1,40}[)\]])?"
        rf"(?:\s{{1,2}}(?:{tongue.joins})(?:\s{{1,2}}[\w'@./&+-]{{1,32}}){{0,6}}?"
        rf"|\s{{1,2}}(?!(?:{tongue.verbs})\s)[\w'/&+-]{{2,24}})?"
    )
    after = r"\s{1,3}" if tongue.plain else r",?\s{1,3}"
    verb = (
        r"(?:(?:[?.,!;]?\s{1,3}(?:it's|its|it is|that's|c'est|das ist|el[ae] é)"
        rf"|(?:(?P<aside>,\s[^:;\n.,]{{2,44}}[,:]\s{{1,2}})|{after}|(?='))"
        rf"(?:{tongue.verbs}))(?:\s{{0,2}}(?:[:=]|->)\s{{0,3}}|"
        rf"\s{{1,3}}){FILL})"
    )
    if not tongue.plain:
        return rf"\w{{0,4}}{joined}(?:(?P<sign>{SIGN})|{verb})"
    changed = (
        r"\s{1,2}(?:(?:has|have) been\s|was\s|is\s|got\s)?(?:now\s)?(?:changed|set|reset|updated)\s"
        r"(?:back\s)?to\s{1,2}"
    )
    # "is still the old one: …"
    led = r"(?:(?:the|my|our|an?|as|this|that)\s(?:[\w']{1,16}\s){0,4}[\w']{1,16}:\s)?"
    return rf"s?(?!\w){joined}(?:{changed}|(?P<sign>{SIGN}){FILL}|{verb}{led})"


def _unspaced(tongue: Tongue) -> str:
    return (
        rf"[^\s,.;:!?，。、；：！？]{{0,8}}?(?:(?P<sign>{SIGN}|：\s{{0,2}})"
        rf"|\s{{0,2}}(?:{tongue.verbs})\s{{0,2}}[:：]?\s{{0,2}})"
    )


def _password_rule(tongue: Tongue) -> Rule:
    words = "|".join(sorted(tongue.words, key=len, reverse=True))
    between = _spaced(tongue) if tongue.spaced else _unspaced(tongue)
    return Rule(
        id=f"credential.password_{tongue.code}",
        what="a password",
        pattern=re.compile(rf"(?:{words}){between}"),
        anchors=tongue.words,
        check=_said(tongue),
        caught=tongue.caught,
        passed=tongue.passed,
    )


def _is_bare(text: str, match: re.Match[str]) -> Span | None:
    place = value_at(text, match.end())
    if place is None or text[max(0, match.start() - 1) : match.start()].isalnum():
        return None
    start, end, _ = place
    value = text[start:end]
    if stands_for_a_secret(value) or is_code(text[start : end + 1]) or not looks_chosen(value):
        return None
    if not any(map(str.isdigit, value)) or (match["asked"] and not looks_made_up(value)):
        return None
    if match["short"] and match["is"] is None:
        before = text[max(0, match.start() - 48) : match.start()].lower()
        if not any(
            word in before for word in ("user", "uname", "login", "log in", "account", "wifi")
        ):
            return None
    return start, end


_ODD: Final = re.compile(r"[\d$@!#%&*+^~?]")
_TYPED: Final = re.compile(r"\b(?:type|typed|enter|entered|use|try|tried|typing|using)\s\Z")
_NAME_AND_NUMBER: Final = re.compile(r"[A-Z][a-z]{2,20}\d{1,4}[!?.]?")


def _is_near(text: str, match: re.Match[str]) -> Span | None:
    if text[max(0, match.start() - 1) : match.start()] in ("_", "-", '"', "'"):
        return None
    if _ODD.search(match["gap"]) is None:
        return None
    for word in re.finditer(r"\S+", match["gap"]):
        start = match.start("gap") + word.start()
        token = text[start : match.start("gap") + word.end()]
        value = token.strip("\"'`(*").rstrip(TRAILING.replace("!", "").replace("?", ""))
        # Set apart by a mark ("my dog and a year, Biscuit2016") it may be less odd.
        apart = match["gap"][: word.start()].rstrip()[-1:] in (",", ":", "(", "-")
        beyond = match["gap"][word.end() :].lstrip()[:1] in ("", "-")
        set_off = beyond or token.endswith((",", ")", ";", ".", "!"))
        fits = looks_made_up(value) or (
            looks_chosen(value)
            and (
                (apart and _NAME_AND_NUMBER.fullmatch(value))
                or (apart and set_off and PARTED.fullmatch(value))
                or (_TYPED.search(match["gap"], 0, word.start()) and PARTED.fullmatch(value))
            )
        )
        if fits and not stands_for_a_secret(value) and not is_code(value):
            start += token.find(value)
            return start, start + len(value)
    return None


def _is_changed(text: str, match: re.Match[str]) -> Span | None:
    before = text[max(0, match.start() - 14) : match.start()].lower()
    told = not match[0].startswith("set") or re.search(
        r"(?:i|we|'ve|have|had|he|she|they|just|is|was) $", before
    )
    place = value_at(text, match.end())
    if place is None:
        return None
    start, end, quoted = place
    value = text[start:end]
    if stands_for_a_secret(value):
        return None
    if not told:
        # A command ("set the pin to 1234" may be said to an app); a password all the same.
        chosen = looks_chosen(value) and any(map(str.isdigit, value))
        return (start, end) if chosen and match["kind"].startswith(("pa", "pw")) else None
    if looks_chosen(value) or is_number(text, start, end):
        return start, end
    words = clause(text, start)
    plain = match["kind"].startswith("pass") and len(words) == 1 and is_a_plain_value(words)
    return (start, end) if plain or (quoted and value.lower() not in NO_VALUE) else None


def _is_meant(text: str, match: re.Match[str]) -> Span | None:
    """What nobody called a password can only be one where it can be nothing else."""
    group = "v" if match["v"] is not None else "w"
    value = match[group].rstrip(TRAILING.replace("!", ""))
    start = match.start(group)
    spelled = text[start : start + len(value)]
    odd = not _MARKS.isdisjoint(spelled[1:]) and any(map(str.isdigit, spelled))
    if not odd or not looks_made_up(spelled) or stands_for_a_secret(spelled) or is_code(spelled):
        return None
    return start, start + len(value)


_MARKS: Final = frozenset("!#$%&*?^~@")


_THING: Final = (
    r"(?P<thing>passwords?|passphrase|passcode|pass code|pw|pwd|pin|pin code|pin number|passwort|"
    r"kennwort|contraseña|mot de passe|login|combination|"
    r"(?:door|gate|alarm|safe|lock|locker|garage|entry|access|security|unlock)\s?code|ssn)"
)


_NEXT_WORD: Final = re.compile(r"\s{1,4}([^\W\d_]+)")
_FOLLOWING: Final = (
    "for to of on in at from with by and but or so now here there again btw please if as which "
    "that since until till when because then just only too though although currently everywhere "
    "thanks ok okay right i i'm we you it it's is he she they don't dont für zum zur vom und aber "
    "de del du des pour et para y e da do per il "
)
_GOES_ON: Final = frozenset(_FOLLOWING.split())
"""Words that may stand behind "is my password"; any other makes it "is my password something"."""


def _made_up_before(text: str, head: str, offset: int) -> Span | None:
    """What can only be a password, earlier in the sentence that goes on "…, that's my password"."""
    sentence = max(head.rfind(mark) for mark in (". ", "? ", "\n")) + 1
    for word in re.finditer(r"\S+", head[sentence:]):
        value = word[0].strip("\"'`(*,;:.)")
        if looks_made_up(value) and not stands_for_a_secret(value) and not is_code(value):
            start = offset + sentence + word.start() + word[0].find(value)
            return start, start + len(value)
    return None


def _is_before(text: str, match: re.Match[str]) -> Span | None:
    following = _NEXT_WORD.match(text, match.end())
    if following is not None and following[1].lower() not in _GOES_ON:
        return None
    head = text[max(0, match.start() - 140) : match.start()]
    stripped = head.rstrip(" ,;-.:\t")
    if not stripped or stripped[-1] == "\n":
        return None
    offset = match.start() - len(head)
    if stripped[-1] in "\"'`" and (opening := stripped.rfind(stripped[-1], 0, -1)) >= 0:
        start, end = offset + opening + 1, offset + len(stripped) - 1
        value = text[start:end]
        fits = len(value) >= 4 and value.lower() not in NO_VALUE
        return (start, end) if fits and not stands_for_a_secret(value) else None
    far = _made_up_before(text, head, offset)
    if far is not None:
        return far
    token = stripped.split()[-1]
    value = token.lstrip("\"'`(*").rstrip(TRAILING)
    start = offset + len(stripped) - len(token) + token.find(value)
    end = start + len(value)
    if not value or stands_for_a_secret(value) or is_code(value):
        return None
    if looks_chosen(value):
        mixed = any(map(str.isdigit, value)) or not value.strip("-'").isalnum()
        return (start, end) if mixed else None
    if value.replace("-", "").isdigit():
        return (start, end) if is_number(text, start, end) else None
    # "Tinkerbell is my password": only where the sentence is that and nothing more.
    before = stripped[: -len(token)].rstrip()
    alone = (not before and offset == 0) or before[-1:] in (".", "!", "?", "\n")
    said = match["owner"] in ("my", "our") and match["thing"].startswith("pass")
    follows = text[match.end() : match.end() + 2].strip()
    if alone and said and match["be"] == "is" and (not follows or follows[0] in ".!,;"):
        return (start, end) if is_a_plain_value([value]) else None
    return None


SAID_RULES: Final = (
    *(_password_rule(tongue) for tongue in TONGUES),
    Rule(
        "credential.password_bare",
        "a password",
        re.compile(
            r"(?:password|passwort|passwd|passphrase|passcode|kennwort|wachtwoord|contraseña|"
            r"mot de passe|mdp|pwd|(?P<short>pw|pass))(?P<asked>[?]{0,3})(?:\s{1,2}(?P<is>is\s"
            r"|=\s?|:\s?)?|"
            r"(?<=pass)[:=]\s?)"
            r"(?:[(]?\w{2,12}[)]\s)?(?=\S{0,64}\d)"
        ),
        listed("pass|kennwort|wachtwoord|contraseña|mot de passe|mdp|pwd |pw "),
        _is_bare,
        ("wifi password BlueKelp77", "username dana, pass kelp4you", "hulu pass is m4rigold"),
        ("password argon2", "password 1Password", "pass python3 to it"),
    ),
    Rule(
        "credential.password_near",
        "a password",
        re.compile(
            rf"(?:password|passphrase|passcode|passwort|kennwort|contraseña|mot de passe|senha|pwd"
            rf"|\spw"
            r"|log ?in(?:to)?|sign in|sudo|wi-?fi|wlan"
            rf"|(?:get|getting|got) into|unlocks? (?:it )?with|connect to)"
            rf"(?!\w|{NOUN_AFTER})"
            r"(?P<gap>(?:[^.?\n]|[.?](?=\S)){0,90})"
        ),
        listed(
            "password|passphrase|passcode|passwort|kennwort|contraseña|mot de passe|senha|pwd | pw"
            " |login|log in|sign in|sudo|wifi|wi-fi|wlan|get"
            " into|"
            "getting into|got into|unlock|connect to"
        ),
        _is_near,
        ("the password, as agreed with Ana, m4rigold", "for the password I went with Kelp&Tide"),
        ("my password manager lives in Docker1box", "the password is on the router R7000P"),
        whole=True,
    ),
    Rule(
        "credential.password_changed",
        "a password",
        re.compile(
            r"(?:changed|updated|switched|reset|set)\s(?:(?!to\s)[\w'-]{1,24}\s){0,5}?"
            r"(?P<kind>password|passwd|passphrase|passcode|pass|pin|code|pwd?|login)s?\s"
            r"(?:(?!to\s)[\w'@.-]{1,24}\s){0,6}?(?:from\s\S{1,64}\s)?to\s(?:be\s)?"
        ),
        listed("changed |updated |switched |reset |set "),
        _is_changed,
        ("I changed my email password to kelp4you", "I set the alarm pin to 7741"),
        ("change my amex pin to 1234", "I changed my password to something stronger"),
    ),
    Rule(
        "credential.password_meant",
        "a password",
        re.compile(
            r"(?:(?:reset|changed|updated) it(?: \w{1,12}){0,5}?,? (?:(?:and|so|now) ){0,2}(?:it's"
            r"|its|it is"
            r"|to)(?: now)?|one for(?: [\w'.-]{1,20}){1,3}? is(?: now)?)\s(?P<v>\S{6,64})"
            r"|(?:reuse|i(?: always)? use)\s(?P<w>\S{6,64})\s(?:on|for|as|at|in)\s"
            r"(?:every|all|both|most|my)\b"
        ),
        listed("reset it|changed it|updated it|one for |reuse |i use |i always use "),
        _is_meant,
        ("they reset it for me and now it's m4rigold!", "the one for the NAS is Kelp&Tide7"),
        ("I use Python3.11! for it", "they changed it and it's fine", "the one for Bob is v2.3.1"),
    ),
    Rule(
        "credential.password_before",
        "a password or code",
        re.compile(
            r"(?:(?<=\s)(?P<be>is|was|as|ist|es|est|for|=)|that's|thats|that is|it's)\s{1,2}"
            r"(?P<owner>my|the|our|your|his|her|their|mein|das|unser|mi|la|mon|le)\s{1,2}"
            rf"(?:(?!(?:about|against|like)\b)[\w'-]{{1,24}}\s){{0,4}}?{_THING}(?!{NOUN_AFTER})\b"
        ),
        listed(
            "is my |is the |is our |is her |is his |is their |is your |was my |was the |as my |"
            "as the |"
            "as our |as your |that's |that is |it's |ist mein |ist das |ist unser |thats |es mi |"
            "es la |"
            "est mon |est le |= my |= the "
        ),
        _is_before,
        ("BlueKelp77 is the wifi password", "it's now Kelp&3tide - that's the new password"),
        (
            "What is my wifi password?",
            "1Password is my password manager",
            "iOS18 is the password app",
            "Bug KLM-204 is the login loop",
        ),
    ),
)
