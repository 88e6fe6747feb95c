"""The Italian phrases."""

from __future__ import annotations

from typing import Final

from cognid_daemon.intake.phrases.tongue import Phrases, Tongue, words

_W: Final = r"[^\s,:;()]++"
_IT_VERB: Final = (
    r"(?:ricordar(?:e|lo|ti|telo)|memorizz(?:are|arlo|i)|salv(?:are|arlo|i|arla)|registr(?:are"
    r"|arlo|i)|conserv(?:are|arlo|i)|annot(?:are|arlo|i)|archivi(?:are|arlo)?|segn(?:are|arlo"
    r"|artelo|i)"
    r"|tenere (?:traccia|nota|a mente)|prendere nota|scrivere|scriverlo|appunt(?:are|arlo)"
    r"|tu ricordi|tenga traccia)\b"
)
_IT_TOLD: Final = (
    rf"(?:questo|quest[ao] \w+|cio|tutto questo|(?:il|la|mio|mia)(?: mio| mia)? (?:prossim[oa]"
    rf"|seguente|successiv[oa])(?: {_W})?|(?:niente|nulla) di (?:tutto )?(?:questo|cio)"
    rf"|(?:tutto |niente di )?(?:quello|quel|cio) che(?: {_W}){{1,7}}?"
    rf"|(?:della|del|dei|delle|sulla|sul|di) (?:mi[aeo]|miei|nostr\w|questo)(?: {_W}){{0,3}}?)"
)
_IT_STEM: Final = r"(?:salv|memorizz|registr|annot|archivi|conserv|ricord|segn|mem|immagazzin)"
_IT_DONE: Final = rf"(?:{_IT_STEM}at[oaie]|tenut[oa] in memoria|scritt[oa])"
_IT_MIND: Final = (
    r"(?:dalla|dai|dalle|dal|nella|nei|nelle|alla|per la|nel) (?:tu[aoe]|tuoi) "
    r"(?:memoria|appunti|note|archivio|ricordi)"
)
_IT_END: Final = r"(?= ?(?:$|[,:;!–-]| per favore| da nessuna| mai))"
_IT_PLEASE: Final = r"(?:(?:puoi |potresti |voglio che tu |vorrei che tu |devi |per favore )+)?"
_IT_ERASE: Final = r"(?:cancell(?:a|are|i)|elimin(?:a|are|i)|rimuov(?:i|ere|a)|butta(?: via)?)"
# What the assistant knows or was told; a folder's contents are neither.
_IT_KNOWN: Final = (
    r"(?:(?:tutto |tutti |tutte )?(?:quello|quel|cio|quanto|le informazioni|i dati|le cose)(?:"
    r" che)?"
    rf"(?: {_W}){{0,3}}? (?:sa(?:i|pevi|ppia)|(?:hai|abbia|avevi)(?= (?:su|sul|sulla|sui|sulle"
    rf"|salvato"
    r"|memorizzato|annotato|registrato|segnato))|ricordi|conosci|(?:ho|abbiamo) (?:detto|raccontato"
    r"|confidato|parlato|menzionato|scritto))\b|tutto (?:su|riguardo a) (?:di me|mi[oae]i?)\b)"
)
ITALIAN: Final = Tongue(
    name="Italian",
    cues=words(
        "ricord|memori|salv|registr|conserv|annot|archivi|segn|tenere|tra noi|tra di noi"
        "|tra me e te|dimentic|cancell|elimin|rimuov|confidenz|riservat|privat|incognito|segret"
        "|mente|presente|nota|appunt|scriver"
        "|memoria|tieni|appunti|annota|scord|butta|togli|leva|copia|copie"
    ),
    joins=Phrases(r"\b(?:e|ma) "),
    lead=Phrases(
        r"(?:@[a-z][\w-]{1,24}|per favore|per piacere|e|ma|ehi|ok|allora|ora|si|d'ora in poi|da"
        r" ora in poi"
        r"|da adesso in poi|da adesso|per ora|ti prego(?: di)?|in questa (?:chat|conversazione)"
        r"|per il resto della (?:chat|conversazione)),? ?(?<![a-z])"
    ),
    ask=Phrases(
        r"(?:per favore,? )?non prender(?:e|ne)? appunti,? mentre (?:io )?(?:mi |ti |ci )?\w+o\b",
        rf"non (?:voglio|desidero|vorrei) piu che (?:tu )?(?:lo |la |ti )?{_IT_STEM}\w+|non"
        rf" (?:tenerne|farne"
        r"|conservarne) (?:una )?copi[ae]",
        rf"{_IT_TOLD},? (?:per favore,? |meglio )?(?:non|mai)(?: (?:lo|la|li|le|me|te|ti|mai|devi"
        rf"|me lo))* (?:{_IT_VERB}|{_IT_STEM}ar(?:l[oaie]|e|ti|telo)\b)",
        rf"(?:(?:mio|mia|miei|mie|la mia|il mio|i miei|le mie) {_W}(?: {_W})?),? non (?:lo |la |li "
        rf"|le )?{_IT_STEM}ar(?:l[oaie]|e)\b",
        rf"(?:{_IT_TOLD},? non|(?:niente|nulla) di (?:tutto )?(?:questo|cio|quello che(?: {_W})"
        rf"{{1,6}}?)) (?:va|vanno|deve|dovrebbe|puo|sia|venga|e da|serve|ha bisogno di|dev'|deve "
        rf"mai)(?: (?:essere|venire|mai))* ?(?:{_IT_DONE}|{_IT_STEM}ar[el]\w*){_IT_END}",
        rf"non (?:voglio|vorrei|desidero) che (?:{_IT_TOLD}|niente|nulla|tutto|si|venga)"
        rf"(?: {_W}){{0,4}}? {_IT_STEM}\w+",
        rf"(?:preferirei|preferisco|vorrei|mi piacerebbe|apprezzerei|sarebbe meglio|gradirei|meglio"
        rf")(?: che| se)?(?: (?:tu|questo|cio|quello che(?: {_W}){{1,5}}))? non(?: (?:te|lo|la|li"
        rf"|le|ti|me))* {_IT_STEM}(?:assi|i|asse|ino"
        rf"|iate|are|arlo)\b",
        rf"(?:tieni|lascia|mantieni|escludi|togli)(?: {_W}){{1,6}}? (?:fuori )?{_IT_MIND}",
        r"(?:disattiva|spegni|sospendi|metti in pausa|disabilita)(?:re)? (?:la (?:tua )?)?memoria"
        r"(?= ?(?:$|[,:;]| per| in quest| fino| durante| mentre| finche))",
        rf"(?:ti|le|vi) (?:chiedo|prego|supplico)(?: {_W})? di non (?:\w+ )?{_IT_STEM}ar\w+|non "
        rf"(?:lo "
        rf"|la )?(?:mett|inser|aggiung|scriv|ten|lasci)\w+(?: {_W}){{0,4}}? (?:nella|nei|nelle"
        rf"|alla|in)"
        rf" (?:tu[aoe]|tuoi) (?:memoria|appunti|note)",
        rf"{_W}(?: {_W}){{0,4}}? (?:e|sono|resta|restano)(?: {_W})? (?:tabu|off limits|vietat\w"
        rf"|fuori"
        rf"|proibit\w)(?: per| da)? ?{_IT_MIND}|(?:{_IT_TOLD}|(?:il mio|la mia|i miei|le mie) {_W})"
        rf",? non (?:appartien\w+|deve (?:stare|finire)|c'entra) {_IT_MIND}",
        rf"(?:senza|evita di|smetti(?:la)? di|niente da|non provare a) {_IT_STEM}ar(?:e|l[oaie]|ti)"
        rf" (?:quest|quello|quel|cio|tutto|niente|nulla|il mio|la mia|i miei)",
        rf"(?:non|mai)(?: (?:lo|la|ti|li|me|mai|piu))* {_IT_VERB}(?! (?:tu|lei)\b)",
        r"(?:non )(?:serve|c'e bisogno|occorre|devi|dovresti|e necessario|voglio|vorrei"
        rf"|c'e motivo)(?: {_W}){{0,4}}? {_IT_VERB}|(?:smetti|evita|smettila) di {_IT_VERB}"
        rf"|preferirei (?:che )?(?:tu )?non(?: {_W}){{0,2}} (?:{_IT_VERB}|lo \w+assi)"
        rf"|senza {_IT_VERB}",
        r"(?:(?:che |questo |questa cosa |cio |la cosa )?(?:resti|resta|rimanga|rimane"
        r"|deve restare|deve rimanere) |detto |sia detto |solo |qui lo dico "
        r"|che )?(?:solo )?(?:tra|fra) (?:di )?(?:noi|me e te)(?= ?(?:$|[,:;–-]))",
        r"(?:tienilo|tieni questo|tieni tutto|tenetelo) (?:per te|segreto|riservato"
        r"|confidenziale)|(?:attiva |passa a(?:lla)? )?(?:la )?modalita (?:privata"
        r"|incognito)(?= ?(?:$|[,:;]))|in confidenza(?= ?(?:$|[,:;–-]))|off the record(?= ?(?:$"
        r"|[,:;–-]))|(?:questo|cio) (?:e|resta) (?:strettamente )?(?:riservato|confidenziale)",
    ),
    doubt=Phrases(
        r"(?:questo|cio|questa cosa) e (?:molto |un )?(?:privat[oa]|segret[oa]|riservat[oa]"
        r"|confidenziale)(?= ?(?:$|[,:;–-]))|e un segreto(?= ?(?:$|[,:;–-]))|non dirlo a nessuno"
    ),
    erase=Phrases(
        rf"{_IT_PLEASE}{_IT_ERASE}(?: per favore)? il mio (?:vecchio|precedente) (?:indirizzo"
        r"|numero(?: di"
        r" telefono)?|soprannome|datore di lavoro|cognome)(?= ?(?:$|[,:;]| per favore))",
        rf"{_IT_PLEASE}(?:dimentic(?:a|are|hi)|{_IT_ERASE})(?: per favore)? tutto (?:della|dalla"
        r"|sulla)"
        r" (?:nostra )?(?:ultima )?(?:chiacchierata|conversazione|chat)(?: di (?:ieri|oggi"
        r"|stamattina))?"
        r"(?= ?(?:$|[,:;]| per favore))",
        rf"{_IT_PLEASE}{_IT_ERASE}(?: per favore)? (?:tutti |tutte )?(?:i (?:tuoi )?ricordi|le"
        r" (?:tue )?(?:note"
        r"|memorie)) (?:che|in cui) (?:parl|menzion|cit|nomin|riguard|si parla)\w*",
        rf"{_IT_PLEASE}(?:{_IT_ERASE}|togli|tolga|leva)(?: {_W}){{1,6}}? da (?:tutto )?(?:quello"
        rf"|cio|quanto)"
        r" che (?:sai|ricordi|hai|conosci)\b",
        rf"{_IT_PLEASE}{_IT_ERASE} (?:la|nostra|la nostra) (?:conversazione|chat) (?:di (?:ieri"
        rf"|oggi"
        r"|stamattina|stasera|\w+di)|della? \w+|che abbiamo)",
        rf"{_IT_PLEASE}(?:dimentic(?:a|are|hi)|dimenticati|scorda|scordati)(?: di)?(?: per favore)?"
        r" (?:tutto )?(?:quello|quel|cio|che ho|che ti|che sono|quanto|il mio|la mia|i miei|le mie"
        r"|questo messaggio|questa conversazione|tutto)\b",
        rf"{_IT_PLEASE}{_IT_ERASE}(?: per favore)? (?:{_IT_KNOWN}|i tuoi ricordi|la tua memoria|le"
        rf" tue"
        r" note|la nota (?:su|sul|sulla|di)|il ricordo|questo messaggio|questa conversazione"
        r"|(?:il mio|la mia|i miei) (?:nome|indirizzo|numero|compleanno|eta|dati|ricordi"
        r"|informazioni)\b(?! (?:da|dal|dalla|nel|nella) (?!tua))|tutto(?= ?$))",
        rf"{_IT_PLEASE}(?:{_IT_ERASE}|togli|tolga|leva)(?:(?: {_W}){{1,6}}?)? (?:dalla tua memoria"
        r"|dai tuoi (?:ricordi|appunti|dati)|dalle tue note)",
        rf"{_IT_KNOWN}(?: {_W}){{0,5}}?,? (?:deve|dovrebbe|va|puo)(?: {_W}){{0,2}}? (?:cancellat"
        rf"|eliminat|dimenticat)\w+",
        r"fai (?:finta|come se) ",
    ),
    lift=Phrases(
        r"(?:ora )?puoi (?:di nuovo |ricominciare a |tornare a )(?:ricordare|salvare|memorizzare"
        r"|registrare|annotare)|puoi (?:ricordare|salvare|memorizzare|registrare) di nuovo"
        r"|(?:disattiva|esci dalla) (?:la )?modalita (?:privata|incognito)"
    ),
    keep=Phrases(
        r"non smettere (?:mai )?di (?:ricordar|tener)",
        r"non (?:(?:ti|ve lo|te lo|lo|mai) )*(?:dimentica(?:re|rti|rlo|te|rvi|rtelo)|dimentichi"
        r"|scorda(?:re|rti|rlo|te|rtelo))\b|ricorda(?:ti|rti|mi)?\b(?! quando)|tieni (?:a mente"
        r"|presente)|segna(?:ti)?\b|annota\b|memorizza\b|salva (?:questo|che)|prendi nota|(?:se"
        r"|prima che|nel caso) (?:me ne )?dimentic",
    ),
    coming=Phrases(
        r"(?:(?:il|la|mio|mia) )*(?:prossim[oa]|successiv[oa]|seguente)\b(?! (?:settimana|mese"
        r"|anno))|(?:quello|cio) che (?:sto per|ti diro|segue)"
    ),
    session=Phrases(
        r"\b(?:d'ora in poi|da (?:ora|adesso)(?: in poi)?|questa (?:conversazione|chat|sessione)"
        r"|resto della|finche|per ora|tutto (?:quello|cio) che|oggi|incognito|modalita privata"
        r"|niente(?=$|,| di quello)|piu (?:niente|nulla)|nulla(?=$|,))"
    ),
    topic=Phrases(
        r"\b(?:niente|nulla|informazioni|dettagli|dati|qualcosa|mai)(?: [^\s,:;()]+){0,5}? (?:su"
        r"|sul|sulla|sulle|sui|riguardo|di|della|del) ?(?:mi[aoe]|miei|nostr|la|il|le|l')?"
        r"|\b(?:quando|ogni volta che) (?:ti )?parlo"
    ),
    reported=Phrases(
        r"\b(?:translate|detto|dice|disse|chiesto|scritto|risposto|traduci|tradurre)(?: di)?\W*$"
    ),
)
