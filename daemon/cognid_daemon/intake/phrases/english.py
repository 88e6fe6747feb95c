"""The English phrases."""

from __future__ import annotations

from typing import Final

from cognid_daemon.intake.phrases.english_asking import ASKING, LIKELY
from cognid_daemon.intake.phrases.english_erasing import ERASING
from cognid_daemon.intake.phrases.english_further import (
    FURTHER,
    KEPT_ON,
    PERHAPS,
    TAKEN_BACK,
)
from cognid_daemon.intake.phrases.english_taking import FACTS, UNNOTED
from cognid_daemon.intake.phrases.english_ways import MAYBE, WAYS
from cognid_daemon.intake.phrases.english_words import (
    BARE,
    DO_ALONE,
    DOING_ALONE,
    ELSEWHERE,
    END,
    LEAD,
    MEMORABLE,
    MEMORY,
    MODE,
    NET,
    NO_NOUN,
    NOT,
    OBJECT,
    OTR,
    OUT,
    OWNER,
    PERSONAL,
    PLACE,
    RECALL,
    RECALLING,
    SAID,
    SAVE,
    SAVE_IT,
    SAVED,
    SAVING,
    SECRET,
    STOP,
    SUBJECT,
    TAIL,
    TALK,
    THAT,
    THESE,
    US,
    WOULD,
    W,
)
from cognid_daemon.intake.phrases.tongue import Phrases, Tongue, words

