"""How it is asked in English that something be not kept, by its grammar: who, what, and of what.

A frame that is addressed to the assistant and denies, a verb of keeping in the form that the frame
takes, and an object that is this talk or the speaker's own affair. The frames that go with a plain
verb are in `english_words` (BARE); here are those that need another form of it, and what is wished
of the message itself ("should vanish", "is not to be logged").

Owns: those frames and objects. `ASKING` are requests, `LIKELY` may be.
"""

from __future__ import annotations

from typing import Final

from cognid_daemon.intake.phrases.english_words import (
    BARE,
    END,
    MEMORY,
    OBJECT,
    OTR,
    OWNER,
    RECALL,
    RECALLING,
    SAID,
    SAVE,
    SAVED,
    SAVING,
    TALK,
    THESE,
    W,
)

_WHOSE: Final = rf"(?:my|our|her|his|their|(?!(?:it|that|there|here|what|let|he|she)'s){OWNER})"
_FACT: Final = (
    r"(?:names?|address(?:es)?|numbers?|details?|dates?|facts?|story|title|place|age|cause"
    r"|reasons?|e-?mails?|diagnos[ie]s|results?|news|matter|part|thing|bit)"
)
_AFFAIR: Final = (
    rf"(?:(?:the|any|all|some|a)(?: {W})? {_FACT}(?: {W})? (?:of|about|for|from|on|that|where|why"
    rf"|how) (?:{_WHOSE}|i|we|the patients?|the client)(?: {W}){{0,3}}?|{_WHOSE} (?!dog\b|cat\b"
    r"|bike\b|car\b|seat\b|place\b|work\b|progress\b|files?\b|code\b|changes\b|settings\b|document"
    rf"|draft|game\b)(?:{OWNER} )?{W}(?: {W})?)"
)
"""Something of the speaker's, or of a person they speak of: "the name of my doctor"."""
_MESSAGE: Final = (
    r"(?:(?:this|that|my next|my last|the next(?: few| two| three| couple of)?|the following|what"
    rf" i (?:say|said|write|wrote|type|ask)(?: {W}){{0,3}}?|the rest of (?:this|our|the)|all of"
    rf" this|everything (?:i|we) {W})(?: (?:{W} )?(?:{SAID}))?|this|it)"
)
_GONE: Final = (
    r"(?:vanish|disappear|evaporate|self[- ]destruct|be (?:gone|deleted|erased|forgotten|dropped"
    r"|wiped|discarded|thrown away|lost)|go away|get lost|leave no trace|fade away)"
)
_DENIED: Final = r"(?:is|are|was|were|'s|'re)(?: ?not|n't)"
_PROGRESS: Final = r"(?:are|'re|r|were)(?: not|n't)(?: going to be| gonna be)?"
_GLAD: Final = (
    r"(?:(?:it's|it is|its) (?:best|better|good|safer|important|vital|fine|ok|okay|crucial) (?:if"
    r"|that)|(?:i|we|it)(?:'d| would)(?: really| much)? (?:be (?:so |very |most )?(?:grateful|glad"
    r"|happy|happier|thankful|obliged|good|nice|great|better|best|kind|lovely|relieved)|appreciate"
    r" (?:it|that)|like it|love it|prefer (?:it|that)?|feel (?:better|safer)|rather|mean a lot)(?:"
    r" if| that| when)?)"
)
_UNEASY: Final = (
    r"(?:i|we)(?:'m| am|'re| are)(?: really| just)? (?:not (?:ok|okay|fine|comfortable|happy|at"
    r" ease|cool|keen|thrilled|easy)|uncomfortable|uneasy|unhappy|wary|worried|nervous)(?: with|"
    r" about| on| of)?"
)
_KEEPING: Final = (
    rf"(?:{SAVING}|{RECALLING}|writing down|jotting down|noting down|tracking|learning)"
)
_KEEP: Final = rf"(?:{SAVE}|{RECALL}|write down|jot down|note down|hang on to|track|learn)"
_MIND: Final = rf"(?:your|ur) (?:own )?(?:long[ -]term )?(?:{MEMORY}|mind|head)"

