"""The rules for German, and thinly for French, Spanish, Italian and Portuguese."""

from __future__ import annotations

from typing import Final

from cognid_daemon.intake.fact_rule import CONTEXT, EPISODIC, FACT, PREFERENCE, PROCEDURAL, rule

_MEIN: Final = r"\b(?:mein|meine|meinen|meiner|meinem|unser|unsere|unseren|unserer|unserem)"
_KIN: Final = (
    "frau|mann|partner|partnerin|freund|freundin|freunde|verlobte|verlobter|sohn|tochter"
    "|kind|kinder|baby|mutter|vater|eltern|mama|papa|bruder|schwester|geschwister|oma|opa"
    "|großmutter|großvater|großeltern|tante|onkel|cousin|cousine|neffe|nichte"
    "|schwiegermutter|schwiegervater|schwiegereltern|chef|chefin|kollege|kollegin"
    "|kollegen|nachbar|nachbarin|lehrer|lehrerin|arzt|ärztin|hausarzt|team|familie|hund"
    "|hunde|katze|katzen|kater|pferd|hase|kaninchen|wellensittich|haustier|zwillinge"
    "|enkel|enkelin"
)
_OWN: Final = (
    "name|vorname|nachname|geburtstag|hochzeitstag|lieblings\\w{2,30}|job|beruf|arbeit"
    "|firma|hobby|hobbys|hobbies|auto|fahrrad|wohnung|haus|garten|muttersprache|ziel"
    "|traum|adresse|schuhgröße|allergie|studium|schule|ausbildung|projekt|server"
    "|datenbank|api|repo|repository|code|backend|frontend|app|webseite|website|budget"
    "|kunde|kunden|deadline|frist|pipeline|ci|dienst|system|plattform|domain|produkt"
    "|abteilung|büro|stack|release"
)
_ADV: Final = (
    r"(?:(?:auch|sehr|gern|gerne|wirklich|total|immer|nur|noch|schon|jetzt|seit \w+"
    r"|überhaupt|leider|eigentlich|meistens|oft|nie|nicht|kein|keine|keinen|am liebsten"
    r"|lieber|zurzeit|gerade|derzeit|ja|aber|einfach|ganz) ){0,4}"
)
_PAST_DE: Final = r"\b(?:habe|haben|hab|bin|sind|war|waren|hatte|hatten|wurde|ging|kam|hat|ist)\b"

