"""More English ways to ask that something be not kept: those that go round the plain verb.

Owns: wishes ("I don't want you storing …"), places ("out of your memory", "off limits for …"),
states ("stays unsaved"), what is kept as a sentence's subject, and doing something without keeping
it. What makes any of them a request is its object: this talk, or the assistant's own memory.
"""

from __future__ import annotations

from typing import Final

from cognid_daemon.intake.phrases.english_words import (
    BITS,
    END,
    KEEPING,
    MEMORY,
    NEG,
    OWNER,
    RECALL,
    RECALLING,
    SAID,
    SAVE,
    SAVED,
    SAVING,
    STOP,
    TAIL,
    TALK,
    THESE,
    WOULD,
    W,
)

_NOT_KEPT: Final = r"(?:unsaved|unlogged|unrecorded|unstored|unremembered|unarchived|off the books)"
_BRIEF: Final = r"(?:ephemeral|throw-?away|temporary|self[ -]destruct(?:ing)?|transient)"
_TOLD: Final = (
    rf"(?:(?:this|that|it|these|those|all of this)(?: here)?|(?:what(?:ever)?|anything|everything"
    rf"|any of|all|my next|the next|the rest)(?: {W}){{0,6}}?|(?:my|our|this|that|these|the"
    rf"|today's)(?: {W}){{0,2}}? {SAID}(?: {W}){{0,5}}?)"
)
# The memory that is the assistant's: "your", or "memory" alone where the object is this talk.
_YOURS: Final = (
    rf"(?:(?:your|ur|the assistant's|claude's) (?:own )?(?:long[ -]term )?{MEMORY}"
    r"|(?:long[ -]term )?memory(?! (?:leak|usage|address|cache|pool|map\w*|limit|until|longer"
    r"|footprint|and cpu))|storage(?! of| room| unit)|storing|remembering|memori[sz]ing)"
)
_MINE: Final = (
    rf"(?:(?:anything|everything|nothing|details?|stuff|things|all|information|info|news|talk)"
    rf"(?: {W}){{0,2}}? (?:about|on|of|regarding|concerning) (?:{W} ?){{1,5}}?"
    rf"|(?:my|our|{OWNER}|the (?:topic|subject|matter) of)(?: (?!(?:is|are|was|has|app|code|server"
    rf"|files?|program|script|users?|customers?|browser|website|site|api)\b){W}){{1,5}}?"
    rf"|{_TOLD})"
)
_IN_MEMORY: Final = (
    rf"(?:in|into|to|on|onto) (?:(?:your|the|any) (?:long[ -]term )?{MEMORY}|memory|file)\b"
    r"(?! (?:leak|address|longer|until|at|when|dump|pool))"
)
_LANDS: Final = (
    r"(?:go|goes|going|end up|ends up|ending up|wind up|winds up|land|lands|stay|stays|remain"
    r"|remains|stick around|sticks around|linger|lingers|sit|live|show up|turn up|get|gets|make it"
    r"|makes it|find its way|enter|be|being|is|are|appear|persist|belong|belongs)"
)
_KEPT: Final = rf"(?:{SAVED}|filed|tracked|indexed|preserved|held on ?to|committed to memory)"
_IS_KEPT: Final = rf"(?:(?:be|get|gets|is|are|being|ever|to|was|were|getting) ){{0,3}}{_KEPT}"
_WANT: Final = (
    r"(?:i|we) (?:really |definitely |just |absolutely )?(?:do not|don ?'?t|never|wouldn't"
    r"|would not|am not (?:ok|okay|fine|comfortable) with|'m not (?:ok|okay|fine|comfortable) with)"
    r" ?(?:want|like|wish|need|appreciate|agree to|consent to)?"
)
_RATHER: Final = (
    r"(?:i|we|it|you)(?:'d| would)(?: really| much| very much| also)? (?:rather|sooner|prefer"
    r"|appreciate|like|love|hate|feel \w+(?: \w+)?|be \w+(?: \w+)?|mean a lot)(?: it)?"
    r"(?: if| that| for| when)?"
)
_VENT: Final = (
    r"(?:just |only |i'm just |i'm only |i'm |simply )*(?:venting|ranting|testing|rambling"
    r"|thinking (?:out loud|aloud)|joking|kidding|trying (?:this|it) out)(?: here| again)?"
)
_NOTHING: Final = (
    rf"(?:there(?:'s| is) )?nothing (?:here |in here )?(?:to|worth) (?:be )?(?:{SAVE}|{RECALL}"
    rf"|{_KEPT}|{SAVING}|{RECALLING})(?: here)?"
)
_BARRED: Final = (
    r"(?:(?:is|are|'s|remains?|stays?|should be|must be) (?:strictly |totally |completely |all "
    r"|simply )?(?:off[ -]limits|taboo|tabu|a no[ -]?go|no[ -]?go|out of bounds|forbidden"
    r"|too private|not meant|not intended|not|none|no (?:business|material|topic|matter))"
    r"(?: (?:for|to|of|in|as far as|when it comes to))*"
    r"|(?:does not|do not|doesn'?t|don'?t|has no place|have no place)(?: (?:go|belong|live"
    r"|need to (?:go|be|end up)|have to (?:go|be)))? (?:in|into|to|on)"
    r"|(?:should |must |has to |have to |needs? to |shall |will |can |may |to )?(?:be (?:kept|left"
    r"|held) |stays? |remains? |stayed |remained |kept |be )(?:well |far |entirely |completely )?"
    r"(?:out|outside|away from|clear)(?: of)?)"
)

