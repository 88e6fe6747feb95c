"""English requests about taking notes, about a fact of one's own, and about what memories mention.

A fact is bare ("erase my old address"), so that only facts which nobody keeps in a file under such
a name are listed: what is lent, bought or programmed is never one. It ends its clause, for "my old
address in line 4" is text.

Owns: those frames. `UNNOTED` asks that something be not kept, `FACTS` that something be forgotten.
"""

from __future__ import annotations

from typing import Final

from cognid_daemon.intake.phrases.english_words import BARE, END, OWNER, THESE, W

_ASKED: Final = (
    r"(?:(?:please|pls|plz|just|now|also|kindly|so|go ahead and) |(?:can|could|would|will) (?:you"
    r"|u) |(?:i|we)(?:'d| would)? (?:want|like|need) (?:you|u) to |(?:you|u) (?:can|may|should|must"
    r"|could) |let's |let us |(?:can|could|shall) we )*"
)
_NOTING: Final = r"note[- ]?(?:taking|keeping|making)"
_WHILE: Final = r"(?:while|whilst|as long as) (?:i|i'm|i am|we|we're)\b"
_FOR_NOW: Final = (
    rf"(?:,? (?:please,? )?(?:{_WHILE}|for (?:now|a|an|the (?:next|moment|time|rest)|this|just"
    rf"|today)\b|today|tonight|this time)|{END}|,? please)"
)
_ERASE: Final = (
    r"(?:delete|erase|remove|wipe(?: out)?|scrub|clear|purge|get rid of|discard|drop|expunge"
    r"|throw (?:out|away))"
)
_OLD: Final = (
    r"(?:old|previous|former|past|outdated|current|new|real|wrong|stored|saved|earlier|last known)"
)
_FACT: Final = (
    r"(?:(?:(?:home|work|postal|street|e-?mail|mailing|office|business|private) )?address(?:es)?"
    r"|(?:mobile|cell|phone|telephone|landline|whatsapp|home phone|work phone)(?: phone)?"
    r" numbers?|(?:maiden|middle|nick|sur|pet|birth|married)[ -]?names?|date of birth"
    r"|birth(?:day|date| date|place)|home ?town|employer|occupation|salary|income|religion"
    r"|blood type|(?:shoe|dress|clothing|ring) size|marital status|(?:medical|health) history"
    r"|diagnosis|allerg(?:y|ies)(?: to [a-z]+)?|post ?code|zip code)"
)
_ONCE: Final = r"(?:employer|boss|workplace|landlord|numbers?|job titles?|hobby|hobbies|nickname)"
_NO_AFFAIR: Final = (
    rf"(?!(?:{W} ){{0,2}}?(?:files?|code|commit|branch|draft|imports?|headers?|functions?|tests?"
    r"|columns?|rows?|patch|pr|pull|class|scripts?|photos?|pictures?|folder|sofa|furniture|layer"
    r"|slides?|paragraph|sentence|lines?)\b)"
)
_TALK: Final = r"(?:conversations?|chats?|convos?|dialogues?|talks?|discussions?|exchanges?)"
_DAY: Final = (
    r"(?:yesterday|today|tonight|(?:last|this|the other) (?:night|week|weekend|month|morning"
    r"|evening|afternoon)|(?:mon|tues|wednes|thurs|fri|satur|sun)day)"
)
_OUR: Final = rf"(?:(?:the |our |my )?{_DAY}'s|our|my|this|that|the)"
_WHICH: Final = r"(?: (?:last|previous|earlier|first|latest|most recent|past|whole|entire|old))?"
_MENTIONS: Final = (
    r"(?:,? (?:that|which|where))?,? (?:(?:i |you )?mention(?:s|ed|ing)?|involv(?:es?|ing)"
    r"|concern(?:s|ing)?|refer(?:s|ring)? to|(?:talk|speak)(?:s|ing)? (?:about|of)|(?:has|have"
    r"|having) (?:anything |something )?to do with|includ(?:es?|ing)|contain(?:s|ing)?|nam(?:es?"
    r"|ing)|relat(?:es?|ing) to|(?:is|are) (?:about|on)|deal(?:s|ing)? with|touch(?:es|ing)? on"
    r"|featur(?:es?|ing)|about|of|regarding)"
)
_EVERY: Final = (
    r"(?:(?:all|any|every|each|those|these|the|every single|whatever)(?: of)?(?: (?:the|your|my"
    r"|those|these|single|saved|stored|old)){0,3} )"
)
_HIS: Final = rf"(?:me|my|mine|our|us|him|her|them|his|their|{OWNER})\b"
_TEXT: Final = (
    r"(?!(?:todo|fixme|null|the|a|an|this|that|these|those|disk|file|port|prod\w*|staging|main)\b)"
)
_MENTIONING: Final = (
    rf"(?:{_EVERY}(?:memor(?:y|ies){_MENTIONS} (?!(?:the|a|an) (?:file|disk|code|server)\b){W}"
    rf"|(?:notes?|records?|entry|entries|facts?|details?|bits?){_MENTIONS} (?:{_HIS})"
    rf"|notes?{_MENTIONS} {_TEXT}{W}{END})|(?:all |any |all of |every one of )?your (?:{W} )?"
    rf"(?:notes?|records?|entries|memories){_MENTIONS} {_TEXT}{W})"
)

