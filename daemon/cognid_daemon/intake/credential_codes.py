"""Rules for numbers that open something: PINs, door codes, recovery codes, and who has them.

Owns: the ways of saying them. A number alone is nothing; what stands beside it makes it a code.
"""

from __future__ import annotations

import re
from typing import Final

from cognid_daemon.intake.credential_rule import Rule, Span, listed
from cognid_daemon.intake.credential_words import UNIT

_JOINS: Final = (
    "for|to|of|on|at|in|from|i|we|that|which|he|she|they|you|there|now|für|fürs|zu|zum|zur|vom|"
    "von|am|"
    "meiner|meines|der|des|de|del|di|da|do|du|della|dell'|para|pour|per|van|voor|par|que|just"
)
_IS: Final = (
    r"(?:\s{0,3}(?:=>|->|:=|→|[:=：])\s{0,4}|\s{1,3}-{1,2}\s{1,3}|'s\s"
    r"|[?.,!;]?\s(?:it's|its|it is|that's|c'est|das ist)\s{1,2}"
    r"|\s{1,2}(?:is|was|are|will be|should be|used to be|has been changed to|was changed to"
    r"|changed to|"
    r"is set to|ist|lautet|sind|war|es|son|est|sont|è|é|sono|são|jest|är|er|"
    r"это)(?:\s{0,2}:)?\s{1,3}"
    r"(?:(?:le|el|il|o|the number|number|die|der)\s)?"
    r"|\s{0,2}(?:是|为|為|は|는|은)\s{0,2}[:：]?\s{0,2})"
    r"(?:(?:now|still|just|always|also|simply|set to|currently|jetzt|ahora|maintenant)\s){0,2}"
    r"[\"'`*]{0,2}"
)
_QUALIFIED: Final = rf"(?:\s{{1,2}}(?:{_JOINS})(?:\s{{1,2}}[\w'@./&+-]{{1,32}}){{0,6}}?)?"
_FOR: Final = r"(?:\s{1,2}(?:for|to|of|für|zur|zum|de|pour|per)(?:\s{1,2}[\w'@./&+-]{1,32}){1,4}?)"
_ASIDE: Final = (
    r",\s(?:(?:in case|if|when|should|just|so|as|falls|por si|au cas)\s[^:\n.,]{1,40}[:,]\s{1,2}"
    r"(?:it's\s|it is\s)?|[^:\n.,\d]{2,40},\s{1,2}(?:is|ist|es|est|è|é)\s{1,2})"
)
"""What may be said between: ", in case you need it: "."""
_LISTED: Final = r"\s{0,2}:?\s{0,2}\n\s{0,4}(?:[-*•]|\d{1,2}[.)])?\s{0,3}"
"""The beginning of a list on the next line."""
_ENDS: Final = r"(?![\w-]|[.,:/]\d)"
_DIGITS: Final = rf"(?P<v>[#*]?\d(?:[ -]?\d){{3,11}}[#*]?){_ENDS}"
_NUMERALS: Final = (
    r"(?:zero|oh|one|two|three|four|five|six|seven|eight|nine|null|eins|zwei|drei|vier|fünf|sechs|"
    r"sieben|acht|neun|cero|uno|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|un|deux|trois|quatre|"
    r"cinq|sept|huit|neuf|zéro)"
)
_SPELLED: Final = rf"(?P<w>(?:(?:{_NUMERALS}|double|triple)[\s,-]{{1,3}}){{3,11}}{_NUMERALS})(?!\w)"

_OPENS: Final = listed(
    "storage unit|door|gate|alarm|lock| safe|garage|keypad|entrance|entry|lobby|building|shed"
    "|cabin|airbnb|"
    "apartment|elevator| lift|intercom|buzzer|suitcase|luggage|vault| gym|phone|ipad|tablet|laptop|"
    "voicemail|screen|parental|tür| tor |hoftor|gartentor|eingang|schloss|tresor|puerta|portal"
    "|caja fuerte|porte|"
    "immeuble|coffre|porta|portone|cancello|cassaforte|portão|deur|poort|kluis|дверь|домофон|"
    "подъезд|"
    # the cards of a bank
    "carte bleue|carte bancaire|carte de crédit|ma carte|ec-karte|bankkarte|kreditkarte|girokarte|"
    "meiner karte|meine karte|kartencode|tarjeta|bancomat|carta di credito|mia carta|cartão"
    "|bankpas|"
    "pinpas|bank card|debit card|credit card"
)
"""Things that a code opens. A space before one keeps it from being found inside another word."""


