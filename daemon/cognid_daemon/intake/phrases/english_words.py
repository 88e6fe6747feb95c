"""What the English phrases are made of: who asks, what is done, to what, and where.

The negative lookaheads are the traps: a thing that one saves, a place where one puts it.
"""

from __future__ import annotations

from typing import Final

W: Final = r"[^\s,:;()]++"
OWNER: Final = r"[^\s,:;()']++'s"
"""Whose something is: Anna's. A word of W would take the apostrophe with it."""
END: Final = r"(?= ?(?:$|[,:;()–—-]))"
NOT: Final = r"(?:do not|don ?'?t|do n'?t|donot|dnt|never|not to|to not)"
REQUEST: Final = (
    r"(?=(?:please|pls|plz|kindly|don'?t|do not|do n't|never|no |keep|stop|nothing|you|can|could"
    r"|let's"
    r"|i don't|i do not|i'd|avoid|skip|pause|private|incognito|turn|go |make sure|be sure|forget"
    r"|delete))"
)
LEAD: Final = (
    r"(?:(?:let's|can we|could we|shall we|may we) (?:just )?agree(?: that| on)?|for once|this time"
    r"|(?:just )?this once|i need your word(?: that)?|give me your word(?: that)?|swear(?: to me)?"
    r"(?: that)?|i (?:hope|assume|trust|guess|expect)(?: that)?"
    r"|promise(?: me)?(?: that)?|please"
    r"|pls|plz|plse"
    r"|hey|hi|ok|okay|alright|right|also|and|but|so|or|then|actually|well"
    r"|just|now|no"
    r"|yes|yeah|oh|um|sorry|listen|look|wait|again|kindly|seriously|honestly|really|btw|by the way"
    r"|fyi|psst|anyway|still|instead|thanks|i said|i (?:already )?told you|(?:as|like) i said"
    r"|@[a-z][\w-]{1,24}|(?:user|human|me|client|customer|assistant)\]"
    r"|assistant|claude|chatgpt|gpt|ai|bot|buddy|mate|dude|dear|pal"
    r"|until further notice|from (?:now|here|this point)(?: on(?:wards?)?| forward)?"
    r"|starting (?:now|today)|as of now"
    r"|going forward|in (?:the )?future|for (?:now|today|the moment|a (?:while|moment|second"
    r"|minute|bit))"
    r"|(?:for|during|in) (?:the (?:rest|remainder) of )?(?:this|the|our"
    rf"|today's)(?: {W}){{1,3}}? {REQUEST}"
    rf"|(?:until|unless|till) (?:i|we|you)(?: {W}){{1,5}}? {REQUEST}"
    r"|(?:when|whenever|if|every time|each time|any time"
    rf"|anytime) i(?: {W}){{1,8}}? {REQUEST}),? ?(?<![a-z])"
)
SAVE: Final = (
    r"(?:save|store|log|record|retain|archive|persist|capture|note|register|document|keep track of"
    r"|keep|hold on ?to|hang on ?to|file|put|write)"
)
SAVING: Final = (
    r"(?:saving|storing|logging|recording|retaining|archiving|capturing|noting|registering"
    r"|keeping track of|keeping|holding on ?to|hanging on ?to|collecting)"
)
RECALL: Final = r"(?:remember|memori[sz]e|rember|remeber|remmember)"
RECALLING: Final = r"(?:remembering|memori[sz]ing)"
SAVED: Final = (
    r"(?:saved|stored|remembered|logged|recorded|retained|archived|memori[sz]ed|kept|noted|captured"
    r"|written(?: down)?|put (?:in|into) (?:your )?(?:memory|notes))"
)
MEMORY: Final = (
    r"(?:memor(?:y|ies)|notes?|logs?|records?|long[ -]term memory|memory bank|files|history"
    r"|database|diary|journal|archive|profile|storage|brain)"
)
TALK: Final = r"(?:conversation|chat|session|discussion|exchange|thread|dialogue|convo|talk)"
# "The session token" is no session.
NO_NOUN: Final = (
    r"(?! (?:tokens?|ids?|keys?|cookies?|state|storage|variables?|timeouts?|window|box|service"
    r"|queue"
    r"|type|body|header|bus|broker|name|object|class|table|field|string|files?|handler|hash|model"
    r"|layer|format|log|logs|count|buffer|store|stores|row|rows|column|set|base|center|length)\b)"
)
SAID: Final = (
    rf"(?:{TALK}|messages?|words?|remarks?|comments?|inputs?|prompts?|texts?|sentences?|lines?"
    r"|info"
    r"|information|details?|data|secrets?|things?|stuff|ones?|parts?|bits?|confession|news|rant"
    r"|question|answer|story|paragraph|part|topic|subject|piece|statement|number|address)"
)
# What one saves, stores and keeps that is not memory: the sentence is about a thing.
THING: Final = (
    r"(?! (?:files?|documents?|docs?|image|pictures?|photos?|video|page|tab|draft|spreadsheet|sheet"
    r"|code|script|function|class|config|configuration|settings?|form|changes?|commit|branch"
    r"|version|game|songs?|track|show|episode|door|window|food|meat|kind|sort|type|product|table"
    r"|rows?|columns?|fields?|variables?|values?|model|state|object|array|output|results?|logs?"
    r"|tokens?|keys?|folder|directory|endpoints?|requests?|responses?|query|queries|routes?"
    r"|dependenc\w+|packages?|modules?|library|components?|services?|urls?|links?|assets?|headers?"
    r"|cookies?|payloads?|errors?|exceptions?|passwords?|warnings?|builds?|tests?|snapshots?"
    r"|disks?|drives?|servers?|ports?|sockets?|devices?|channels?|mailbox|inbox"
    r"|cheese|medicine|bottle|box|book|one in|open|closed|shut"
    r"|going|up|waiting|away|from)\b)"
)
# Where one puts things: a place that is not the assistant's memory.
PLACE: Final = (
    r"(?! (?:as|under|near|with|inside|onto|outside|using|via|over|above|below|unless|without|too"
    r"|so|together|beside|behind|against)\b)"
    rf"(?! (?:on|in|to|into|at) (?!(?:your|any|the|our)? ?(?:own )?(?:{MEMORY}|mind|record"
    rf"|{TALK}|here|all\b"
    r"|yourself|you|future|case|any way|any form|any case|the future|anywhere|it)))"
    r"(?! (?:until|till|before|after|when|while) (?!i\b|we\b|further))"
    r"(?! for (?!me|later|now|the rest|the future|future|this|good|ever|today|the time|any|your"
    r"|us))"
)
THESE: Final = r"(?:this|that|it|these|those|dis|ths)\b"
MINE: Final = (
    rf"(?:i|i'm|i've|i'll|i'd|im|ive|we|we're|we've|you hear|you know|you learn)(?: {W}){{1,8}}"
)
ABOUT: Final = (
    r"(?:about|on|regarding|concerning|related to|relating to|(?:that (?:has|have) )?to do with"
    r"|involving|of)"
)
WHAT: Final = (
    r"(?:(?:anything|everything|something|things|stuff|all|what(?:ever)?"
    rf"|nothing) (?:that )?{MINE}"
    rf"|(?:any|all|some|a word|a thing|a bit|one word|much|most|the rest) of (?:{THESE}|what|my"
    r"|our|the)\b"
    rf"|(?:any(?:thing)?|everything|stuff|things|something)(?: else| more| at all)?(?:{END}"
    rf"| please| {ABOUT}| from"
    r"| here| now| today| in (?:this|here|the|our)| for| until| during| tonight| that| said"
    r"| private"
    r"| personal| sensitive)"
    rf"|(?:any |some |personal |sensitive |private |more |the |these |all |my |our ){{0,3}}"
    rf"(?:information|info|details?|data|facts?|memories|notes?|records?) (?:{ABOUT}|i|we"
    r"|that i|from|here)\b"
    r"|(?:any|all|more|further|other|our|my)(?: of)?(?: my| our| the| these)? (?:messages|chats"
    r"|conversations|words)\b"
    rf"|(?:a|one|a single|even one) (?:word|thing)\b"
    # the names of the patients I mention
    rf"|(?:the|any|those|these|some|all|every|my|our)(?: {W}){{1,5}}? (?:that |which )?(?:i|i'm"
    rf"|i've"
    r"|we) (?:just |ever |now |am |will |have )?(?:mention|tell|told|sa(?:y|id)|g[ai]ve|share|talk"
    r"|type|paste|describe|bring up|reveal|name|read you)(?:s|d|ed|ing)?\b"
    rf"|what (?:comes|follows|is (?:next|coming|said))\b"
    r"|(?:the|my|our|any|this|that|these|those|your) (?:very )?(?:next|following|last|previous"
    r"|above|"
    rf"whole|entire|current|coming|latest|first)(?: {W})?(?: {SAID})?\b"
    rf"|(?:my|our|this|that|these|those|the) (?:{W} )?{SAID}\b{NO_NOUN})"
)
# "This medication in the bathroom": a thing again, whatever it is called.
DEICTIC: Final = (
    rf"{THESE}{THING}(?! {W} (?:in|on|at|under|near|inside|onto) (?:the|a|an|my|our|his|her)"
    rf" (?!{MEMORY}|{TALK}))"
)
OBJECT: Final = rf"(?:{WHAT}|{DEICTIC}(?: (?:{SAID}|secret)\b)?+){PLACE}"
# Whatever follows `remember` is about memory; only the elliptic "(I) don't remember where" is not.
MEMORABLE: Final = rf"(?:{WHAT}|{THESE}|me {END}|me\b(?= (?:saying|telling|as)))"
NOTES: Final = (
    r"(?:make|keep|take|create|store|save|add|leave|build) (?:any |a |an )?(?:mental )?(?:notes?"
    r"|records?|memory|memories|log|diary|journal|dossier|profile|tally)"
)
# "My card in the shop's checkout" is kept in another place than the assistant's memory.
ELSEWHERE: Final = (
    rf"(?! {W}(?: {W})? (?:in|at) (?:the|a|an|this|that|their|its) (?!memory|chat|conversation"
    r"|session|thread|record))"
)
# Not what one keeps out of a program's logs.
PERSONAL: Final = (
    r"(?! (?:(?:all|any|your|the|our|raw|user|customer|plain|debug|sensitive) ){0,2}(?:credentials?"
    r"|secrets|passwords?|pii|tokens?|keys?|api keys?|stack traces?|user data|emails?|ips?|errors?"
    r"|noise|binaries|blobs|passwords|business logic|state|cookies|card numbers?)\b)"
)
# What is not to be done, after BARE; each ends before its object.
SAVE_IT: Final = rf"(?:{SAVE}|(?:write|jot|note|take|put) down|{NOTES} (?:of|about|on|for|from|in))"
DO_ALONE: Final = (
    r"(?:(?:put|add|commit|save|write|include|take|send|let|move|link|connect|tie)"
    rf"(?: {W}){{1,6}}? (?:to|with|in|into) (?:what|the things|everything) you (?:already )?"
    r"(?:know|have|remember|keep)\b"
    rf"|{NOTES}(?: (?:of|about|on|for|from|in) {W}|{END}| please| for| until| here| now)"
    rf"|(?:write|jot|note|take|put|mark|get) (?:any of )?(?:{THESE}|anything|stuff|things"
    rf"|what i {W}) ?(?:{W} )?down"
    r"|(?:put|add|commit|save|write|enter|include|take|move|use|store|keep|send"
    rf"|let)(?:{PERSONAL}(?: {W}){{1,6}}? (?:in|into|to|on|onto|for|enter|reach) (?:your |any )"
    rf"|(?= (?:{THESE}|any|my|our|what|anything|everything|the (?:following|next|last)|a|her|his"
    rf"|more|all"
    rf"|stuff|things|information|{OWNER}) )(?: {W}){{1,6}}? (?:in|into|to|on|onto|for|enter|reach) "
    rf"(?:the |my "
    rf"|our )?)(?:long[ -]term )?{MEMORY}\b(?! (?:longer|until|leak|at once|when|before|after"
    rf"|while))"
    r"|(?:update|touch|use|expand|feed) (?:the |your |its |any )?(?:long[ -]term )?memor(?:y|ies)"
    rf"|(?:{RECALL}|save|store|log|record|write down|memori[sz]e|retain|archive)(?:{END}(?!, the )"
    r"| (?:please|pls|plz|any ?more|from now on|again|yet|now|for now|until)\b)"
    rf"|(?:let (?:this|that|it) be |have (?:this|that|it) )?{SAVED}\b)"
)
DOING_ALONE: Final = (
    rf"(?:{RECALLING} (?:my|our) {W}|(?:taking|making|keeping) (?:any |a )?(?:notes?|records?)\b"
    rf"|writing (?:{THESE}|things|anything|everything|stuff) down"
    rf"|(?:{SAVING}|{RECALLING}) (?:my|our) (?:messages|words|data|chats?|conversations?)"
    rf"|(?:saving|storing|logging|recording|remembering|listening in)(?:{END}| (?:please|pls"
    r"|until|now|for (?:now|good|the|this|a|me|today))\b))"
)
# Whatever a strong ending ("… off the record") makes clear enough.
THAT: Final = (
    rf"(?:{THESE}|(?:what|whatever|anything|everything|any|all|my|our|the|this|that)"
    rf"(?: {W}){{0,6}}?)"
)
BARE: Final = (
    rf"(?:{NOT}(?: (?:you (?:dare|ever)|u dare|ever|please|pls|even|try to|bother to|need to"
    r"|have to"
    r"|just|actually|also|go and|in any way|under any circumstances|dare)(?: to)?)?"
    r"|(?:can|could|would|will) (?:you|u|we|ya) (?:(?:please|pls|kindly|maybe|just) )?(?:not"
    r"|never)(?: to)?(?: please)?"
    r"|(?:i'?d|i would|we'?d|we would|i) (?:rather|prefer|appreciate it|like it|love it"
    r"|be happier|be happy|be grateful)(?: it)?(?: if| that)?"
    r" (?:you|u|we) ?(?:not|did ?n[o']?t|do ?n[o']?t|did not|do not|never|would not"
    r"|would ?n'?t)(?: to)?"
    r"|(?:(?:can|could|may|might|must) i |(?:i|we)(?:'d| would| must| have to"
    r"| 'll)? (?:also )?(?:like to |have to |want to )?)(?:ask|request|beg|hope|insist"
    r"|implore)(?: that)?(?: of)?"
    r" (?:you|u)(?: please)? (?:not to|to not|never to|to never|don'?t|do not|won'?t|will not|not)"
    r"|(?:is it|would it be|is there a way|is it at all) (?:possible )?(?:for you )?(?:not to"
    r"|to not|you don't|that you don't|that you do not)"
    r"|(?:this|that|it)(?:'s| is|isn't| is not|'s not| isn't)(?: not)? (?:something|anything"
    r"|a thing) (?:(?:that |which )?you (?:should|need|have|ought|must|may|can)(?: to)?(?: not"
    r"|n't)?|to|for you to)"
    r"|(?:this|that|it)(?:'s| is) nothing (?:that )?you (?:need|have|ought) to"
    r"|(?:i|we) (?:trust|expect|count on|rely on|urge|ask|asked|told) (?:you|u) (?:to )?(?:not"
    r"|never)(?: to)?"
    r"|(?:do|doing) me (?:a|the) (?:favou?r|solid),? (?:and |please )?(?:do not|don'?t|never)"
    r"|(?:it would be|it'd be|would be|i'd find it) (?:great|good|nice|best|better|lovely|cool"
    r"|helpful|ideal|safer|wise) (?:if|that) (?:you|u|we)"
    r" (?:could |would |can )?(?:did ?n[o']?t|did not|do ?n[o']?t|not|avoid|never)"
    r"|i (?:really |definitely |just )?(?:do not|don ?'?t|did not|didn't|never|wouldn't"
    r"|would not) (?:want|need|wish|like|expect|ask) "
    r"(?:for )?(?:you|u|the assistant) to"
    r"|(?:i'?d like|i would like|i want|i need|i'm asking|i ask|i beg|i wish|i prefer) (?:you|u"
    r"|for you)(?: please)?"
    r" (?:to not|not to|to never|never to|wouldn't|would not|not)"
    r"|(?:you|u) (?:really |just |also |absolutely )?(?:should|must|may|can|could|shall|ought"
    r"|might|better)(?: ?not|n'?t|'t| never)(?: to| need to| have to| ever| please| even)*"
    r"|(?:you|u) (?:really |just )?(?:do not|don ?'?t|never|won't|will not) (?:need|have|got) to"
    r"|(?:you|u) need(?:n't| not)"
    r"|(?:you|u)(?: are|'re|r) not (?:allowed|permitted|supposed|meant|to)(?: to)?"
    r"|(?:there(?:'s| is)?|theres) (?:really )?no (?:need|reason|point)(?: whatsoever"
    r"| at all)?(?: for you)? (?:to|in)"
    r"|no (?:need|reason)(?: at all)?(?: for you)? to|not necessary to"
    r"|(?:it's|it is|its) (?:not necessary|unnecessary|not needed|best not|better not"
    r"|important not|important to not)(?: for you)?(?: to)?"
    r"|(?:(?:can|could|would|will) (?:you|u) (?:please )?)?(?:make|be|please be) (?:sure"
    r"|certain)(?: that)?(?: you| u)? (?:do not|don ?'?t|to not"
    r"|not to|never|never to|to never)"
    r"|(?:try|take care|ensure|remember|don't forget|do not forget|promise|be careful"
    r"|mind)(?: me)?,?(?: that)?(?: you| u)?"
    r" (?:not to|to not|never to|to never|don't|do not|won't|never|will not|please don't)"
    r"|(?:let's|lets|let us) (?:not|please not)|(?:better|best) not(?: to)?|(?:please|pls) not|i "
    r"(?:do not|don'?t"
    r"|never) (?:consent to you|give you permission to|allow you to|authori[sz]e you to"
    r"|permit you to)"
    r"|you (?:have no|do not have|don't have) (?:permission|right|reason|consent)(?: at all)? to"
    r"|(?:it is|it's) forbidden to|i forbid you to)"
    r"(?:,? (?:under (?:any|no) circumstances|in any (?:way|form)|ever|please|at all"
    r"|by any means),?)?"
)
STOP: Final = (
    r"(?:(?:can|could|will|would) (?:you|u) (?:please )?)?"
    r"(?:stop|quit|avoid|skip|refrain from|cease|hold off(?: on)?|no|no more|don't bother"
    r"|do not bother|do without|pause"
    r"|(?:would|do) you mind not|how about not|what about not|i want you to (?:stop|avoid)"
    r"|i'd like you to stop|you (?:can|should|must) (?:stop|avoid|skip)"
    r"|please without|(?:would you )?mind not|forgo|forego|pass on|i'd appreciate (?:you )?not"
    r"|there's no point(?: in)?|no point(?: in)?)"
)
SUBJECT: Final = (
    r"(?:(?:this|that|these|it|all of (?:this|that)|everything|that last part"
    rf"|the last part)(?: (?:{W} )?{SAID})?|(?:my|the|our) (?:next|following|last|previous"
    r"|whole|entire|above|rest of (?:this|the|our))"
    rf"(?: {W}){{0,4}}|what(?:ever)? (?:i|we|i'm|i've|im|comes|follows|is)(?: {W}){{0,7}}?"
    rf"|(?:everything|anything|all)(?: {W}){{0,7}}?)"
)
OTR: Final = (
    r"(?:off[ -](?:the[ -])?(?:record|rec)|otr)\b(?! (?:player|books|label|deal|shel\w+"
    r"|company|briefing"
    r"|conversation|chat|comment|interview|remark|meeting|source|store|sleeve|collection"
    r"|turntable)s?\b)"
)
US: Final = (
    r"between (?:(?:just |only )?(?:us|you and (?:me|i)|me and you|the two of us|ourselves"
    r"|you n me|u and me|you & me))"
    r"(?! (?:and (?!(?:is|must|should|shall|will|won't|not|never|don't|do not|stays|please)\b)"
    r"|is a|there|are|was|were|has|have|who|we have|we've|we own|we had|we got)\b)"
)
SECRET: Final = (
    rf"(?:{OTR}|{US}|private|secret|confidential|in confidence|hush[ -]hush|under wraps"
    r"|to yourself)"
)
OUT: Final = (
    rf"out of (?:the |your |my |our |any )?(?:own )?(?:{MEMORY}|mind)\b"
    r"(?! (?:benchmark|test|leak|budget|usage|report|dump|pool|game|limit))"
)
MODE: Final = (
    r"(?:private|incognito|temporary|off[ -]the[ -]record|secret|ghost|no[ -]memory|stealth"
    r"|privacy)"
)
TAIL: Final = (
    r"(?:,? (?:please|pls|on|now|for now|again|from (?:now|here) on|tonight|today|thanks|while "
    r"(?:i|we)"
    rf"(?: {W}){{1,5}}|for (?:a (?:while|bit|moment|minute|second|few)|this|the|now|my|our)(?:"
    rf" {W}){{0,5}}|until .{{1,40}})){{0,3}} ?(?:$|[,:;()–—-])"
)