_NOT_A_TEXT: Final = (
    r"(?!.{0,60}? (?:from|in|on|off) (?:the|this|that|these|every) (?!chat|conversation|talk"
    r"|memor))"
)
"""What stands in a letter, a list, a log."""

UNNOTED: Final = (
    rf"{BARE} (?:take|make|keep|jot down)(?: any| down)? notes?,? (?:please )?{_WHILE}",
    rf"{_ASKED}(?:take|make|keep) no notes?(?: at all)?,? (?:please )?{_WHILE}",
    rf"(?:please |but |and )*no (?:notes?|{_NOTING})(?: please)?,? {_WHILE}",
    rf"(?:{_ASKED}(?:skip|pause|stop|hold(?: off on)?|drop|suspend|leave out|leave off|forgo|halt"
    rf"|quit|spare(?: me)?|no)|no|without) (?:the |your |any |all )?{_NOTING}{_FOR_NOW}",
    rf"{_ASKED}(?:put|lay|set|close|shut)(?: away| down| up)? your (?:notebook|notepad|notes"
    rf"|diary)(?: away| down)?{_FOR_NOW}",
    r"(?:please )?consider your (?:notebook|notepad|notes|memory|diary) (?:closed|shut|off"
    r"|switched off)",
    rf"(?:let|make|have) (?:this|our|the) (?:whole )?{_TALK} leave (?:nothing|no traces?|no"
    rf" records?)(?: behind)?{END}",
    rf"{BARE} make (?:a |any )?memor(?:y|ies) (?:out )?of (?:{THESE}|what i|my)",
)
"""Asks that something be not kept."""

FACTS: Final = (
    # Not after a colon: what a letter to somebody else is to say stands there.
    rf"(?<!: )(?<!: please ){_ASKED}{_ERASE} (?:all |both )?(?:of )?my (?:(?:{_OLD},? ){{0,2}}"
    rf"{_FACT}|{_OLD} {_ONCE})(?={END}| (?:please|pls|now|too|as well|again)(?:{END}| ))"
    rf"{_NOT_A_TEXT}",
    rf"{_ASKED}forget(?: about)? (?:my|our|{OWNER}) {_NO_AFFAIR}{W}(?: {W}){{0,8}}?,? (?:(?:and"
    rf"|so|please|pls|just|you can|you may|also) )*{_ERASE} (?:it|that|them|him|her)(?={END}|"
    r" (?:please|pls|too|now)\b)",
    rf"{_ASKED}(?:forget(?: about)?|{_ERASE}) (?:absolutely |literally |just )?(?:everything"
    r"|anything|all|whatever|what|the (?:things|stuff))(?: of (?:it|what))?(?: (?:that )?(?:we|i"
    r"|you)(?:'ve| have)? (?:just )?(?:said|discussed|talked about|told(?: you)?|mentioned"
    r"|shared|covered|wrote|spoke about|went over))? (?:from|about|in|of|since|during|out of)"
    rf" {_OUR}{_WHICH} (?:{_TALK}|(?<!the )sessions?)(?={END}| (?:please|pls|now|with you|we had"
    r"|about|yesterday|last)\b)",
    rf"{_ASKED}(?:forget(?: about)?|{_ERASE}) {_MENTIONING}{_NOT_A_TEXT}",
    rf"(?:i|we)(?:'d| would)? (?:like|want|need|prefer) {_MENTIONING}(?: {W}){{0,4}}? (?:to be )?"
    r"(?:gone|deleted|erased|removed|wiped|forgotten|cleared)\b",
)
"""Asks that something be forgotten."""