def _opens(text: str) -> bool:
    text = f" {text}"
    return any(thing in text for thing in _OPENS)


_ASKS: Final = re.compile(
    r"(?:verification|security|login|log-in|sign-in|signin|auth\w{0,12}|2fa|two-factor|two factor|"
    r"mfa|"
    r"otp|one-time|one time|temp|temporary|sms|access|unlock|puk|backup|recovery|reset|secret"
    r"|pairing|card|bank|"
    r"bestätigungs|sicherheits|zugangs|tan)(?:'s)?[\s-]{0,2}$"
)
"""What stands before a code that proves who somebody is."""

_NO_CODE: Final = re.compile(
    r"(?:zip|postal|post|area|country|city|dial|dialing|promo|discount|coupon|voucher|gift|"
    r"referral|"
    r"error|status|exit|(?:fail|exit|crash|end|return|respond|stop)(?:s|ed) with|return|response"
    r"|http|result|booking|confirmation|reservation|product|"
    r"tracking|swift|sort|bank sort|dress|morse|color|colour|hex|source|article|item|icd|cpt|vat|"
    r"bar|"
    r"qr|stock|airport|station|course|class|line|diagnostic|trouble|fault|building|tax|sku|order|"
    r"plz|"
    r"código postal|postleit|of|op|byte|machine|unicode|ascii|ticker|flight)[\s-]{0,2}$"
)
"""What stands before a code that opens nothing."""

_SERVES: Final = 64


def _span(match: re.Match[str]) -> Span:
    groups = match.groupdict()
    return match.span(next(name for name in "vwxyz" if groups.get(name) is not None))


def _is_amount(text: str, end: int) -> bool:
    return UNIT.match(text[end : end + 24].lower()) is not None


def _is_pin(text: str, match: re.Match[str]) -> Span | None:
    before = text[max(0, match.start() - 28) : match.start()].lower()
    span = _span(match)
    if before[-1:].isalnum() or before[-1:] == "_" or _is_amount(text, span[1]):
        return None
    if re.search(r"(?:gpio|bowling|header|connector|arduino|cpu|postal|area|city)\W{1,2}$", before):
        return None
    said = match["is"] is not None
    if match["set_off"] and (not match["v"] or re.match(r"(?:19|20)\d\d$", match["v"])):
        return None  # a year, most likely
    digits = sum(c.isdigit() for c in text[slice(*span)])
    if match["v"] and not said and digits > 8:
        return None
    if (
        match["code"]
        and digits == 6
        and match["v"]
        and not re.search(r"bank|card|phone|sim|my|atm|door|app|account|login|lock|mein", before)
    ):
        # In India a PIN code of six digits is the postal code.
        return None
    return span


def _is_code(text: str, match: re.Match[str]) -> Span | None:
    span = _span(match)
    if _is_amount(text, span[1]):
        return None
    before = text[max(0, match.start() - _SERVES) : match.start()].lower()
    if _NO_CODE.search(before):
        return None
    value = text[slice(*span)]
    if re.fullmatch(r"\d{3}", value) or (re.fullmatch(r"[a-zA-Z]\d{1,2}", value)):
        return None
    around = before + text[match.start() : match.end() + _SERVES].lower()
    if _ASKS.search(before) or _opens(_sentence(around, len(before))):
        return span
    return None


def _sentence(text: str, at: int) -> str:
    """What of the text stands in one sentence with the place `at`."""
    start = max(text.rfind(mark, 0, at) for mark in (". ", "! ", "? ", "\n")) + 1
    ends = [end for mark in (". ", "! ", "? ", "\n") if (end := text.find(mark, at)) >= 0]
    return text[start : min(ends, default=len(text))]


def _opens_something(text: str, match: re.Match[str]) -> Span | None:
    span = _span(match)
    if _is_amount(text, span[1]) or text[max(0, match.start() - 1) : match.start()].isalnum():
        return None
    start = max(0, match.start() - _SERVES)
    around = text[start : match.end() + _SERVES].lower()
    return span if _opens(_sentence(around, match.start() - start)) else None


def _has_digits(text: str, match: re.Match[str]) -> Span | None:
    span = match.span("v")
    digits = sum(c.isdigit() for c in text[slice(*span)])
    return span if digits >= 3 and not _is_amount(text, span[1]) else None


