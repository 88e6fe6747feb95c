"""Speech acts: what a sentence does. A question, a command or a greeting tells nothing to keep.

Owns: the words by which questions, commands to the assistant, greetings and suppositions are
known, with or without punctuation, and where a statement ends that a request follows ("I'm vegan,
can you …"). Knows nothing of facts.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Final


class Act(StrEnum):
    """What a sentence does; only a statement or a standing wish may become a fact."""

    STATEMENT = "statement"
    STANDING = "standing"
    QUESTION = "question"
    COMMAND = "command"
    GREETING = "greeting"
    SUPPOSITION = "supposition"
    QUOTE = "quote"


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_GREETING_WORDS: Final = _words(
    "hi hey hello hallo hiya yo there good morning evening afternoon night day bye "
    "goodbye see you later soon take care thanks thank thx ty cheers a lot so much very "
    "many again ok okay okey k yes yeah yep yup no nope nah sure fine great cool nice "
    "perfect awesome amazing wow haha hahaha lol hmm hm oh ah aha well alright right got "
    "it sounds that that's is was this it's you're welcome please sorry never mind "
    "nevermind indeed exactly absolutely definitely correct true all everyone everybody "
    "guys buddy friend dear have good one weekend interesting wonderful guten tag morgen "
    "abend gute nacht danke schön sehr vielen dank bitte ja nein klar gut super servus "
    "moin grüß dich tschüss bis bald genau stimmt das hat geholfen hola gracias buenos "
    "días adiós vale sí bonjour merci beaucoup salut oui non d'accord ciao grazie"
)
_CHINESE_GREETING: Final = re.compile(
    r"[你您]好|谢谢|多谢|再见|早上好|晚上好|晚安|好的|好吧|明白|知道了|没问题|对的|是的"
    r"|不客气|哈哈|嗯"
)
_WORD: Final = re.compile(r"[^\W_]+(?:'[^\W_]+)*")

LEAD: Final = re.compile(
    r"(?:(?:(?:hey|hi|hello|hallo|dear|thanks|wow|yep|yeah|nope|congrats),? "
    r"[^\W\d_]{2,15}(?=[,!:])|well|so|and|but|also|oh|ah|ok|okay|yeah|yes|yep|no|nope|hey"
    r"|hi|hello|hallo|btw|fyi|by the way|just so you know|for (?:context|reference|your "
    r"information|the record)|to be (?:honest|fair|clear)|as you know|actually|honestly"
    r"|frankly|basically|anyway|besides|plus|thanks|thank you|sure|great|cool|wow|haha"
    r"|lol|hmm|right|sorry|unfortunately|sadly|luckily|fortunately|in fact|you know|i "
    r"mean|see|one thing|heads up|quick note|context|background|note|update|übrigens|also"
    r"|und|aber|ja|nein|naja|ach|hola|bonjour|por cierto|au fait|there|all|everyone|team"
    r"|everybody|assistant|guys)(?=[\s,;:!.–—-])[,;:!.–—-]?\s++){1,4}+"
)
"""Words before the sentence proper, which say nothing."""

_ASKING: Final = re.compile(
    r"(?:what|who|whom|whose|where|when|why|how|which|what's|whats|who's|where's|when's"
    r"|how's|hows|wheres)\b(?! (?:matters|i (?:like|love|want|need|do|use|prefer|did"
    r"|mean)|we (?:do|did|use|need|want)|my)\b)|(?:is|are|am|was|were|do|does|did|can"
    r"|could|will|would|should|shall|may|might|have|has|had|isn't|aren't|don't|doesn't"
    r"|didn't|can't|couldn't|won't|wouldn't|shouldn't|haven't|hasn't)(?: not)? (?:i|you"
    r"|we|he|she|it|they|there|this|that|these|those|the|my|your|our|his|her|their|its"
    r"|any|anyone|someone|somebody|anybody|all|a|an|some|[a-z]++(?= (?:have|need|know"
    r"|open|good|bad|still|going|be|take|like))|paypal|bank|people|most)\b|any (?:idea"
    r"|ideas|chance|suggestion|tip|thought|news|word|advice|recommendation)|(?:i "
    r"(?:wonder|am wondering|was wondering)|wondering|curious)\b|anything |got any |ever "
    r"|(?:was|wer|wen|wem|wessen|wo|wohin|woher|wann|warum|wieso|weshalb|wie"
    r"|welche[nrsm]?)\b(?! ich)|(?:kannst|könntest|würdest|willst|magst|hast|bist|weißt"
    r"|soll|darf|gibt|kann|muss|ist|sind|hat|habe|haben) (?:du|ich|es|wir|man|das|der|die"
    r"|mein|meine|sie|ihr)\b|(?:¿|qué |quién|dónde|cuándo|cómo|cuál|por qué|puedes "
    r"|podrías )|(?:est-ce|peux-tu|pouvez-vous|pourrais|qu'est|quel|quelle|comment"
    r"|pourquoi|où |quand |combien)"
)
_CHINESE_ASKING: Final = re.compile(
    r"[吗呢么][。！!]*$|^(?:什么|怎么|怎样|为什么|为何|哪里|哪个|谁|几点|多少|能不能"
    r"|可不可以|可以.{0,20}吗|你能|你会|如何)|(?:ですか|ますか|でしょうか|까요|나요"
    r"|니까)[。.]?$"
)

_TASK_VERBS: Final = (
    "set|book|tell|show|give|find|play|turn|call|remind|write|make|create|add|remove"
    "|delete|send|get|open|close|start|stop|pause|cancel|change|check|order|buy|reserve"
    "|schedule|transfer|pay|put|look|search|google|translate|explain|summari[sz]e|list"
    "|read|calculate|compute|convert|compare|describe|define|spell|help|let|let's|lets"
    "|suggest|recommend|generate|draft|fix|refactor|debug|implement|rewrite|rephrase"
    "|improve|optimi[sz]e|review|update|edit|format|print|run|test|build|install|deploy"
    "|merge|rename|move|copy|save|load|import|export|download|upload|plan|pick|choose"
    "|guess|say|repeat|answer|continue|go|come|wait|take|bring|track|locate|navigate"
    "|direct|ping|text|email|message|dial|wake|mute|skip|shuffle|increase|decrease|raise"
    "|lower|adjust|switch|activate|deactivate|enable|disable|reset|restart|roll|flip"
    "|report|notify|inform|share|submit|apply|mark|clear|erase|wipe|sync|connect"
    "|disconnect|provide|outline|analy[sz]e|evaluate|estimate|think|imagine|pretend|act"
    "|teach|ask|see|try|use|keep|include|insert|extract|split|combine|count|sort|filter"
    "|refund|freeze|block|unblock|redeem|renew|replace|return|respond|reply|modify"
    "|prepare|organi[sz]e|arrange|name|consider|note|discuss|elaborate|expand|shorten"
    "|simplify|turnoff|double|figure|pull|drop|throw|tune|volume|display|quote|log|record"
    "|begin|end|finish|leave|drive|map|hold|speak|talk|sing|do|quit|confirm|verify|ensure"
    "|request|contact|hit|flag|state|detail|advise|assist|bump|crank|fill|charge|refer"
    "|route"
)
_COMMAND: Final = re.compile(
    r"(?:please |kindly |now |then |next,? |first,? |just |go ahead and |would you "
    rf"|could you |can you |will you |quickly |ok |and )*+(?:{_TASK_VERBS}|be)\b(?!'s| "
    r"(?:is|are|was|were|has|owns|lives|runs|works|must)\b)|please\b(?! (?:remember|note"
    r"|do not forget|keep in mind))|(?:do not|never) (?:worry|mind|bother)\b|(?:i|we)(?: "
    r"(?:really|just|also|still|do|must|only))* (?:need|want|would like|would love|am "
    r"looking|am searching|am wanting|am hoping|wish|require|should|better|had better"
    r"|was hoping|was looking)(?: (?:you|someone|somebody|for you|help|assistance))?(?: "
    r"(?:to|for))?(?: be able to)?(?: please)? (?:know|have|hear|understand|change|see if"
    rf"|see my|see what|see how|{_TASK_VERBS})\b|(?:i|we)(?: (?:really|just|also"
    r"|still))* (?:need|want|require|would like|am looking for|could use|must have|must "
    r"know|will take|will have) (?:a|an|one|two|three|four|five|\d{1,3}|some|the|my|your|this|that"
    r"|these|more|information"
    r"|directions|help|assistance|advice|all|every|everything|it|new|another|to know"
    r"|you)\b|(?:i|we) (?:am|are) trying to (?:find|know|see|get|book|order|understand"
    r"|figure|locate|buy|pay|check|reach|call|cancel|hear|decide|remember|track|look)\b|"
    r"(?:i|we) (?:seem to have|think i|am having (?:trouble|problems|issues|difficult)"
    r"|ca?n ?not (?:find|remember|figure|hear|seem|see|understand)|(?:do|did) not "
    r"(?:understand|know|see|hear|get|catch|remember|recall|mean)\b|am not sure|see\b"
    r"|guess\b|am (?:lost|stuck|confused)\b)|help\b|no thanks|(?:i|we) (?:mean|meant"
    r"|agree|disagree|get|got) (?:it|that|you|to|the|with)\b|(?:you|your) (?:should|need "
    r"to|must|can|could|may|have to|are|will|said|told|know|did|were|name|can't|cannot)\b"
    r"|(?:stell|schreib|zeig|gib|such|sag|mach|spiel|buch|finde|erkläre?|übersetze?"
    r"|erinner|fass|nenn|liste|öffne|schalte?|hilf|rechne|lies|bestell)[et]?\b|(?:escribe"
    r"|dime|pon|busca|muéstrame|dame|explica|traduce|ayúdame|reserva)\b|(?:écris|dis-moi"
    r"|montre|donne|cherche|explique|traduis|aide|réserve|mets)\b"
)
_CHINESE_COMMAND: Final = re.compile(
    r"^(?:请|麻烦|能否)?(?:你|您)?(?:帮我|给我|替我|告诉我|写|翻译|解释|总结|列出|推荐"
    r"|设置|打开|关闭|播放|查|搜索|订|生成|修改|提醒我|把|教我|说说|讲|看看|画)|^请"
)
_STANDING: Final = re.compile(
    r"(?:from now on|going forward|in (?:the )?future|from here on|henceforth|for future "
    r"reference|as a rule|ab jetzt|ab sofort|in zukunft|künftig|desde ahora|à partir de "
    r"maintenant|dorénavant)\b|^(?:[\w']+ ){0,4}(?:always|never)\b|^(?:please )?(?:do not"
    r"|don't|avoid|stop) (?:ever )?(?:use|using|write|writing|give|giving|add|adding|call"
    r"|calling|send|sending|include|including|put|commit|push|merge|deploy|force|edit"
    r"|touch|bypass|hardcode|log|store|check|delete|break|skip|release|rename|squash"
    r"|answer|reply|respond|start|starting|end|ending|apologi[sz]e|ask|asking|explain"
    r"|explaining|suggest|suggesting|recommend|address)\b|^(?:please )?(?:use|name|prefix"
    r"|put) [\w.-]+ (?:for|in|instead of|with) (?!this|that|it\b|the |me\b|my\b)|^(?:i "
    r"(?:want|would like|need|expect) you to|you (?:should|must)) (?:always|never)\b|^no "
    r"(?:\w+ ){1,3}please\b|^(?:please )?keep (?:your|the|all|any|every|it|things|code)\b"
    r"|^(?:please )?(?:answer|reply|respond|speak|talk|write)(?: to me| me)? (?:only "
    r")?in \w+(?: please)?[.!]?$|^(?:\w+ ){0,4}(?:immer|nie|niemals)\b|^bitte antworte|^"
    r"(?:you can |please |just )?(?:call|address) me (?!a\b|an\b|back|at\b|when|in\b|on\b"
    r"|later|tomorrow|tonight|if|once|after|now|up\b|cab|taxi|uber|[0-9])\w+|^(?:today"
    r"|now|this)?every (?!thing|one|body)\w+ |^(?:please )?(?:remember|note|keep in mind"
    r"|do not forget|don't forget|bear in mind|know|be aware)(?: that|:|,)? (?:i|i'm|my"
    r"|we|our|the|he|she|they|all|every|never|always|it|this|in|on|for)\b|^(?:merk dir"
    r"|denk daran|vergiss nicht|beachte|recuerda que|souviens-toi|n'oublie pas)"
)
_CHINESE_STANDING: Final = re.compile(
    r"以后|从现在起|从今以后|今后|总是|永远|请记住|记住|不要再|叫我|称呼我|请一直|请始终"
    r"|务必"
)
_ONCE: Final = re.compile(
    r"\b(?:wake me|alarm|timer|remind|for \d+ minutes|tonight|tomorrow|today|heute"
    r"|morgen)\b|\?"
)
_SUPPOSING: Final = re.compile(
    r"(?:if (?:i|we|you|he|she|they|it|there|my|the|only)\b|imagine|suppose|assuming|let "
    r"us say|let's say|what if|pretend|hypothetically|as a joke|for the sake of argument|(?:in|for)"
    r" (?:the|my|this|our|a|that) (?:\w+ )?(?:story|novel|game|dream|book|movie|film|scene"
    r"|role-?play|script|scenario|simulation|sketch|poem|song)\b(?=,? (?:i|my|we|our)\b)|i (?:wish"
    r"|dreamed|dreamt|pretended|joked|imagined|lied)\b(?! (?:i did not|you|to |them|him|her|about))"
    r"|(?:i|we) (?:asked|ask) (?:my |our |the |a )?\w+ (?:if|whether)\b|wenn ich|falls |angenommen"
    r"|stell dir vor|im (?:roman|spiel|traum|film)|ich wünschte|si yo |ojalá|si j'|如果|假如|要是"
    r"|假设|但愿)"
)
_NOTE_THAT: Final = re.compile(
    r"(?:please )?(?:can|could|would|will) you (?:please )?(?:remember|note|keep in mind|make a"
    r" note"
    r"|bear in mind) that (?:i|my|we|our)\b"
)
"""A request to keep something, in the form of a question."""
_QUOTING: Final = re.compile(
    r"[\"”»]\s?(?:she|he|they|[^\W\d_]{2,15}) (?:said|says|asked|replied|wrote|sagte?"
    r"|fragte?)\b|^(?:translate|übersetze|翻译|把这段).{0,40}[:：]"
)
_IF_REAL: Final = re.compile(r"\bi (?:always|never|usually|prefer|like|hate|love|use)\b")

_SEAM: Final = re.compile(
    r"(?:[,;–—…-]|\s-)\s?(?:so|and|but|then|therefore|also|now|thus)?,?\s?(?:please )?"
    r"(?:can|could|would|will|do|does|did|is|are|should|shall|may|what|how|where|which"
    r"|who|why|when|whats|what's|any|suggest|recommend|help|tell|show|give|find|write"
    r"|explain|make|please|let|book|kannst|könntest|was|wie|welche|wo|gib|empfiehl|hast "
    r"du|puedes|peux-tu)\b|\s(?:so|and|but) (?:can|could|would|will|should) (?:you|i"
    r"|we)\b|\s(?:so|and) (?:what|how|which|where) (?:should|can|do|would|is|are|could"
    r"|kind|other)\b|[，,；](?:请|你能|能|可以|有什么|怎么|该|应该|帮我|给我|推荐|哪|那)"
)
_SEAM_FROM: Final = 8
"""A statement before a request has at least so many characters."""


def act_of(lowered: str) -> Act:
    """What a lowered sentence (one apostrophe, no lead) does."""
    body = lowered.strip(" \"'“”«»(*_~")
    if _is_greeting(body):
        return Act.GREETING
    if _NOTE_THAT.match(body):
        return Act.STANDING
    if body.rstrip(" \"'”»)*!.").endswith(("?", "？", "؟")):
        return Act.QUESTION
    if _QUOTING.search(body):
        return Act.QUOTE
    if _SUPPOSING.match(body) and not _IF_REAL.search(body):
        return Act.SUPPOSITION
    if body.startswith(("never mind", "nevermind")):
        return Act.COMMAND
    asks = bool(_ASKING.match(body))
    stands = _STANDING.search(body) or _CHINESE_STANDING.search(body)
    if stands and not asks and not _ONCE.search(body):
        return Act.STANDING
    if asks or _CHINESE_ASKING.search(body):
        return Act.QUESTION
    if _COMMAND.match(body) or _CHINESE_COMMAND.match(body):
        return Act.COMMAND
    return Act.STATEMENT


def statement_before(text: str) -> int:
    """Where the statement ends that a request follows in one sentence; 0: there is none."""
    seam = _SEAM.search(text, _SEAM_FROM)
    return seam.start() if seam else 0


def _is_greeting(body: str) -> bool:
    words = _WORD.findall(body)
    if not words:
        return True
    if len(words) <= 7 and all(word in _GREETING_WORDS for word in words):
        return True
    return len(body) <= 12 and bool(_CHINESE_GREETING.match(body))