_CREDENTIALS: Final = (
    r"(?!(?:(?:all|any|the|user|customer) ){0,2}(?:credentials?|secrets|passwords?|pii|tokens?"
    r"|keys?"
    r"|emails?|errors?|noise)\b)"
)

WAYS: Final = (
    # "I don't want you storing …": what is not wanted of you.
    rf"{_WANT} (?:you|u|your)(?: ever| to be)? (?:{SAVING}|{RECALLING}|tracking"
    rf"|collecting|gathering|learning|filing|memori[sz]ing|writing)(?: down)?"
    rf"(?: (?:notes?|records?|track|tabs|details?|data|info\w*|things|stuff|anything|logs?)"
    rf"(?: (?:of|on|about|for|in|from))?)?(?:{END}| (?:what|where|how|who|when|that (?:i|we|my"
    rf"|our)\b|about|any of|{THESE}{END}"
    rf"|{THESE} {SAID}|my (?!dog|cat|bike|car|seat|place)|our (?!dog|cat|car)|any of (?:this|what)"
    rf"|anything (?:about|i|we|from)|stuff (?:about|i)|details)(?!(?: ?{W}){{1,5}} (?:in|at|on"
    rf"|under) (?:your|the|my) (?:garage|basement"
    rf"|house|attic|shed|room|fridge|car|closet|place|yard)))",
    rf"{_WANT} (?:to (?:have|see|find) )?(?:{_TOLD}|{_MINE}|a|any|the slightest)"
    rf"(?: (?:trace|record|copy|sign|mention|note|log) of {_TOLD})?(?: ever| to| being| all)*"
    rf" (?:{_LANDS} )?(?:{_IN_MEMORY}|anywhere{END})(?! (?:near|else))",
    rf"{_WANT} (?:{_TOLD}|my (?!(?:voice|calls?|face|interview)\b)(?:{W} ){{1,3}}?)(?: ever| all)?"
    rf" ?{_IS_KEPT}{END}",
    rf"{_RATHER} {_MINE} (?:(?:never|not|didn't|did not|doesn't|does not|to never|to not|wouldn't)"
    rf" (?:{_LANDS}|made it|ended up|went|landed|got) {_IN_MEMORY}|(?:stayed|was kept|were kept"
    rf"|was left) (?:out|outside) of {_YOURS})",
    # "I'd feel better if none of this were kept."
    rf"{_RATHER} (?:{_TOLD}|none of (?:{THESE}|what)(?: {W}){{0,5}}?|nothing(?: {W}){{0,5}}?"
    rf"|my(?: {W}){{1,4}}?) (?:(?:to|was|were|is|are|did|do|does) )?(?:not|never|wasn't|weren't"
    rf"|isn't|aren't|didn't|doesn't|don't)(?: be| get| getting| being| ever){{0,2}} {_KEPT}",
    rf"(?:i|we)(?:'d| would)? (?:really |just )?(?:want|need|like|prefer|hate|don't want|do not"
    rf" want)(?: to have"
    rf"| for| to see)? (?:(?:none|nothing) (?:of (?:{THESE}|what i {W})|i {W})(?: {W}){{0,4}}? "
    rf"(?:{_IS_KEPT}"
    rf"|{_IN_MEMORY})|{_TOLD} (?:to )?(?:(?:be|stay|remain|go) )?{_NOT_KEPT})",
    rf"(?:i|we)(?:'d| would) (?:really )?hate (?:for |it if |to (?:see|have) )?(?:{_TOLD}|my(?:"
    rf" {W}){{1,4}}?)"
    rf" (?:to )?(?:{_IS_KEPT}|{_LANDS} {_IN_MEMORY})(?={END}| any)",
    rf"(?:i|we)(?:'d| would) (?:really |much )?(?:rather|prefer)(?: to)? not(?: to)? (?:have|see) "
    rf"(?:{_TOLD}"
    rf"|my(?: {W}){{1,3}}?) {_IS_KEPT}",
    rf"{_RATHER} (?:none of (?:{THESE}|what)|nothing)(?: {W}){{0,5}}? (?:was|were|is|be|got|gets"
    rf"|to be)(?: ever)? {_KEPT}",
    rf"(?:{_RATHER}|{WOULD}(?:please )?(?:let|make|have|keep|leave|treat|consider|regard|i want|we"
    rf" want|do)) (?:{_TOLD}|the rest)(?: all| please| just)? ?(?:as )?(?:(?:to )?(?:go|be|stay"
    rf"|remain|stayed|was|were) )?{_NOT_KEPT}"
    rf"(?={END}| please| for| until| ok)",
    rf"(?:i|we) want (?:{_TOLD}) (?:to )?(?:go|be|stay|remain|left|kept) {_NOT_KEPT}",
    rf"{_RATHER} (?:you|u) (?:kept|left|made|took|had|keep|leave|make) (?:no (?:notes?|records?"
    rf"|trace|log|memory)|{_TOLD} out)\b",
    # "I hope this won't be stored", "make sure nothing about Lena gets stored".
    rf"(?:i|we) (?:hope|trust|assume|expect|take it)(?: that)? (?:{THESE}(?: {SAID})?"
    rf"|my next \w+) (?:won'?t|will not|isn't|is not|doesn't|does not|shall not|never)"
    rf" {_IS_KEPT}",
    rf"(?:i|we) (?:hope|trust|expect)(?: that)? (?:none of (?:{THESE}|what i)|nothing (?:of|i|from"
    rf"|in|about m))(?: {W}){{0,5}}? {_IS_KEPT}",
    rf"(?:(?:can|could|will|would) you )?(?:please )?(?:make sure|be sure|ensure|see to it)(?:"
    rf" that)?"
    rf" (?:{THESE}(?: {SAID})?|my next {W}|what i(?: {W}){{1,5}}?) (?:isn't|is not|doesn't|does not"
    rf"|never|won't|will not) {_IS_KEPT}(?={END}| any)",
    rf"(?:is it|would it be) (?:ok|okay|fine|alright|all right|possible)(?: for me)? (?:if|that) "
    rf"(?:you|u)"
    rf" (?:do not|don'?t|didn'?t|did not|not|never) (?:{SAVE}|{RECALL}) (?:{THESE}(?:{END}| {SAID})"
    rf"|what i|my (?:next|last)|anything)",
    # "Save nothing."
    rf"(?:please |just |pls )?(?:{SAVE}|{RECALL}|learn|take|make) (?:nothing|none of (?:{THESE}"
    rf"|what i"
    rf" {W})|no (?:notes?|records?|logs?|traces?))(?: at all)?(?:{END}|(?: down)? (?:of|from|about"
    rf"|on)"
    rf" (?:{THESE}(?:{END}| {SAID})|what (?:i|we)|(?:my|our|the) {SAID}|me|anything i|today)\b| "
    rf"(?:i|we)"
    rf" (?:say|tell|write|said|told|type)| (?:until|till) (?:i|we)\b| (?:please|for now|today"
    rf"|tonight|from now on))",
    rf"(?:make sure|be sure|ensure|see to it|see|take care)(?: that)? (?:none of (?:{THESE}|what"
    rf"|my|our)|nothing (?:i|we|of|in|from (?:this|here|our|today)|about))(?: {W}){{0,6}}?"
    rf" (?:{_IS_KEPT}{END}|{_LANDS} {_IN_MEMORY})",
    rf"(?:make sure|be sure|ensure|see to it)(?: that)? {_MINE} (?:never|(?:does|do|is|are)(?:n't"
    rf"| not)|won't|will not|stays?|remains?|is kept)(?: ever)? (?:{_LANDS} {_IN_MEMORY}"
    rf"|(?:out|outside) of {_YOURS})",
    # "… is off limits for your memory", "… stays out of your notes".
    rf"{_MINE},? ?(?:all |also |really |simply |just |forever )?{_BARRED}(?: for| of| from)?"
    rf" {_YOURS}(?<!is not remembering)(?<!are not storing)",
    rf"(?!(?:she|he|they|who|why|is|are|the (?:app|server|code))\b){_CREDENTIALS}(?:{W} ){{1,7}}?"
    rf"{_BARRED}(?: for| of| from)? (?:your|ur) (?:own )?(?:long[ -]term )?(?:memor(?:y|ies)"
    rf"|memory bank|notes|records)\b",
    rf"(?:can|could|may|let|should) {_TOLD} (?:please )?(?:go|be|stay|remain) {_NOT_KEPT}",
    rf"(?:please )?(?:let|have|can|could|may) {_MINE} (?:please )?(?:stay|remain|be|be kept|be"
    rf" left)"
    rf" (?:out|outside|away from|clear)(?: of)? {_YOURS}",
    rf"(?:please )?(?:consider|treat|regard|declare|call|make) {_MINE}(?: as| to be)? ?(?:strictly"
    rf" )?"
    rf"(?:off[ -]limits|taboo|a no[ -]?go|no[ -]?go|out of bounds|forbidden)(?: (?:for|to|in|when"
    rf" it comes to))+ {_YOURS}",
    # "… stays unsaved", "let's do this off the books", "make this chat ephemeral".
    rf"(?:(?:what(?:ever)?|anything|everything|all) (?:i|we|from|in|about)(?: {W}){{1,7}}?|(?:my"
    rf"|the"
    rf"|our) (?:next|following|last|previous)(?: {W})?(?: {SAID})?|{THESE} (?:{W} )?{SAID}|(?:my"
    rf"|our) {SAID}(?: today"
    rf"| tonight| here)?|what i'm (?:{W} ){{1,3}}?{W}|this"
    rf"|all of this) ?(?:'s|is|are|stays?"
    rf"|remains?|goes|will (?:be|stay|remain|go)|(?:should|must|has to|needs to|can|may|shall)"
    rf" (?:be|stay|remain|go))(?: all| just| strictly| please)? {_NOT_KEPT}(?={END}| please| for"
    rf" (?:now|today|good|ever|me)| (?:deal|ok|okay|right|until)\b)",
    rf"{WOULD}(?:do|have|keep|make|treat|hold|continue|leave) (?:{_TOLD}|the rest of {W} {W})"
    rf"(?: as)? off the books",
    rf"{WOULD}(?:have|start|open|use|make (?:it|this)) (?:a|an) {_BRIEF} {TALK}{TAIL}",
    rf"{WOULD}(?:go|going|stay|be) off the books{TAIL}",
    rf"{WOULD}(?:make|keep|treat|consider|regard|let) (?:this|that|it|these|all of this"
    rf"|everything(?: i(?: {W}){{1,4}}?)?|(?:this|that|our|the|the rest of (?:this|our|the))"
    rf" (?:{W} )?(?:{TALK}|messages?)|(?:my|the) next (?:{SAID}))"
    rf"(?: be)?(?: as)?(?: an?| to be| purely| strictly)* {_BRIEF}(?: {TALK}| one| message)?{END}",
    rf"{WOULD}(?:treat|consider|regard|call|declare) (?:{_TOLD}|the rest of {W} {W})"
    r" (?:as |to be )?(?:strictly )?(?:off the record|unofficial|off the books)\b",
    # Modes, and memory that is switched off.
    rf"(?:(?:can|could|may|shall|should) (?:we|you|i)|let's|let us|please|i'd like (?:you )?to|i"
    rf" want"
    rf" (?:you )?to|we're|i'm|i am|time to)? ?(?:please )?(?:go|going|switch(?:ing)?|change|move"
    rf"|use"
    rf"|enter|turn|stay|be|start|open)(?: (?:on|in|into|to|over to|back to|with|a|an|the|your))*"
    rf" (?:incognito|(?:incognito|private|ghost|temporary|no[ -]memory|stealth|memory[ -]free"
    rf"|off the record) (?:mode|chat|session|conversation)){TAIL}",
    rf"(?:(?:no|zero|without|less) )(?!notes,? (?:great|nice|perfect|amazing|love|good))(?:memory"
    rf"|logging|logs|recording|records?|saving|storing|notes"
    rf"|remembering|memories|tracking|traces?){TAIL}",
    rf"{WOULD}(?:pause|disable|suspend|mute|freeze|deactivate|kill|(?:turn|switch|shut) off)"
    rf" (?:your |the |all |any )?(?:memory|memories|remembering|note[ -]taking){TAIL}",
    # Kept is the subject: "none of this needs storing".
    rf"(?:(?:none|no part|not a word|no word|nothing) of (?:{THESE}|what (?:i|we)(?: {W}){{1,5}}?)"
    rf"|nothing (?:here|in (?:this|here|our)"
    rf"(?: {W})?|of (?:{THESE}|what i {W})|i(?: {W}){{1,5}}?|about (?:my|me|our)(?: {W}){{0,4}}?))"
    rf" (?:needs?|has|requires?|is|must|should|may|will|gets?|calls for|deserves?|ought)(?: to| for"
    rf"| ever)*(?: be| get)? (?:{_KEPT}|{SAVING}|{RECALLING}|{_LANDS} {_IN_MEMORY})",
    rf"(?:{THESE}(?: (?:{W} )?{SAID})?|what (?:i|we|follows|comes)(?: {W}){{0,6}}?|(?:my|the)"
    rf" (?:next|following|coming|upcoming|last)(?: {W})?(?: {SAID})?)"
    rf" (?:does ?n['o]?t|does not|do not|don'?t|isn'?t|aren'?t|is not|are not|needn'?t|need not"
    rf"|won't|never)"
    rf"(?: really| even)? ?(?:need|require|have|deserve|call for|worth|meant|intended|supposed"
    rf"|something|anything|destined|suitable)?(?: (?:to|for|you should|you need to|worth|be|any))*"
    rf" (?:{_KEPT}(?={END}| please| any)|(?:{SAVING}|{RECALLING}|storage|retention|keeps"
    rf"|the (?:record|archive|archives|files)|(?:your|ur) {MEMORY})(?={END}| please)|{_LANDS}"
    rf" {_IN_MEMORY})",
    rf"(?:{_MINE}|it|this|that) ?(?:(?:isn't|is not|are not|aren't|'s not) (?:something|anything"
    rf"|a thing|things) (?:that |which )?(?:for you to|you(?:'re| are)? (?:should|need to|have to"
    rf"|must|ought to|may|supposed to|allowed to))|(?:is|are|'s) (?:nothing|none of the things)"
    rf" (?:that )?(?:for you to|you (?:should|need to|have to|must|ought to))|(?:is|are|'s)"
    rf" (?:something|things?|(?:a|one|the) (?:thing|topic|subject|matter|area)) (?:that )?you "
    rf"(?:should|must|may|ought)(?: not|n't| never)(?: to)?"
    rf"(?: ever)?) (?:{RECALL}|{SAVE})\b",
    rf"(?:{_MINE}|it|this|that) ?(?:isn't|is not|are not|aren't|'s not) (?:something|anything"
    rf"|things?|a thing"
    rf"|a topic|a subject) (?:that )?(?:i|we)(?:'d| would)? (?:want|like|need|wish)(?: you)?(?:"
    rf" to)?"
    rf" (?:(?:ever |have |see )?(?:{_IS_KEPT}|{_IN_MEMORY})|(?:{SAVE}|{RECALL}|{SAVING}"
    rf"|{RECALLING})\b)",
    rf"(?:{_RATHER}|(?:i|we) (?:want|need|prefer)) (?:you|u) (?:to )?(?:forgot?|forget|skip"
    rf"(?:ped)?|avoid(?:ed)?"
    rf"|stop(?:ped)?|refrain(?:ed)? from|leave off|pass(?:ed)? on|hold(?:ing)? off(?: on)?)(?: to)?"
    rf" (?:{SAVE}|{SAVING}|{RECALL}|{RECALLING}) (?:{THESE}(?:{END}| {SAID})|any of|anything|what "
    rf"(?:i|we)"
    rf"|my|our)|(?:i|we)(?:'d| would)? (?:like|want|need|prefer|rather)(?: to have)? {_MINE} (?:to"
    rf" (?:be|stay)"
    rf" )?(?:left|kept|held|stay|stays|stayed|be) (?:out|away|outside)(?: of| from)? {_YOURS}",
    rf"{WOULD}(?:do|have|hold|keep|continue|run|spend|make|put) (?:this|the rest|our|the|it)(?:"
    rf" {W}){{0,4}}?"
    rf" (?:in|on|into|to) (?:an? |the )?(?:incognito|(?:private|ghost|temporary|stealth|no["
    rf" -]memory)"
    rf"(?= mode))(?: mode)?{TAIL}",
    rf"(?:this|that|it) (?:isn't|is not|'s not) (?:something |anything |one )?(?:to|for you to)"
    rf" (?:{SAVE}|{RECALL}|hang on to|hold on to|commit to memory){END}",
    rf"my (?:{W} ){{1,4}}?(?:is|are) (?:none|no) (?:of )?(?:your )?(?:memory's )?business",
    # Doing something and keeping nothing of it.
    rf"(?:(?:can|could|would|will|may) (?:you|we|i) |let's |please |i(?:'d| would) like to |i "
    rf"(?:want"
    rf"|need) to )?(?:please |just )?(?:answer|reply|respond|help|tell|explain|talk|chat|speak"
    rf"|discuss|vent|advise|listen|look|read|say|translate|ask)(?: {W}){{0,6}}?,? without (?:you"
    rf"(?:r)? )?"
    rf"(?:ever )?(?:(?:{SAVING}|{RECALLING}) (?:{THESE}(?:{END}| {SAID})|anything|any of (?:this"
    rf"|what|it|that)|what i"
    rf" {W}|(?:my|our) {SAID})"
    rf"|(?:keeping|making|leaving|taking) (?:a |any )?(?:records?|notes?|traces?|logs?)\b"
    rf"|(?:anything|any of (?:this|it|what i {W})|it|this)(?: all)?(?: ever)? (?:being|getting|be)"
    rf" {_KEPT}"
    rf"|(?:you )?(?:remembering|recording|logging|memori[sz]ing)(?: (?:it|this|anything))?{END})",
    # Less usual verbs.
    rf"{WOULD}(?:{NEG}|do not ever|never ever)(?: ever| please)* (?:index|track|learn from|train on"
    rf"|learn) (?:any of )?(?:{THESE}(?:{END}| {SAID})|what (?:i|we) {W}|(?:my|our) (?:next"
    rf" )?(?:{SAID})\b|anything (?:about|i|from (?:this|our|me))|(?:any )?(?:things|stuff|facts"
    rf"|details) about (?:me|my|us|our))",
    rf"{STOP} (?:indexing|tracking|learning(?: from)?|training on|keeping tabs on) (?:{THESE}"
    rf"(?:{END}"
    rf"| {SAID})|what (?:i|we) {W}|(?:my|our) (?:{SAID})\b|anything (?:about|i|from)|(?:things"
    rf"|stuff|facts|details) about (?:me|my|us|our))",
    rf"(?:please )?(?:skip|ignore|leave out|exclude|omit) {_TOLD} (?:when|whenever|while|as) (?:you"
    rf" |you're |it comes to )(?:{SAVE}|{SAVING}|{RECALL}|{RECALLING}|tak(?:e|ing) notes)",
    rf"{WOULD}{NEG}(?: ever| please)* (?:carry|move|transfer|let|bring|pull|take|slip|add|put|drop)"
    rf" (?:{THESE}|any of this|what i(?: {W}){{1,6}}?|my(?: {W}){{1,4}}?)(?: over)?"
    rf"(?: {_LANDS})? {_IN_MEMORY}",
    r"(?:please )?(?:just |only )?for (?:your|ur) (?:eyes|ears)(?: only)?(?=[,:–-])",
)
"""Asks that something be not kept."""

