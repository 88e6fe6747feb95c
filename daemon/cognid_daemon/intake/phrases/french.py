"""The French phrases."""

from __future__ import annotations

from typing import Final

from cognid_daemon.intake.phrases.tongue import Phrases, Tongue, words

_W: Final = r"[^\s,:;()]++"
_FR_STEM: Final = (
    r"(?:retien|retenez|retenir|retienne|retien|enregistre|memorise|sauvegarde|stocke|note"
    r"|conserve|garde|archive"
    r"|consigne|souvien|souvenez|souvenir|rappelle|ecri|inscri|log)\w*"
)
_FR_TOLD: Final = (
    rf"(?:ca|cela|ceci|tout (?:ca|cela|ceci)|(?:mon|le) (?:prochain|suivant) message|ce message"
    rf"|cette (?:conversation|discussion|session)|(?:tout |rien de )?ce (?:qui|que|qu'\w+)"
    rf"(?: {_W}){{1,8}}?|rien de (?:tout )?(?:ca|cela|ceci)|(?:mon|ma|mes|notre|nos) {_W}"
    rf"(?: {_W}){{0,2}}?(?:(?=,)|(?= tu )))"
)
_FR_DONE: Final = (
    r"(?:enregistre|memorise|sauvegarde|stocke|note|conserve|garde|archive|consigne|retenu|ecrit)"
    r"(?:e?s?|r)\b"
)
_FR_MIND: Final = (
    r"(?:ta|tes|ton|la|votre|vos) (?:memoire|notes|registres?|souvenirs|historique|archives)"
)
_FR_END: Final = r"(?= ?(?:$|[,:;!–-]| nulle| quelque|, s'| s'il| stp| svp))"
_FR_PLEASE: Final = (
    r"(?:(?:(?:peux|pourrais|pouvez)[- ](?:tu|vous) |tu peux |tu dois |je veux que tu |j'aimerais"
    r" que "
    r"tu |je voudrais que tu |il faut que tu |merci d'|merci de |s'il te plait )+)?"
)
_FR_ERASE: Final = (
    r"(?:effac(?:e|ez|er|es)|supprim(?:e|ez|er|es)|elimin(?:e|ez|er|es)|jet(?:te|tez|er|tes))"
)
# What the assistant knows or was told; a folder's contents are neither.
_FR_KNOWN: Final = (
    r"(?:(?:tout |toutes |tous )?(?:ce que|ce qu'|les (?:infos|informations|choses|donnees) (?:que"
    rf"|qu'))(?: ?{_W}){{0,4}}? ?(?:sa(?:is|vez|ches)|(?:as|avez|aies|aurais)(?= (?:sur|a propos"
    r"|concernant|note|garde|retenu|enregistre|stocke|memorise))|connais|retiens|gardes|(?:t'|te |"
    r"vous )?(?:ai|a) (?:dit|raconte|confie|parle|explique|mentionne)|(?:dit|raconte|confie"
    r"|mentionne))\b"
    r"|tout(?: ce qui)? (?:sur|concerne|concernant|a propos de|a trait a) (?:moi|mon|ma|mes|notre"
    r"|nos)\b)"
)
FRENCH: Final = Tongue(
    name="French",
    cues=words(
        "retien|retenir|retenez|enregistr|memoris|sauvegard|stock|note|noter|conserv|garde"
        "|archiv|consign|souvi|souven|rappel|entre nous|oubli|efface|supprim|confiden|prive"
        "|incognito|memoire|ecri|inscri|tete"
        "|trace|tabou|a faire dans|elimin|jet|enlev|retir"
    ),
    joins=Phrases(r"\b(?:et|mais|donc) "),
    lead=Phrases(
        r"(?:@[a-z][\w-]{1,24}|s'il (?:te|vous) plait|stp|svp|merci de|et|mais|alors|donc|ok|non"
        r"|oui|bon|au fait"
        r"|surtout|dorenavant|desormais|a partir de maintenant|pour (?:l'instant|le moment"
        r"|le reste de (?:la|cette) (?:conversation|discussion))|veuillez|veuille"
        r"|pendant cette (?:conversation|discussion|session)),? ?(?<![a-z])"
    ),
    ask=Phrases(
        r"(?:surtout )?ne (?:prends|prenez|prend) (?:pas|aucune|pas de)(?: de)? notes?,? pendant"
        r" qu(?:e |')"
        r"(?:je|j'|nous|on)",
        rf"je ne (?:veux|souhaite|voudrais) plus que (?:tu|vous) (?:te |t'|le |la )?{_FR_STEM}",
        rf"{_FR_TOLD},? (?:s'il te plait,? )?(?:tu |vous )?(?:ne |n')(?:(?:le|la|les|te|t'|vous"
        rf"|l'|en|y|me) ?){{0,2}}{_FR_STEM}(?:[- ](?:ca|cela|le|toi|vous))? (?:pas|rien|jamais"
        rf"|plus)",
        rf"(?:ca|cela|ceci|tout (?:ca|cela)|rien de (?:tout )?(?:ca|cela|ce que(?: {_W}){{1,6}}?)"
        rf"|ce (?:qui|que)(?: {_W}){{1,7}}?|(?:mon|le) (?:prochain|suivant) message|cette "
        rf"(?:conversation|discussion)) (?:ne |n')(?:doit"
        rf"|devrait|peut|a|est|sera|va|sont)(?: (?:pas|rien|jamais|besoin|d'|pour|fait|a"
        rf"|en)){{0,4}}"
        rf" (?:a |d')?(?:etre )?{_FR_DONE}{_FR_END}",
        rf"je (?:ne )?(?:veux|voudrais|souhaite) pas que (?:{_FR_TOLD}|ce|quoi que ce soit|rien)"
        rf"(?: {_W}){{0,4}}? (?:soit|soient|reste|finisse)(?: {_W})? (?:{_FR_DONE}|dans"
        rf" {_FR_MIND})",
        r"(?:j'aimerais|je prefere|je prefererais|j'apprecierais|je souhaite|je voudrais"
        r"|ca serait bien|ce serait bien|ce serait mieux|mieux vaut|il vaut mieux|merci)(?: mieux)?"
        rf"(?: que| si| de)?(?: (?:tu|vous))? ?(?:ne |n')(?:(?:le|la|les|te|t'|vous|l'|en|pas|rien)"
        rf" ?){{0,3}}{_FR_STEM}(?:(?= (?:rien|ca|cela|aucun))| pas(?= ?$| ?[,:;]| (?:ca|cela|ceci"
        rf"|ce que"
        rf"|tout|mon|ma|mes|cette|ce message|notre))|(?= ?$|[,:;]))",
        rf"je (?:te|vous) (?:demande|prie|supplie) de ne (?:pas|rien)(?: (?:le|la|les|l'|te))*"
        rf" ?{_FR_STEM}|(?:ne |n')(?:l')?(?:met|ajout|inscri|laiss|not|rang|ecri|gard)\w*(?: {_W})"
        rf"{{0,2}}? (?:pas|rien|jamais)(?: {_W}){{0,3}}? (?:dans|a) {_FR_MIND}|{_FR_TOLD} ne "
        rf"(?:doit"
        rf"|devrait|doivent) (?:pas|jamais) (?:rester|aller|finir|figurer|se retrouver|entrer|etre)"
        rf" (?:dans|a) {_FR_MIND}",
        rf"(?:je (?:prefere|prefererais|veux|voudrais|souhaite)|j'aimerais)(?: autant| mieux)? que"
        rf" (?:rien"
        rf"|tout (?:ca|cela)|ca|cela|ceci)(?: {_W}){{0,6}}? (?:ne |n')(?:soit|reste)(?: pas)?"
        rf" {_FR_DONE}",
        rf"(?:garde|gardez|laisse|laissez|tiens|maintiens|exclus)(?: {_W}){{1,6}}? (?:hors|en"
        rf" dehors"
        rf"|a l'ecart|loin) de {_FR_MIND}",
        r"(?:desactive|desactivez|coupe|eteins|suspends|mets en pause|desactiver) (?:la|ta|votre)"
        r" memoire(?= ?(?:$|[,:;]| pour| pendant| jusqu| durant| tant))"
        r"|memoire (?:desactivee|coupee|off|en pause)(?= ?(?:$|[,:;]))",
        r"(?:pas|aucun|aucune|zero)(?: d'| de | )?(?:enregistrement|trace|sauvegarde|memorisation"
        r"|prise de notes|note)s?(?: (?:pour|de|pendant|dans) (?:cette|ce|ca|cela|notre|la suite"
        r"|le"
        r" reste|mon|ma)|(?=,? (?:s'il|stp|svp|merci)))",
        rf"(?:{_FR_TOLD}) (?:est|sont|reste|restent)(?: {_W})? (?:taboue?s?|interdit\w*|off limits"
        rf"|exclu\w*|hors limites)(?: pour| de| a)+ {_FR_MIND}|(?:{_FR_TOLD}),? ?(?:n'a|n'ont) rien"
        rf" a faire dans {_FR_MIND}",
        rf"(?:ca|cela|ceci|ce que(?: {_W}){{1,6}}?) (?:reste|restera|doit rester) (?:non enregistre"
        rf"|hors {_FR_MIND})|sans (?:que tu )?(?:rien |l'|le |en )?(?:retenir|conserver|memoriser"
        rf"|noter|stocker|garder de trace|laisser de trace)",
        rf"(?:ne |n')(?:(?:le|la|les|te|t'|vous|l'|en|y|me) ?){{0,2}}{_FR_STEM}(?:[- ](?:ca|cela"
        r"|le|toi|vous))? (?:pas|rien|jamais|plus|aucun\w*)",
        rf"(?:de )?(?:ne )(?:pas|rien|jamais|plus)(?: (?:le|la|les|l'|te|vous))* ?{_FR_STEM}",
        r"(?:(?:il n'y a |y'a |y a )?(?:pas|aucun) besoin|inutile|ce n'est pas la peine"
        rf"|pas la peine|evite|evitez|arrete|arretez)(?: {_W})? (?:de |d')(?:le |la |l'|te "
        rf"|les )?{_FR_STEM}",
        rf"(?:tu|vous) (?:ne |n')?(?:dois|devez|devrais|as|avez|peux|es)(?: {_W})? (?:pas|rien"
        rf"|jamais)(?: {_W}){{0,3}}? {_FR_STEM}",
        r"je (?:ne )?(?:veux|voudrais|souhaite)(?: {_W})? pas que (?:tu|vous|ce"
        rf"|cela)(?: {_W}){{0,3}}? (?:{_FR_STEM}|soit)",
        r"(?:(?:juste|strictement|que|tout) )?(?:(?:que )?(?:cela|ca|ceci|ce|tout|c'est"
        r"|cette \w+)(?: (?:doit|va|ne sort pas))? ?(?:reste|rester|soit|est)?(?: bien| juste"
        r"| strictement)? )?entre (?:nous|toi et moi|vous et moi)(?= ?(?:$|[,:;!–-]))",
        r"(?:garde|gardez|garder)[ -](?:(?:ca|cela|le|ceci|la|ce \w+)(?: bien)?) (?:pour (?:toi"
        r"|vous)|secret|entre nous|confidentiel|prive)",
        r"(?:passe (?:en )?|active (?:le )?|mets-toi en )?(?:mode prive|mode incognito"
        r"|navigation privee)(?= ?(?:$|[,:;]))|(?:cela|ca|ceci|c') ?(?:reste|doit rester"
        r"|est) (?:strictement )?(?:confidentiel|off)|(?:en )?off(?= ?[,:])"
        r"|sans (?:l')?(?:enregistrer|memoriser|garder)",
    ),
    doubt=Phrases(
        r"(?:c'est|ceci est|cela est) (?:strictement |tres )?(?:confidentiel|prive|secret"
        r"|un secret)(?= ?(?:$|[,:;–-]))|confidentiel(?= ?[,:])|ne (?:le )?(?:dis|dites|repete"
        r"|repetez)(?: (?:ca|cela))?(?:[- ]le)? a personne"
    ),
    erase=Phrases(
        rf"{_FR_PLEASE}{_FR_ERASE}(?: donc| vite)? mon (?:ancien(?:ne)?|precedente?) (?:adresse"
        r"|numero(?: de"
        r" telephone)?|employeur|surnom|domicile|nom)(?= ?(?:$|[,:;]| s'il| stp| svp))",
        rf"{_FR_PLEASE}(?:oubli(?:e|ez|er|es)|{_FR_ERASE}) (?:absolument )?tout (?:de|sur) (?:la"
        r"|notre)"
        r" (?:derniere )?(?:conversation|discussion)(?: d'hier| de (?:ce matin|lundi|la semaine"
        r" derniere))?"
        r"(?= ?(?:$|[,:;]| s'il| stp| svp))",
        rf"{_FR_PLEASE}{_FR_ERASE} (?:tous |toutes )?(?:les|tes) (?:souvenirs|notes) (?:qui|ou tu)"
        r" (?:mentionn|parl|evoqu|concern|cit|nomm)\w+",
        rf"{_FR_PLEASE}(?:{_FR_ERASE}|retir(?:e|ez|er|es)|enlev(?:e|ez|er|es)|sor(?:s|tez|tir))"
        rf"(?: {_W}){{1,6}}? de (?:tout )?ce que (?:tu|vous) (?:sais|savez|retiens|as|avez"
        rf"|connais)\b",
        rf"{_FR_PLEASE}{_FR_ERASE} (?:la|notre) (?:conversation|discussion) (?:d'(?:hier|aujourd)"
        rf"|de (?:ce"
        r"|cette|la|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche)|qu'on a eue)",
        rf"{_FR_PLEASE}oubli(?:e|ez|er|es)(?: donc| vite)? (?:tout )?(?:ce que|ce qu'|que j|que je"
        r"|mon |ma |mes |cela|ca|ce message|cette conversation|tout)\b",
        rf"{_FR_PLEASE}{_FR_ERASE}(?: donc| vite)? (?:{_FR_KNOWN}|tes (?:souvenirs|notes)"
        r"|(?:toute )?ta memoire|la note (?:sur|concernant|a propos)|le souvenir|(?:ce|mon dernier)"
        r" message|cette conversation|(?:mon|ma|mes) (?:nom|prenom|adresse|numero|anniversaire|age"
        r"|donnees|infos?|informations|souvenirs)\b(?! (?:de|dans|du) (?:la|le|l'|ce|cette))"
        r"|tout(?= ?$))",
        rf"{_FR_PLEASE}(?:{_FR_ERASE}|retir(?:e|ez|er|es)|enlev(?:e|ez|er|es)|sor(?:s|tez|tir))"
        rf"(?:(?: {_W}){{1,6}}?)? de (?:ta|tes|votre|vos) (?:memoire|souvenirs|notes|archives"
        rf"|dossiers)",
        rf"{_FR_KNOWN}(?: {_W}){{0,5}}?,? (?:doit|devrait|doivent|peut)(?: {_W}){{0,2}}? (?:efface"
        rf"|supprime|oubli)\w*",
        r"fais comme si (?:je|tu) n",
    ),
    lift=Phrases(
        r"(?:tu peux|vous pouvez)(?: (?:a nouveau|maintenant|de nouveau))? (?:te |le "
        r"|tout )?(?:enregistrer|memoriser|noter|retenir|garder|souvenir"
        r"|sauvegarder)(?: \w+){0,2} ?(?:a nouveau|de nouveau|maintenant)|(?:fin du mode"
        r"|desactive le mode|quitte le mode) (?:prive|incognito)|(?:tu peux|vous pouvez) (?:a"
        r"|de) nouveau"
    ),
    keep=Phrases(
        r"ne (?:jamais|pas) oublier",
        r"n'?oubli(?:e|ez|es|er)(?:[- ](?:le|moi))? (?:pas|jamais|surtout pas)|ne (?:pas "
        r"|l')?oubli\w*|souviens[- ]toi|souvenez[- ]vous|retiens\b|retenez\b|rappelle[- ]toi"
        r"|rappelle[- ]moi|note[rz]? (?:que|bien|ca|ceci)|memorise[rz]?\b|enregistre (?:que|ca"
        r"|ceci)|garde (?:en tete|a l'esprit)|(?:si|avant que|au cas ou) j(?:e l)?'oubli",
    ),
    coming=Phrases(
        r"(?:(?:le|mon|ma|la) )?(?:prochain|suivant)e?s? (?:message|phrase|chose)"
        r"|message suivant|ce que je (?:vais|m'apprete)|ce qui suit"
    ),
    session=Phrases(
        r"\b(?:a partir de maintenant|desormais|dorenavant|cette (?:conversation|discussion"
        r"|session)|reste de|jusqu'a ce que|pour (?:l'instant|le moment)|tout ce que je"
        r"|aujourd'hui|mode prive|incognito|(?:retiens|enregistre|garde|note"
        r"|memorise)[zr]? (?:plus )?rien(?: de ce que|$|,| du tout)|plus rien)"
    ),
    topic=Phrases(
        r"\b(?:rien|quoi que ce soit|informations?|details?|jamais|donnees"
        r"|infos)(?: [^\s,:;()]+){0,5}? (?:sur|au sujet|concernant|a propos|de) (?:ma|mon|mes"
        r"|notre|nos|la|le|les|l')|\b(?:quand|chaque fois que|lorsque) je (?:parle|mentionne)"
    ),
    reported=Phrases(
        r"\b(?:translate|dit|disait|demande|ecrit|repondu|traduis|traduire|lit|murmure)(?: de)?\W*$"
    ),
)
