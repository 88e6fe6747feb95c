"""Rules for secrets that are known by what they open: a network, an archive, a renewed account.

Owns: what stands beside such a value, which has a digit in it or parts that somebody joined.
"""

from __future__ import annotations

import re
from typing import Final

from cognid_daemon.intake.credential_places import FILL, SIGN, TRAILING
from cognid_daemon.intake.credential_rule import Rule, Span, listed
from cognid_daemon.intake.credential_words import (
    is_a_plain_value,
    is_code,
    looks_chosen,
    looks_made_up,
    stands_for_a_secret,
)

NOUN_AFTER: Final = (
    r"(?:\s(?:is\s)?(?:my\s)?|-)?(?:manager|reset|polic|field|prompt|hint|box|page|form|rule|"
    r"generator|"
    r"hash|vault|check|validat|strength|require|encod|librar|app\b|dialog|screen|input|column|"
    r"table)"
)


PARTED: Final = re.compile(
    r"(?=.{8})(?=\D{0,60}\d)(?!.{0,60}[A-Z]{3})[A-Za-z][a-z]{2,20}[\w-]*-[\w-]+"
)
"""Parts that somebody, or a machine for them, joined: Welcome-8841-Kx."""


def _is_renewed(text: str, match: re.Match[str]) -> Span | None:
    """A value that stands beside what it opens is one only where it has a digit, and no space."""
    group = next(name for name in ("v", "w", "x") if match.groupdict().get(name) is not None)
    raw = match[group]
    value = raw.lstrip("\"'`(*").rstrip(TRAILING.replace("!", ""))
    start = match.start(group) + raw.find(value)
    spelled = text[start : start + len(value)]
    if stands_for_a_secret(spelled) or is_code(text[start : start + len(value) + 1]):
        return None
    if not looks_chosen(spelled) or not any(map(str.isdigit, spelled)):
        return None
    return start, start + len(spelled)


_CODE_OF: Final = re.compile(
    r"(?:code|código|codigo|codice|key|clé|clef|clave|chiave|chave)\s"
    r"(?:(?:for|of|to|du|de|del|della|do|da|para|pour|per)\s)?(?:(?:the|our|my|le|la|el|il|o)\s)?\Z"
)


def _is_network_key(text: str, match: re.Match[str]) -> Span | None:
    if match["x"] is not None:
        before = text[max(0, match.start() - 32) : match.start()].lower()
        if _CODE_OF.search(before) is None:
            return None
    if match["y"] is not None:
        # "network ReedHouse, password otterlamp"
        start, end = match.span("y")
        named = text[slice(*match.span("net"))]
        odd = named != named.lower() or any(map(str.isdigit, named))
        return (start, end) if odd and is_a_plain_value([text[start:end]]) else None
    return _is_renewed(text, match)


def _is_opening(text: str, match: re.Match[str]) -> Span | None:
    start = match.start("v")
    value = text[start : match.end("v")].strip("\"'`").rstrip(TRAILING.replace("!", ""))
    start = text.find(value, start)
    fits = looks_made_up(value) or (looks_chosen(value) and PARTED.fullmatch(value) is not None)
    return (start, start + len(value)) if fits and not stands_for_a_secret(value) else None


