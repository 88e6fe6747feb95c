"""The Dutch phrases."""

from __future__ import annotations

from typing import Final

from cognid_daemon.intake.phrases.tongue import Phrases, Tongue, words

_W: Final = r"[^\s,:;()]++"
_NL_VERB: Final = (
    r"(?:op(?:ge)?(?: ?te )?(?:slaan|slagen|slaat|schrijven|schreven|schrijft)|sla(?:at)?"
    r"|onthoud(?:en|t)?|bewa(?:ren|ar|art|ard)|noter(?:en|t|d)|noteer(?:t|d)?|vastleggen"
    r"|vast te leggen|loggen|registreren|op te (?:slaan|schrijven)|opgeslagen|bijhouden"
    r"|bij te houden|herinneren)\b"
)
_NL_OWN: Final = (
    r"(?!(?:ik|hij|ze|zij|we|wij|men|wie|waarom|hoe|kan|mijn|zijn|haar|de|het)\b(?! (?:volgende"
    r"|gesprek)))"
    rf"(?!(?:{_W} ){{1,5}}(?:ik|hij|we|kan|kunnen|kon|konden|wil|willen|wilde|heb|heeft|zou"
    r"|mocht)\b)"
)
_NL_DONE: Final = (
    r"(?:opgeslagen|bewaard|onthouden|genoteerd|gelogd|vastgelegd|opgeschreven|geregistreerd)"
)
_NL_MIND: Final = r"(?:je|jouw|uw|het) (?:geheugen|notities|aantekeningen|opslag|logboek)"
_NL_TOLD: Final = (
    rf"(?:dit|dat|het volgende|niets (?:hiervan|van (?:dit|wat))|hiervan|alles|wat ik(?: {_W})"
    rf"{{1,6}}?|(?:mijn|het) volgende {_W}|(?:dit|deze) (?:gesprek|chat|bericht)|(?:van |over"
    rf" )?mijn"
    rf" {_W}(?: {_W})?)"
)
DUTCH: Final = Tongue(
    name="Dutch",
    cues=words(
        "onthoud|sla |slaan|opgesl|bewa|note|schrijf|schrijv|vergeet|vergeten|verwijder|wis "
        "|wissen|onder ons|tussen ons|vertrouwelijk|geheim|prive|incognito|denk eraan|voor je"
        "|vast|loggen|registre|bijhoud|bij te"
        "|opsla|geheugen|gelogd|gereg|ongenot|notit|aanteken"
    ),
    joins=Phrases(r"\b(?:en|maar|dus) "),
    lead=Phrases(
        r"(?:alsjeblieft|aub|a\.u\.b\.|graag|en|maar|hey|hoi|ok|nou|nu|nee|ja|oh|dus|ook"
        r"|vanaf nu|voortaan|van nu af aan|in dit gesprek|voor de rest van (?:dit gesprek"
        r"|deze chat)|voorlopig|eigenlijk|trouwens),? ?(?<![a-z])"
    ),
    ask=Phrases(
        rf"{_NL_TOLD},? (?:hoeft?|mag|moet|zou|wordt|kan)(?: (?:je|u))?(?: {_W}){{0,3}}? ?(?:niet"
        rf"|niets|nooit|nergens)(?: {_W}){{0,2}}? (?:te worden {_NL_DONE}|{_NL_DONE}(?: te)?"
        rf"(?: worden)?|worden {_NL_DONE})(?= ?(?:$|[,:;–-]))"
        rf"|niets (?:hiervan|van (?:dit|wat ik(?: {_W}){{1,6}}?)) (?:hoeft|mag|moet|wordt)(?: te)?"
        rf" (?:worden )?{_NL_DONE}",
        rf"ik (?:(?:wil|zou)(?: {_W})? niet(?: willen)?|(?:wil|zou willen|vind het fijn|heb liever"
        rf"|zou liever hebben|zou graag hebben|heb het liefst)(?: graag)?(?=,?(?: {_W}){{1,8}}? "
        rf"(?:niet"
        rf"|niets|nergens|nooit|geen)\b)),? ?(?:dat|als) (?:dit|dat|er|alles|niets|je|jij|u|wat ik"
        rf"(?: {_W}){{1,5}}?|mijn {_W})(?: {_W}){{0,5}}? (?:(?:{_NL_DONE}|bewaart|onthoudt|opslaat"
        rf"|noteert|vastlegt|opschrijft)(?: wordt| worden)?|(?:wordt|worden) {_NL_DONE})",
        rf"ik (?:vraag|verzoek|smeek) (?:je|u),? (?:om )?(?:{_W} ){{0,3}}?(?:niet|niets|nooit)(?:"
        rf" {_W})"
        rf"{{0,2}}? ?{_NL_VERB}|(?:zet|schrijf|stop|voeg|neem|laat|bewaar)(?: {_W}){{1,4}}? (?:niet"
        rf"|niets|nooit) (?:in|op|toe aan) {_NL_MIND}",
        rf"(?:laat|hou|houd|haal|zet|sluit)(?: {_W}){{1,6}}? (?:buiten|uit|weg uit) {_NL_MIND}",
        rf"{_NL_TOLD},? (?:hoort?|horen|thuishoort|past|komt?|komen|gaat)(?: {_W})? (?:niet|nooit)"
        rf"(?: thuis)? in {_NL_MIND}|{_NL_TOLD} (?:is|zijn|blijft)(?: {_W})? (?:taboe|off limits"
        rf"|verboden)(?: terrein)? voor {_NL_MIND}",
        rf"(?:stop|hou op|houd op|vermijd|kap)(?: {_W}){{0,2}}? (?:met |om )?(?:het )?(?:{_W}"
        rf" ){{0,3}}?"
        rf"(?:te )?(?:onthouden|opslaan|bewaren|noteren|bijhouden|loggen)\b",
        r"(?:zet|schakel|doe) (?:je|het|uw) geheugen (?:even |nu )?uit\b|geheugen uit(?= ?(?:$"
        r"|[,;]))"
        r"|(?:pauzeer) (?:je|het) geheugen",
        rf"(?:van|over) mijn {_W}(?: {_W})? (?:sla|bewaar|onthoud|noteer|schrijf)(?: je)? (?:niets"
        rf"|niks|nooit)|wat ik(?: {_W}){{1,6}}?,? (?:sla|bewaar|onthoud|noteer|schrijf)(?: {_W})"
        rf"{{0,3}}? (?:niet|nooit)|(?:dit|dat) blijft (?:onopgeslagen|ongenoteerd)"
        rf"|zonder (?:dit|dat|het|iets) (?:te )?(?:bewaren|op te slaan|onthouden)",
        r"(?:onthoud|bewaar|noteer|log|registreer|memoriseer|houd|herinner)(?: (?!dat ik|dat we"
        rf"|goed){_W}){{0,5}}? (?:niet|niets|nooit|geen)\b",
        rf"(?:sla|schrijf|leg|houd|hou)(?: (?!dat ik){_W}){{0,5}}? (?:niet|niets"
        rf"|nooit)(?: {_W}){{0,4}}? (?:op|vast|bij)\b",
        rf"{_NL_OWN}(?:{_W} ){{0,5}}?(?:niet|niets|nooit"
        rf"|niks)(?: {_W}){{0,3}} (?:te )?(?:opslaan|onthouden|bewaren|noteren|opschrijven"
        r"|vastleggen|loggen)(?= ?(?:$|[,:;–-]| alsjeblieft| aub"
        r"| graag))(?<!kan niet onthouden)(?<!niet te onthouden,)",
        rf"(?:je|u) (?:hoeft|moet|mag|hoef|kunt|zou)(?: {_W}){{0,5}}? (?:niet|niets"
        rf"|nooit)(?: {_W}){{0,3}}? {_NL_VERB}|(?:dit|dat) (?:hoef|moet|mag)(?: (?:je"
        rf"|u))?(?: {_W})? niet(?: {_W}){{0,3}}? {_NL_VERB}",
        r"ik wil (?:dit"
        r"|dat) niet (?:opgeslagen|bewaard)",
        r"(?:(?:dit|dat|het|alles)(?: \w+)? (?:blijft|moet|is)(?: \w+)? |even |gewoon |strikt "
        r"|alleen )?(?:onder|tussen) ons(?: (?:gezegd|blijven|tweeen))?(?= ?(?:$|[,:;–-]))",
        r"(?:houd|hou) (?:dit|dat|het) (?:voor (?:je|jezelf|u)|geheim|vertrouwelijk|prive"
        r"|onder ons)|(?:zet )?(?:de )?(?:prive(?:-|)modus"
        r"|incognito(?:-?modus)?)(?: aan)?(?= ?(?:$|[,:;]))|off the record(?= ?(?:$|[,:;–-]))"
        r"|behandel (?:dit|dat) (?:als )?vertrouwelijk",
    ),
    doubt=Phrases(
        r"(?:dit|dat|het) is (?:strikt |heel |een )?(?:vertrouwelijk|geheim|prive)(?= ?(?:$"
        r"|[,:;–-]))|(?:zeg|vertel) (?:dit |het )?(?:tegen|aan) niemand|vertel(?: het"
        r"| dit)? niemand"
    ),
    erase=Phrases(
        r"(?:(?:kun|kan|wil) je |je mag |je kunt )?(?:vergeet|vergeten|verwijder|verwijderen|wis"
        r"|wissen)(?: alsjeblieft| maar)?(?: (?:alles|dat|wat))?,? (?:wat (?:ik|je|je over)"
        r"|dat ik|alles (?:wat|over)|mijn |je (?:geheugen|herinneringen|notities)|de notitie"
        r"|dit (?:bericht|gesprek)|dat (?:bericht|gesprek)|ik )\b(?! niet)",
        r"(?:kun|kan|wil) je (?:alsjeblieft )?(?:alles|wat)(?:,? [^\s,:;()]+){1,9} (?:vergeten"
        r"|verwijderen|wissen)|doe alsof ik",
    ),
    lift=Phrases(
        r"(?:je|u) (?:mag|kunt|kan) (?:(?:nu|het|alles|dingen|weer) )*weer (?:\w+ )?(?:onthouden"
        r"|opslaan|bewaren|noteren)|(?:prive-?modus|incognito) uit"
    ),
    keep=Phrases(
        r"vergeet(?: (?:dit|dat|het|alsjeblieft|vooral|je))* (?:niet|nooit)|niet vergeten"
        r"|onthoud\b|denk eraan|noteer\b|schrijf (?:dit |dat )?op|bewaar (?:dit|dat)"
        r"|herinner (?:me|mij|je)|sla (?:dit|dat) op|houd (?:er )?rekening|(?:als"
        r"|voordat) ik het vergeet"
    ),
    coming=Phrases(
        r"(?:(?:het|mijn|de|mn) )?volgende\b(?! (?:week|maand|jaar|dag))|wat ik (?:nu|zo|straks"
        r"|je nu) |wat (?:volgt|nu komt)"
    ),
    session=Phrases(
        r"\b(?:vanaf nu|voortaan|van nu af aan|dit (?:hele )?(?:gesprek|chat)"
        r"|deze (?:hele )?(?:chat|sessie)|rest van|tot(?:dat)? ik|voorlopig|alles wat ik|vandaag"
        r"|incognito|prive-?modus|niets meer|(?:onthoud|bewaar|noteer) niets(?=$|,| meer"
        r"| van wat)|sla niets (?:meer )?op(?=$|,))"
    ),
    topic=Phrases(
        r"\b(?:iets|niets|nooit|alles|informatie|details|gegevens)(?: [^\s,:;()]+){0,4}? (?:over"
        r"|van|betreffende) (?:mijn|ons|onze|de|het)\b|\b(?:als|wanneer"
        r"|telkens als) ik (?:het )?(?:over|praat)"
    ),
    reported=Phrases(r"\b(?:zei|zegt|vroeg|schreef|antwoordde|vertaal|gezegd)\W*$"),
)
