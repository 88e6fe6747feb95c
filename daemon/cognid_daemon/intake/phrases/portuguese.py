"""The Portuguese phrases."""

from __future__ import annotations

from typing import Final

from cognid_daemon.intake.phrases.tongue import Phrases, Tongue, words

_W: Final = r"[^\s,:;()]++"
_PT_VERB: Final = (
    r"(?:guard(?:e|es|a|ar)|salv(?:e|es|a|ar)|grav(?:e|es|a|ar)|lembr(?:e|es|ar)|registr(?:e|es"
    r"|a|ar)|regist(?:e|es|ar)|anot(?:e|es|a|ar)|memoriz(?:e|es|a|ar)|armazen(?:e|es|ar)"
    r"|decor(?:e|ar)|arquiv(?:e|ar)|apont(?:e|es|ar)|escrev(?:a|as|er)|mantenha (?:registro"
    r"|isso)|conserv(?:e|es|ar))(?:-[ol]o|-o|-a|-lo)?\b"
)
_PT_TOLD: Final = (
    rf"(?:isto|isso|tudo (?:isto|isso)|(?:a|minha|meu|o)(?: minha| meu)? (?:proxim[ao]|seguinte)"
    rf"(?: {_W})?|est[ae] (?:mensagem|conversa|chat)|nada d(?:isto|isso)|(?:tudo )?o que(?: {_W})"
    rf"{{1,7}}?|nada do que(?: {_W}){{1,6}}?|(?:da|do|das|dos|sobre) (?:minhas?|meus?|noss\w+)"
    rf"(?: {_W}){{0,3}}?)"
)
_PT_STEM: Final = (
    r"(?:guard|salv|grav|lembr|registr|regist|anot|memoriz|armazen|arquiv|apont|conserv|decor)"
)
_PT_DONE: Final = rf"(?:{_PT_STEM}(?:ad[oa]s?|ar|ar-se)|salv[oa]s?|na (?:tua |sua )?memoria)"
_PT_MIND: Final = (
    r"(?:da|das|de|dos|na|nas|nos|pra|para a|a) (?:su[ao]s?|tu[ao]s?|teus|seus)? ?"
    r"(?:memoria|notas|anotacoes|registros|registos|apontamentos)"
)
_PT_END: Final = r"(?= ?(?:$|[,:;!–-]| por favor| nunca| em (?:lug|nen)))"
_PT_PLEASE: Final = (
    r"(?:(?:pode |podes |poderia |podias |quero que (?:voce |tu )?|gostaria que (?:voce |tu )?"
    r"|deves "
    r"|deve |por favor )+)?"
)
_PT_ERASE: Final = (
    r"(?:apag(?:a|ue|ues|as|ar)|exclu(?:a|as|i|ir)|delet(?:e|a|ar)|remov(?:a|e|er|as)"
    r"|elimin(?:a|e|ar|es))"
)
# What the assistant knows or was told; a folder's contents are neither.
_PT_KNOWN: Final = (
    r"(?:(?:tudo |toda |todas )?(?:o|aquilo|quanto|a informacao|as informacoes|os dados)(?: que)?"
    rf"(?: {_W}){{0,3}}? (?:sab(?:es|e|ias)|(?:tens|tem|tenha)(?= (?:sobre|de mim|guardad|anotad"
    r"|registad|salv))|lembras?|recordas?|guard(?:ou|aste|ado)|salv(?:ou|aste)|anot(?:ou|aste)"
    r"|(?:te "
    r"|lhe )?(?:disse|contei|falei|mencionei|escrevi))\b"
    r"|tudo sobre (?:mim|meu|minha|o meu|a minha|nos)\b)"
)
PORTUGUESE: Final = Tongue(
    name="Portuguese",
    cues=words(
        "guard|salv|grav|lembr|regist|anot|memori|armazen|decor|arquiv|entre nos|esque|apag"
        "|exclu|delet|remov|elimin|confidenc|privad|privativ|anonim|segredo|mente|apont|escrev"
        "|sigilo|conserv"
        "|memoria|fora d|tira|tire|notas"
    ),
    joins=Phrases(r"\b(?:e|mas) "),
    lead=Phrases(
        r"(?:@[a-z][\w-]{1,24}|por favor|pfv|pf|e|mas|ei|oi|ok|bom|agora|sim|a partir de agora|de"
        r" agora em diante"
        r"|daqui em diante|daqui pra frente|por enquanto|nesta conversa|nessa conversa|(?:pelo"
        r"|para o) resto da conversa),? ?(?<![a-z])"
    ),
    ask=Phrases(
        r"(?:por favor,? )?nao (?:tome|tomes|faca|facas) (?:notas|anotacoes),? enquanto (?:eu|me"
        r"|te|nos)\b",
        rf"{_PT_TOLD},? (?:por favor,? |melhor )?(?:nao|nunca|jamais)(?: (?:o|a|os|as|te|se|me))*"
        rf" {_PT_VERB}(?! (?:voce|tu) )",
        rf"(?:minhas?|meus?|a minha|o meu) {_W}(?: {_W})?,? (?:nao|nunca) (?:[oa]s? )?{_PT_VERB}",
        rf"(?:{_PT_TOLD},? nao|nada d(?:isto|isso)|nada do que(?: {_W}){{1,6}}?) (?:se )?(?:deve"
        rf"|deveria|devia|tem de|tem que|pode|precisa|e para|e pra|fica|fique|vai|necessita)"
        rf"(?: (?:ser|ficar|estar|de|que))* {_PT_DONE}{_PT_END}",
        rf"(?:isto|isso|o que(?: {_W}){{1,5}}?) (?:fica|fique|permanece) sem {_PT_STEM}ar",
        rf"nao quero que (?:{_PT_TOLD}|nada|se|fique)(?: {_W}){{0,4}}? {_PT_STEM}\w+",
        rf"(?:preferia|preferiria|prefiro|gostaria|gostava|queria|agradecia|agradeceria|agradeco"
        rf"|melhor|seria melhor|era melhor)(?: que| se)?(?: (?:voce|tu|isto|isso|o que(?:"
        rf" {_W}){{1,5}}))? nao(?: (?:o|a|os|as|me|te"
        rf"|se))* {_PT_STEM}(?:asses?|e|es|ares?|ar)\b",
        rf"(?:deixe|deixa|deixes|mantenha|mantem|tire|tira|exclua)(?: {_W}){{1,6}}? (?:fora|longe)"
        rf" {_PT_MIND}",
        r"(?:desativ|deslig|desactiv|paus|suspend)(?:e|a|ar|er|ue|es)? (?:a |sua |a sua |tua |a"
        r" tua )?"
        r"memoria(?= ?(?:$|[,:;]| por| durante| nest| ness| ate| para| pra| enquanto))",
        rf"{_W}(?: {_W}){{0,4}}? (?:e|esta|sao|estao|fica|ficam)(?: {_W})? (?:tabu|proibid\w+|fora"
        rf"|vetad\w+|interdit\w+)(?: para| pra| de| dos limites)* ?{_PT_MIND}"
        rf"|(?:{_PT_TOLD}|(?:a minha|o meu|minha|meu) {_W}),? nao (?:pertence\w?|deve (?:estar"
        rf"|ficar|ir)) {_PT_MIND}",
        rf"(?:te |lhe )?(?:peco|pedia|imploro|rogo)(?: (?:que|para|pra))+(?: (?:voce|tu))? nao"
        rf"(?: [oa]s?)? {_PT_VERB}|nao (?:[oa] )?(?:coloqu|ponh|bot|adicion|inclu|mant|deix|escrev"
        rf"|acrescent)\w+(?: {_W}){{0,4}}? (?:na|nas|nos|a|em) (?:sua|tua|suas|tuas|seus|teus) "
        rf"(?:memoria"
        rf"|notas|registros|anotacoes)",
        rf"nem pense em {_PT_STEM}ar|sem {_PT_STEM}ar (?:isto|isso|nada|o que)",
        rf"(?:nao|nunca|jamais)(?: (?:o|a|te|se|me|isso|isto))* {_PT_VERB}(?! (?:voce|tu) )",
        r"(?:nao )(?:precisa|precisas|e preciso|e necessario|ha necessidade|quero|gostaria|deve"
        rf"|deves|devia|tem que|vale a pena)(?: {_W}){{0,4}}? {_PT_VERB}|(?:pare|para|deixe"
        rf"|deixa|evite|evita) de {_PT_VERB}|(?:evite|evita|sem) {_PT_VERB}"
        rf"|prefiro que (?:voce )?nao(?: {_W})? {_PT_VERB}",
        r"(?:(?:que |isso |isto |tudo )*(?:fica|fique|ficar|deve ficar|morre)(?: so)?(?: aqui)? "
        r"|ca |aqui |so |que )?entre (?:nos|a gente|mim e voce|eu e voce)(?= ?(?:$|[,:;–-]"
        r"| dois))",
        r"(?:guarde|guarda|mantenha|mantem|mantenha) (?:isso |isto |esse )?(?:segredo|em segredo"
        r"|em sigilo|so para (?:si|voce|ti)|confidencial)|(?:ative |ativa "
        r"|ligue )?(?:o )?modo (?:privado|anonimo|privativo|incognito)(?= ?(?:$|[,:;]))"
        r"|off the record(?= ?(?:$|[,:;–-]))|em off(?= ?(?:$|[,:;–-]))|(?:isso|isto) (?:e"
        r"|fica) (?:estritamente )?confidencial",
    ),
    doubt=Phrases(
        r"(?:isso|isto) e (?:muito |um )?(?:privado|particular|segredo|confidencial)(?= ?(?:$"
        r"|[,:;–-]))|nao (?:conte|conta|diga|digas|contes) (?:isso |isto )?(?:a|pra|para) ninguem"
    ),
    erase=Phrases(
        rf"{_PT_PLEASE}{_PT_ERASE}(?: por favor)? (?:[oa] )?(?:meu|minha) (?:(?:antig[oa]"
        r"|velh[oa]) )?(?:endereco"
        r"|numero(?: de telefone)?|morada|apelido|telefone|empregador)(?: (?:antig[oa]|anterior"
        r"|velh[oa]))?"
        r"(?= ?(?:$|[,:;]| por favor))",
        rf"{_PT_PLEASE}esquec(?:[ae]s?|er)(?: por favor)? (?:o |a )(?:meu|minha) (?:antig[oa]"
        r"|velh[oa]) ",
        rf"{_PT_PLEASE}(?:esquec(?:[ae]s?|er)|{_PT_ERASE})(?: por favor)? tudo (?:da|sobre a)"
        r" (?:nossa )?(?:ultima"
        r" )?conversa(?: de (?:ontem|hoje))?(?= ?(?:$|[,:;]| por favor))",
        rf"{_PT_PLEASE}{_PT_ERASE}(?: por favor)? (?:todos |todas )?(?:as (?:suas |tuas"
        r" )?(?:memorias|notas|"
        r"lembrancas)|os registros) (?:que|onde) (?:mencion|fal|cit|nome|refer|trat)\w+",
        rf"{_PT_PLEASE}(?:{_PT_ERASE}|tir(?:a|e|ar))(?: {_W}){{1,6}}? d(?:o|e tudo o|aquilo) que"
        rf" (?:voce |tu )"
        r"?(?:sabe|sabes|lembra|lembras|tem|tens)\b",
        rf"{_PT_PLEASE}{_PT_ERASE} (?:a|nossa|a nossa) (?:conversa|chat) (?:de (?:ontem|hoje|\w+)"
        rf"|da \w+"
        r"|que tivemos)",
        rf"{_PT_PLEASE}esquec(?:[ae]s?|er)(?: por favor)? (?:tudo )?(?:o que|que (?:eu|te|sou|meu"
        r"|minha)|meu |minha |meus |minhas |isso|isto|esta conversa|essa conversa|esta mensagem"
        r"|tudo"
        r"|sobre)\b",
        rf"{_PT_PLEASE}{_PT_ERASE}(?: por favor)? (?:{_PT_KNOWN}|(?:a )?(?:sua|tua) memoria|(?:as"
        rf" )?"
        r"(?:suas|tuas) (?:memorias|notas)|a nota (?:sobre|de|da|do)|a memoria (?:de|da|do|sobre)"
        r"|(?:esta|essa) (?:conversa|mensagem)|(?:o meu|a minha|os meus|as minhas|meu|minha|meus"
        r"|minhas) (?:nome|endereco|morada|telefone|numero|aniversario|idade|dados|informacoes"
        r"|memorias)\b(?! (?:d[aeo]|n[ao]) (?!(?:sua|tua)))|tudo(?= ?$))",
        rf"{_PT_PLEASE}(?:{_PT_ERASE}|tir(?:a|e|ar))(?:(?: {_W}){{1,6}}?)? d(?:a|as) (?:sua|tua"
        rf"|suas"
        r"|tuas) (?:memoria|memorias|notas|anotacoes)",
        rf"{_PT_KNOWN}(?: {_W}){{0,5}}?,? (?:deve|devia|tem de|tem que|pode)(?: {_W}){{0,2}}?"
        rf" (?:apagad|excluid|esquecid"
        r"|eliminad)\w+",
        r"finj[ae] que (?:eu )?(?:nao|nunca) ",
    ),
    lift=Phrases(
        r"(?:ja )?(?:pode|podes) (?:voltar a )?(?:lembrar|guardar|salvar|gravar|registrar"
        r"|anotar)(?: \w+){0,2}? ?(?:de novo|novamente|outra vez|agora)|(?:ja )?(?:pode"
        r"|podes) voltar a (?:lembrar|guardar|salvar|gravar)|(?:desative"
        r"|saia do) (?:o )?modo (?:privado|anonimo)"
    ),
    keep=Phrases(
        r"(?:nao|nunca) (?:deix(?:e|es|a)|par(?:e|es)) (?:nunca )?de (?:lembrar|guardar|recordar)",
        r"(?:nao|nunca) (?:(?:te|se|me) )*esque(?:ca|cas|ce|cer|cam)\b|lembr[ae](?:-se|-te"
        r"|-me)?\b(?! quando)|anot[ae]\b|guard[ae] (?:que|isso|isto)|tenha em mente|tem em mente"
        r"|memoriz[ae]\b|tome nota|salv[ae] (?:que|isso|isto)|(?:se|antes que"
        r"|caso) eu (?:me )?esque",
    ),
    coming=Phrases(
        r"(?:(?:a|o|minha|meu) )*(?:proxim[ao]|seguinte)\b(?! (?:semana|mes|ano))"
        r"|o que (?:eu )?(?:vou|te vou) |o que (?:vem|segue)"
    ),
    session=Phrases(
        r"\b(?:a partir de agora|de agora em diante|daqui (?:em diante|pra frente)|(?:esta|essa"
        r"|nesta|nessa|desta|dessa) (?:conversa|sessao)|resto da|ate (?:que )?eu|por enquanto"
        r"|tudo o que|hoje|modo (?:privado|anonimo)|incognito|mais nada|nada(?=$|,| do que"
        r"| mais))"
    ),
    topic=Phrases(
        r"\b(?:nada|informac\w+|detalhes|dados|algo|nunca|jamais)(?: [^\s,:;()]+){0,5}? (?:sobre"
        r"|acerca|relacionado|da minha|do meu|a minha|o meu)\b|\b(?:quando"
        r"|sempre que) (?:eu )?fal(?:o|ar)"
    ),
    reported=Phrases(
        r"\b(?:translate|disse|diz|pediu|escreveu|respondeu|traduza|traduz|falou)(?: que)?\W*$"
    ),
)
