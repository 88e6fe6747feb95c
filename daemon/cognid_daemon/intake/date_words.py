"""The words that dates are said in: English, German, Chinese, and months of a few others.

Owns: tables and patterns only; `dates` says which instant they give.
"""

from __future__ import annotations

import re
from typing import Final, Literal

Unit = Literal["day", "weekend", "week", "month", "season", "year"]
"""How long what is named lasts."""


def _numbered(words: str) -> dict[str, int]:
    """Words in groups: the first group is 1; the variants in a group are joined with `|`."""
    table: dict[str, int] = {}
    for number, group in enumerate(words.split(), 1):
        table.update(dict.fromkeys(group.split("|"), number))
    return table


MONTHS: Final = _numbered(
    "january|jan|januar|jänner|enero|janvier february|feb|februar|febrero|février march"
    "|mar|märz|maerz|marzo|mars april|apr|abril|avril may|mai|mayo june|jun|juni|junio"
    "|juin july|jul|juli|julio|juillet august|aug|agosto|août september|sep|sept"
    "|septiembre|septembre october|oct|oktober|okt|octubre|octobre november|nov|noviembre"
    "|novembre december|dec|dezember|dez|diciembre|décembre"
)
WEEKDAYS: Final = _numbered(
    "monday|montag tuesday|tue|tues|dienstag wednesday|mittwoch thursday|thu|thurs"
    "|donnerstag friday|fri|freitag saturday|samstag|sonnabend sunday|sonntag"
)
"""Without the short forms that are words of their own (sun, sat, wed, mon)."""
CHINESE_WEEKDAYS: Final = {**_numbered("一 二 三 四 五 六 日"), "天": 7}
NUMBERS: Final = {
    "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
    "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "couple": 2, "few": 3,
    "ein": 1, "eine": 1, "einem": 1, "einer": 1, "einen": 1, "zwei": 2, "drei": 3, "vier": 4,
    "fünf": 5, "sechs": 6, "sieben": 7, "acht": 8, "neun": 9, "zehn": 10, "elf": 11, "zwölf": 12,
    "paar": 3, "一": 1, "二": 2, "两": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8,
    "九": 9, "十": 10, "十一": 11, "十二": 12, "几": 3,
}  # fmt: skip
UNITS: Final[dict[str, Unit]] = {
    "day": "day", "days": "day", "tag": "day", "tage": "day", "tagen": "day", "天": "day",
    "日": "day", "week": "week", "weeks": "week", "woche": "week", "wochen": "week", "周": "week",
    "星期": "week", "礼拜": "week", "个星期": "week", "个礼拜": "week", "weekend": "weekend",
    "weekends": "weekend", "wochenende": "weekend", "wochenenden": "weekend", "周末": "weekend",
    "month": "month", "months": "month", "monat": "month", "monate": "month", "monaten": "month",
    "个月": "month", "月": "month", "year": "year", "years": "year", "jahr": "year",
    "jahre": "year", "jahren": "year", "年": "year",
}  # fmt: skip
_EN_DAYS: Final = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth "
    "thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
)
_DE_DAYS: Final = (
    "erst zweit dritt viert fünft|fuenft sechst siebt|siebent acht neunt zehnt elft zwölft"
    "|zwoelft dreizehnt vierzehnt fünfzehnt|fuenfzehnt sechzehnt siebzehnt achtzehnt neunzehnt "
    "zwanzigst"
)
_DE_ONES: Final = "ein zwei drei vier fünf|fuenf sechs sieben acht neun"
_ES_DAYS: Final = (
    "primero|uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince "
    "dieciséis diecisiete dieciocho diecinueve veinte veintiuno veintidós veintitrés "
    "veinticuatro veinticinco veintiséis veintisiete veintiocho veintinueve treinta"
)
_FR_DAYS: Final = (
    "premier|1er deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze "
    "seize dix-sept dix-huit dix-neuf vingt"
)


def _english_days() -> dict[str, int]:
    words = _numbered(_EN_DAYS)
    ones = [(word, number) for word, number in words.items() if number < 10]
    for gap in ("-", " ", ""):
        words |= {f"twenty{gap}{word}": 20 + number for word, number in ones}
        words[f"thirty{gap}first"] = 31
    return words | {"thirtieth": 30}


