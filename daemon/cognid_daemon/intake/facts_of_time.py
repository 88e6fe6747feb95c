"""What happened, what is planned, and what is so for now."""

from __future__ import annotations

from typing import Final

from cognid_daemon.intake.fact_rule import CONTEXT, EPISODIC, FACT, rule
from cognid_daemon.intake.fact_words import ADV, ING, PAST_EVENT, WHO

TIME: Final = (
    rule(
        "plan",
        EPISODIC,
        "going planning flying moving traveling travelling starting getting having meeting "
        "seeing visiting hosting taking attending leaving driving heading running launching "
        "shipping releasing migrating presenting speaking performing competing will plan "
        "intend hope expecting thinking hoping looking retiring graduating interviewing "
        "switching joining opening renovating saving training preparing want about "
        "volunteering organizing applying ship release migrate launch deploy start move",
        rf"{WHO} (?:am|are|will be|have been) {ADV}(?:{ING}|[a-z]{{3,}}ing)\b(?! to need| "
        rf"for a|you)|{WHO} {ADV}(?:will(?! need| take)|plan to|intend to|hope to|aim to"
        r"|expect to|want to (?!be |rent|pay|see)|start|launch|ship|release|migrate|deploy"
        r"|move|switch|leave|fly|go)\b",
        sure=0.82,
        tells="plan",
        needs_when=True,
    ),
    rule(
        "event",
        EPISODIC,
        PAST_EVENT.replace("?", "").replace("[sz]", "s"),
        rf"(?:{WHO}|\bmy (?:[\w-]+ ){{1,3}}?|\bour (?:[\w-]+ ){{1,3}}?|\bthe (?:[\w-]+ "
        rf"){{1,4}}?)(?: {ADV}| ?){ADV}(?:{PAST_EVENT}|died|\w{{3,}}ed)\b",
        sure=0.85,
        tells="past",
        needs_when=True,
    ),
    rule(
        "event_without_subject",
        EPISODIC,
        PAST_EVENT.replace("?", "").replace("[sz]", "s"),
        rf"^(?:just |finally |recently |also )*+(?:{PAST_EVENT}|dyed)\b (?:my|our|a|an|the|to"
        r"|some|up|back|with|in|out|on|married|into)\b",
        sure=0.78,
        tells="past",
        needs_when=True,
    ),
    rule(
        "event_undated",
        EPISODIC,
        PAST_EVENT.replace("?", "").replace("[sz]", "s"),
        r"^(?:so |and |then |later |after that,? |afterwards,? |lately,? |when .{1,40}, )*+"
        rf"(?:my [\w-]+ and i|i|we) {ADV}(?:have )?{ADV}(?:(?!(?:saw that|heard that|got "
        r"(?:it|you|that)|was|were|did|decided|knew|had to|called|told you|noticed|tried "
        rf"to)\b)(?:{PAST_EVENT}|[a-z]{{3,}}ed))\b(?! (?:it|that|you|your|this|what)\b) \w+",
        sure=0.7,
        needs_score=True,
        tells="past",
    ),
    rule(
        "life_event",
        EPISODIC,
        "got married adopted graduated retired hired fired promoted laid engaged divorced "
        "bought sold won lost joined moved quit born died passed broke diagnosed accepted "
        "pregnant started finished launched shipped finally completed became signed",
        rf"{WHO} {ADV}(?:have |had )?{ADV}(?:got (?:married|engaged|divorced|promoted|hired"
        r"|fired|laid off|accepted|a new|my|into|back|a job|an? \w+)|gotten (?:married"
        r"|engaged)|adopted|graduated|retired|bought|sold|won|lost|joined|quit|broke|was "
        r"diagnosed|were diagnosed|was promoted|was accepted|started|finished|launched"
        r"|shipped|completed|became|signed up|had (?:a|an|my|our) \w+)\b|\b(?:my|our) "
        r"(?:[\w-]+ ){1,3}(?:died|passed away|was born|were born|got \w+|graduated|moved"
        r"|retired)\b",
        sure=0.75,
        needs_score=True,
        tells="past",
    ),
    rule(
        "just_did",
        EPISODIC,
        "just recently finally",
        rf"{WHO} (?:have |had )?(?:just|recently|finally) (?:have )?(?:{PAST_EVENT}|been"
        r"|\w{3,}ed)\b(?! (?:to (?:know|see|check|ask|make)|you|wondering)\b)",
        sure=0.75,
        tells="past",
        needs_score=True,
    ),
    rule(
        "for_now",
        CONTEXT,
        "now moment currently week today tonight weekend afternoon morning evening days "
        "present temporarily",
        rf"(?:{WHO} (?:am|are|have|feel|need to stay|can not)|\b(?:the|our|my) (?:[\w-]+ "
        r"){1,3}?(?:is|are|has|have))\b",
        sure=0.8,
        needs_when=False,
        tells="now",
    ),
    rule(
        "goal",
        FACT,
        "goal dream plan plans ambition aim want hope intend planning aspire hoping thinking "
        "saving training",
        r"\b(?:my|our) (?:\w+ ){0,3}(?:goal|dream|plan|plans|ambition|aim|mission)s? (?:is"
        rf"|are|for|was)\b|{WHO} (?:am |are )?{ADV}(?:plan|planning|hope|hoping|intend"
        r"|intending|aspire|aspiring|dream|saving(?: up)?|training|aim|aiming|thinking of"
        rf"|thinking about|considering) (?:to|on|for|of|about|\w+ing)\b|{WHO} {ADV}want to "
        r"(?:become|learn|be|run|lose|retire|start|quit|stop|own|pursue|raise|live|travel"
        r"|visit|improve|get better|work|switch|study|adopt|grow)\b",
        sure=0.78,
        needs_score=True,
        tells="plan",
    ),
)
