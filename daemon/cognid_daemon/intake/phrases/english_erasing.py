"""How erasure is asked for in English: who is asked, what is done, and to what.

A request to erase is one only where its object is what the assistant knows: what it holds ("all you
have on my rent"), what it was told ("whatever I said about Ben"), or a memory of something. Its
frame and its verb alone say nothing: "wipe the table" has both.

Owns: that grammar. Each frame takes its verb in one form, and each object names whose it is.
"""

from __future__ import annotations

from typing import Final

from cognid_daemon.intake.phrases.english_words import END, MEMORY, OWNER, TALK, W

# Things that lie on something: no subject that one has notes on.
_PLACE: Final = (
    r"(?:(?:the|a|an|your|this|that|my|our) (?:(?:disk|drive|hard drive|server|fridge|door|desk"
    r"|wall|board|whiteboard|blackboard|table|page|sheet|screen|car|list|shelf|counter|plate|floor"
    r"|desktop|phone|laptop|computer|machine|menu|calendar|cart|branch|stack|usb stick|cloud|card"
    r"|site|website|file|column|document|text|code|function|form|invoice|cluster|queue|box|line"
    r"|row|envelope|windscreen|window|mirror|bottle|package|homepage|slide|chart|map)s?)\b"
    r"|(?:friday|monday|tuesday|wednesday|thursday|saturday|sunday|weekends?|disk|screen|github|s3"
    r"|top|page|line|sale|offer|order|hand|file(?= ?$)|port|prod\w*|staging|main|master)\b)"
)
_SOMEBODY: Final = (
    r"(?:ex\b(?:-\w+)?|wife|husband|partner|mother|mom|mum|father|dad|brother|sister|son|daughter"
    r"|kids?|child(?:ren)?|family|parents?|boss|boyfriend|girlfriend|friends?|divorce|illness"
    r"|health|finances|salary|marriage|therapy|diagnosis|past)"
)
_OF_A_THING: Final = (
    r"(?:disk|drive|server|fridge|door|desk|wall|board|phone|laptop|computer|list|calendar|cart"
    r"|inbox|website|site|page|table|file|folder|repo|branch|code|app|account)s?\b"
)
_ABOUT: Final = (
    r"(?:about|regarding|concerning|related to|relating to|in connection with|to do with|as to"
    rf"|(?:on|of|for|from|under|re|around) (?!{_PLACE}))"
)
_ON_SOMEBODY: Final = (
    r"(?:about|regarding|concerning|with regard to|related to|relating to|to do with|from (?:our"
    r"|yesterday|last|today|this morning|before)\b|(?:on|of|for|from|under|with|re) (?=(?:me|my"
    rf"|mine|our|us|him|her|them|his|their|{OWNER})\b(?! (?:the |own )?{_OF_A_THING})))"
)
_HOLDING: Final = (
    r"(?:know(?!s| (?:is|are|to be|was|will|that))|remember|recall|learn(?:ed|t)|memori[sz]ed"
    r"|picked up|found out|retain(?:ed)?|(?:have |had |still |ever |already |just )*(?:saved"
    r"|stored|noted|recorded|logged|kept|filed|gathered|collected|written down|put down|been told"
    r"|heard|on (?:file|record))|wrote down|(?:have|have got|got|hold|keep|store|save|had|may have"
    r"|might have)(?: (?:saved|stored|noted|recorded|logged|there|down|left|written))? (?:in"
    rf" (?:your )?{MEMORY}|on file|on record|{_ABOUT}))"
)
_YOU: Final = (
    r"(?:you|u|ya)(?:'ve| have|'d|'re)?(?: (?:still|ever|already|might|may|just|now|also))*"
)
_I: Final = r"(?:i|we)(?:'ve| have|'d|'m)?(?: (?:ever|already|just|once|have|been|also|only))*"
_ELSEWHERE: Final = (
    r"(?! (?:to )?(?:him|her|them|my|the (?!chat|conversation|other|whole)|everyone|people|(?:in"
    r"|into|on|at) (?:the|this|that|my|our) (?!chat|conversation|talk|session|last|first)))"
)
_TELLING: Final = (
    r"(?:(?:told|said|mentioned|talked|confided|revealed|spoke|spoken|disclosed|confessed|let slip"
    r"|brought up|discussed|went over|tell|say|mention|explained|admitted)\b|(?:shared|gave|given"
    r"|wrote|written|typed|described|asked|sent|posted)(?= (?:you|u|about|here|with (?:you|u)"
    rf"|yesterday|earlier|before|today|last|just)\b|{END})){_ELSEWHERE}"
)
_ALL: Final = (
    r"(?:(?:absolutely |literally |just )?(?:everything|anything|all|all of it|whatever|what|stuff"
    r"|things|whichever|any and all)|(?:all|any|every|each|the|those|these|my|your|that|this"
    r"|some)(?: of)?(?: (?:the|my|your|those|these|last|single|old|saved|stored|little|few))*"
    r" (?:stuff|things?|bits?|parts?|info|information|details?|data|facts?|notes?|records?"
    rf"|memor(?:y|ies)|entry|entries|mentions?|traces?|references?|knowledge|pieces? of {W}))"
)
_HELD: Final = (
    r"(?:(?:notes?|records?|memor(?:y|ies)|facts?|entry|entries|mentions?|traces?|references?"
    r"|knowledge|dossier|profile|history|info|information|details?|data|things?|stuff|bits?|parts?"
    rf"|hint|reminder of|file(?= (?:on|about) (?:me|my|him|her|us)))|(?:our|my) (?:{W} )?{TALK})"
)
KNOWN: Final = (
    rf"(?:{_ALL}(?:,? (?:that|which))?,? (?:{_YOU} {_HOLDING}|{_I} {_TELLING}|(?:{W} ){{0,2}}?(?:is"
    rf"|are|was|were)? ?(?:saved|stored|kept|noted|on (?:file|record)) (?:in (?:your )?{MEMORY}"
    rf"|{_ABOUT}))|(?:(?:all|any|every|each|the|those|these|that|this|my|your|a|some)(?: of)?"
    rf" )(?:(?!{OWNER} ){W} ){{0,2}}?(?:(?:notes?|memor(?:y|ies)) (?:about|on|of) (?!{_PLACE}){W}"
    rf"|fact that (?:i|my|we)\b|{_HELD} (?:(?:you|u|i)(?:'ve| have)? \w+ )?{_ON_SOMEBODY} ?{W})"
    rf"|{_ALL} (?:(?:about|regarding|concerning|to do with|that (?:has|have) to do with|having to"
    rf" do with|relating to|related to) (?:me|my|mine|our|us|him|her|them|{OWNER}|{W}(?={END}|"
    r" (?:please|to|be|erased|deleted|wiped|removed|gone)\b))|on (?:me|us|him|her|them|(?:my|our)"
    rf" {_SOMEBODY})\b))"
)
"""What the assistant knows, as an object."""