def _german_days() -> dict[str, int]:
    stems = _numbered(_DE_DAYS)
    ones = _numbered(_DE_ONES)
    stems |= {f"{word}undzwanzigst": 20 + number for word, number in ones.items()}
    for thirty in ("dreißigst", "dreissigst"):
        stems |= {thirty: 30, f"einund{thirty}": 31}
    return {f"{stem}{end}": day for stem, day in stems.items() for end in ("e", "en", "er")}


def _french_days() -> dict[str, int]:
    words = _numbered(_FR_DAYS)
    ones = [(word, number) for word, number in words.items() if 1 < number < 10]
    return words | {
        **{f"vingt-{word}": 20 + number for word, number in ones},
        "vingt et un": 21, "vingt-et-un": 21, "trente": 30, "trente et un": 31, "trente-et-un": 31,
    }  # fmt: skip


ENGLISH_DAYS: Final = _english_days()
DAYS: Final = {
    **_numbered(_ES_DAYS), "treinta y uno": 31, **_french_days(), **_german_days(), **ENGLISH_DAYS,
}  # fmt: skip
"""The days of a month in words: ordinals, in Spanish and French the numbers that stand for them."""
CHINESE_DAYS: Final = {
    f"{tens}{ones}": 10 * many + one
    for tens, many in (("", 0), ("十", 1), ("二十", 2), ("廿", 2), ("三十", 3))
    for one, ones in enumerate(("", *"一二三四五六七八九"))
    if 1 <= 10 * many + one <= 31
}

SEASONS: Final = {
    "spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12, "frühling": 3, "frühjahr": 3,
    "sommer": 6, "herbst": 9, "春天": 3, "夏天": 6, "秋天": 9, "冬天": 12,
}  # fmt: skip
"""The month in which a season begins (meteorological, northern)."""

_MONTH: Final = "|".join(sorted(MONTHS, key=len, reverse=True))
_DAY: Final = "|".join(sorted(WEEKDAYS, key=len, reverse=True))
_COUNT: Final = "|".join(
    sorted(
        (word for word in NUMBERS if word.isascii() or word in "fünf zwölf"), key=len, reverse=True
    )
)
_IN_WORDS: Final = "|".join(sorted(DAYS, key=len, reverse=True))
_IN_ENGLISH: Final = "|".join(sorted(ENGLISH_DAYS, key=len, reverse=True))
_UNIT: Final = "|".join(sorted((word for word in UNITS if word.isascii()), key=len, reverse=True))
_SEASON: Final = "|".join(word for word in SEASONS if word.isascii() or "ü" in word)
_ZH_COUNT: Final = r"\d{1,3}|[一二两三四五六七八九几]|十[一二]?"
_LAST: Final = r"last|past|previous|letzte[nrms]?|vorige[nrms]?|vergangene[nrms]?"
_NEXT: Final = r"next|coming|upcoming|nächste[nrms]?|kommende[nrms]?"
_THIS: Final = r"this|current|diese[nrms]?"

