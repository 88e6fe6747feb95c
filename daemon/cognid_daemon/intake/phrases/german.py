"""The German phrases."""

from __future__ import annotations

from typing import Final

from cognid_daemon.intake.phrases.tongue import Phrases, Tongue, words

# No word of a gap begins a clause: "merk dir, dass ich keinen Kaffee trinke" denies the coffee.
_W: Final = r"(?!(?:dass|ob|weil|damit)\b)[^\s,:;()]++"
_GAP: Final = rf"(?: {_W}){{0,4}}?"
_GAPS: Final = rf"(?:,? {_W}){{0,6}}?"
_DE_VERB: Final = (
    r"(?:ab|zwischen)?(?:speicher(?:n|st|e|t)?|merk(?:en|st|e|t)?|gemerkt|gespeichert"
    r"|notier(?:en|st|e|t)?"
    r"|(?:auf|mit|nieder)(?:ge)?schr(?:eib|ieb)(?:en|st|t|e)?|fest(?:ge)?h[aä]lt(?:en|st|e)?"
    r"|behalt(?:en|e|est)?|behaltst|protokollier(?:en|st|e|t)"
    r"|auf(?:ge)?zeichne[nts]*|sicher(?:n|st)|loggen|erinner(?:n|st)|bewahr(?:en|st)|aufbewahren"
    r"|erfassen|ablegen)\b"
)
_DE_NO: Final = r"(?:nicht(?:s)?|nie(?:mals)?|kein(?:e|en|es|erlei)?|nirgend(?:s|wo))"
# An infinitive is a request only where nobody else is its subject.
_DE_OWN: Final = (
    r"(?!(?:ich|er|wir|man|ihr|sie|wer|warum|wieso|weshalb|wie|kann|mein\w*|dein\w*|sein\w*|der"
    r"|die|unser\w*|viele|alle)\b"
    r"(?! (?:nachste|naechste|folgende|nachricht|unterhaltung|ganze)))"
    rf"(?!(?:{_W} ){{1,6}}(?:ich|er|wir|man|wird|ist|war|wurden|kann|konnen|konnte|konnten|will"
    rf"|wollen|wollte|darf"
    r"|durfen|durfte|wurde|werden|hat|habe|haben|sollte|sollten|mochte)\b)"
)
_DE_TOLD: Final = (
    rf"(?:das|dies|dieses?|das hier|all das|das folgende|davon|nichts davon|(?:meine|die|diese)"
    rf" (?:nachste|folgende)?n? ?(?:nachricht\w*|unterhaltung)|dieser chat|dieses gesprach"
    rf"|(?:alles,? )?was ich(?:,? {_W}){{1,7}}?|(?:mein|unser)\w*(?: {_W}){{1,3}}?)"
)
_DE_DONE: Final = (
    r"(?:(?:ab)?gespeichert|notiert|gemerkt|aufgeschrieben|protokolliert|festgehalten|aufgezeichnet"
    r"|aufbewahrt|geloggt|erfasst|behalten|abgelegt)"
)
_DE_MIND: Final = (
    r"(?:dein\w*|ihr\w*) (?:gedachtnis\w*|notizen|speicher\w*|erinnerung\w*|protokoll\w*"
    r"|aufzeichnung\w*|akten|unterlagen)"
)
_DE_TO: Final = (
    r"(?:(?:ab)?(?:zu|zum) ?(?:speichern|merken|notieren|behalten|protokollieren|loggen|erfassen"
    r"|aufschreiben|festhalten)|(?:ab|auf|fest)zu(?:speichern|schreiben|halten|zeichnen|bewahren))"
)
_DE_THING: Final = (
    r"(?! (?:bitte |mir |mal |doch ){0,3}(?:die|das|den|diese\w*|eine?\w*|alle|dein\w*) (?:\w+ )?"
    r"(?:dateie?n?|dokumente?|bild\w*|fotos?|videos?|entwurf\w*|seiten?|tabellen?|anderung\w*"
    r"|codes?"
    r"|skripte?|logs?|caches?|sessions?|tokens?|passwort\w*|werte?|ergebnis\w*|ausgaben?|anhang"
    r"|mails?|spiel\w*|ordner|objekte?|zustand|modelle?|konfiguration\w*|einstellung\w*"
    r"|versionen?|pdfs?|backups?|zeilen?|spalten?|links?)\b)"
)
_DE_PLEASE: Final = r"(?:(?:bitte |du (?:sollst|kannst|musst) |jetzt )+)?"
_DE_ERASE: Final = (
    r"(?:losch(?:e|en)?|entfern(?:e|en)?|streich(?:e|en)?|tilge?|wirf|werfen|beseitige?|radiere?)"
)
# What the assistant knows or was told; a folder's contents are neither.
_DE_KNOWN: Final = (
    r"(?:(?:alles|das|all das|jede information|die (?:infos?|informationen|daten|sachen|dinge))?"
    rf"(?: weg)?,? ?(?:was|die) (?:du|ich|wir)(?: {_W}){{0,6}}? (?:weisst|hast|kennst|behalten hast"
    r"|erinnerst|gesagt(?: habe| haben| hab)?|erzahlt(?: habe| haben| hab)?|erwahnt(?: habe|"
    r" haben)?"
    r"|anvertraut(?: habe)?|geschrieben habe|mitgeteilt habe)\b(?<!gemacht hast)(?<!getan hast)"
    r"(?<!erstellt hast)(?<!gebaut hast)(?<!geschrieben hast)(?<!geandert hast)"
    r"|(?:alles|all\w* (?:infos?|informationen|daten|details|notizen|erinnerungen|eintrage|wissen))"
    r" (?:uber|zu|von|betreffend) (?:mich|mir|mein|unser|sie|ihn)\w*)"
)
_DE_NOTED: Final = (
    r"(?:(?:die|deine|alle|alle deine|meine|diese)n? (?:notiz(?:en)?|erinnerung(?:en)?|eintrag"
    r"|eintrage"
    r"|infos?|informationen|daten|angaben) (?:uber|zu|zum|zur|von|bezuglich)"
    r"|den eintrag (?:uber|zu))"
)
GERMAN: Final = Tongue(
    name="German",
    cues=words(
        "merk|speicher|notier|vergiss|vergess|losch|unter uns|schreib|schrieb|halt|vertraulich"
        "|protokoll|zeichne|behalt|erinner|privat|inkognito|geheim|denk|fur dich|entfern|streich"
        "|loggen|erfass|ablegen|bewahr"
        "|notiz|gedachtnis|akten|unterlagen|archiv|memory|aufgez|tabu|inoffiz|geloggt|tilg|wirf"
        "|werf"
        "|beseitig|radier|vergiss|vergess"
    ),
    joins=Phrases(r"\b(?:und|aber|also|doch) "),
    lead=Phrases(
        r"(?:@[a-z][\w-]{1,24}|bitte|und|aber|also|hey|ok|okay|nein|ach|ja|jetzt|mal|doch|sonst"
        r"|ubrigens|nochmal"
        r"|du|ab jetzt|ab sofort"
        r"|von jetzt an|von nun an|ab heute|ab hier|in zukunft|kunftig|fur den rest (?:des"
        r"|dieses|unseres) (?:chats|gesprachs)"
        r"|(?:in|wahrend) diese[rms] (?:chat|gesprach|sitzung|unterhaltung)|vorerst|erstmal"
        r"|psst),? ?(?<![a-z])"
    ),
    ask=Phrases(
        r"(?:mach|mache|schreib|nimm)(?: bitte)?(?: dir)? (?:keine|nichts) ?(?:notizen|mit),?"
        r" wahrend (?:ich|wir)\b"
        r"|(?:bitte )?(?:nicht mitschreiben|keine notizen(?: machen)?),? wahrend (?:ich|wir)\b",
        rf"ich (?:mochte|will|wunsche) (?:nicht (?:mehr|langer)|nicht),? dass du(?: {_W}){{0,6}}?"
        rf" {_DE_VERB}",
        rf"{_DE_TOLD},? (?:hat|haben|gehort|gehoren|kommt|kommen|darf|soll|muss|passt)(?: {_W})?"
        rf" (?:nicht|nichts|nie|niemals)(?: {_W}){{0,2}}? (?:in|auf) {_DE_MIND}"
        rf"|{_DE_TOLD},? (?:ist|sind|bleibt|bleiben)(?: {_W})? (?:tabu|off limits|verboten|gesperrt"
        rf"|kein thema|nichts)(?: fur| in| aus)+ {_DE_MIND}",
        rf"{_DE_TOLD},? (?:soll|sollte|sollen|darf|durfen|muss|mussen|brauch\w*|wird)(?:"
        rf" {_W}){{0,3}}?"
        rf" (?:nicht|nichts|nirgends|nie|niemals)(?: {_W}){{0,2}}? (?:zu )?{_DE_DONE}(?: zu)?"
        rf" werden"
        rf"(?= ?(?:$|[,:;–-]))",
        rf"ich (?:will|mochte|wunsche|mag)(?: {_W})? (?:nicht|nie),? dass (?:{_DE_TOLD}|etwas"
        rf"|irgend\w+|mein\w* {_W})(?: {_W}){{0,5}}? {_DE_DONE} (?:wird|werden|bleib\w+)",
        rf"{_DE_TOLD} (?:bleibt|bleiben|soll|sollen)(?: {_W}){{0,2}}?"
        rf" (?:ungespeichert|unprotokolliert|ungeloggt|unnotiert|inoffiziell)",
        rf"(?:mir (?:ware|ist)(?: es)?|es ware(?: mir)?|ich (?:fande es|hatte es|wurde mich freuen)"
        rf"|ich hatte)(?: {_W}){{0,3}}?,? ?(?:wenn |dass )?(?:du|das|sie|nichts|dies)(?:"
        rf" {_W}){{0,5}}?"
        rf" (?:nicht|nichts|nie|kein\w*)(?: {_W}){{0,3}}? ?(?:{_DE_VERB}|{_DE_DONE})"
        rf"|mir (?:ware|ist)(?: es)?(?: {_W}){{0,2}}?,? du (?:speicherst|merkst|notierst|behaltst"
        rf"|protokollierst)(?: {_W}){{0,4}}? (?:nicht|nichts|nie)",
        rf"(?:lass|lasse|halt|halte|nimm|lassen sie|halten sie)(?: {_W}){{1,6}}? (?:aus|von)"
        rf" {_DE_MIND}",
        rf"(?:kein\w* (?:grund|bedarf|notwendigkeit|anlass|bedurfnis)|nicht notig|unnotig|es (?:ist"
        rf"|besteht) (?:nicht notig|unnotig|kein \w+)|du brauchst (?:\w+ )?nicht),? ?(?:dir )?"
        rf"(?:das"
        rf"|dies|davon \w+|etwas|irgendwas|hier \w+|es)(?: {_W}){{0,3}}? {_DE_TO}",
        rf"(?:vermeide|vermeid|unterlass\w*|verzichte|lass)(?: {_W}){{0,3}}?,? ?(?:dir )?(?:das"
        rf"|dies"
        rf"|es|etwas|davon|hier|mein\w*)(?:,? {_W}){{0,4}}? {_DE_TO}",
        r"kein(?:e|en|erlei) (?:notiz(?:en)?|aufzeichnung(?:en)?|protokolle?|mitschrift(?:en)?"
        r"|speicherung|erinnerung(?:en)?) (?:zu|uber|von|fur|in|aus) (?:dies\w*|das|dem|mein\w*"
        rf"|unser\w*|hier\w*|all\w*)|ich bitte (?:dich|sie),?(?: {_W}){{1,4}}? {_DE_TO}"
        rf"|(?:schreib|nimm|leg|trag|pack|setz|ubernimm|steck)\w*(?: {_W}){{1,4}}? (?:nicht"
        rf"|nichts) (?:in"
        rf"|auf) {_DE_MIND}",
        rf"{_DE_TOLD},? (?:ist|sind) (?:nicht|nichts) (?:{_DE_TO}|furs? (?:gedachtnis|protokoll"
        rf"|{_DE_MIND}|speichern|merken|archiv|notizen))",
        r"(?:gedachtnis|erinnerung|speicher|merkfunktion|memory) (?:bitte )?(?:aus|ausschalten"
        r"|abschalten|deaktivieren|pausieren)(?= ?(?:$|[,:;]| bitte| fur))|(?:schalte?|mach|stell)"
        r" (?:bitte )?(?:dein|das|deine|die) (?:gedachtnis|erinnerung|speicher|merkfunktion|memory)"
        r"(?: \w+){0,4}? (?:aus|ab)\b|(?:deaktivier|pausier)e? (?:dein|das|deine|die)"
        r" (?:gedachtnis|erinnerung|merkfunktion|memory)",
        rf"(?:antworte|hilf|erklar|sag|rede|lass uns)(?: {_W}){{0,6}}?,? ohne(?: {_W}){{1,3}}?"
        rf" {_DE_TO}"
        rf"|(?:hor|hore) (?:bitte )?auf,?(?: {_W}){{1,5}}? {_DE_TO}",
        r"(?:merk|speicher|notier|protokollier|behalt|bewahr|logg|erinner|sicher|zeichn"
        rf"|erfass)(?:e|en sie|t|n sie)?{_DE_THING}{_GAPS} {_DE_NO}\b(?! (?:gern"
        r"|mehr gern))(?<!dass ich nicht)(?<!, dass nicht)",
        rf"(?:schreib|halt|zeichn)(?:e|en sie)?{_GAP} {_DE_NO}(?: {_W}){{0,3}} (?:auf|mit|fest"
        r"|nieder)\b",
        rf"{_DE_OWN}(?:{_W} ){{0,6}}?{_DE_NO}(?: (?!dass|wenn|weil){_W}){{0,3}} (?:zu "
        rf"|auf(?:zu)?|ge|ab(?:zu)?|fest(?:zu)?|mit(?:zu)?)?{_DE_VERB}(?= ?(?:$|[,:;–-]| bitte"
        r"| konnen| sollst| musst| werden))(?<!merke)(?<!erinnere)",
        rf"(?:das|dies|es|alles|was)(?: {_W}){{0,5}}? (?:bleibt|bleiben|soll|muss"
        rf"|ist)(?: {_W}){{0,2}}? (?:unter uns|zwischen uns|off the record|(?:streng "
        r"|absolut )?vertraulich|geheim)",
        rf"(?:das|dies|es|davon|nichts)(?: {_W}){{0,2}}? (?:soll|sollte|darf|muss"
        rf"|brauch\w*)(?: {_W}){{0,2}}? (?:nicht|nichts|nirgends|nie|niemals)"
        rf"(?: {_W})? (?:zu )?(?:gespeichert|notiert|gemerkt|aufgeschrieben|protokolliert"
        rf"|festgehalten)(?: zu)?(?: {_W})? werden",
        r"nichts davon (?:soll|sollte|darf)(?: \w+)? (?:gespeichert|notiert|gemerkt"
        r"|aufgeschrieben) werden",
        r"(?:nur |ganz |mal |so |das bleibt )?unter uns(?: (?:gesagt|beiden))?(?= ?(?:$|[,:;–-]))",
        r"(?:behalt|behalte)(?: (?:das|dies|es))?(?: bitte)? (?:fur|bei) dich"
        r"|(?:das )?behandle?(?: das| dies)?(?: bitte)? (?:streng )?vertraulich",
        r"ich (?:will|mochte|wunsche|habe lieber|hatte lieber"
        rf"|hatte gern)(?: {_W}){{0,3}},? ?(?:dass|wenn) du(?: {_W}){{0,5}}? (?:nicht|nichts|nie"
        rf"|kein\w*)(?: {_W}){{0,4}}? {_DE_VERB}|ich (?:will|mochte) (?:nicht"
        rf"|nie),? dass du(?: {_W}){{0,6}}? {_DE_VERB}",
        r"(?:du )?(?:musst|brauchst|sollst|solltest|darfst"
        rf"|kannst)(?: du)?(?: {_W}){{0,5}}? {_DE_NO}(?: {_W}){{0,3}}? (?:zu |auf(?:zu)?"
        rf"|ab(?:zu)?|fest(?:zu)?)?{_DE_VERB}",
        r"(?:schalte? (?:in den )?|aktivier\w* (?:den )?|wechsle in den "
        r"|geh in den )?(?:privat(?:er |en )?-? ?modus|inkognito(?:-? ?modus)?)(?: an| ein"
        r"| bitte)*(?= ?(?:$|[,:;]))",
        rf"(?:hor|hore) (?:bitte )?auf,?(?: {_W}){{0,4}} zu (?:merken|speichern|notieren)"
        rf"|lass(?: {_W}){{0,4}} aus deinem gedachtnis|off the record(?= ?(?:$|[,:;–-]))",
    ),
    doubt=Phrases(
        r"(?:das|dies|es) ist (?:nur |streng |sehr |absolut )?(?:privat|vertraulich|geheim"
        r"|ein geheimnis)(?= ?(?:$|[,:;–-]))|(?:streng )?vertraulich(?= ?[,:])"
        r"|sag(?:e)?(?: (?:es|das))? (?:bitte )?niemande[mn]|erzahl(?:e)?(?: (?:es"
        r"|das))? (?:bitte )?niemande[mn]|das darf niemand (?:wissen|erfahren)",
    ),
    erase=Phrases(
        rf"{_DE_PLEASE}{_DE_ERASE}(?: bitte| doch| mal)* meine? (?:alten?|fruheren?|vorigen?"
        r"|bisherigen?)"
        r" (?:adresse|anschrift|(?:telefon|handy|mobil)nummer|namen?|arbeitgeber|spitznamen?"
        r"|wohnort)"
        r"(?= ?(?:$|[,:;]| bitte))",
        rf"{_DE_PLEASE}(?:vergiss|{_DE_ERASE})(?: bitte| doch| mal| einfach)* alles (?:aus|von"
        r"|uber) (?:dem|der"
        r"|unser(?:em|er))(?: (?:gestrigen|letzten|vorigen|heutigen))? (?:gesprach|unterhaltung"
        r"|chat)"
        r"(?: von (?:gestern|vorhin|heute|letzter woche))?(?= ?(?:$|[,:;]| bitte))",
        rf"{_DE_PLEASE}{_DE_ERASE}(?: bitte| doch| mal)* (?:all(?:e|es)?|jede|die|deine|alle deine)"
        r" (?:erinnerung(?:en)?|notiz(?:en)?),? (?:die|in denen|wo) (?:es um )?\w+(?: \w+)?"
        r" (?:erwahn(?:en|t)|betreffen|betrifft|vorkomm(?:en|t)|geht|nenn(?:en|t))",
        rf"{_DE_PLEASE}(?:{_DE_ERASE}|nimm|hol)(?: {_W}){{1,6}}? aus (?:dem|allem|all dem),? was du"
        rf"(?: {_W}){{0,5}}? (?:weisst|hast|kennst|gespeichert|gemerkt)\b",
        r"vergiss(?: bitte)?(?: (?:alles|einfach))?,? (?:was|dass|alles|meine|meinen|mein|uber"
        r"|ich)\b(?! nicht)|vergessen sie (?:bitte )?(?:alles|was|,? ?was)"
        r"|vergiss(?: bitte)? das (?:mit|uber|von) (?:mein|unser|dem|der|den)\w*",
        rf"{_DE_PLEASE}{_DE_ERASE}(?: bitte| mal| sofort)*,? (?:{_DE_KNOWN}|{_DE_NOTED})",
        rf"{_DE_PLEASE}(?:{_DE_ERASE}|nimm|hol)(?: {_W}){{1,6}}? (?:aus|von) {_DE_MIND}",
        rf"(?:kannst|konntest|wurdest) du (?:bitte |mal )*(?:{_DE_ERASE},? {_DE_KNOWN}"
        rf"|(?:{_DE_KNOWN}"
        rf"|{_DE_NOTED})(?:,? {_W}){{0,5}}?,? (?:vergessen|loschen|entfernen|streichen|wegwerfen))",
        rf"{_DE_KNOWN}(?:,? {_W}){{0,4}}?,? (?:soll|sollte|muss|musst du|kannst du|darf|kann)(?:"
        rf" {_W})"
        r"{0,2}? (?:(?:geloscht|vergessen|entfernt|gestrichen) werden|weg\b|loschen|vergessen"
        r"|entfernen)",
        rf"ich (?:will|mochte|hatte gern|wunsche mir),? dass du(?: {_W}){{0,2}}? (?:{_DE_KNOWN}"
        rf"|{_DE_NOTED}|mein\w*|das)(?:,? {_W}){{0,6}}?,? (?:vergisst|loschst|entfernst|streichst)",
        r"(?:kannst du |konntest du |bitte )?(?:losch|losche|entferne?|streiche?|tilge?"
        r"|vergiss)(?: bitte)? (?:alles|was|das,? was|das|die (?:notiz|erinnerung|info\w*)"
        r"|deine (?:erinnerung\w*|notizen|speicher)|mein\w* (?:daten|adresse|name\w*"
        rf"|angaben))(?: {_W})?(?=$|,| uber| was| von| aus| zu| an| bitte)",
        r"(?:kannst|konntest|wurdest) du (?:bitte )?(?:alles|was"
        rf"|das)(?:,? {_W}){{1,9}} (?:vergessen|loschen)|tu(?:n wir)? so,? als (?:hatte|ob) ich",
    ),
    lift=Phrases(
        r"(?:du )?(?:darfst|kannst)(?: du)?(?: dir)?(?: (?:jetzt|nun|alles|dinge|das|es"
        r"|ruhig))* wieder(?: \w+){0,3} (?:speichern|merken|notieren|aufschreiben|mitschreiben)"
        r"|privat(?:er |en )?-? ?modus (?:aus|beenden)|(?:speicher"
        r"|merk)\w*(?: dir)? (?:ab jetzt |jetzt )?(?:alles )?wieder\b",
    ),
    keep=Phrases(
        r"hore? (?:bitte )?(?:nie|niemals|nicht) (?:damit )?auf,? (?:dir |daran )?zu (?:merken"
        r"|denken)",
        r"vergiss(?: (?:das|es|bitte|mir|ja|bloss|du))* (?:nicht|nie|niemals)"
        r"|vergessen sie (?:bitte )?(?:das )?nicht|nicht vergessen|merk(?:e)? dir"
        r"|merken sie sich|denk(?:e)? (?:bitte |immer |stets )*(?:daran|dran)|erinner(?:e)?"
        r" (?:dich|mich)"
        r"|notier(?:e)?\b|schreib(?:e)? (?:dir )?(?:das |bitte )*auf|speicher(?:e)? (?:bitte "
        r"|dir |das )|behalte? (?:bitte )?im|(?:falls|bevor|damit) (?:ich|du) (?:es "
        r"|das )?(?:nicht )?verg|du darfst nicht vergessen",
    ),
    coming=Phrases(
        r"(?:(?:die|meine|den|das|der) )?(?:nachste|naechste|folgende)[nsr]?\b(?! (?:stunde"
        r"|woche|tag|monat|jahr|zeit))|was ich (?:dir )?(?:jetzt|gleich|nun|als nachstes) "
    ),
    session=Phrases(
        r"\b(?:ab jetzt|ab sofort|von (?:jetzt|nun) an|ab hier|ab heute|in zukunft|kunftig"
        r"|rest (?:des|dieses|unseres)|diese[sm]?[rn]? (?:ganze[snm]* )?(?:chat|gesprach"
        r"|unterhaltung|sitzung|konversation)|bis ich|vorerst|heute|nichts mehr|alles,? was ich"
        r"|modus|inkognito)\b|\bnichts(?: mehr)? (?:ab)?(?:speichern|merken|notieren"
        r"|aufschreiben)|\b(?:speicher|merk|notier)\w*(?: dir)?(?: bitte)? nichts(?=$|[,:]| mehr"
        r"| von dem)"
    ),
    topic=Phrases(
        r"\b(?:etwas|nichts|alles|informationen|details|daten|infos"
        rf"|was)(?: {_W}){{0,5}}? (?:uber|zu|von|bezuglich) (?:mein|unser|die |den |das |der "
        r"|politi|gesundheit)",
        r"\b(?:immer )?wenn ich (?:uber|von)\b|\b(?:nie|niemals)\b(?: \w+){0,2} (?:mein|unser)",
    ),
    reported=Phrases(
        r"\b(?:translate|sagte?|meinte|schrieb|bat|hat(?: \w+){1,4} (?:gesagt|gemeint|geschrieben)"
        r"|heisst"
        r"|steht|ubersetze?|rief|flusterte|sagen|sagt)\W*$"
    ),
)