MAYBE: Final = (
    # Any "no" before the assistant's own memory.
    rf"(?!(?:do|does|did|is|are|was|why|what's|how|who|where|when|has|have|which|there|you(?! "
    rf"(?:can|should"
    rf"|must|may|need|shouldn|mustn|needn|don't (?:have|need)))|he|she|they|if|i(?! (?:want|need"
    rf"|hope|prefer"
    rf"|don't want|do not want|don't like|would|wouldn't|trust))|i've|i'm)\b){_CREDENTIALS}(?:{W}"
    rf" ){{0,9}}?(?:never"
    rf"|not|no|nothing|none|without|{W}n't|dont|hate|keep|stay|stays|rather)(?: {W}){{0,8}}? (?:in"
    rf"|into|to|on"
    rf"|reach|reaches|out of|outside|from|for|touch|enter|of) (?:your|ur) (?:own )?(?:(?:long["
    rf" -]term )?memor(?:y"
    rf"|ies)|memory bank|notes|records)(?={END}| (?:please|pls|ever|at all|anymore|again|for)\b)",
    rf"{STOP} (?:tracking|keeping tabs on|noting|logging|recording) (?:my|our) (?!packages?"
    rf"|parcels?|orders?|shipments?"
    rf"|deliver\w+|flights?|phone|luggage|bags?|changes|files?|branch|code){W}(?: {W})?{END}",
    rf"{WOULD}(?:do not|don ?'?t|never)(?: ever| please)* track (?:my|our) (?!packages?|parcels?"
    rf"|orders?|shipments?|deliver\w+|flights?|phone|luggage|bags?|changes|files?|branch|code){W}"
    rf"{END}",
    rf"{WOULD}(?:do not|don ?'?t|never)(?: ever| please)* (?:track|keep track of|keep tabs on|log"
    rf"|record|save|store|write down|note down) (?:where|who|how|when|how much|how often|what) (?:i"
    rf"|we)\b(?: {W}){{1,4}}{END}",
    rf"(?:(?:my|our|details? (?:of|about|on) (?:my|our)|{OWNER})(?: (?!(?:files?|app|apps|code"
    rf"|server"
    rf"|script|users?|customers?|browser|website|site|api|data|tests?|logs?|drafts?|documents?"
    rf"|system"
    rf"|phone|camera|tv|bank|company|team|boss|doctor|lawyer|class|model|photos?|changes|settings"
    rf"|work"
    rf"|is|are|was|that|who|says?|said|told|thinks?)\b){W}){{1,4}}?"
    rf") (?:should|must|may|ought|can|has to|have to|needs? to)(?: ?not|n'?t| never)(?: to)?(?:"
    rf" ever)?"
    rf" (?:be|get) {_KEPT}{END}",
    rf"(?:use|take|treat|keep|hold|remember|consider) (?:this|that|it)(?: as)? (?:(?:just|only"
    rf"|strictly|purely) (?:for|in|within) (?:now|here|(?:this|the|our) (?:{W} )?{TALK})|(?:for|in"
    rf"|within) (?:this|the|our) (?:{W} )?{TALK} (?:only|alone))",
    rf"(?:this|that|it)(?: (?:{SAID}))?(?:'s| is| stays?| remains?) (?:(?:just|only|strictly|purely"
    rf"|valid) (?:for|in|within) (?:here|(?:this|the|our) (?:{W} )?{TALK})"
    rf"|(?:for|in|within) (?:this|the|our) (?:{W} )?{TALK} (?:only|alone))",
    rf"{_VENT},? ?(?:so |and |really |please )*{_NOTHING}{END}|{_NOTHING},? ?(?:i'm )?{_VENT}",
    rf"(?:i'?m|i am|i'll|i will|i|this is|i can|i've) (?:only )?(?:telling|tell|told|saying|say"
    rf"|sharing"
    rf"|share|{W})(?: {W}){{0,5}}? (?:on (?:the )?condition|provided|as long as|only if|assuming"
    rf"|trusting)(?: that)? (?:you|u) (?:do not|don'?t|won'?t|will not|never|are not going to)"
    rf" (?:{SAVE}|{RECALL}) (?:{THESE}(?:{END}| {SAID})|any of|anything)",
    rf"(?:just|only) (?:for|in) (?:this|our) {TALK}{END}|(?:for|in) (?:this|our) {TALK} only{END}",
    rf"(?:can|could|would) (?:you|u) (?:please )?(?:{NEG}|forgo|forego|skip|do without|pass on)(?:"
    rf" the)?"
    rf" {KEEPING}{BITS} {THESE}{END}",
)
"""May ask it: another reading is as likely."""