_ERASE: Final = (
    r"(?:forget(?: about)?|unlearn|unremember|un-remember|delete|erase|wipe(?: out| clean)?|remove"
    r"|scrub|purge|clear(?: out| away)?|discard|drop|get rid of|throw (?:away|out)|toss(?: out)?"
    r"|trash|destroy|dump|expunge|eliminate|lose|bin|shred|nuke|take (?:back|out|down)|let go of"
    r"|clean(?: out| up)?|cross out|strike(?: out)?|scratch(?: out)?|undo|retract|disregard|kill)"
)
_ERASING: Final = (
    r"(?:forgetting(?: about)?|unlearning|deleting|erasing|wiping(?: out)?|removing|scrubbing"
    r"|purging|clearing(?: out| away)?|discarding|dropping|getting rid of|throwing (?:away|out)"
    r"|tossing|destroying|dumping|eliminating|losing|taking (?:back|out)|letting go of|striking"
    r"|undoing)"
)
_ERASED_IF: Final = (
    r"(?:forgot(?: about)?|deleted|erased|wiped(?: out)?|removed|scrubbed|purged|cleared(?: out)?"
    r"|discarded|dropped|got rid of|threw (?:away|out)|tossed|destroyed|eliminated|lost|took out)"
)
_ERASED: Final = (
    r"(?:forgotten|deleted|erased|wiped(?: out)?|removed|scrubbed|purged|cleared(?: out)?"
    r"|discarded|dropped|thrown (?:away|out)|tossed|destroyed|eliminated|taken out|gone|out of"
    r" your memory)"
)
_SOFT: Final = r"(?:(?:please|pls|kindly|just|now|also|simply|completely|fully|immediately|all) )*"
_IMPERATIVE: Final = (
    rf"(?:(?:can|could|would|will) (?:you|u) {_SOFT}|(?:i|we)(?:'d| would)? (?:really )?(?:want"
    rf"|need|like|ask|beg|urge|order|'m asking|am asking) (?:you|u) to {_SOFT}|(?:you|u)(?:'d"
    rf" better| can| may| might| should| must| have to| need to|'re free to| are free to) {_SOFT}"
    rf"|let's {_SOFT}|(?:go ahead and|feel free to|time to|make sure (?:to|you)|be so kind as to"
    rf"|it's time to|do me a favou?r and|be sure to|remember to|don't forget to) {_SOFT}|{_SOFT})"
)
_SAID: Final = (
    rf"(?:(?:everything|anything|all|what(?:ever)?)(?: of)?(?:{END}| (?:this|that|it)\b|,? (?:that"
    rf" )?(?:(?:{W} ){{0,2}}?(?:i|i'm|i've|we|we've|you)\b(?! (?:wrote|have|had|put|did|do|made"
    r"|want|need|see|find|were|are|was)\b)|about (?!it\b|this\b|the (?:file|code|bug))|happened"
    r" here|from (?:today|our|this)))|that (?:i|i'm|i've|my|we|our|he|she|they|you (?:know|ever)"
    r"|conversation|chat|fact|memory|part|note|bit|last|we)\b(?! (?:don't|do not|didn't) (?:need"
    rf"|want))|(?:this|that|our|my)(?: {W})? (?:{TALK}|messages?|info|information|details?|facts?"
    r"|memor(?:y|ies)|note|secret|remark|data)\b(?! (?:leak|limit|cache|card|box|page|queue"
    rf"|field))|the (?:{W} )?(?:{TALK}|messages?|memory|memories|secret|remark)(?:{END}| (?:of"
    r"|about|that|we|i|with|from)\b)|the (?:whole )?(?:part|bit|thing|things|stuff|last thing|fact"
    r"|story|news|joke|episode|rant) (?:about|i|that|where|we|with)\b|(?:my|our|\w+'s) (?!keys"
    r"|phone(?! number)|lunch|manners|troubles|worries|problems|french|order|reservation|feelings"
    rf"|alarm|appointment){W}|me{END}|(?:this|that){END}|(?:this|that|it)(?= (?:please|as soon as"
    r"|once|after|when|now|again)\b)|i (?:(?:said|told|mentioned|wrote|shared|asked)\b|(?:ever|was"
    r"|had|have|am) ))"
)
_FROM_MIND: Final = (
    rf"(?:(?: {W}){{1,6}}? (?:from|out of) (?:(?:your |the |all (?:of )?your )?(?:long[ -]term"
    r" )?memor(?:y|ies)\b(?! (?:card|stick|dump|pool|leak|benchmark|test|report|budget))|memory"
    r" bank|your (?:own )?(?:records?"
    r"|history|logs?|notes?|files|mind|brain|head|database|system|archive|storage|profile)\b))"
)
_SPOKEN: Final = (
    r"(?:(?:this|that|our|my|the)(?: (?:whole|entire|last|previous|latest|most recent|old"
    rf"|earlier))* (?:{TALK}|messages?|remark|memory|memories)(?:{END}| (?:of|about|with|that|we|i"
    r"|now|please|from (?!(?:the|my) (?:inbox|phone|list|queue|bus|topic|broker|stack|channel|log"
    r"|buffer|table)))\b)|(?:all |any |all of )?your (?:own"
    rf" )?(?:stored |saved |whole |entire |personal |old )*(?:{MEMORY}|memory bank|knowledge|data"
    rf"|info\w*)(?:{END}| (?:please|pls|of|about|on|now|and|completely|entirely|from)\b)|(?:all "
    r"|any )?(?:of )?my (?:stored |saved |personal |chat |conversation )*(?:memor(?:y|ies)|data"
    r"|info\w*|details|(?:home )?address|full name|birthday|birth date|phone number|chat history"
    rf"|profile)(?:{END}| (?:please|pls|now|completely|entirely)\b)|(?:all |any )?memories(?:{END}|"
    r" (?:of|about)\b)|(?:everything|anything|all)(?: that's| there is)? (?:about|regarding"
    r"|concerning|related to) (?!(?:it|this|that) (?:in|on|from)\b|the (?:file|code|bug|function"
    r"|class|test)))"
)

