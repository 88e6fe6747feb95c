"""English requests that lean on what is round them: a paste, a copy, a tag, a yes taken back.

Owns: those frames. `FURTHER` asks that something be not kept, `PERHAPS` may; `TAKEN_BACK` asks that
something be forgotten, and `KEPT_ON` that it never be (two denials: "never stop remembering").
"""

from __future__ import annotations

from typing import Final

from cognid_daemon.intake.phrases.english_words import (
    BARE,
    ELSEWHERE,
    END,
    MEMORY,
    NOT,
    OBJECT,
    OWNER,
    RECALL,
    RECALLING,
    SAID,
    SAVE,
    SAVED,
    SAVING,
    THESE,
    THING,
    W,
)

_NEVER: Final = (
    rf"(?:{BARE}|(?:under no circumstances|on no account|in no case|by no means|at no point)"
    r"(?: (?:should|must|may|are|will|do|can) (?:you|u))?(?: (?:to|ever))*)"
)
_KEEP: Final = rf"(?:{SAVE}|{RECALL}|write down|jot down|note down|hang on to|track|learn)"
_MINE: Final = rf"(?:my|our|his|her|their|{OWNER}|any of my) {W}{ELSEWHERE}"
_OURS: Final = rf"(?:{_MINE}|{THESE}{END}|what (?:i|we|my)|where i|who i|that (?:i|my|we)|anything)"
_HANDED: Final = (
    r"(?:i|i'm|i am|we|we're)(?:'ll| will)?(?: just| now)? (?:(?:about|going|gonna|planning)(?:"
    r" to)?"
    r" |will |have |am )?(?:just )?(?:past(?:e|ed|ing)|upload(?:ed|ing)?|attach(?:ed|ing)?"
    r"|show(?:ed"
    r"|n|ing)?(?= you|$|,)|(?:g[ai]ve|giving|send(?:ing)?|sent|tell(?:ing)?|told|read(?:ing)?)"
    r" (?:to"
    r" )?you|shar(?:e|ed|ing)(?= |$)(?! (?:with|on) (?!you))|dictat(?:e|ed|ing)|forward(?:ed|ing)?)"
    r"(?! (?:to|into|on) (?!you))"
)
_HANDED_SOON: Final = (
    r"(?:i|we)(?:'m| am|'re| are) (?:about|going) to (?:paste|upload|send|share|attach|give|show"
    r"|type|tell|read|dictate|forward|copy|drop)\b(?! (?:\w+ )?(?:to|into|on) (?!you))"
)
_DAY: Final = (
    r"(?:yesterday|today|tonight|(?:last|this|the other) (?:night|week|weekend|month|morning"
    r"|evening|afternoon)|yesterday (?:morning|evening|afternoon)|monday|tuesday|wednesday|thursday"
    r"|friday|saturday|sunday)"
)
_CHAT: Final = r"(?:conversations?|chats?|convos?|dialogues?|talks?)"
_ASKED: Final = (
    r"(?:(?:please|pls|plz|just|now|also|so) |(?:can|could|would|will) (?:you|u) |(?:i|we)(?:'d|"
    r" would)? (?:want|like|need) (?:you|u) to |(?:you|u) (?:can|may|should|must) (?:safely )?)*"
)
_ERASE: Final = (
    r"(?:forget(?: about)?|unlearn|delete|erase|wipe(?: out)?|remove|scrub|purge|clear(?: out)?"
    r"|discard|drop|get rid of|throw (?:away|out)|trash|destroy)"
)
_KNOWLEDGE: Final = (
    r"(?:from|out of|off) (?:(?:what(?:ever)?|everything|all|the (?:things|facts|stuff)) (?:that )?"
    r"you(?:'ve| have)? (?:already |still )?(?:know|knew|remember|have|keep|learn(?:ed|t)|stored"
    r"|noted|saved)\b|your (?:own )?knowledge\b|your (?:profile|picture|file) (?:of|on) me\b)"
)

