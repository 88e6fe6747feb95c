"""What the person has and does: kin, pets, things, habits, trades."""

from __future__ import annotations

from typing import Final

from cognid_daemon.intake.fact_rule import EPISODIC, FACT, rule
from cognid_daemon.intake.fact_words import ADV, KIN, OWN, WHO

LIFE: Final = (
    rule(
        "appointment",
        EPISODIC,
        "birthday anniversary appointment meeting exam interview flight surgery trip wedding "
        "party concert conference vacation holiday checkup game race marathon recital class "
        "reservation call date deadline operation presentation funeral viva audition hearing "
        "move",
        rf"(?:{WHO} {ADV}have|\bmy|\bour|\bthere is|\bthe)\b (?:[\w'-]+ ){{0,4}}?"
        r"(?:appointment|meeting|exam|interview|flight|surgery|trip|wedding|party|concert"
        r"|conference|vacation|holiday|check-?up|game|race|marathon|recital|class|reservation"
        r"|call|operation|presentation|funeral|viva|audition|hearing|move)\b|\bit is (?:my"
        r"|our) (?:[\w'-]+ ){0,3}?(?:birthday|anniversary)\b",
        sure=0.85,
        tells="plan",
        needs_when=True,
    ),
    rule(
        "kin",
        FACT,
        KIN.replace(" pig", "") + " " + KIN.replace(" pig", "").replace("|", "'s ") + "'s",
        rf"\b(?:my|our) (?:[\w-]+ ){{0,3}}?(?:{KIN})(?:'s (?:allergic|afraid|a|an|in|at|from"
        r"|on|always|never|also|\w+ing|birthday|name|favou?rite)\b|(?:'s?)?\b(?! (?:and i "
        r"|wants? (?:to know|you|me to know)|asked|asks|needs? (?:to know|you|a "
        r"reservation)))(?:[ ,].{0,60}?)?\b(?:is|are|was|were|has|have|had|works?|lives?"
        r"|loves?|likes?|hates?|turned|turns|goes|go|just|plays?|speaks?|does|do|can|died"
        r"|passed|got|gets|runs?|owns?|eats?|drinks?|needs?|thinks?|wants?|keeps?|moved"
        r"|studies|teaches|prefers?|calls?|came|comes|visits?|told|gave|helps?|used|starts?"
        r"|started|will|would|always|never|bought|made|knows?|named|taught|suffers?|snores"
        r"|barks|sleeps|enjoys?|handles|leads|sits|uses|consists|spans|meets|\w+ed|\w+es)\b)"
        rf"|\b(?:is|was|are) (?:also )?(?:my|our) (?:[\w-]+ ){{0,2}}(?:{KIN})\b",
        sure=0.88,
        tells="past_state",
    ),
    rule(
        "of_somebody",
        FACT,
        "he she they",
        rf"^(?:he|she|they) {ADV}(?:(?:is|are|was|were) (?:{ADV})(?:allergic|a|an|\d+|married"
        r"|pregnant|afraid|called|named|from|in|at|on|retired|divorced|vegan|vegetarian)\b|"
        r"(?:works?|lives?|loves?|likes?|hates?|plays?|speaks?|studies|study|teach(?:es)?"
        r"|owns?|moved|turned|suffers?|eats?|drinks?|prefers?|goes to|has|have|had|died"
        r"|passed away|collects?|drives?|used to) \w)",
        sure=0.8,
        tells="past_state",
    ),
    rule(
        "have_kin",
        FACT,
        "have has got had raising own expecting adopted",
        rf"{WHO} (?:{ADV}(?:have|had|have got|got|own|adopted|keep|am raising|are raising|am "
        rf"expecting|are expecting|have adopted|rescued)) {ADV}(?:a|an|one|two|three|four"
        rf"|five|six|no|some|several|twin|many|my|our|\d+)\b (?:[\w'-]+ ){{0,4}}?(?:{KIN})\b"
        rf"|{WHO} (?:have|own|got|adopted) (?:a|an|two|three|our|my) [^,.]{{1,40}} (?:called"
        r"|named) \w",
        sure=0.92,
        tells="past_state",
    ),
    rule(
        "own",
        FACT,
        OWN.replace("?", ""),
        rf"\b(?:my|our) (?:(?!favou?rite)[\w'-]+ ){{0,3}}?(?:{OWN})(?:'s)? (?:(?:of|in|at|for"
        r"|with|on|number|code) (?:[\w']+ ){1,4})?(?:[\w-]+ ){0,2}?(?:is|are|was|were|has"
        r"|have|had|requires?|means|starts?|lasts?|involves?|consists?|sells?|runs?|makes?"
        r"|needs?|will be|uses?|focuses|became|got|turned|takes?|includes?)\b",
        sure=0.8,
        needs_score=True,
        tells="past_state",
    ),
    rule(
        "have",
        FACT,
        "have has own lack",
        rf"{WHO} {ADV}(?:do not have|have no|have got|have|own|lack) {ADV}(?:a|an|any|two"
        r"|three|four|five|several|many)\b (?!(?:\w+ )?(?:question|problem|issue|feeling|look"
        r"|doubt|idea|suggestion|request|favor|favour|bug|error|great|good|nice|lot|bit|few"
        r"|plan|chance|moment|minute|reservation|meeting|point|blast|hard|guess|bunch|typo"
        r"|similar)s?\b)[\w'-]{2,}",
        sure=0.72,
        needs_score=True,
    ),
    rule(
        "about_to",
        EPISODIC,
        "about soon",
        rf"{WHO} (?:am|are) about to (?:start|begin|move|become|graduate|retire|finish|launch"
        r"|open|marry|buy|sell|leave|quit|release|ship|have)\b",
        sure=0.75,
        tells="plan",
    ),
    rule(
        "drive_own",
        FACT,
        "drive own ride wear play practice practise coach collect sing paint draw knit "
        "garden cook bake swim run cycle hike climb surf ski dance meditate lift train fish "
        "hunt sew write blog stream speak keep grow brew photograph commute carry attend "
        "take shop use watch read listen work walk jog journal cut smoke",
        rf"{WHO} {ADV}(?:do not |do )?{ADV}(?:drive|own|ride|wear|play|practi[sc]e|coach"
        r"|collect|sing|paint|draw|knit|cook|bake|swim|cycle|hike|climb|surf|ski|dance"
        r"|meditate|lift|fish|hunt|sew|blog|brew|attend|grow|keep|carry|jog|journal|smoke"
        r"|write|run \w+ (?:k|km|miles|kilomet)|take (?:\w+ ){0,2}(?:medication|pills|insulin"
        r"|classes|lessons)|have (?:a|an) (?:\w+ ){0,2}(?:car|bike|house|garden|business"
        r"|degree|phd|license|tattoo|boat|job|shop|company|blog|podcast|band|motorcycle"
        r"|allotment|farm|subscription|membership|mac|macbook|iphone|android|scar|condition"
        r"|twin))\b(?! (?:you|this|that|it|my .{0,20} please)\b)",
        sure=0.82,
    ),
    rule(
        "habit",
        FACT,
        "usually every normally typically mornings weekends mondays tuesdays wednesdays "
        "thursdays fridays saturdays sundays twice daily weekly once often always never "
        "rarely seldom mostly",
        rf"{WHO} (?!need|want|would|am trying|have to)(?:{ADV})(?:[\w'-]+ ){{0,12}}?(?:every "
        r"(?:other )?(?:day|morning|night|evening|week|weekend|month|year|summer|winter"
        r"|monday|tuesday|wednesday|thursday|friday|saturday|sunday|single)|(?:once|twice"
        r"|three times|several times) (?:a|per) \w+|(?:on|at) (?:weekends|mornings|mondays"
        r"|tuesdays|wednesdays|thursdays|fridays|saturdays|sundays)|daily|weekly|before "
        rf"(?:breakfast|bed|work)|in the mornings?)\b|{WHO} (?:usually|normally|typically"
        r"|generally|mostly|rarely|seldom|never|always|often)\b",
        sure=0.83,
    ),
    rule(
        "profession",
        FACT,
        "i'm am a an the",
        r"\bi am (?:also |now |currently |actually |just )*+(?:a|an|the) (?!bit\b|little\b"
        r"|lot\b|fan\b|huge fan|mess\b|idiot\b|bad\b|few\b|big fan)(?:[\w'’/-]+ "
        r"){0,5}?[\w'’-]*(?:er|or|ist|ian|nt|rse|eer|ive|her|eur|ect|ect|yst|ic|ef|ary|al|man"
        r"|woman|person|mom|dad|mum|mother|father|nurse|cook|chef|pilot|coach|judge|guide"
        r"|baker|student|owner|parent|engineer|native|immigrant|expat|citizen|freelancer"
        r"|beginner|resident|vet|lead|phd|cto|ceo|cfo|coo|vp|pm|owl|bird|eldest|youngest"
        r"|oldest|only child|undergrad|sophomore|freshman|widow|twin|introvert|extrovert|nerd"
        r"|monk|nun|priest|pastor|midwife|clerk|novice|survivor|diabetic|veteran|adult|minor"
        r"|teen|teenager)\b",
        sure=0.88,
    ),
    rule(
        "named_self",
        FACT,
        "i am",
        r"\bI(?:['’]m| am) [A-Z][a-z]{2,}(?![\w'’])(?! I\b)",
        sure=0.9,
        is_cased=True,
    ),
)