GERMAN: Final = (
    rule(
        "de_manner",
        PREFERENCE,
        "duz siez antworte antworten schreib schreibe sprich duze sieze nenn nenne erkläre "
        "benutze verwende antwort",
        r"\b(?:antworte|antworten|schreib|schreibe|sprich|duze|sieze|erkläre|benutze"
        r"|verwende)\b.{0,60}\b(?:immer|nie|nur|ab jetzt|ab sofort|künftig|in zukunft|mich"
        r"|mir|deutsch|englisch|kurz|stichpunkten|knapp|keine)\b|^(?:bitte )?(?:nenn|duz"
        r"|siez)e? mich\b",
        sure=0.93,
    ),
    rule(
        "de_decision",
        FACT,
        "entschieden beschlossen nutzen verwenden setzen benutzen umgestellt wechseln",
        r"\b(?:wir|das team|ich) (?:haben|habe|hat) (?:uns |mich |sich )?.{0,60}\b"
        r"(?:entschieden|beschlossen|umgestellt|gewählt|geeinigt)\b|\bwir (?:\w+ )?(?:nutzen"
        r"|verwenden|benutzen|setzen .{1,40} ein|setzen auf)\b",
        tells="decision",
    ),
    rule(
        "de_port",
        FACT,
        "port",
        r"\b(?:läuft|lauscht|hört|ist|liegt)\b.{0,50}\bport \d{2,5}\b",
        sure=0.95,
    ),
    rule(
        "de_deadline",
        FACT,
        "frist deadline abgabe abgabetermin stichtag termin release",
        r"\b(?:frist|deadline|abgabe|abgabetermin|stichtag|release)\b.{0,40}\b(?:ist|am|bis"
        r"|läuft|endet)\b",
        tells="deadline",
    ),
    rule(
        "de_constraint",
        FACT,
        "dürfen darf müssen muss verboten erlaubt höchstens mindestens",
        r"\b(?:der|die|das|unser|unsere|alle|kundendaten|daten|wir|jede|jeder"
        r"|jedes)\b.{0,60}\b(?:dürfen|darf|müssen|muss|verboten|nicht erlaubt|höchstens"
        r"|mindestens)\b",
        sure=0.82,
    ),
    rule(
        "de_rule_of_work",
        PROCEDURAL,
        "mergen deployen committen testen immer nie niemals reviews branch commits tests "
        "pushen taggen prüfen",
        r"\bwir (?:\w+ ){0,3}?(?:mergen|deployen|committen|testen|releasen|squashen|rebasen"
        r"|taggen|reviewen|prüfen|pushen|schreiben|benennen)\b|^(?:immer|nie|niemals)\b|\b"
        r"(?:branches|branch-namen|commits|tests) (?:beginnen|enden|liegen|müssen|heißen"
        r"|gehören)\b|^vor (?:dem|jedem) (?:push|merge|commit|deploy|release)",
        sure=0.85,
    ),
    rule("de_name", FACT, "heiße heiss heisse", r"\bich hei(?:ße|sse?)\b", sure=0.97),
    rule(
        "de_health_diet",
        FACT,
        "allergisch allergie unverträglichkeit laktoseintolerant glutenfrei zöliakie "
        "diabetes diabetiker diabetikerin asthma migräne vegetarier vegetarierin vegan "
        "veganer veganerin vegetarisch schwanger esse trinke rauche halal koscher "
        "schwerhörig farbenblind rollstuhl",
        r"\b(?:ich|wir)\b.{0,50}\b(?:allerg\w{2,8}|unverträglichkeit|laktoseintoleran\w"
        r"|glutenfrei|zöliakie|diabet\w{2,8}|asthma|migräne|vegetari\w{2,6}|vegan\w{0,4}"
        r"|schwanger|halal|koscher|schwerhörig|farbenblind|rollstuhl)\b|\bich (?:esse|trinke"
        r"|rauche) (?:\w+ ){0,2}?(?:kein|keine|keinen|nicht|nie)\b",
        sure=0.95,
    ),
    rule(
        "de_like",
        PREFERENCE,
        "mag mögen liebe lieben hasse hassen bevorzuge bevorzugen lieber liebsten gern gerne "
        "gefällt gefallen ungern verabscheue lieblingsessen schmeckt schmecken meide hassen "
        "stört nervt",
        rf"\b(?:ich|wir) {_ADV}(?:mag|mögen|liebe|lieben|hasse|hassen|bevorzuge|bevorzugen"
        r"|verabscheue|meide)\b(?! es\b| das\b| dich\b)|\bich \w+ (?:\w+ ){0,3}?(?:lieber|am "
        r"liebsten|gern|gerne|ungern)\b|^(?:am liebsten|lieber)\b.{0,30}\bich\b|\b(?:gefällt"
        r"|gefallen|schmeckt|schmecken|nervt|nerven|stört|stören) mir\b|\bmir (?:gefällt"
        r"|gefallen|schmeckt|schmecken)\b",
        sure=0.9,
    ),
    rule("de_favourite", PREFERENCE, "mein meine", r"\bmeine? lieblings\w{2,30}\b", sure=0.95),
    rule(
        "de_now",
        CONTEXT,
        "bin sind habe haben arbeite wohne",
        r"(?:\bich|\bwir)\b(?: \w+){0,3}? (?:bin|sind|habe|haben|arbeite|wohne)\b(?!.{0,80}\b"
        r"(?:ge\w{2,}(?:t|en)|\w{3,}iert|ver\w{3,}(?:t|en)|be\w{3,}(?:t|en))[.!]?$)|\b(?:bin"
        r"|sind|habe|haben|arbeite|wohne) (?:ich|wir)\b(?!.{0,80}\b(?:ge\w{2,}(?:t|en)"
        r"|\w{3,}iert|ver\w{3,}(?:t|en)|be\w{3,}(?:t|en))[.!]?$)",
        sure=0.8,
        tells="now",
    ),
    rule(
        "de_event",
        EPISODIC,
        "habe haben hab bin sind war waren hatte hatten wurde ging kam hat ist",
        rf"\b(?:ich|wir|{_MEIN[2:]} \w+)\b.{{0,80}}{_PAST_DE}|{_PAST_DE}.{{0,20}}\b(?:ich|wir"
        r"|mein|meine|unser|unsere)\b",
        sure=0.85,
        needs_when=True,
        tells="past",
    ),
    rule(
        "de_plan",
        EPISODIC,
        "ich wir",
        r"\b(?:ich|wir)\b.{0,40}\b(?:fliege|fliegen|fahre|fahren|ziehe|ziehen|reise|reisen"
        r"|heirate|heiraten|beginne|beginnen|starte|starten|treffe|treffen|gehe|gehen|habe"
        r"|haben|bekomme|bekommen|besuche|besuchen|feiere|feiern|werde|werden|plane|planen"
        r"|mache|machen|migrieren|veröffentlichen|launchen|wechsle|wechseln|umziehe)\b|\b"
        r"(?:fliege|fahre|ziehe|reise|heirate|beginne|treffe|gehe|habe|besuche|feiere|werde"
        r"|plane|mache) (?:ich|wir)\b|\b(?:fliegen|fahren|ziehen|reisen|heiraten|starten"
        r"|treffen|gehen|haben|besuchen|feiern|werden|planen|machen) wir\b",
        sure=0.82,
        needs_when=True,
        tells="plan",
    ),
    rule(
        "de_self",
        FACT,
        "wohne wohnen lebe leben arbeite arbeiten komme studiere lerne spreche fahre besitze "
        "spiele unterrichte bin wurde stamme ziehe zog pendle trage leite entwickle baue "
        "jobbe gehe jogge laufe",
        rf"\b(?:ich|wir) {_ADV}(?:wohnen?|leben?|arbeiten?|komme (?!nicht|mit)|stamme"
        r"|studiere|lerne|spreche|besitze|spiele|unterrichte|pendle|leite|entwickeln?|bauen?"
        r"|trage|programmiere|koche|jogge|laufe|fahre (?:einen|eine|ein)|bin (?:\w+ ){0,3}"
        r"(?:jahre alt|verheiratet|geboren|aufgewachsen|rentner|single|geschieden|verlobt"
        r"|ledig|\w+(?:er|erin|in|ist|istin|ent|entin|or|orin|eur|eurin|mann|frau))|bin "
        r"\d{1,2})\b|\b(?:wohne|lebe|arbeite|studiere|pendle) ich\b",
        sure=0.9,
        tells="past_state",
    ),
    rule(
        "de_habit",
        FACT,
        "jeden jede jedes täglich wöchentlich meistens oft immer morgens abends samstags "
        "sonntags montags freitags",
        r"\bich (?:\w+ ){1,6}?(?:jeden|jede|jedes|täglich|wöchentlich|meistens|oft|immer"
        r"|morgens|abends|samstags|sonntags|montags|freitags)\b",
        sure=0.82,
    ),
    rule(
        "de_have",
        FACT,
        "habe haben hab",
        rf"\b(?:ich|wir) (?:habe|haben|hab) {_ADV}(?:ein|eine|einen|zwei|drei|vier|fünf"
        rf"|mehrere|\d+) (?:\w+ ){{0,3}}?(?:{_KIN}|haus|garten|auto|wohnung|firma|mädchen"
        r"|jungs?|jungen)\b",
        sure=0.92,
    ),
    rule(
        "de_kin",
        FACT,
        "mein meine meiner meinem meinen unser unsere unserer unserem unseren",
        rf"{_MEIN} (?:\w+ ){{0,2}}?(?:{_KIN})\b.{{1,80}}",
        sure=0.87,
        tells="past_state",
    ),
    rule(
        "de_own",
        FACT,
        "mein meine meiner unser unsere unserer",
        rf"{_MEIN} (?:\w+ ){{0,2}}?(?:{_OWN})\b.{{0,40}}\b(?:ist|sind|war|heißt|hat|haben"
        r"|läuft|liegt|beträgt|nutzt|verwendet|steht|besteht|braucht|verwendet|wird|gehört"
        r"|\w+t)\b",
        sure=0.85,
    ),
    rule(
        "de_place",
        FACT,
        "liegt liegen steht stehen findet",
        r"\b(?:liegt|liegen|steht|stehen|findet sich) (?:in|unter|im|auf) \S{0,40}[/.]\w?",
        sure=0.88,
    ),
    rule(
        "de_project",
        FACT,
        "liegt liegen läuft geschrieben gehostet gespeichert heißt basiert besteht "
        "verantwortlich zuständig",
        r"\b(?:der|die|das|unser|unsere|alle) (?:[\w.-]+ ){1,4}?(?:liegt|liegen|läuft|laufen"
        r"|basiert|besteht|heißt|hat|nutzt|(?:ist|sind|wird|werden) .{0,40}(?:geschrieben"
        r"|gehostet|gespeichert|verantwortlich|zuständig|abgelegt|konfiguriert))\b|\bist "
        r"(?:für .{1,40} )?(?:verantwortlich|zuständig)\b",
        sure=0.8,
        needs_score=True,
    ),
)