_STAYS: Final = (
    r"(?:stay|remain|end up|land|go|be|become|get|form|linger|stick|settle|sit|live|be kept|turn"
    r" into|find its way)(?: (?:a )?part| stored| saved| kept)?(?: of| in| into| on| to)?"
)
_MIND_OR_WHAT: Final = (
    rf"(?:{_MIND}|(?:what|the things|all) you (?:already )?(?:know|remember|have|keep)\b)"
)

ASKING: Final = (
    # "Answer and forget", "delete after reading".
    r"(?:please |just |kindly )*(?:answer|reply|respond|help|advise|listen|read|tell me|translate"
    rf"|calculate)(?: {W}){{0,3}}?,? (?:and then|and|then|but) (?:forget|drop|discard|let go of"
    rf"|dismiss)(?: about)?(?: (?:it|this|that|everything|all of it|the lot))?{END}",
    rf"(?:please |just )*(?:delete|erase|destroy|forget|burn|wipe|drop|discard) (?:{_MESSAGE}"
    r" )?(?:after|once|when|as soon as) (?:you(?:'ve| have|'re| are)? )?(?:read|reading|answered"
    r"|answering|replied|replying|done|finished|we're done)\b",
    # "… without you taking notes".
    r"(?:(?:can|could|may|shall|would|will) (?:we|you|i)|let's|let us|i(?:'d| would) like to|i"
    r" (?:want|need) to|please|is it possible to|is there a way to) (?:have|do|keep|talk|chat"
    rf"|discuss|go on|continue|speak|tell|ask|say|share|vent|answer|get|use)(?: {W}){{0,7}}?,?"
    r" without (?:you(?:r)? )?(?:ever )?(?:(?:taking|making|keeping) (?:any )?(?:notes?|records?)"
    rf"|(?:{SAVING}|{RECALLING}|storing) ?(?:{THESE}|any of (?:this|it)|anything)?|it (?:being"
    rf"|getting) {SAVED}){END}",
    # "… didn't stay in your head", "become part of what you know".
    rf"{_GLAD} (?:{_MESSAGE}|{_AFFAIR}) (?:didn't|did not|doesn't|does not|never|not|wouldn't)"
    rf" (?:to )?(?:{_STAYS}) {_MIND_OR_WHAT}",
    r"(?:(?:please |pls )?(?:don'?t|do not|never)(?: please)? let|make sure(?: that)?|i (?:don'?t"
    rf"|do not) want) (?:{_MESSAGE}|{_AFFAIR}|(?:this|our) {TALK})(?: (?:doesn't|never|does not"
    rf"|to))? (?:{_STAYS}) {_MIND_OR_WHAT}",
    # "I want to ask something off the record."
    r"(?:i(?:'d| would) like to|i (?:want|need|have) to|let me|can i|could i|may i|can we|could"
    r" we|let's|i'm going to|i'll) (?:quickly |just |briefly )?(?:ask|discuss|vent|run|bring up"
    rf"|talk|get|put|chat|speak|consult|raise|know)(?: {W}){{0,6}}? {OTR}",
    r"(?:please |can you |could you |just )*(?:skip|bypass|suspend|leave out|disable) (?:the "
    rf"|your )?memory (?:for|on|during|in|with) {_MESSAGE}",
    r"no (?:memory|memories|records?|notes?|trace|log) of (?:my|our|me|us|what i)(?:"
    rf" {W}){{0,3}}?{END}",
    rf"off the books(?:,? please)?{END}",
    r"(?:can|could|may|let|might) (?:i|me) (?:tell|say|ask|share|show|mention|admit)(?:"
    rf" {W}){{0,5}}? (?:you|u) (?:won't|will not|don't|do not|never|wouldn't|aren't going to)"
    rf" {_KEEP}\b",
    rf"{_AFFAIR} (?:should|must|may|can|need)(?: ?not|n't| never) (?:ever )?(?:be|get)"
    rf" {SAVED}(?={END}| (?:either|ever|anywhere|please|by you|at all)\b)",
    # Marks and modes.
    r"(?:please |just |can you |could you )*(?:act|behave|pretend|answer|reply|respond|work|go"
    r" on) (?:as if|as though|like) (?:your |the )?memory (?:were|was|is) (?:off|disabled"
    r"|switched off|turned off|empty|not there|gone)\b",
    r"(?:please |just |can you |could you )*(?:answer|reply|respond|work|continue|go on)(?:"
    r" \w+){0,3}? with (?:your |the )?memory (?:off|disabled|switched off|turned off|paused)\b",
    r"(?:(?:please|let's|let us|can we|can you|could you) )*(?:mark|flag|tag|treat|label|file)"
    rf" {_MESSAGE} (?:as |to be )?(?:do[- ]not[- ](?:save|store|remember|log|keep|record)|not to"
    r" be \w+|no[- ]stor(?:e|age)|unsaveable)\b",
    r"do-not-(?:remember|save|store|log|keep|record)\b(?! (?:list|flag|file|setting|option"
    r"|filter))",
    rf"(?:please )?(?:consider|treat|regard|take) {_MESSAGE} (?:as )?(?:unsaid|unwritten|unspoken"
    r"|deleted|erased|never said|never sent|forgotten)\b",
    r"(?:(?:i|we)(?:'d| would)? (?:like|want|wish) to |let me |can i |please )?(?:opt(?:ing)? out"
    rf" of|exempt {_MESSAGE} from) (?:the |your |any |all )?(?:memory|memories|storage|saving"
    r"|logging|recording|retention)(?! (?:leak|upgrade|unit))",
    r"(?:(?:zero|no) (?:data )?retention|not for (?:storage|keeping|retention|archiving|the"
    rf" archives?|memory|safe[- ]?keeping))(?:{END}| please| (?:for|on|of) this)",
    # "This message should vanish", "can this be gone once you've answered".
    rf"{_MESSAGE} (?:should|must|shall|may|can|has to|have to|needs? to|ought to|is to|had better"
    rf"|better|is going to|will) {_GONE}(?={END}| (?:once|after|when|as soon|right|please|from|too"
    r"|later|afterwards|at the end|immediately)\b)",
    rf"(?:let|make|have) {_MESSAGE} {_GONE}(?={END}| (?:once|after|when|as soon|right|please"
    r"|from)\b)",
    # "… is not to be logged", "the details of my case aren't to be remembered".
    rf"(?:{_MESSAGE}|{_AFFAIR}) {_DENIED} (?:to be|meant to be|supposed to be|going to be|for"
    rf" being|ever to be|to get) {SAVED}(?={END}| (?:ever|please|anywhere|or|at all|in|by)\b)",
    rf"(?:is|are) not to be {SAVED}(?={END}| (?:ever|please|anywhere|or|at all)\b)",
    # "I hope you're not saving this", "I'm not comfortable with you remembering my religion".
    rf"(?:(?:i|we) (?:hope|trust|assume|expect|pray)(?: that)? )(?:you|u) ?{_PROGRESS} (?:{SAVING}"
    rf"|{RECALLING}|taking notes|writing (?:{THESE}) down) ?(?:{OBJECT}|{_AFFAIR}|down|{END})",
    rf"{_UNEASY} (?:you|u|your|the idea of you|you ever)(?: ever)? {_KEEPING} (?:{OBJECT}"
    rf"|{_AFFAIR}|{THESE}|what|where|who|anything)",
    # "I'd be grateful if you forgot the rest of this conversation".
    rf"{_GLAD} (?:you|u) (?:would |could )?(?:forgot|forget|dropped|drop|deleted|delete|erased"
    rf"|erase|wiped|wipe|lost|lose|let go of|discarded) (?:{_MESSAGE}|{_AFFAIR}|(?:this|our)"
    rf" (?:whole )?{TALK})",
    rf"{_GLAD} (?:you|u) (?:didn't|did not|don't|do not|never|wouldn't|would not|won't|weren't"
    rf" to)(?: ever)? {_KEEP} (?:{_AFFAIR}(?={END}| (?:anywhere|please|at all|in)\b)|{OBJECT})",
    # The plain denial, of somebody's affairs.
    rf"{BARE} (?:(?:write down|jot down|note down|take down|memori[sz]e|commit to memory|make a"
    rf" note"
    rf" of|keep a (?:record|note) of|{RECALL}) {_AFFAIR}(?={END}| (?:please|pls|anywhere|at all|i"
    r" only|ok|because|since|it's|as)\b)"
    rf"|(?:write|put|keep|note|store|save|list|mention|leave|log) {_AFFAIR} (?:down )?anywhere\b"
    rf"|(?:hold|keep|have|leave|carry|store|put) (?:{_MESSAGE}|{THESE}|any of (?:this|it)"
    rf"|{_AFFAIR})(?: \w+)? in (?:{_MIND}|memory|mind)\b(?! (?:at|until|when|longer|while))"
    rf"|(?:write down|note down|record|save|store|log|keep|{RECALL}) what (?:{_WHOSE}(?: {W})?|she"
    r"|he|they) (?:say|said|do|did|does|tell|told|think|want|earn|feel|eat|ask|ha)(?:s|ed)?\b)",
    rf"before you (?:{SAVE}|{RECALL}) (?:anything|this|that|it|any of this)[,:–-]* ?(?:please "
    r"|just )?(?:don'?t|do not|stop|wait and don't)\b",
    # "… and don't keep any of it", after whatever is asked first.
    rf"(?:make an exception|be so kind|do me (?:a|the) favou?r|respect my privacy)(?: {W}){{0,3}}?"
    rf" and (?:not|don'?t|do not|never) {_KEEP} ",
    r"(?:this|that|it|what i (?:say|said|tell you|told you)) (?:should(?:n't| not)|must(?:n't|"
    r" not)|can(?:'t|not)|may not|won't|will not|is never to|need(?:n't| not)|doesn't need to"
    r"|does not need to|doesn't have to) (?:ever )?(?:live|survive|outlive|go|leave|outlast|last"
    r"|exist|stay|come up|resurface|be around|persist)(?: on)?(?:,? (?:past|beyond|longer than"
    r"|outside|after|again|anywhere|in) (?:of )?(?:this|our|the|your|today|now|we)?\b)",
)
"""Asks that something be not kept."""