def _is_ssn(text: str, match: re.Match[str]) -> Span | None:
    before = text[max(0, match.start() - 1) : match.start()]
    digits = "".join(c for c in match["v"] if c.isdigit())
    valid = digits[:3] not in ("000", "666") and digits[3:5] != "00" and digits[5:] != "0000"
    return match.span("v") if valid and not before.isalnum() else None


_ENROLS: Final = re.compile(
    r"authenticator|authy|totp|2fa|two[- ]factor|\bmfa\b|\botp\b|set-?up key|manual(?:ly)?"
    r" (?:entry|key"
    r"|code|set)|qr[- ]code|the qr\b|clé 2fa|zwei-faktor"
)
"""What a key is spoken of with from which one-time codes are made."""


def _is_enrolment_key(text: str, match: re.Match[str]) -> Span | None:
    value = match[0]
    if not any(map(str.isdigit, value)) or value.replace(" ", "").replace("-", "").isdigit():
        return None
    spelled = text[slice(*match.span())]
    if spelled not in (value, value.upper()):
        return None
    groups = re.split("[ -]", value)
    mixed = sum(not group.isalpha() for group in groups)
    if sum(map(str.isalpha, value)) < 6 or (len(groups) > 1 and 4 * mixed < len(groups)):
        return None
    around = text[max(0, match.start() - 120) : match.end() + 60].lower()
    return match.span() if _ENROLS.search(around) else None


_NEAR_A_NUMBER: Final = re.compile(
    r"\bssn\b|\bss ?(?:#|number|no\b)|\bso\w{1,4}l sec\w{2,6}y|\bsocial\b(?! (?:media|club|event"
    r"|worker|network))|\bitin\b"
)
_NO_NUMBER: Final = re.compile(
    r"format|example|validat|regex|pattern|\bfails?\b|\btests?\b|dummy|fake"
)


def _is_ssn_near(text: str, match: re.Match[str]) -> Span | None:
    around = text[max(0, match.start() - 64) : match.end() + 40].lower()
    if match["v"] == "123-45-6789" or _NO_NUMBER.search(around):
        return None
    return _is_ssn(text, match) if _NEAR_A_NUMBER.search(around) else None