FURTHER: Final = (
    # "… the salary figures I'm about to paste", "… what's in this email".
    rf"{_NEVER} {_KEEP} (?:(?:the|any|any of the|this|these|those|my|our|anything|something)"
    rf"(?: {W}){{0,5}}?) (?:that |which )?(?:{_HANDED}|{_HANDED_SOON})",
    rf"{_NEVER} {_KEEP} (?:what|whatever|anything)(?:'s| is| was)? (?:in|inside|on|from) (?:this"
    rf"|that"
    r"|my|the) (?:e-?mail|letter|message|text|document|contract|attachment|screenshot|report|photo"
    r"|picture|transcript|form|statement|note|pdf|paste|excerpt|snippet|article|draft)s?\b",
    rf"{_NEVER} {_KEEP} (?:the|any of the|this|these){THING}(?: {W}){{1,4}}? (?:below|above|that"
    rf" follows?)(?={END}| please)",
    rf"{_NEVER} {_KEEP} (?:the|this) following{THING} {W}{END}",
    r"(?:under no circumstances|on no account|in no case|by no means|at no point)(?: (?:should|must"
    rf"|may|are|will|do|can) (?:you|u))?(?: (?:to|ever))* {_KEEP} (?:{OBJECT}|{_OURS}|the {SAID})",
    # "I no longer want you to …"
    rf"(?:i|we) (?:no longer|don't any longer) (?:want|wish|need|like|agree|consent|expect)(?: for|"
    rf" to have)? (?:you|u)(?: to)? (?:{_KEEP}|{SAVING}|{RECALLING}) {_OURS}",
    rf"(?:i|we) no longer (?:want|wish|like|need)(?: to have)? (?:{THESE}|(?:my|our|his|her"
    rf"|{OWNER})"
    rf"(?: {W}){{1,3}}?) (?:to be |being )?{SAVED}(?={END}| (?:anywhere|by you)\b)",
    rf"(?:(?:i|we)(?:'d| would)? (?:like|want|need|prefer) )?(?:you|u) (?:to no longer|no longer"
    rf" (?:need"
    rf" to|have to|get to|may)) (?:{RECALL}|save|store|keep(?: track of)?|note|log|record) {_OURS}",
    rf"(?:i|we) (?:hereby )?(?:withdraw|revoke|take back|cancel|retract) (?:my |our |any |the )"
    rf"?(?:permission|consent|agreement|approval|ok)(?: for (?:you|u))? (?:to|for|of) (?:you"
    rf" )?(?:{_KEEP}"
    rf"|{SAVING}|{RECALLING})",
    rf"(?:treat|consider|regard|take)(?: {W}){{1,4}}? as (?:not (?:for|to be)|never to be)"
    rf" (?:storage"
    rf"|storing|keeping|memory|the record|{SAVED})",
    rf"{NOT} (?:make|turn|have|let) (?:{THESE}|any of this)(?: be| become| into)? (?:a )?part of"
    rf" (?:what"
    r" you (?:know|remember)|your|my profile)\b",
    rf"{NOT} use (?:{THESE}|any of this|my {W}) (?:to|for) (?:updat|add|expand|build|improv|train"
    rf"|teach"
    r"|learn)",
    rf"{THESE} (?:should|must|can|may|will)(?:n't| not|not) leave (?:this|our|the) (?:chat"
    rf"|conversation"
    r"|room|session|thread)(?= ?(?:$|[,:;()–-]))",
    # A copy, a trace.
    r"(?:i|we|it)(?:'d| would) (?:\w+ ){1,3}?(?:if )?(?:this|that|it|we|you) (?:left|leaves?) no"
    rf" (?:records?|traces?|marks?|notes?|paper trail)(?={END}| of\b)",
    rf"{_NEVER} (?:keep|make|save|retain|store|take|leave|hold on to) (?:a |any |any kind of )?"
    r"(?:cop(?:y|ies)|traces?|paper trail|backups?)(?: of (?:it|this|that|them|any of"
    rf" (?:this|it)))?(?={END}| please| anywhere)",
    r"(?:let's |please |just )*(?:keep|make|save|leave|retain) no (?:copy|copies|traces?|backup"
    rf"|paper trail|marks?)(?: (?:of (?:it|this|that|them|any of this)|here))?(?={END}| please)",
    r"(?:please |just )*(?:read|look at|summari[sz]e|proofread|translate|answer|review|check|fix)"
    rf"(?: {W}){{1,5}}?,? (?:and then|then|and|but) (?:forget (?:that )?you (?:ever )?saw (?:it"
    rf"|this"
    rf"|that|them)|forget (?:it|them|all about it)){END}",
    # Where memory is named: "… for memory purposes".
    rf"(?:ignore|disregard|skip|leave out|omit|drop|pass over) (?:{THESE}|(?:this|that|my|the)"
    rf" (?:{W} )"
    rf"?{SAID})(?: one)? (?:(?:for|in|from) (?:your )?memory(?: purposes|'s sake)?|when it comes to"
    rf" (?:your )?memory|as far as (?:your )?memory (?:goes|is concerned)){END}",
    rf"(?:for|in terms of|as far as) (?:your )?memory(?: purposes| goes| is concerned),? (?:please"
    rf" )?"
    rf"(?:skip|ignore|disregard|{THESE} (?:never|didn't|does not|doesn't))",
    r"(?:this|that|it) (?:does not|doesn't|doesnt|shouldn't|should not|must not) count (?:for"
    r"|towards?)"
    rf" (?:your )?{MEMORY}(?={END}| please)|{NOT} count (?:this|that|it) (?:for|towards?) (?:your )"
    rf"?{MEMORY}(?={END}| please)",
    rf"(?:leave|keep) (?:{THESE})(?: one)? out,? memory[- ]wise|(?:{W} ){{0,3}}?(?:{W}'s|is|are)"
    rf" not for"
    r" posterity|(?:this is |that's |it's )?none of your memory's business",
    # Tags.
    r"[#/@]+(?:no[- ]?(?:memory|mem|save|store|log|record)|do[- ]?not[- ]?(?:save|store|remember)"
    r"|dont[- ]?save|off[- ]the[- ]record|otr|incognito)\b",
    r"(?:private|confidential|off the record|no memory|no[- ]save|not for memory|do not (?:save"
    r"|store"
    r"|remember|log))\] ?(?=.)",
    rf"let (?:{THESE})(?: one)? slip (?:from )?your mind|{NOT} (?:let (?:{THESE}) )?(?:become|be)"
    rf" (?:a"
    rf" )?part of my profile|{NOT} profile me\b",
)
"""Asks that something be not kept."""

