"""The Spanish phrases."""

from __future__ import annotations

from typing import Final

from cognid_daemon.intake.phrases.tongue import Phrases, Tongue, words

_W: Final = r"[^\s,:;()]++"
_ES_VERB: Final = (
    r"(?:recuerd(?:es|e|en)|recordar(?:lo|la)?|guard(?:es|e|en|ar|arlo|arla)|memoric(?:es|e)"
    r"|memorizar(?:lo)?|almacen(?:es|e|ar|arlo)|registr(?:es|e|ar|arlo)"
    r"|anot(?:es|e|ar|arlo)|apunt(?:es|e|ar|arlo)|conserv(?:es|e|ar)|grab(?:es|e|ar|arlo)"
    r"|archiv(?:es|e|ar)|escrib(?:as|a|ir)|retengas|tomes nota|acuerdes)\b"
)
# What was or will be said, as the object that stands first: "lo que te diga no lo guardes".
_ES_TOLD: Final = (
    rf"(?:(?:(?:esto|eso) que(?: {_W}){{1,6}}?|esto|eso|todo (?:esto|eso)|lo siguiente|(?:el|mi) "
    rf"(?:proximo|siguiente) mensaje"
    rf"|este (?:mensaje|chat)|esta (?:conversacion|charla)|nada de (?:esto|eso)"
    rf"|(?:todo |nada de )?lo que(?: {_W}){{1,7}}?|lo de(?: {_W}){{1,3}}?"
    rf"|(?:de|sobre) (?:mi|mis|esto|eso|nuestr\w+|lo que {_W})(?: {_W}){{0,3}}?))"
)
_ES_STEM: Final = r"(?:guard|registr|almacen|anot|grab|memori[zc]|archiv|apunt|conserv|rec[uo]e?rd)"
_ES_DONE: Final = rf"(?:{_ES_STEM}(?:ad[oa]s?|arse|ar)|en (?:tu|la) memoria)"
_ES_MIND: Final = r"(?:tus?|la) (?:memoria|notas|registros?|recuerdos|apuntes|historial)"
_ES_END: Final = r"(?= ?(?:$|[,:;!–-]| por favor| nunca| nada| en (?:tu|ning)))"
_ES_PLEASE: Final = (
    r"(?:(?:por favor |puedes |podrias |quiero que |me gustaria que |quisiera que |necesito que "
    r"|debes |tienes que |puede usted )+)?"
)
_ES_ERASE: Final = (
    r"(?:borr(?:a|e|ar|es)|elimin(?:a|e|ar|es)|suprim(?:e|a|ir|as)|descarta|descartes|tira|tires)"
)
# What the assistant knows or was told; a folder's contents are neither.
_ES_KNOWN: Final = (
    r"(?:(?:todo |toda |todos |todas )?(?:lo|la informacion|los datos|las cosas|cualquier cosa"
    rf"|cualquier dato|cuanto|nada de lo)(?: que)?(?: {_W}){{0,3}}? (?:sab(?:es|e|ias|as)"
    r"|(?:tienes|tengas|tenias|hay)(?= (?:sobre|de mi|acerca|guardad|anotad|apuntad|registrad))"
    r"|rec(?:uerdas|uerdes|ordabas)"
    r"|conoc\w+|guard(?:aste|as|ado|ada)|anotaste|apuntaste|registraste|anotado|apuntado|dij(?:e"
    r"|imos)"
    r"|dicho|cont(?:e|ado)|mencion(?:e|ado)|habl(?:e|ado|amos)|coment(?:e|ado))\b"
    r"|todo (?:sobre|acerca de) (?:mi|mis|nuestr\w+)\b)"
)
SPANISH: Final = Tongue(
    name="Spanish",
    cues=words(
        "recuerd|recordar|guard|memori|almacen|registr|anot|apunt|conserv|grab|archiv"
        "|entre nosotros|entre tu y yo|olvid|borra|borre|elimin|suprim|confidencial|privado"
        "|incognito|secreto|acuerd|cuenta|escrib|nota"
        "|memoria|fuera de|se te ocurra|descart|tira|quita|saca"
    ),
    joins=Phrases(r"\b(?:y|pero) "),
    lead=Phrases(
        r"(?:@[a-z][\w-]{1,24}|por favor|porfa|y|pero|oye|mira|ok|bueno|ahora|si|a partir de ahora"
        r"|desde ahora"
        r"|de ahora en adelante|en adelante|por ahora|durante esta (?:conversacion|charla)"
        r"|en esta (?:conversacion|charla)|(?:por|durante) el resto de (?:la"
        r"|esta) (?:conversacion|charla)|que),? ?(?<![a-z])"
    ),
    ask=Phrases(
        r"(?:por favor,? )?no (?:tomes|hagas|apuntes|cojas)(?: notas| nada)?,? mientras (?:yo"
        r" )?(?:me )?\w+o\b",
        rf"ya no (?:quiero|deseo|necesito|hace falta|es necesario) que (?:lo |la |me )?{_ES_VERB}",
        rf"{_ES_TOLD},? (?:por favor,? |mejor |que )?(?:no|nunca|jamas|ni)"
        rf"(?: (?:me|te|lo|la|los|las|nos|se))* {_ES_VERB}(?! (?:tu|usted) )",
        rf"(?:mis?|nuestr\w+) {_W}(?: {_W})?,? (?:no|nunca) (?:lo|la|los|las) {_ES_VERB}",
        rf"(?:{_ES_TOLD},? no|nada de (?:esto|eso|lo que(?: {_W}){{1,6}}?)) (?:se )?(?:debe"
        rf"|deberia|tiene que|puede|necesita|hace falta|ha de|hay que|es para|queda|quede|va a"
        rf"|tiene por que)(?: (?:ser|quedar|estar|que|quede))* {_ES_DONE}{_ES_END}",
        rf"(?:esto|eso|lo que(?: {_W}){{1,5}}?) (?:se )?(?:queda|quede|permanece) sin {_ES_STEM}ar",
        rf"no quiero que (?:{_ES_TOLD}|nada|se|quede)(?: {_W}){{0,4}}? {_ES_STEM}\w+",
        rf"(?:preferiria|prefiero|me gustaria|quisiera|querria|agradeceria|te agradezco|ojala"
        rf"|mejor|seria mejor|estaria bien)(?: que| si)?(?: (?:tu|esto|eso|lo que(?:"
        rf" {_W}){{1,5}}))? no(?: (?:lo|la|los|las|me|te|se"
        rf"))* {_ES_STEM}(?:a[rs]as|a[rs]es|e|es|ara|ase|are|aras|ases)\b"
        rf"(?= ?$| ?[,:;]| (?:esto|eso|nada|ningun\w*|lo que|mi|mis|nuestr\w+|este|esta))",
        rf"(?:te|le) (?:pido|ruego|suplico)(?: por favor)? (?:que )?no(?: (?:lo|la|los|las|me|te"
        rf"|se))* {_ES_VERB}|olvidate de {_ES_STEM}ar|no (?:lo |la )?(?:pong|met|anad|agregu|incluy"
        rf"|dej|escrib)\w+(?: {_W}){{0,4}}? (?:en|a) (?:tu|tus) (?:memoria|notas|registros?)",
        rf"(?:no )?(?:deja|deje|dejes|manten|mantener|mantenga|saca|excluye|quita)(?: {_W}){{1,6}}?"
        rf" (?:fuera|al margen) de {_ES_MIND}",
        r"(?:desactiva|apaga|pausa|suspende|quita|desactives?)r? (?:la|tu|toda la)"
        r" memoria(?= ?(?:$|[,:;]| por| durante| en (?:est|la)| hasta| para| mientras))",
        rf"(?:que )?ni se te ocurra {_ES_STEM}ar|{_W}(?: {_W}){{0,4}}? (?:es|esta|son|estan|queda"
        rf"|quedan)(?: {_W})? (?:tabu|prohibid\w+|vetad\w+|fuera|vedad\w+)(?: para| de| en)+"
        rf" {_ES_MIND}|(?:{_ES_TOLD}|mis? {_W}),? no (?:pertenecen?|tienen? que estar|debe"
        rf"\w* (?:estar|acabar|quedar)) (?:a|en) {_ES_MIND}",
        rf"(?:no|nunca|jamas)(?: (?:me|te|lo|la|los|las|nos|se))* {_ES_VERB}(?! (?:tu|usted) )",
        r"(?:no (?:hace falta|es necesario|tienes que|tienes por que|debes|deberias|hay que"
        r"|hay necesidad de|quiero que|necesito que|necesitas)|evita|evite|deja de|deje de|sin)"
        rf"(?: {_W}){{0,3}}? {_ES_VERB}",
        r"(?:(?:esto|eso|todo|que|lo que \w+)(?: (?:que|debe|se))* ?)?(?:quede|queda|quedar"
        r"|quedate|quedarse|se queda)(?: (?:solo|esto))? entre (?:nosotros|tu y yo|nos)"
        r"|(?:aqui )?(?:solo )?entre (?:nosotros|tu y yo|nos)(?= ?(?:$|[,:;–-]))",
        r"(?:esto|eso)(?: no)? (?:es|queda) (?:extraoficial|confidencial|off the record)"
        r"|(?:guarda|guardalo|guarde|manten|mantenlo) (?:esto |eso )?(?:en secreto|para ti"
        r"|como confidencial|confidencial)|(?:activa |pon )?(?:el )?modo (?:privado"
        r"|incognito)(?= ?(?:$|[,:;]))|off the record(?= ?(?:$|[,:;–-]))|extraoficialmente",
    ),
    doubt=Phrases(
        r"(?:esto|eso) es (?:muy |estrictamente |un )?(?:privado|secreto|confidencial)(?= ?(?:$"
        r"|[,:;–-]))|confidencial(?= ?[,:])|no (?:se )?lo (?:digas|cuentes) a nadie"
    ),
    erase=Phrases(
        rf"{_ES_PLEASE}{_ES_ERASE}(?: por favor)? mi (?:(?:antigu[oa]|anterior|viej[oa])"
        r" (?:direccion"
        r"|telefono|numero(?: de telefono)?|correo|apodo|empleador|domicilio)|(?:direccion"
        r"|telefono|numero|correo"
        r"|apodo|domicilio) (?:anterior|antigu[oa]|viej[oa]))(?= ?(?:$|[,:;]| por favor| ya ))",
        rf"{_ES_PLEASE}(?:olvid(?:a|e|es|ar)|{_ES_ERASE})(?: por favor)? todo(?: lo)? (?:de"
        r"|sobre) (?:la"
        r"|nuestra) (?:ultima )?(?:conversacion|charla)(?: de (?:ayer|anoche|hoy))?(?= ?(?:$"
        r"|[,:;]| por favor))",
        rf"{_ES_PLEASE}{_ES_ERASE}(?: por favor)? (?:todos |todas )?(?:los|las|tus) (?:recuerdos"
        r"|memorias|notas)"
        r" (?:que|donde) (?:mencion|habl|nombr|tra[te]|se refier|cit)\w+",
        rf"{_ES_PLEASE}(?:{_ES_ERASE}|quita|saca|quites|saques)(?: {_W}){{1,6}}? de (?:todo )?lo"
        rf" que"
        r" (?:sabes|recuerdas|tienes|conoces|sepas)\b",
        rf"{_ES_PLEASE}{_ES_ERASE} (?:la|nuestra) (?:conversacion|charla) (?:de (?:ayer|anoche|hoy"
        rf"|esta"
        r"|la semana|el)|del? \w+|que tuvimos)",
        rf"{_ES_PLEASE}(?:olvid(?:a|e|es|ar)|olvidate de)(?: por favor)? (?:todo )?(?:lo que|lo de"
        r"|que (?:te|yo|soy|mi|he)|mi |mis |cuanto|esto|eso|este mensaje|esta conversacion|todo)\b",
        rf"{_ES_PLEASE}{_ES_ERASE}(?: por favor)? (?:{_ES_KNOWN}|(?:lo|todo lo) de (?:mi|mis) {_W}"
        r"(?= ?(?:$|[,:;]| por favor))|tus? (?:recuerdos|notas|memoria|apuntes|registros)|la nota"
        r" (?:sobre|de|acerca)|el recuerdo|(?:este|mi ultimo) mensaje|esta conversacion"
        r"|mis? (?:nombre|direccion|telefono|numero|cumpleanos|edad|datos|recuerdos|informacion"
        r"|correo)\b(?! (?:de|en) (?:la|el) (?:lista|archivo|tabla|formulario|factura))"
        r"|todo(?: por favor)?(?= ?$))",
        rf"{_ES_PLEASE}(?:{_ES_ERASE}|quita|saca|quites|saques)(?:(?: {_W}){{1,6}}?)? de (?:tu|tus)"
        r" (?:memoria|recuerdos|notas|registros?|apuntes)",
        rf"{_ES_KNOWN}(?: {_W}){{0,5}}?,? (?:se )?(?:debe|deberia|tiene que|hay que|puede)(?:"
        rf" {_W}){{0,2}}?"
        r" (?:borr|elimin|olvid|suprim)\w+",
        r"haz como (?:si|que) (?:no|nunca) ",
    ),
    lift=Phrases(
        r"(?:ya )?(?:puedes|puede) (?:volver a )?(?:\w+ )?(?:recordar|guardar|anotar|registrar"
        r"|grabar)(?: \w+){0,2}? ?(?:de nuevo|otra vez|ahora)"
        r"|(?:ya )?puedes volver a (?:recordar|guardar|anotar)|(?:desactiva"
        r"|sal del) (?:el )?modo (?:privado|incognito)"
    ),
    keep=Phrases(
        r"(?:no|nunca) dej(?:es|e) (?:nunca )?de (?:recordar|guardar|tener (?:en cuenta|presente))",
        r"(?:no|nunca) (?:(?:te|se|me|lo) )*olvid(?:es|e|en|ar|arte|eis|emos)\b"
        r"|(?:que )?no se (?:te|le) olvide|recuerda\b(?! cuando)|recuerde\b|acuerdate"
        r"|ten en cuenta|tenga en cuenta|apunta\b|anota\b|guarda (?:que|esto)|recuerdame|(?:si"
        r"|antes de que|por si) (?:se )?me olvid",
    ),
    coming=Phrases(
        r"(?:(?:el|mi|lo|la) )?(?:proxim[oa]|siguiente)s?\b(?! (?:semana|mes|dia|ano))"
        r"|lo que (?:te )?voy a|lo que viene|lo que (?:diga|digo) ahora"
    ),
    session=Phrases(
        r"\b(?:a partir de ahora|desde ahora|de ahora en adelante|en adelante"
        r"|esta (?:conversacion|charla|sesion)|resto de|hasta que|por ahora|todo lo que|hoy"
        r"|modo privado|incognito|nada(?: mas)?(?=$|,| de lo que| por)|nada mas)"
    ),
    topic=Phrases(
        r"\b(?:nada|informacion|detalles|datos|algo|nunca|jamas)(?: [^\s,:;()]+){0,5}? (?:sobre"
        r"|acerca de|de|relacionado con) (?:mi|mis|nuestr|la|el|los|las)\b|\b(?:cuando"
        r"|siempre que|cada vez que) (?:te )?(?:hable|hablo|mencione)"
    ),
    reported=Phrases(
        r"\b(?:translate|dijo|dice|pidio|escribio|respondio|traduce|traducir|susurro)(?: que)?\W*$"
    ),
)