_FORMS: Final = (
    # 2026-05-03, 2026/5/3
    ("iso", r"\b(?P<iso_y>(?:19|20|21)\d\d)[-/](?P<iso_m>\d{1,2})[-/](?P<iso_d>\d{1,2})\b"),
    # 3.5.2026, 3.5.
    (
        "dotted",
        r"\b(?P<dot_d>\d{1,2})\.(?P<dot_m>\d{1,2})\.(?P<dot_y>(?:19|20|21)\d\d)?(?!\d|\.\d)",
    ),
    # 3 May 2026, 3rd of May, 3. Mai, the third of May, am dritten Mai, el tres de mayo
    (
        "day_month",
        rf"\b(?:(?P<dm_d>\d{{1,2}})(?:st|nd|rd|th|\.)?|(?P<dm_w>{_IN_WORDS}))(?P<dm_of>"
        rf"(?: day)? of| de)? (?P<dm_m>{_MONTH})\b\.?(?:(?:,| of| de)? "
        r"(?P<dm_y>(?:19|20|21)\d\d)\b)?",
    ),
    # May 3rd, 2026; May the third
    (
        "month_day",
        rf"\b(?P<md_m>{_MONTH})\.?(?:,? the)? (?:(?P<md_d>\d{{1,2}})(?:st|nd|rd|th)?"
        rf"|(?P<md_w>{_IN_ENGLISH}))\b(?![:.]\d|%)(?:,? (?P<md_y>(?:19|20|21)\d\d)\b)?",
    ),
    # the third of next month, am 3. nächsten Monats
    (
        "day_unit",
        rf"\b(?:(?P<du_d>\d{{1,2}})(?:st|nd|rd|th|\.)?|(?P<du_w>{_IN_WORDS}))(?: of| des)? "
        rf"(?P<du_u>{_LAST}|{_NEXT}|{_THIS}) mon(?:th|ats)\b",
    ),
    # May 2026, of last May
    ("month_year", rf"\b(?P<my_m>{_MONTH})(?: of| de)?,? (?P<my_y>(?:19|20|21)\d\d)\b"),
    # 2026年5月3日, 五月三号, 三月; no month alone where a day follows that is not read
    (
        "zh_date",
        r"(?:(?P<zh_y>(?:19|20|21)\d\d|今|去|明|前)年)?(?P<zh_m>\d{1,2}|十[一二]?"
        r"|[一二三四五六七八九])月(?:份|(?P<zh_d>\d{1,2}[日号]?|[一二三四五六七八九十廿]{1,3}[日号])"
        r"|(?![一二三四五六七八九十廿初]))",
    ),
    ("zh_season", r"(?P<zhs_w>去年|今年|明年)(?P<zhs>春天|夏天|秋天|冬天)"),
    ("zh_year", r"(?P<zhy>(?:19|20|21)\d\d|今|去|明|前)年(?P<zhy_end>底)?"),
    (
        "today",
        r"\b(?P<now>day before yesterday|day after tomorrow|yesterday|today|tonight|tomorrow"
        r"|last night|this (?:morning|afternoon|evening)|vorgestern|gestern|heute|übermorgen|"
        r"(?<!guten )(?<!heute )(?<!jeden )(?<!good )morgen)\b|(?P<zh_now>大前天|前天|昨天"
        r"|昨晚|今天|今晚|明天|大后天|后天)",
    ),
    (
        "ago",
        rf"\b(?:(?:about|around|over|almost|roughly) )?(?P<ago_n>\d{{1,3}}|{_COUNT})(?: of)? "
        rf"(?P<ago_u>{_UNIT}) (?:ago|back|earlier)\b",
    ),
    ("vor", rf"\bvor (?:etwa |rund |über )?(?P<vor_n>\d{{1,3}}|{_COUNT}) (?P<vor_u>{_UNIT})\b"),
    (
        "in",
        rf"\b(?:in|within) (?:about |etwa )?(?P<in_n>\d{{1,3}}|{_COUNT})(?: of)? "
        rf"(?P<in_u>{_UNIT})(?:'s|s')?(?: time)?\b",
    ),
    (
        "zh_ago",
        rf"(?P<zha_n>{_ZH_COUNT})(?P<zha_u>个月|个?星期|个?礼拜|周|天|年|月)"
        r"(?P<zha_w>之?以?前|之?以?后)",
    ),
    # since/for three years: only after `for` or `seit` does a bare duration tell a beginning
    (
        "lasting",
        r"\b(?:for|seit|since)(?: about| over| almost| nearly| more than| the)?(?: past| "
        rf"last)? (?P<dur_n>\d{{1,3}}|{_COUNT})(?: of)? (?P<dur_u>{_UNIT})\b(?! ago)",
    ),
    ("zh_lasting", rf"(?P<zhd_n>{_ZH_COUNT})(?P<zhd_u>个月|年|个?星期|周)了"),
    (
        "end_of",
        r"\b(?:the )?(?:end of|ende) (?:(?:the|this|of|des) )?(?P<end_w>next |nächste[nrs]? "
        rf")?(?P<end_u>week|month|year|quarter|monats|jahres|der woche|{_MONTH})(?: "
        r"(?P<end_y>(?:19|20|21)\d\d))?\b",
    ),
    (
        "weekday",
        rf"\b(?:(?P<wd_w>{_LAST}|{_NEXT}|{_THIS}|on|am|by|until|till|bis|every|each"
        rf"|jede[nrs]?) )?(?P<wd>{_DAY})s?\b(?P<wd_after> (?:last|next) week)?",
    ),
    (
        "zh_weekday",
        r"(?P<zhw_w>上上|下下|上|下|这|本)?个?(?:周|星期|礼拜)(?P<zhw>[一二三四五六日天])",
    ),
    (
        "zh_unit",
        r"(?P<zhu_w>上上|下下|上|下|这|本)个?(?P<zhu>周末|周|星期|礼拜|月)"
        r"(?:(?P<zhu_d>\d{1,2}|[一二三四五六七八九十廿]{1,3})[日号])?",
    ),
    (
        "season",
        rf"\b(?P<se_w>{_LAST}|{_NEXT}|{_THIS}|in|in the|im|since) (?P<se>{_SEASON})\b(?: "
        r"(?:of )?(?P<se_y>(?:19|20|21)\d\d))?",
    ),
    ("unit", rf"\b(?P<un_w>{_LAST}|{_NEXT}|{_THIS}) (?P<un>{_UNIT})\b"),
    # last March, in March, since March
    (
        "month",
        rf"\b(?P<mo_w>{_LAST}|{_NEXT}|{_THIS}|in|since|until|till|by|from|im|seit|bis|ab|of"
        r"|early|mid|late|en|depuis|desde|before|after|starting|through|to|anfang|mitte)[ -]"
        rf"(?:early |mid |late |mid-|in )?(?P<mo>{_MONTH})\b(?:,? (?P<mo_y>(?:19|20"
        r"|21)\d\d)\b)?",
    ),
    (
        "year",
        r"\b(?:in|since|until|till|by|from|of|seit|bis|ab|im jahr|year|before|after|depuis"
        r"|desde|en|early|late|through|to) (?P<yr>(?:19|20|21)\d\d)\b(?![-/.:]\d)",
    ),
)
WHEN: Final = re.compile("|".join(f"(?P<{name}>{form})" for name, form in _FORMS))
"""One expression of time in lowered text."""