CODE_RULES: Final = (
    Rule(
        "credential.pin",
        "a PIN",
        re.compile(
            r"(?:(?:pin|puk|geheimzahl|暗証番号)(?!\w)(?:[\s-]?(?P<code>codes?))?"
            r"(?:[\s-]?(?:number|nummer|nr\.?|no\.?|#))?|pin(?:code|nummer|kode)n?(?!\w)"
            r"|пин(?:-?код\w?)?(?:\s\w{2,12})?)(?:\s(?:has |was |got |just )?(?:changed|updated"
            r"|reset))?"
            rf"(?:{_QUALIFIED}(?P<is>{_IS}|{_ASIDE}|\?{{1,2}}\s|\s(?:so|again|here|now)\s?:\s)"
            rf"|(?P<set_off>{_FOR},\s{{1,2}})"
            rf"|\s{{1,2}})"
            rf"(?:{_DIGITS}|{_SPELLED})"
        ),
        listed("pin|puk|geheimzahl|暗証番号|пин"),
        _is_pin,
        (
            "my bank card pin is 4821",
            "PIN: 8830",
            "my pin is eight eight three zero",
            "the card's pin, in case you need it: 4821",
            "the new pin for the visa, 8830",
        ),
        (
            "my PIN is four digits long",
            "GPIO pin 18",
            "pin code 560034",
            "a 4 digit PIN",
            "an enamel pin for the fair, 2019",
        ),
    ),
    Rule(
        "credential.card_check",
        "the security code of a card",
        re.compile(
            r"(?:(?:cvv2?|cvc2?|card security code|kartenprüfnummer)(?:\s(?:number|code|nummer))?"
            rf"(?:{_QUALIFIED}{_IS}|\s)|security code{_QUALIFIED}{_IS}(?=[^\n]{{0,60}}card)"
            rf"|security code (?:on|of|for) [^\n.]{{0,40}}?card{_IS})(?P<v>\d{{3,4}}){_ENDS}"
        ),
        listed("cvv|cvc|card security code|security code|kartenprüfnummer"),
        lambda text, match: None if _is_amount(text, match.end("v")) else match.span("v"),
        ("the CVV is 382", "cvc: 4821", "the security code on my card is 382"),
        ("the CVV is 3 digits", "cvv 123 digits", "the security code is 382 pages"),
    ),
    Rule(
        "credential.access_code",
        "a code that opens something",
        re.compile(
            r"(?:codes?|kode?|código|codigo|codice|digicode|код|コード)(?!\w)"
            rf"(?:\s?[(][^()\n]{{1,30}}[)])?(?:\snumber)?(?:{_QUALIFIED}{_IS}|\s{{1,2}}"
            r"|\s(?:del|della|dell'|de la|de l'|du|do|da|des|der|vom|zum|for the|to"
            r" the)\s?[\w']{3,16}\s)"
            r"(?P<v>[#*]?(?:(?:g-)?\d(?:[ -]?\d){2,9}|\d{2,6}[a-z]\d{0,4}|[a-z]\d{2,6}[a-z]?)[#*]?)"
            rf"{_ENDS}"
        ),
        listed("code|kod|código|codigo|codice|код|コード"),
        _is_code,
        ("door code 4471", "the code for the gate is 0915", "Der Türcode ist 4471"),
        ("exit code is 137", "zip code is 94110", "error code 5021 when the door opens"),
    ),
    Rule(
        "credential.opening",
        "a code that opens something",
        re.compile(
            r"(?:punch in|type in|key in|enter|dial|press|use|unlocks? (?:it )?with|unlocked with|"
            r"opens? (?:it )?with|disarm(?:s|ed)? (?:it )?with|unlock (?:the |my )?\w{1,12} with|"
            r"tippe|"
            r"marque|"
            rf"tapez)\s(?:the\s)?(?:code\s|pin\s)?"
            rf"(?P<v>[#*]?\d{{4,8}}[#*]?|\d{{1,2}}(?:-\d{{1,2}}){{2,3}}){_ENDS}"
            rf"|(?:keypad|pin pad|lock ?box|key box|padlock|lock|panel|intercom|unlock(?:s|ed)?"
            rf"|disarm)"
            rf"(?:{_IS}|\s(?:\w{{1,12}}\s){{0,4}}?(?:wants|takes|needs|accepts|expects|likes|opens"
            rf" (?:at|on))\s"
            r"|(?<=pad)\s|(?<=disarm)\s)"
            rf"(?P<w>[#*]?\d{{4,8}}[#*]?|\d{{1,2}}(?:-\d{{1,2}}){{2,4}}){_ENDS}"
            r"|(?:(?:burglar|house|home|office) alarm|(?:front|back|garage) door|main gate)\s?:\s"
            rf"(?P<x>\d{{4,8}}){_ENDS}"
            r"|(?:open|unlock|disarm)\s(?:(?:up|the|my|our)\s){0,2}(?:[\w']{2,16}\s?){1,3}"
            r"(?::\s?|,?\s(?:it's|use|dial|press|type)\s)(?P<z>\d{4,8})(?![\w-]|[.,:/]\d)"
            r"|(?:garage|gate|door|safe|alarm)\s(?:takes|wants|needs|likes)\s(?P<y>\d{4,8})"
            r"(?=\s(?:then|plus|followed|first|to (?:open|get))\b|[.,;]?(?:\s{0,2}\Z|\n))"
        ),
        listed(
            "keypad|pin pad|lock|key box|padlock|intercom|panel|burglar alarm|house alarm|home"
            " alarm|"
            "office alarm|front door|back door|garage|main gate|gate |door |safe |alarm |"
            "punch in |type in |key in |enter |dial |press |use |unlock|open|disarm|tippe |"
            "marque |"
            "tapez "
        ),
        _opens_something,
        ("punch in 4471 at the garage keypad", "my phone unlocks with 2580"),
        ("enter 4471 in the search box", "press 1234 keys"),
    ),
    Rule(
        "credential.keyed_in",
        "a code that opens something",
        re.compile(
            r"(?<![\w#*.&/-])(?P<v>\d{3,8}[#*]|\*\d{3,8}[#*]?)(?![\w#*/])"
            r"|(?P<w>(?:left|right|l|r)\s\d{1,2}[ ,]{1,2}(?:then )?(?:left|right|l|r)\s\d{1,2}["
            r" ,]{1,2}"
            r"(?:then )?(?:left|right|l|r)\s\d{1,2})(?!\w)"
        ),
        (),
        _opens_something,
        ("the gate wants 2086# at night", "our safe: left 22 right 7 left 41"),
        ("the door bug #2086 is open", "in 2086 * 4 = 8344 doors", "turn left 22 right 7 times"),
        needs=_OPENS,
    ),
    Rule(
        "credential.combination",
        "the combination of a lock",
        re.compile(
            r"(?:combination|combo|zahlenkombination|kombination|combinaison|combinación|"
            r"combinazione)"
            rf"(?:\slock)?(?:{_QUALIFIED}{_IS}|\s)"
            r"(?P<v>\d{1,2}(?:[\s,-]{1,3}(?:right |left |then )?\d{1,2}){2,4}|\d{3,6})(?!\w)"
        ),
        listed("combination|combo|kombination|combinaison|combinación|combinazione"),
        _has_digits,
        ("safe combination is 31-7-22", "the locker combo: 4 18 36"),
        ("a combination of 3 things", "combo 2 with fries"),
    ),
    Rule(
        "credential.recovery_code",
        "a recovery code",
        re.compile(
            r"(?:(?:backup|recovery|rescue|scratch|emergency|2fa)[\s-](?:code|key)s?|"
            r"wiederherstellungs(?:code|schlüssel)s?|codes? de (?:secours|récupération)|"
            r"códigos? de (?:respaldo|recuperación)|codici di (?:backup|recupero))"
            rf"{_QUALIFIED}(?:{_IS}|{_LISTED}|{_ASIDE}|\s)"
            r"(?P<v>(?=[a-z-]{0,10}\d)[a-z0-9]{4,12}(?:[- "
            r"](?=[a-z]{0,11}\d)[a-z0-9]{4,12}){0,11})(?!\w)"
        ),
        listed(
            "backup|recovery|rescue|scratch|emergency|2fa|wiederherstellung|codes de|code de|"
            "código|"
            "codici di"
        ),
        _has_digits,
        (
            "my backup codes are 4821-9930 and 1182-4471",
            "recovery code: K7F2-99QX-31PL",
            "2fa backup codes\n1. k7f2-99qx\n2. 31pl-4471",
        ),
        ("I lost my recovery codes", "backup codes are 8 digits", "backup codes should be printed"),
    ),
    Rule(
        "credential.social_security",
        "a social security number",
        re.compile(
            r"(?:ssn|social security(?:\s(?:number|no\.?|nr|card|#))?|social(?= is| number|:|'s)|"
            r"itin)"
            rf"(?:\snumber)?(?:\s?[(][^()\n]{{1,30}}[)])?{_QUALIFIED}(?:{_IS}|[\s#(]{{1,3}})"
            r"(?P<v>\d{3}[ -]?\d{2}[ -]?\d{4})(?![\d-])"
        ),
        listed("ssn|social |social:|social's|itin"),
        _is_ssn,
        ("my SSN is 219-45-8830", "Social security number: 219 45 8830"),
        ("SSN: 000-00-0000", "the social is at 8"),
    ),
    Rule(
        "credential.social_security_near",
        "a social security number",
        re.compile(
            r"(?<![\d-])(?P<v>\d{3}([ .-])\d{2}\2\d{4}|(?<=(?:ed|ut|in|it|is)\s)\d{9})(?![\d-])"
        ),
        (),
        _is_ssn_near,
        ("my social security no. and I typed 745 29 8173", "is 219-45-8830 a valid social?"),
        ("SSNs have a format like 219-45-8830", "call 219-45-8830 about the social media post"),
        needs=listed("ssn|social|socal|sociel|soical|ss# |ss number|ss no"),
    ),
    Rule(
        "credential.otp_key",
        "the key of one-time codes",
        re.compile(r"(?<![\w-])(?:(?:[a-z2-7]{4}[ -]){2,15}[a-z2-7]{4}|[a-z2-7]{16,64})(?![\w-])"),
        (),
        _is_enrolment_key,
        ("authenticator setup key: JBSW Y3DP EHPK 3PXP", "2fa seed NB2W45DFOIXG4ZLU"),
        (
            "Authenticator will only sync when both apps talk",
            "the 2FA line is 4471 2234 5567 2234",
        ),
        needs=listed(
            "authenticator|authy|totp|2fa|two-factor|two factor|setup key|set-up key|manual|qr"
            " code|"
            "zwei-faktor"
        ),
    ),
)