# The net beneath the phrases: a negation, then a verb of keeping, then what was just said, in any
# frame that is addressed to somebody. What it catches is doubtful.
NEG: Final = (
    r"(?:do not|don ?'?t|do n'?t|not|never|no|none|nothing|without|avoid|stop|quit|refrain from"
    r"|skip"
    r"|under no circumstances|on no account|in no way|needn't|shouldn't|mustn't|shan't)"
)
WISHED: Final = (
    r"(?:i|we|it)(?:'d| would| want| need| hope| prefer| wish| ask| would really|'m asking"
    r"|'ll ask| do)?"
    rf"(?: {W}){{0,4}}? (?:you|u|if|this|that|it|for|we)(?: {W}){{0,4}}? "
    rf"(?:{NEG}|did ?n[o']?t|wo n't|won't|wasn't|weren't|isn't|aren't|doesn't|cannot|can't)"
)
FRAME: Final = (
    r"(?:(?:let|let's|lets|let us|this|that|it|all of this|none of this|nothing|can|could|would"
    r"|will"
    r"|may|might|must|should|shall|you|u|your|there|ensure|make sure|be sure|see to it|see that|try"
    rf"|take care|promise|kindly|here)(?! (?:i|he|she|they)\b)(?: {W}){{0,5}}? )?"
)
KEEPING: Final = (
    r"(?:remember|memori[sz]|sav|stor|log|record|retain|archiv|captur|not(?=e|ing)|register"
    r"|document|track|collect|keep|kept|preserv|persist|writ|jot|scribbl|cach|back(?= ?up)"
    r"|ingest|absorb|learn)"
    r"(?:e|es|ed|d|ing|ten|te|ting|ging|ged|s|)\b"
)
BITS: Final = (
    r"(?: (?:a|an|any|the|copy|copies|of|record|records|note|notes|track|down|on|about|in|mind"
    r"|hold|log|logs|trace|traces|information|info"
    r"|details?|to|up|away|all|even|single|word|bit|version|for|too|ever|also|some|kind|sort"
    r"|from|data|summary|much|just|parts?|into|memory|with|things|anything|me)){0,5}?"
)
KEPT_THING: Final = (
    rf"(?:(?:{DEICTIC}(?: (?:{SAID}|secret)\b)?+|what (?:i|we)|anything (?:i|we|about|from)"
    r"|everything (?:i|we"
    rf"|about|from)|any of|anything{END}|(?:my|our|the|this|these) (?:{W} )?(?:{SAID})\b{NO_NOUN})"
    rf"|(?:about|on) (?:me|my|our|us|him|her)\b)"
)
NET: Final = (
    rf"(?!(?:you|u) (?:just |still )?(?:never|didn'?t|did not|haven'?t|have not) )"
    rf"(?:{FRAME}{NEG}|{WISHED})(?: (?!(?:to )?forget|(?:only|i|we|he|she"
    rf"|they)\b){W}){{0,3}}? {KEEPING}{BITS} {KEPT_THING}{PLACE}"
)
WOULD: Final = (
    r"(?:let's |lets |let us |can we |could we |may we |shall we |(?:can|could|would"
    r"|will) (?:you|u) (?:please )?|we should |we'd better |i'd like (?:you )?to "
    r"|i want (?:you )?to |i'd rather (?:you )?|you should |you must |we'll |i'll |try to "
    r"|better )?"
)