WEEKDAY_SEAM: Final = re.compile(r",?(?: the| den| dem| der| le| el)? ")
"""What may stand between a weekday and the date of the same day ("Friday, the ninth of May")."""
OTHER_YEAR: Final = re.compile(
    r"(?:,| of| in)? (?:1[0-8]\d\d\b|'\d\d\b|(?:nineteen|twenty|eighteen|two thousand)\b"
    r"|neunzehnhundert|zweitausend|mil |dos mil|deux mille)"
)
"""What follows a date where a year was said that is not read: then its year is not guessed."""
DATE_FOLLOWS: Final = re.compile(
    r"(?:\b(?:on|by|until|till|since|from|to|for|before|after|is|was|starting|around)(?: the)?"
    r"|[,:(–-]|^) ?$"
)
"""What stands before an English date that is said without `of` ("on May ninth")."""
DATE_ENDS: Final = re.compile(
    r"\W*$|[.,;:!?)–-]| (?:at|in|and|to|for|with|from|until|till|this|next|of|or|but|so|as|we|i|he"
    r"|she|they|it|is|was)\b"
)
"""What follows such a date: no noun, which would be the ninth of its kind ("the first draft")."""
ORDINAL_ENDS: Final = re.compile(r"(?:\w(?<!mon)(?:st|nd|rd|th)|\d)(?: day)? of $")
"""An ordinal before `of May` that was not read: then a day was said, and no month alone."""

SINCE: Final = re.compile(
    r"(?:\b(?:since|starting(?: from| on)?|beginning|effective|as of|from|seit|ab|von"
    r"|depuis|desde)(?: the| dem| der)?(?: early| mid| late)?|自从?|从|自)\s?$"
)
"""What stands before an expression that tells a beginning."""
UNTIL: Final = re.compile(
    r"(?:\b(?:until|till|til|through|up to|bis(?: zum| zur)?|jusqu'en|jusqu'au|hasta)(?: "
    r"the)?|到|至|直到)\s?$"
)
CLOCK: Final = re.compile(
    r"\b(?:at|um|@|from|gegen) (?P<h>\d{1,2})(?:[:.h](?P<m>[0-5]\d))?(?: ?(?P<half>am|pm"
    r"|a\.m|p\.m)\b| ?(?P<uhr>uhr)\b)?|(?P<zh_half>早上|上午|下午|晚上)?(?P<zh_h>\d{1,2})"
    r"(?:点|:(?P<zh_m>[0-5]\d))|\b(?P<h2>\d{1,2})(?::(?P<m2>[0-5]\d))? ?(?P<half2>am"
    r"|pm)\b"
)
HINT: Final = re.compile(
    r"\d|day|week|month|year|night|ago|since|spring|summer|autumn|fall|winter|next|last"
    r"|morning|evening|today|tomorrow|woche|monat|jahr|gestern|heute|morgen|tag|seit"
    r"|mittwoch|sommer|herbst|frühling|nächst|letzt|weekend|wochenende|quarter"
    r"|[年月日天周星期]|" + "|".join(sorted({word[:3] for word in MONTHS}))
)
"""A cheap sign that there may be an expression of time at all."""