PERHAPS: Final = (
    rf"not worth (?:{RECALLING}|{SAVING}){END}",
    r"nothing (?:saved|stored|logged|recorded|remembered)(?:,? (?:ok|okay|please|right|pls))?$",
    rf"{NOT}(?: ever)? (?:retain|memori[sz]e|remember|store|keep|record|log|save|note) any (?:{W} )"
    rf"{{0,2}}?(?:names?|addresses|numbers|details|figures|identities){END}",
    rf"{NOT} {RECALL} (?:the|any|any of the) (?:{W} )?(?:results?|output|answers?|numbers?|figures?"
    rf"|contents?|text|names?|data|rest|values|query){END}",
    rf"{NOT}(?: ever)? bring (?:this|that|it|any of this)(?: {W})? up in (?:any |a )?(?:future"
    rf"|other"
    rf"|later)|(?:{THESE})(?: one)? you (?:can|may|should) (?:let go(?: of)?|forget(?:"
    rf" again)?){END}",
)
"""May ask it: another reading is as likely."""

TAKEN_BACK: Final = (
    rf"(?:i|we)(?:'d| would)? (?:want|like|need)(?: to (?:have|see))? (?:my|our|{OWNER}|{THESE}|"
    rf"everything|all)(?: {W}){{0,5}}? (?:gone|out|removed|erased|wiped|deleted|off|cleared)"
    rf" (?:from|of)"
    rf" (?:memory|your {MEMORY}){END}",
    rf"{_ASKED}un-?(?:remember|save|note|store|log|record|know|learn|memori[sz]e) (?:it|this|that"
    rf"|what"
    rf"|everything|all|the last|my last|(?:my|our|his|her|{OWNER}) (?!post|file|draft|photo|search"
    rf"|settings|work|changes|playlist|items?){W})(?={END}| )",
    rf"{_ASKED}{_ERASE} (?:all |all of |any of |both )?(?:(?:the |our |my )?{_DAY}'s|(?:our|the|my)"
    r" (?:last|previous|earlier|first|old|recent|whole|entire)(?: two| three| few| couple of)?)"
    rf" (?:{W} )?{_CHAT}(?={END}| (?:about|from|on|with you|please|we had|now)\b)",
    rf"{_ASKED}{_ERASE} (?:the|that|any) {_CHAT} (?:we|you and i|i) had\b",
    rf"{_ASKED}{_ERASE} (?:everything|anything|all) (?:from|since|before|after) {_DAY}(?={END}|"
    r" please)",
    rf"{_ASKED}(?:{_ERASE}|strike|cross|take(?: back)?(?: out)?|cut|rip|pull|leave|clear)(?: {W})"
    rf"{{1,6}}? (?:{_KNOWLEDGE}|off your {MEMORY}{END})",
    rf"{_ASKED}(?:take|get|pull) back out (?:what|everything) you (?:know|learned|learnt|noted"
    rf"|saved)",
    rf"(?:(?:i|we)(?:'d| would) rather you |{_ASKED})(?:treat|consider)(?:ed)?(?: {W}){{1,4}}? as"
    rf" (?:if"
    r"|though) (?:i|it|we) (?:had |was |were )?never (?:sent|said|written|wrote|mentioned|happened"
    r"|took place|existed|spoke|talked)",
    rf"{_ASKED}forget (?:who|where|how|why|when|how much|how old|which \w+) (?:i|my|we|our)\b",
    rf"(?:i|we)(?:'d| would)? (?:want|like|need) (?:you|u) to forget (?:about )?(?!it\b){W}{END}",
    r"(?:i|we)(?:'d| would)? (?:want|like|need) (?:all |all of )?my (?:\w+ )?(?:data|info\w*"
    r"|memories"
    rf"|history|profile|details) (?:to be )?(?:deleted|erased|wiped|removed|forgotten){END}",
    r"(?:pretend|act like|act as if|act as though) (?:that )?you (?:never|didn't|had never|have"
    r" never) (?:saw|see|seen|read|heard|got|received)\b",
    rf"{_ASKED}(?:erase|forget|delete) me{END}|{_ASKED}forget (?:that )?(?:i (?:even |ever"
    rf" )?(?:exist"
    rf"(?:ed)?|was (?:ever )?here)|{W} (?:ever )?(?:came up|existed|was (?:ever )?mentioned)){END}",
    rf"{_ASKED}forget (?:(?:that|this) whole (?:{W} ){{1,3}}?(?:thing|business|story|matter|affair)"
    rf"{END}|(?:the|that|those) (?:{W} ){{1,3}}?i (?:just |ever )?(?:gave|told|sent|showed"
    rf"|mentioned|shared"
    rf"|read)(?: to)?(?: you)?\b|(?:this|that|it)(?: all)? (?:right|straight) (?:away|after)"
    rf"|(?:this"
    rf"|that|it) (?:immediately|at once|afterwards?)){END}",
    rf"{_ASKED}{_ERASE} (?:the )?memor(?:y|ies) (?:#|number |no\.? ?|id )?\d+(?:,? (?:and"
    rf" )?\d+)*{END}",
    r"(?:i(?:'m| am|'d like to| want to)? (?:invok|exercis|us|claim)\w* (?:my |the ))?right to be"
    r" forgotten(?:,? please)?(?= ?(?:$|[:,]))",
)
"""Asks that something be forgotten."""

KEPT_ON: Final = (
    r"(?:(?:please|make sure|be sure|ensure|see)(?: that)? )*(?:you )?(?:please )?"
    rf"(?:{NOT}|never ever)(?: (?:you|u|ever|please|pls|dare))*"
    r" (?:(?:stop|cease|quit|fail|neglect|omit|miss|skip|avoid|refuse|leave off|give up)(?: to| on|"
    rf" from)?|let yourself (?:stop|cease|fail)(?: to)?) (?:{RECALL}|{RECALLING}|recall(?:ing)?"
    rf"|keep"
    r"(?:ing)? in mind|not(?:e|ing)|sav(?:e|ing)|stor(?:e|ing)|record(?:ing)?|know(?:ing)?"
    r"|keep(?:ing)?"
    r" track)\b(?! (?:not|never|that you (?:must|should|can|may) ?n[o']t)\b)",
    rf"(?:{NOT})(?: (?:you|ever|please))* let yourself forget\b|{NOT}(?: ever)? lose track of my\b",
    rf"(?:you|u) (?:can't|cannot|mustn't|must not|may not|shouldn't) not (?:{RECALL}|know|note"
    rf"|keep in"
    r" mind)\b",
)
"""Asks, in two denials, that something be kept."""