ENGLISH: Final = Tongue(
    name="English",
    cues=words(
        "rem|memor|sav|stor|log|record|keep|kept|note|noting|notes|retain|archiv|forget|forgot"
        "|delet"
        "|eras|wip|remov|clear|between|confiden|private|incognito|secret|stay|writ|jot| down"
        "|captur|disregard|ignore|pretend|strike|purge|scrub|scratch|hold|hang |track|tell a"
        "|tell n|repeat|share|mum's|for your e|learn|undo|unlearn|reference|in mind|off the rec"
        "|leave|otr|know|file|collect|preserv|scribbl|cach|ingest|absorb|document|regist|off-the"
        "|discard|drop|ghost|temporary|ephemeral|limits|the books|trace|index|tracking|throwaway"
        "|hanging|disposable|persist|throw|thrown|rid of|toss|lose|losing|trash|eliminat|destroy"
        "|expunge|retract|unsaved|clean|take back|memoris|let go|dump|nuke|shred|commit|vanish"
        "|disappear|evaporat|destruct|lost|one ear|resurface|never h|never t|gone|out of your|from"
        " your"
        "|in this|for this|poster|paper trail|slip your|bring|neglect|omit|recall|never s|never w"
    ),
    joins=Phrases(r"\b(?:and|but|so|also|then|plus|or) "),
    lead=Phrases(LEAD),
    ask=Phrases(
        *WAYS,
        *ASKING,
        *FURTHER,
        *UNNOTED,
        rf"(?:{BARE} {SAVE_IT}|{STOP} {SAVING}) {OBJECT}",
        rf"(?:{BARE} (?<!can't )(?<!cannot )(?<!couldn't )(?<!could not ){RECALL}"
        rf"|{STOP} {RECALLING}) {MEMORABLE}",
        rf"{BARE} {DO_ALONE}|{STOP} {DOING_ALONE}",
        rf"(?:can|could|may|might|will|would|must) {THAT} ?(?:please )?(?:not"
        rf"|never)(?: be| get| to be)? {SAVED}",
        rf"(?:can|could|may|might|will|would|must) {THAT}(?: please"
        rf"| all)? (?:stay|be|remain|go|be kept) (?:just |strictly |only )?(?:{OTR}|{US}"
        rf"|private|confidential|secret|in confidence|{OUT})",
        rf"(?:i|we)(?:'d| would)? (?:like|want|need|prefer|wish)(?: for)? {THAT}"
        rf"(?: {W})?(?: all)?(?: to)? ?(?:not|never)(?: to)?(?: be| get)? {SAVED}",
        r"(?:i|we)(?:'d| would)? (?:like|want|need|prefer|wish"
        rf"|rather)(?: for)?(?: {W}){{1,4}}? (?:to (?:be|stay|remain)|stays?|stayed|remain(?:s"
        rf"|ed)?|kept)(?: just| all| strictly)? (?:{OTR}|{US}|private|confidential|secret"
        rf"|in confidence|{OUT}|here)(?={END}| )",
        r"(?:i|it)(?:'d| would)(?: really| much)? (?:rather|prefer|like|love|be (?:great|good"
        r"|nice|best|better|happy|happier))(?: it)?(?: if| that"
        rf"| to have)?(?: {W}){{1,4}}? (?:not|wasn't|weren't|isn't|was not|were not|is not"
        rf"|never)(?: {W})? ?(?:be |get |being )?{SAVED}",
        rf"(?:i|we) (?:do not|don'?t|never) (?:consent|agree|want)(?: {W}){{0,4}}? (?:being"
        rf"|to be|getting) {SAVED}(?! (?:at|by|with|during|while|when)\b)",
        r"i (?:really |definitely )?(?:do not|don ?'?t|never|wouldn't|would not"
        r"|would rather not|would never) (?:want|like|wish|need|have)(?: to have)? "
        rf"{THAT}(?: \S+){{0,3}}? ?(?:to be |to go |going |being |getting |ever |to get "
        rf"|to end up |ending up )*(?:{SAVED}|in(?:to)? (?:your|any|the) {MEMORY}|on (?:the "
        r"|any )?(?:record|file))",
        rf"{SUBJECT} (?:should|must|may|shall|ought|needs?|has|have|do|does|is|are"
        r"|will)(?: ?not|n'?t| never)(?: ever| really)?(?: need| have| meant| supposed"
        r"| intended)?"
        rf" ?(?:to )?(?:ever )?(?:be|get|being) {SAVED}{PLACE}",
        rf"{SUBJECT} (?:should|must|may|shall|ought|better|can)(?: ?not|n'?t|'t"
        r"| never)(?: to)?(?: ever)? (?:go|end up|land|appear|show up|make it|stay|be"
        rf"|find its way|enter)(?: {W}){{0,2}}? (?:in|into|to|on) (?:the |your "
        rf"|any )?{MEMORY}\b|(?:nothing|none)(?: {W}){{0,6}}? (?:goes|should|must|may|shall"
        rf"|ought)(?: {W}){{0,4}}? (?:in|into|to|on) (?:the |your |any )?{MEMORY}\b",
        r"(?:i|we) (?:do not|don'?t|never|wouldn't) (?:want|need|like"
        r"|wish)(?: there to be)? (?:a|any|some)? ?(?:record|records|trace|traces|log|logs"
        r"|notes?|memory|memories|copy) (?:of|about|on|for|from)\b(?! (?:my|the) (?:desk|wall"
        r"|fridge|door"
        r"|table|page|sheet|screen|car))|(?:leave|make|keep|hold|have|retain"
        r"|there should be|there must be) no (?:records?|traces?|logs?|notes?|memory) (?:of"
        r"|about|on|for)\b|no (?:record|trace|log|memory|notes) of (?:any of|what i|our|(?:this"
        r"|that)(?= ?$|[,:;]| please))",
        r"(?:(?:please )?keep|guard) (?:my|our|this|that|the) (?:little |big "
        rf"|dark )?secrets?{END}|(?:please )?keep (?:this|that|it) (?:as )?(?:a|our"
        r"|my)(?: little)? secret",
        rf"(?:this|that|it|{SUBJECT}) ?(?:is|are|'s|isn't"
        rf"|isnt)(?: not)? (?:not )?(?:to be {SAVED}|for (?:the |your |any )?(?:record"
        rf"|{MEMORY}|saving|storing|keeping|remembering)(?! of))\b(?<!is for the record)",
        rf"(?:nothing|none)(?: {W}){{0,6}}? (?:is|are|was|were) for (?:the |your )?(?:record"
        rf"|{MEMORY})",
        rf"(?:ignore|disregard|skip|leave out|omit)(?: {W}){{1,4}}? (?:in|for|from) (?:your"
        rf"|the) {MEMORY}\b",
        rf"(?:go|let's go|stay|let's be) private{TAIL}",
        rf"(?:nothing|none)(?: {W}){{0,8}}? (?:should|must|may|shall|is|are|needs|has|gets"
        rf"|will)(?: to)?(?: ever)?(?: be)? {SAVED}",
        r"(?:strictly |totally |completely |purely |all |speaking |entirely |fully |very much "
        r"|just |this |that |it |we |let's |go |going |is |'s |are |be |keep |talk(?:ing)? "
        r"|speak(?:ing)? |here |can we |could we |may i |can i |i'm |we're |it's |that's "
        rf"|this's |but |everything ){{0,5}}{OTR}",
        r"(?:i'm |i am |im |i'll |let me |i want to |i |i'd like to )(?:only |about to "
        r"|going to |gonna )?(?:tell(?:ing)?|say(?:ing)?|shar(?:e|ing)"
        rf"|mention(?:ing)?)(?: {W}){{0,4}}? (?:{OTR}|{US}|in (?:strict )?confidence"
        r"|confidentially)",
        r"(?:(?:just|only|strictly|purely|and|that's|this is|it's|this|its|let it be|all|stays"
        r"|remains|staying|let (?:this|that|it|everything)(?: all)? (?:stay|remain"
        r"|be)(?: just)?|(?:this|that|it) (?:has|needs|ought) to (?:stay|be|remain)|(?:i"
        r"|we)(?:'d| would)? (?:want|like|need|prefer|wish)(?: for)? (?:this|that"
        rf"|it)(?: all)? to (?:stay|remain|be)(?: just)?) ){{0,2}}(?:{US}|in confidence{END})",
        rf"{SUBJECT}(?:'s| is| are| was| were| has been| stays?| remains?| will (?:be|stay)"
        r"| (?:should|must|shall|has to|have to|needs to|can|may)(?: only)?(?: be| stay"
        r"| remain)?| goes)"
        rf"(?: all| just| strictly| only| completely| totally| also| very)? (?:{OTR}|{US})",
        rf"(?:everything|anything|all|what(?:ever)?) (?:i|we)(?: {W}){{1,8}}? (?:is|are"
        r"|remains?|stays?|should be|must be) (?:strictly |all )?(?:private|secret|confidential"
        r"|sensitive)",
        rf"(?:this|that|it|{SUBJECT}) (?:stays?|remains?|(?:should|must|has to|needs to|will"
        r"|shall) (?:stay|remain)) (?:just |right |strictly |only )?(?:here\b(?! for| until)"
        rf"|in (?:this|the|our) (?:room|{TALK})|with (?:you|us)\b|private|secret|confidential"
        rf"|{OUT})",
        r"(?:(?:can|could|would|will|let) (?:you|u|we|us) (?:please )?|let's |lets "
        r"|i'd like (?:you )?to |i want (?:you )?to |you (?:should|must|have to|need to) "
        r"|we should )?"
        rf"keep{PERSONAL} {THAT}"
        r"(?: all| just| strictly| only| a| completely| totally| please| very"
        rf"| as)? ?(?:{SECRET}|{OUT}|off (?:the|your|any|my) (?:record|{MEMORY}))(?! (?:dumps?|repo"
        r"|branch|key)\b)",
        rf"{WOULD}(?:leave|keep|exclude|omit|hide|hold){PERSONAL}(?:(?: {W}){{1,6}}? (?:out of "
        rf"(?:your"
        rf"|any) (?:own )?(?:{MEMORY}|mind)|from your {MEMORY}|off the record)|(?= (?:this|that|it"
        rf"|these|my|our"
        rf"|what|anything|everything|all|any|me|us|today's|her|his|{OWNER})\b)(?: {W}){{1,6}}? "
        rf"(?:{OUT}|from (?:the "
        rf")?{MEMORY}))",
        rf"{WOULD}(?:treat|consider|regard) {THAT}"
        rf"(?: all)? as (?:{W} )?(?:confidential|private|secret"
        r"|off the record|sensitive|privileged)",
        rf"(?:for |this is for |that's for |it's for )?(?:your|ur) (?:eyes|ears) only(?={END}|"
        rf" and)",
        r"(?:(?:(?:turn|switch) on|(?:go|switch|change|turn|get) (?:in)?to|go|enter|enable"
        r"|activate|start|use|begin|be in|let's (?:go|use|be|switch to)(?: into| in)?"
        r"|can we (?:go|use)|could you (?:go|turn on|use)) |(?<!\band )(?<!\bor ))(?:a |an |the "
        rf"|your )?{MODE} (?:mode|chat|session|conversation){TAIL}",
        rf"(?:(?:go|let's go|be|stay|we're|turn on|switch to|can we go) )?incognito{TAIL}",
        r"(?:(?:can|could|would) you (?:please )?)?(?:(?:turn|switch) off (?:your |the "
        rf"|all )?{MEMORY}(?! (?:card|cache|leak|foam|stick|limit|read|check))|(?:turn|switch) "
        rf"(?:your |the )?{MEMORY} off"
        r"|(?:pause|disable|suspend|deactivate|stop|halt|mute|shut off) (?:your |the |all "
        r"|my )?(?:memory|memories|logging|recording|note[ -]taking|remembering|memory saving)"
        r"\b(?! (?:at|when|after|of|in|once|usage|leak|to|into|via|every|so))|memory off(?! by)|no "
        r"(?!notes,? (?:great|nice|perfect|amazing|love|good)\b)(?:memory|logging|logs"
        r"|record(?:s|ing)?|saving|notes"
        rf"|memories)(?: (?:for|of|in|on|about) (?:(?:this|that)(?: {SAID}\b| please|{END})|what"
        rf"|our|the (?:rest"
        rf"|remainder|next|whole))|{TAIL}))",
        rf"not (?:for|to be|something to) (?:the record|your (?:memory|notes|records)|{SAVED}"
        r"|remember|save|store|keep|saving|storing|remembering)",
    ),
    doubt=Phrases(
        NET,
        *MAYBE,
        *LIKELY,
        *PERHAPS,
        rf"{WOULD}(?:treat|handle|consider|regard)(?: {W}){{1,5}}? (?:confidentially|privately"
        r"|discreetly|(?:with|in) (?:the )?(?:strict(?:est)? )?(?:confidence|confidentiality"
        r"|discretion|care and discretion))",
        rf"(?:you|u) (?:won't|will not|wont) {SAVE} {OBJECT}",
        rf"{NOT} {RECALL} (?:my|our)\b",
        rf"{NOT}(?: ever)? (?:save|store|log|record|retain|note(?: down)?|memori[sz]e"
        r"|write down|keep track of|keep) (?:my|our) (?!file|work|code|document|draft|game"
        rf"|progress|settings|changes|seat|dog|cat|food|hopes){W}(?! (?:in|on|at) (?:the|a|an|this"
        rf"|that|their|its) (?!memory|chat|conversation))",
        rf"(?:this|that|it)(?: {W})?(?: is|'s) (?:all |strictly |very |really |totally |highly "
        r"|completely |a |my |just |extremely |quite )*(?:private|confidential|secret"
        rf"|personal and private)(?:{END}| (?:so|and|between|please|info\w*|stuff|matter)\b)",
        r"(?:strictly |highly |very )?(?:confidential|private|secret"
        rf"|confidentially)(?:{END})(?=.)",
        rf"(?:you (?:can't|cannot|mustn't|must not|may not) |{NOT} )tell (?:anyone|anybody"
        rf"|a soul|nobody|no one)(?: else)?(?: (?:this|that|about (?:this|that|it)))?{END}",
        rf"(?:you (?:can't|cannot|mustn't|must not|may not|shouldn't) |{NOT}(?: you| ever"
        r"| please)* )(?:repeat|share|mention|pass on|leak|quote|let(?= (?:this|that"
        rf"|it) (?:get out|go further|leave|slip|out))|breathe) (?:{THESE}|a word"
        rf"|any of)(?: {W})?(?: (?:to|with|of|get|go|leave|out)\b|{END})",
        rf"{BARE} (?:write down|jot down|note down|take down|note|hang on to|hold on to|retain|save"
        rf"|store|log|record|memori[sz]e|remember|file) (?:down )?(?:the |any |a |all )?(?:{W}"
        rf" )?(?:names?"
        r"|address(?:es)?|numbers?|details?|dates?|fact|story|title|place|age|cause|reason|email"
        r"|diagnosis|results?)(?: {W})? (?:of|about|for|from|that|where) (?:my|our|her|his|their|i"
        r"|we|the)\b(?! (?:file|code|class|function|table|column|product|test|script|error)s?\b)"
        rf"|{BARE} (?:{RECALL} me\b(?! (?:of|to))|(?:{RECALL}|keep (?:track|tabs) o[fn]|save|store"
        rf"|log|record|retain"
        r"|memori[sz]e) (?:my|our|that|personal|private|sensitive)\b(?! (?:seat|place|spot)\b)"
        rf"{ELSEWHERE}"
        rf"|(?:file|put|pack|store|squirrel|tuck) (?:{THESE}|any of this) away"
        rf"|(?:ever )?(?:{SAVE}|{RECALL}|take down|write up) (?!(?:over|out|in|on|onto|from|back|up"
        rf"|for|by|with|at)\b)(?:(?!(?:in|into|on|to|at)\b){W} ){{0,4}}?(?:about (?:me|us|my|our)"
        rf"|(?:messages?|{TALK})\b{NO_NOUN}"
        r"|i(?:'ve| have)? (?:just )?(?:say|tell|said|told|mention(?:ed)?|type|write)"
        r"|(?:personal|private|sensitive|medical|health|financial) (?:data|info\w*|details?|stuff"
        r"|things))\b(?! (?:on|to|in) (?!(?:your|the|this|our) (?:memory|notes|chat|conversation"
        r"|session))))",
        r"(?:nobody|no one|no-one|none) (?:can|must|may|should|shall|is allowed to|needs to"
        r"|else)(?: ever| else)? (?:know|hear|find out|learn|see)",
        rf"{NOT}(?: ever)? (?:bring|mention|refer to|talk about) (?:this|that|it"
        rf"|any of this)(?: up)?(?: {W})? (?:again|later|ever)\b|{NOT} (?:use"
        r"|learn from) (?:this|that|any of this)(?: again| later| elsewhere| in (?:the )?future"
        rf"| for (?:later|training)|{END})|{NOT} let (?:anyone"
        rf"|anybody) know(?: about)?(?: (?:this|that|it))?{END}",
        r"(?:not a word|mum's the word|tell no one|tell nobody|(?:please )?be discreet"
        r"|keep (?:it |this )?(?:mum|schtum|hush|quiet)(?= ?(?:$|[,:;])))\b",
    ),
    erase=Phrases(
        *ERASING,
        *TAKEN_BACK,
        *FACTS,
        r"(?:let's |can we |could you |can you |please )?(?:just )?(?:pretend|act like"
        r"|act as if|act as though|imagine|behave as if)(?: that)? (?:i|you|we|(?:this|that|our"
        rf"|the last)(?: {W}){{0,2}}) (?:had |have )?(?:never|didn't|did not|haven't"
        rf"|hadn't)(?: {W})? ?(?:said|told|say|tell|mention(?:ed)?|hear(?:d)?|read|talk(?:ed)?"
        r"|happen(?:ed)?|had)",
        rf"(?:you (?:never|didn't) hear(?:d)? (?:this|that|it|anything)(?: from me)?){END}",
        r"(?:i )?(?:take|i'm taking) (?:back )?(?:everything|what) i (?:said|told)(?:"
        r" [^\s,:;()]++){0,6}?"
        r",? (?:so |and )?(?:please |just )*(?:delete|forget|erase|remove|drop)\b",
    ),
    lift=Phrases(
        r"(?:(?:you|u)(?: can|may| could|'re allowed to| are allowed to| should| may)"
        r"|feel free to|it(?:'s| is) (?:ok|okay|fine|alright|all right|safe)(?: for you)? to"
        r"|(?:can|could|would|will) you|i want you to|i'd like you to)"
        r"(?: now| please| also| all)* (?:(?:start|begin|resume|continue|go back to"
        rf"|get back to)(?: to)? )?(?:{RECALL}|{RECALLING}|{SAVE}|{SAVING}|take notes"
        r"|taking notes|listen)(?: (?:things|stuff|everything|anything|what i say"
        rf"|what i tell you|our {TALK}|my messages|notes|this (?:chat|conversation)|down))?"
        r",? (?:again|once more|as (?:usual|before|normal)|like before|normally|from now on"
        r"|from here on|now)(?! that)",
        r"(?:(?:you|u) (?:can|may|should) )?(?:start|resume|begin|continue|restart|go back to"
        rf"|return to) (?:to )?(?:{RECALL}|{RECALLING}|{SAVING}|taking notes|save|store)"
        rf"(?: (?:things|stuff|everything|what i say|my messages|notes|our {TALK}"
        rf"|this {TALK}))?(?:{TAIL}| again| as before| as usual)",
        r"(?:we're |we are |i'm |let's (?:go |get )?|let us go |go(?:ing)? |this is "
        r"|everything is |that's |and we're |now we're |ok )*(?:back on (?:the )?record"
        r"|on the record (?:again|now|from))",
        r"(?:end|stop|exit|leave|quit|disable|close|deactivate|(?:turn|switch) off|get out of"
        rf"|no more|enough of|cancel) (?:the |this |your )?(?:{MODE} (?:mode|chat|session)"
        r"|incognito)",
        rf"(?:turn|switch) (?:the |your )?(?:{MODE} mode|incognito) off|(?:{MODE} mode"
        r"|incognito)(?: mode)?(?: is)? (?:off|over|done|ended)"
        r"|(?:the )?off the record (?:part |bit )?(?:is |'s )?(?:over|done|ends here)"
        r"|end of (?:the )?off the record",
        r"(?:(?:can|could|would) you (?:please )?|you (?:can|may) )?(?:(?:turn|switch"
        rf"|put) (?:the |your )?{MEMORY} (?:back )?on|(?:turn|switch) (?:back )?on (?:the "
        rf"|your )?{MEMORY}|(?:resume|enable|unpause|reactivate|re-enable|reenable"
        r"|restart) (?:the |your )?(?:memory|memories|recording|logging|saving|remembering"
        rf"|notes?(?:[ -]taking)?)|memory (?:back )?on{TAIL})",
    ),
    noted=Phrases(
        r"(?:please |pls |also |and )*(?:remember|note|keep in mind|bear in mind|(?:save|store"
        r"|note)"
        r" (?:this|that)|write (?:this|that) down|make a note|(?:don'?t|do not|never) forget"
        r"|note to self|reminder)(?: [a-z]+){0,3}? ?[:,–-] ?",
    ),
    spare=Phrases(
        *KEPT_ON,
        rf"(?:{NOT}|never)(?: you| u| ever| please| pls)* (?:delete|erase|remove|drop|lose|wipe"
        r"|clear|discard|purge|toss|overwrite|throw (?:away|out)|get rid of)\b",
    ),
    keep=Phrases(
        r"it(?:'s| is) (?:vital|important|crucial|essential|key)(?: that)? you (?:don'?t|do not"
        r"|never)"
        r" (?:ever )?forget|keep (?:this|that|it)(?=:)",
        r"(?:i|we)(?:'d| would) (?:really )?hate (?:it if|for) (?:you|u) (?:to )?(?:ever"
        r" )?forg[eo]t",
        r"(?:one thing|something|things|what|important|note"
        rf"|a thing)(?: {W}){{0,3}}? (?:not to forget|to remember|to keep in mind)\b",
        rf"(?:always |{BARE}|{NOT}|(?:i|we) (?:do not|don'?t) want you to|you (?:must|should"
        r"|can|may|better)(?:n't|'t|not| not| never)|mustn't|shouldn't|let's not"
        r"|let us not)(?: you| u| ever| please| to| pls| let yourself)* (?:forget|forgett"
        r"|froget)\b(?!-| me[ -]not)",
        rf"{NOT} (?:let|allow) (?:me|us|yourself) (?:to )?forget",
        r"(?:always |do |just |must |you (?:should|must|can|need to|have to|may) )?(?:remember"
        r"|memori[sz]e|keep in mind|bear in mind|take note|mind you|be aware)\b(?! (?:when"
        r"|the time|how|me|those|anything)\b)",
        r"(?:can|could|would|will) (?:you|u) (?:please )?(?:remember|memori[sz]e|keep in mind"
        r"|note|save|store|record|write|log|make a note|jot)\b(?! (?:when|how|what|where|who|if"
        r"|the time|things|stuff|anything)\b)",
        r"(?:i want|i need|i'd like|i would like|i wish) (?:you|u) to (?:remember|memori[sz]e"
        r"|note|save|store|know|keep|record|write)",
        r"(?:make|be) sure (?:to|you|that you|u) (?:always )?(?:remember|note|keep|save|store)",
        r"(?:note(?=[:,])|(?:note|save|store|record|log|keep(?= (?:this|that|it) (?:in|on))"
        r"|memori[sz]e|write|jot|file) (?:down )?(?:the fact that|this|that|it|my|our|the"
        r" following|these"
        r"|down|for|a note)\b)",
        r"(?:make|take|keep|add|leave) (?:a |an )?(?:mental )?(?:note|record|notes|memory)\b",
        r"(?:if|before|in case|lest|should|when|and before|just in case"
        r"|in the event) i (?:ever |should |happen to |do )?forget",
        r"so(?: that)? (?:i|you|we|u|nobody|no one) (?:do not|don't|dont|won't|will not|never"
        r"|doesn't|can't) forget",
        r"(?:please )?add (?:this |that |it |the following )?to (?:your |the )?(?:memory|notes)"
        r"|(?:just )?(?:for the record|for (?:your|future|later|my) (?:reference|memory|notes"
        r"|records|information)|note to self|commit this to memory|fyi)",
        r"remind (?:me|us|yourself)\b|(?:it's|it is) important (?:that you remember|to remember)",
    ),
    coming=Phrases(
        r"\b(?:(?:the|my) )?next (?:message|thing|part|bit|one|line|sentence|paragraph|question"
        r"|text|input|prompt|statement|turn|reply|post|remark|comment|piece|word|i say|i tell)\b",
        r"\b(?:says?|tell you|write|type|paste|drop|comes?|coming|follows?|share|saying|send"
        r"|post)(?: (?:you|to you))?,? next\b(?! (?:week|month|year|time))",
        rf"\b(?:the|my) following(?:{END}| (?:message|remark|text|part|thing|sentence|bit"
        r"|info\w*|is|isn't|are|aren't|in|must|should|stays?)\b)|\bwhat follows\b"
        r"|\bcoming message\b"
        r"|\bmy next\b|\bthe next\b(?! (?:few|two|three|four|five|couple|several|hour|ten|\d))",
        r"\b(?:what )?(?P<here>i(?:'m| am|m)? (?:about to|going to|gonna|will"
        r"|shall)(?: now)? (?:say|tell|share|write|type|ask|reveal|send|paste|show|confess)\b"
        r"|\b(?:what )?i'll (?:say|tell|share|write|type|ask|reveal|send|paste|confess)\b)",
    ),
    session=Phrases(
        rf"\b(?:this|the|our|today's|anything in this)(?: {W})? {TALK}\b(?! about)",
        rf"\b(?:whole|entire) {TALK}\b",
        r"\brest of\b|\bfrom (?:now|here|this point)\b|\buntil (?:i|we|further|you hear)\b"
        r"|\btill i\b|\bgoing forward\b|\bin (?:the )?future\b|\bany ?more\b|\bany longer\b"
        r"|\bas of now\b|\bstarting (?:now|today)\b",
        r"\bfor (?:now|today|a while|a bit|the moment|the next (?!message|thing)"
        r"|the time being)\b|\btoday\b|\btonight\b|\bnext (?:few|two|three|four|five|couple"
        r"|several|hour|\d)",
        r"\b(?:anything|everything|whatever|things|nothing|stuff|all)(?: that)? (?:i"
        r"|we)(?: (?:ever|will|may|might))?(?:'m| am)? ?(?:say|tell|write|type|share|mention"
        r"|talk|discuss|send|do|saying|telling)\b|\b(?:what|whatever) (?:i|we)(?:'m"
        r"| am)? ?(?:say|write|type|send|saying|tell(?: you)?)\b(?! next| now)",
        rf"\b(?:anything|everything|things)(?: at all)?(?:{END}| please| from| here\b"
        r"| about me\b)|\babout me\b|\bmode\b|\bprivate (?:chat|session|conversation)\b"
        r"|\bgo private|\bincognito\b|\bmemory off\b|\bmemory (?:for|until)|\b(?:turn|switch"
        r"|pause|disable|suspend|deactivate|stop|halt) (?:off )?(?:your |the )?(?:memory"
        r"|memories|logging|recording|remembering|note)|\b(?:go|talk|speak|going|be|talking"
        r"|speaking) off the record|\btaking notes\b|\bwe're off the record",
        rf"\bstop (?:saving|storing|logging|recording|remembering)(?:{END}| please| (?:my"
        r"|our) (?:messages|chats?|conversations?|words))|\b(?:my|our|these) (?:messages|chats"
        r"|conversations|words)\b",
    ),
    topic=Phrases(
        r"\b(?:anything|everything|something|things|stuff|information|info|details?|data|facts?"
        r"|notes?|memories|records?|nothing|whatever|what)\b(?: else)?(?: (?!about)"
        rf"(?!on\b){W}){{0,5}}? (?:about|regarding|concerning|related to|relating to|to do with"
        r"|involving) (?!(?:this|that|it|me|what|us|you|these|today|now|here|next|tonight)\b)",
        r"\b(?:information|info|details?|data|facts?|notes?|memories|records?|track) (?:on"
        rf"|of) (?:my|our|his|her|their|the)\b(?! last| next| {TALK}| {SAID}| whole| entire)",
        r"\b(?:when|whenever|if|every time|each time|any time|anytime) i (?:ever "
        r"|might )?(?:talk|speak|mention|say|tell|discuss|bring|write|complain|rant|ask"
        r"|refer)\w*\b",
        r"\b(?:never|ever|always|stop|from now on|in future|in the future"
        r"|going forward)\b.{0,24}\b(?:remember|save|store|log|record|keep|track|note"
        r"|memori[sz]e|remembering|saving|storing|tracking|recording|logging"
        r"|keeping)(?: track of)? (?:my|our|his|her|their|any of my|all my|(?:personal|sensitive"
        r"|private|medical|financial|health) )(?! ?(?:next|last|messages?|chats?|words?"
        r"|conversations?)\b)",
        r"\b(?:keep|leave|exclude) (?:my|our|anything|everything"
        rf"|all)\b(?: {W}){{1,6}} (?:out of|from) (?:your|the)\b",
        r"\bno (?:notes|records|memories|memory|logs) (?:about|on|of) (?:my|our|his|her)\b",
    ),
    reported=Phrases(
        r"\b(?:if|when|once|unless) (?![^,:]{0,50}\b(?:i|i'm|my|our|we|me|you|your|possible"
        r"|comes?)\b)"
        r"(?:the|an?|any|no|nobody|users?|consent|someone|somebody|it|they|he|she)\b[^,:]{0,50}$",
        r"(?<!\bi )(?<!\bi have )(?<!\bi just )(?<!i already )\b(?:said|says|say|asked|asks"
        r"|wrote|writes|replied|answered|yelled|shouted|whispered|reads|states|titled|named"
        r"|sings?|sang|translate|means|warned|warns|insisted|added|requires|policy|rule|sign"
        r"|error|warning|caption|lyrics|title|quote|instructions?|example|was like|told (?:me"
        rf"|us|him|her|them|everyone)|text(?:ed)? {W}|(?<!this )(?<!the )message {W}|tell (?:him"
        rf"|her|them|mom|dad"
        rf"|{W})|(?:e?mail|letter|(?<!^)note|text|sticker|manual|book|song|poem|label|line|prompt"
        r"|button|dialog|sentence|phrase|words?) ?(?:that )?(?:says|said|reads|saying"
        r"|goes)?)\W*$",
    ),
    told=Phrases(
        r"\bi(?:'ve| have)? (?:just |already |ever )?(?:said|told|mentioned|wrote|shared|gave"
        r"|asked)\b"
        r"|\byou (?:know|remember|have on)\b|\babout (?:me|my|us|our)\b|\byour (?:memor|notes)"
    ),
    echo=Phrases(
        r"[,\"'] (?:he|she|they|my \w+|the \w+|\w+) (?:said|says|told (?:me|us|him|her|them)"
        r"|asked|wrote|whispered|replied|shouted|warned|begged|yelled|answered)$(?<!\bi said)"
    ),
    elliptic=Phrases(
        rf"(?:don't|do not|dont) you\b|{NOT} {RECALL}\b"
        rf"|{NOT} (?:keep|make|save|retain|take) (?:a |any )?(?:cop|trace|backup)|keep no |leave"
        rf" no "
    ),
)