ROMANCE: Final = (
    # French, Spanish, Italian, Portuguese: names, home, work, diet, taste.
    rule(
        "romance_manner",
        PREFERENCE,
        "responde respóndeme réponds répondez rispondi llámame appelle chiamami",
        r"\b(?:responde|respóndeme|réponds|répondez|rispondi)\b.{0,50}\b(?:siempre|toujours"
        r"|sempre|en|in)\b|\b(?:llámame|appelle-moi|chiamami)\b",
        sure=0.9,
    ),
    rule(
        "romance_like",
        PREFERENCE,
        "gusta gustan encanta encantan odio prefiero detesto aime adore préfère déteste "
        "piace piacciono preferisco odio adoro gosto prefiro j'aime j'adore favorito "
        "favorita préféré préférée preferito preferita",
        r"\bme (?:gustan?|encantan?)\b|\b(?:odio|prefiero|detesto|preferisco|adoro|gosto"
        r"|prefiro)\b|\bj(?:e |')(?:n')?(?:aime|adore|préfère|déteste)\b|\bmi (?:piace"
        r"|piacciono)\b|\b(?:mi|mon|ma|il mio|la mia)\b.{0,40}\b(?:favorit[oa]|préférée?"
        r"|preferit[oa])\b",
        sure=0.9,
    ),
    rule(
        "romance_self",
        FACT,
        "llamo vivo trabajo soy tengo nací m'appelle habite j'habite travaille suis chiamo "
        "abito lavoro sono chamo moro trabalho sou tenho alérgico alérgica allergique "
        "estudio j'étudie vis j'ai ho",
        r"\b(?:me llamo|vivo (?:en|a|in)|trabajo (?:en|como|de|para)|soy (?:de |alérgic"
        r"|vegetarian|vegan|un |una |\w+(?:or|ora|ista|ero|era)\b)|tengo (?:un|una|dos|tres"
        r"|\d+|alergia)|nací en|je m'appelle|j'habite|je (?:vis|travaille|suis (?:allergique"
        r"|végétarien|de |un |une |né|\w+(?:eur|euse|ien|ienne|iste))|n'aime)|j'(?:étudie|ai "
        r"(?:un|une|deux|trois|\d+) )|mi chiamo|abito a|lavoro (?:come|in|per|a)|sono "
        r"(?:allergic|vegetarian|di |un |una )|ho (?:un|una|due|tre|\d+) |me chamo|moro em"
        r"|trabalho (?:em|como|na|no)|sou (?:de |alérgic|vegetarian)|tenho (?:um|uma|dois"
        r"|duas|\d+))",
        sure=0.9,
        tells="past_state",
    ),
    rule(
        "romance_kin",
        FACT,
        "mi mis mon ma mes mia mio minha meu",
        r"\b(?:mi|mis|mon|ma|mes|la mia|il mio|mia|mio|minha|meu) (?:esposa|esposo|mujer"
        r"|marido|hijo|hija|hijos|madre|padre|hermano|hermana|perro|gato|jefe|novia|novio"
        r"|femme|mari|fils|fille|mère|père|frère|sœur|chien|chat|chef|copine|copain|moglie"
        r"|marito|figlio|figlia|madre|fratello|sorella|cane|gatto|mulher|filho|filha|mãe|pai"
        r"|irmão|irmã|cachorro)\b.{2,80}",
        sure=0.85,
    ),
)