OPENED_RULES: Final = (
    Rule(
        "credential.password_renewed",
        "a password",
        re.compile(
            r"(?:cambiado|cambiamos|cambié|changé|modifié|cambiato|mudei|mudamos|troquei|alterei)\s"
            r"(?:[\w'-]{1,16}\s){0,3}?(?:contraseña|clave|mot de passe|mdp|password|senha|código"
            r"|code"
            r"|pin)\s(?:[\w'.-]{1,24}\s){0,5}?(?:a|por|en|pour|par|in|con|para)\s(?P<v>\S{4,64})"
            r"|(?:passwort|kennwort|geheimzahl|pin|code)\s(?:[\w'.-]{1,24}\s){0,5}?auf\s"
            r"(?P<w>\S{4,64})\s(?:geändert|gesetzt|umgestellt|zurückgesetzt|gestellt)"
        ),
        listed(
            "cambiado|cambiamos|cambié|changé|modifié|cambiato|mudei|mudamos|troquei|alterei"
            "|passwort|"
            "kennwort|geheimzahl"
        ),
        _is_renewed,
        ("He cambiado la clave a Nutria88", "das Passwort auf Otter_88 geändert"),
        ("j'ai changé le mot de passe en ligne", "das Passwort auf Anraten geändert"),
    ),
    Rule(
        "credential.network_key",
        "the key of a network",
        re.compile(
            r"(?:wi-?fi|wlan|wireless|ssid|network|hotspot)(?!\w)[^.\n]{0,60}?[,;/(]\s?"
            r"(?:(?:the|la|le|el|der|die)\s)?(?:key|code|schlüssel|clé|clef|clave|chiave|chave)\s?"
            rf"(?:{SIGN}|(?:is|ist|es|est|è|é)\s)?{FILL}(?P<v>\S{{5,64}})"
            # "WPA2 key 4kPz-otter", "wifi code in the barn is otter55"
            r"|(?:wi-?fi|wlan|wpa[23]?|wep|psk|hotspot|router|guest network)(?:[-/ ](?:psk|wpa2"
            r"|personal|network|security|access|guest|pre-shared)){0,2}[\s-](?:key|code|schlüssel)"
            r"(?:\s(?:in|at|for|on|of|to|im|am|der|des|vom|von|für)(?:\s[\w'.-]{1,20}){1,5}?)?"
            rf"(?:{SIGN}|\s(?:is|ist|lautet|was)(?:\snow)?:?\s|(?<=key)\s)(?P<w>\S{{5,64}})"
            # "el código del wifi de la cabaña es …"
            r"|(?:wi-?fi|wlan)(?:\s[\w'.-]{1,20}){0,5}?\s?(?:\s(?:is|est|es|è|é)|:)\s"
            r"(?P<x>\S{5,64})"
            r"|(?:network|ssid|wi-?fi|wlan)(?:\s(?:is|name|called))?:?\s(?P<net>[\w.-]{3,32}),\s"
            r"(?:password|passwort|pw|mot de passe|contraseña|senha)\s(?P<y>[^\W\d_]{5,32})"
            r"(?=[.;!]?(?:\s{0,2}\Z|\n))"
        ),
        listed("wifi|wi-fi|wlan|wireless|ssid|network|hotspot|wpa|psk|wep|router"),
        _is_network_key,
        ("wifi is HeronHouse, key marsh77", "WLAN Reiher, Schlüssel ist Salz77"),
        ("the network was slow, key people left", "wifi in room 12, code review at noon"),
    ),
    Rule(
        "credential.password_opens",
        "a password",
        re.compile(
            r"(?:archive|zip|file|pdf|vault|drive|disk|backup|volume|laptop|tablet|phone|ipad"
            r"|wallet"
            r"|container|document|account)\s(?:opens|unlocks|decrypts|unzips)\swith\s"
            r"(?P<v>\S{6,64})"
        ),
        listed(
            "archive |zip |file |pdf |vault |drive |disk |backup |volume |laptop |tablet |phone "
            "|ipad |wallet |container |document |account "
        ),
        _is_opening,
        ("the zip archive opens with Heron-Marsh-19",),
        ("the file opens with LibreOffice7", "the pdf opens with Acrobat-DC"),
    ),
    Rule(
        "credential.password_asked",
        "a password",
        re.compile(
            r"(?:use|enter|type|try|put in|give it)\s[\"'`]?(?P<v>\S{6,64})\s(?:when|if|where|once|"
            r"whenever|as soon as|as|for)\s[^.\n]{0,40}?(?:password|passphrase|passcode|pwd)(?!\w)"
            rf"(?!{NOUN_AFTER})"
        ),
        listed("use |enter |type |try |put in |give it "),
        _is_renewed,
        ("use Heron-Marsh-19 when it asks for the password",),
        ("use python3 when it asks for the password", "use Bitwarden for the password"),
    ),
)