LIKELY: Final = (
    r"(?:i|we)(?:'m| am|'re| are) not (?:asking|telling|expecting|inviting) (?:for )?(?:you|u) to"
    rf" {_KEEP} (?:{OBJECT}|{THESE}|{_AFFAIR})",
    r"(?:we|you and i|you and me) (?:have |had )?never (?:had|spoke(?:n)?|talked|discussed)"
    rf" ?(?:this |that |about (?:this|that|it))?(?:{TALK})?{END}|(?:this|that|our) (?:{TALK}"
    rf"|message) (?:has )?never (?:happened|took place|existed){END}",
    r"(?:there(?:'s| is) )?nothing (?:here |in here |in this )?(?:to|worth|you need to|you have"
    rf" to|you should) (?:{RECALL}|{RECALLING}|note(?: down)?|noting|store|storing|save|saving"
    r"|keep|keeping|write down|memori[sz]e)(?: here| in this| about this| of this| this time)?(?="
    r" ?(?:$|[:;()–-]|, (?!just|only)))",
    r"(?:you|u) (?:won't|will not|wont|aren't going to|are not going to|shall not) (?:ever"
    rf" )?(?:{RECALL}|{SAVE}|keep|hold on to) (?:{OBJECT}|{_AFFAIR}|{THESE}{END})",
    r"(?:(?:are )?(?:you|u)(?: are|'re)?|don't tell me (?:you|u)(?:'re| are)) (?:not"
    rf" )?(?:{SAVING}|{RECALLING}) (?:this|any of this|what i \w+)(?={END}).{{0,20}}(?:don'?t|do"
    r" not|stop|not ok|are you|right|i hope)",
    r"(?:let|have) (?:this|that|it) (?:go|pass) in one ear and out the other",
    rf"(?:{_MESSAGE}|{_AFFAIR}) (?:has|have) no (?:place|business|home)(?: {W})? (?:in|on|being"
    rf" in) {_MIND}",
)
"""May ask it: another reading is as likely."""