ERASING: Final = (
    rf"{_IMPERATIVE}(?:(?:forget|unlearn|un-?remember)(?: about)? {_SAID}|{_ERASE}(?:{_FROM_MIND}|"
    rf" {KNOWN}| {_SPOKEN})|(?:get|put|cut|rip|kick|pull|move|throw|take|leave){_FROM_MIND}"
    r"|(?:delete|erase|remove) that (?:i|i'm|i've|my|we)\b(?! (?:guess|think|added|put|wrote"
    rf"|made))|(?:delete|erase|wipe) (?:that|this|it)(?:{END}|,? (?:please|pls|too|again|right"
    r" away|immediately)\b)|(?:scratch|strike|disregard|ignore|cross out|undo) (?:(?:that|this"
    r"|it) from (?:the|your) record|my last (?:message|remark|comment|sentence|line|words?"
    r"|statement|note|answer|question|one|bit"
    r"|part|thing|point)\b|(?:everything|anything|all|what(?:ever)?) (?:i"
    rf"|i've|we)(?: {W})? {_TELLING})|(?:wipe|clear|clean|purge|scrub|empty|reset|flush) (?:out"
    rf" )?(?:your|all your|the whole of your) (?:own )?(?:{MEMORY}|memory of)\b(?! (?:cache|card"
    rf"|stick|leak))|{_ERASE} (?:it|that|this|them|those)(?: all)?,? (?:all|everything|every \w+"
    rf" \w+|anything|whatever) (?:{_YOU} {_HOLDING}|{_I} {_TELLING}|(?:you |i )?(?:about|on"
    r"|regarding) (?:my|me|our|him|her)))",
    rf"(?:(?:would|do|could) (?:you|u) mind (?:please )?{_ERASING}|(?:i|we|it)(?:'d| would)"
    rf" (?:really )?(?:appreciate it|be (?:{W} )?(?:grateful|glad|happy|good|nice|great|better"
    r"|best|thankful)|like it|love it|prefer(?: it)?|rather)(?: if)? (?:you|u) (?:(?:would|could)"
    rf" {_ERASE}|{_ERASED_IF})) (?:{KNOWN}|{_SPOKEN})",
    rf"(?:i|we)(?:'d| would)? (?:want|like|need|prefer|demand) (?:to (?:have|see) )?(?:(?:{KNOWN}"
    rf"|{_SPOKEN})(?: {W}){{0,6}}? (?:to be )?{_ERASED}|(?:this|that|it|my (?:{W} ){{0,2}}?{W}"
    rf"|what i(?: {W}){{1,4}}?)(?: {W}){{0,2}}? (?:to be )?(?:erased|deleted|forgotten|wiped"
    rf"|purged|removed(?= from)))(?={END}| please| for good| now| from (?:your|memory))",
    rf"you (?:still )?(?:(?:have|know|remember|saved|stored|keep|noted)(?: {W}){{0,3}}? (?:about"
    rf"|on|of) (?:my|me|our|us|{OWNER})|(?:know|remember|saved|stored|noted) (?:my|that i|that my"
    rf"|where i|who i|what i))(?: {W}){{0,6}}?,? (?:so |and )?(?:please |pls |just |can you |could"
    rf" you )*{_ERASE} (?:it|that|them|this|those|these)(?={END}| (?:please|pls|all|now|too)\b)",
    rf"{KNOWN}(?: {W}){{0,5}}?(?: (?:should|must|can|may|has to|have to|needs? to|is to|are to"
    rf"|ought to) (?:please |now |all )*(?:be {_ERASED}(?! (?:on|in|by|before)\b)(?! from"
    rf" (?!your\b|memory))|go(?={END}| away| now| too| please))|,? (?:please |pls |can you |could"
    rf" you |just |you can |i want you to )*{_ERASE} (?:it|that|them|this|those|these|all)(?={END}"
    r"| (?:please|pls|all|now|too)\b))",
)
"""Asks that something be forgotten."""
