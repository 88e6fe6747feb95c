"""Who the person is: name, body, home, work, family state, languages."""

from __future__ import annotations

from typing import Final

from cognid_daemon.intake.fact_rule import FACT, rule
from cognid_daemon.intake.fact_words import ADV, AM, DIET, HEALTH, WHO

PERSON: Final = (
    rule(
        "name",
        FACT,
        "name i am named called",
        r"\bmy (?:full |first |last |middle |real |sur|nick|family |maiden |stage )?name(?: "
        r"is|'s)\b(?! what)|\bi (?:go by|am called|am named)\b",
        sure=0.98,
    ),
    rule(
        "diet",
        FACT,
        "vegetarians vegans dairy gluten nuts sugar milk eggs seafood shellfish wheat soy "
        "peanuts eat drink vegetarian vegan pescatarian halal kosher keto paleo sober "
        "alcohol meat gluten-free plant-based dairy-free low-carb caffeine pork fasting",
        rf"{WHO} .{{0,40}}?\b(?:{DIET})\b|{WHO} {ADV}(?:do not |can not |stopped |quit |gave "
        rf"up |no longer |will not |follow a? ?|am on a ){ADV}(?:eat|eating|drink|drinking)\b"
        rf"|{WHO} (?:can not|do not|should not|may not) (?:have|handle|tolerate|digest) "
        r"(?:any )?(?:dairy|gluten|nuts|sugar|meat|pork|alcohol|caffeine|milk|eggs|seafood"
        rf"|shellfish|wheat|soy|fish|spicy|coffee|peanuts)\b|{WHO} (?:never|rarely|only|do "
        r"not|no longer) (?:eat|drink)\b",
        sure=0.95,
    ),
    rule(
        "health",
        FACT,
        "i my we am have has suffer wear diagnosed takes take allergic",
        rf"(?:{WHO}|\bmy \w+(?: \w+)?|\bhe|\bshe) (?!would|need|want|wonder)(?:[\w'-]+ "
        rf"){{0,7}}?(?:{HEALTH})\b",
        sure=0.93,
    ),
    rule(
        "origin_home",
        FACT,
        "live lives living reside moved grew born come from based native originally resident "
        "stay grow raised settled relocated hometown",
        rf"{WHO} {ADV}(?:have )?{ADV}(?:lived?|reside|grew up|was born|were born|come from"
        r"|am from|are from|am based|are based|am originally|am a native|(?:am|are|have "
        r"been) living|was raised|were raised|relocated|settled|moved (?:to|from|here|back|in"
        r"|into|out)|stay in|split my time)\b",
        sure=0.93,
    ),
    rule(
        "work",
        FACT,
        "work works working worked study studying teach teaching run own manage lead "
        "maintain commute volunteer major coach founded employed freelance intern job "
        "occupation profession started studied serve",
        rf"{WHO} {ADV}(?:have )?{ADV}(?:worked? (?:as|at|for|in|on|with|from|night|part|full"
        rf"|remote|the|mostly|\d|shifts)|(?:am|are|have been) {ADV}(?:working (?:as|at|for|in"
        r"|on|with|full|part|remotely)|studying|teaching|building|developing|employed"
        r"|majoring|an intern|interning|training to|self-employed|freelancing)|study|teach|"
        r"(?:run|own|manage|lead|co-own|founded|co-founded|maintain|started|operate) (?:a|an"
        r"|the|my|our|two|three|several|\d+)\b|commute|volunteer|major in|studied|coach"
        r"|freelance|intern at|serve (?:as|on))",
        sure=0.9,
    ),
    rule(
        "project_work",
        FACT,
        "building developing working creating designing writing implementing making "
        "maintaining prototyping porting migrating rewriting learning trying planning "
        "setting optimizing integrating",
        rf"{WHO} (?:am|are|have been|was|were) {ADV}(?:(?:trying|planning|working|going) to "
        r"(?:build|develop|create|implement|finali[sz]e|improve|optimi[sz]e|integrate|migrate"
        r"|deploy|refactor|add|set up|write|design|finish|complete|launch|publish|test|fix"
        r"|reduce|increase|connect|organi[sz]e|learn|prepare|plan out|master)|building"
        r"|develop|developing|creating|create|designing|writing|implementing|implement|making"
        r"|maintaining|prototyping|porting|rewriting|working on|learning|initiali[sz]ing"
        r"|migrating|setting up|optimi[sz]ing|integrating)\b",
        sure=0.8,
    ),
    rule(
        "age_family_state",
        FACT,
        "am i'm old married single divorced engaged widowed retired pregnant years turned "
        "turning are twins left-handed right-handed introvert bilingual muslim christian "
        "jewish hindu buddhist atheist catholic",
        rf"(?:{AM}|\bi turned |\bi am turning )(?:\d{{1,2}}\b(?!\s?%|:| (?:min|percent|hours"
        r"|days|weeks|minutes|dollars|percent))|in my (?:early |mid |late |mid-)?(?:\w+ies"
        r"|teens)\b|married|single\b|divorced|engaged|widowed|retired|pregnant|expecting"
        r"|left-handed|right-handed|bilingual|trilingual|muslim|christian|jewish|hindu"
        r"|buddhist|catholic|atheist|gay|lesbian|bisexual|trans\b|transgender|non-binary"
        r"|nonbinary|fluent|native|self-taught|unemployed|allergic)",
        sure=0.93,
    ),
    rule(
        "used_to",
        FACT,
        "used quit stopped gave longer anymore started",
        rf"{WHO} (?:used to|no longer|{ADV}(?:have )?(?:quit|stopped|gave up|given up|started"
        r"|begun|began|took up|taken up) (?:\w+ing|\w+)\b)(?! (?:working|responding)$)",
        sure=0.85,
    ),
    rule(
        "language",
        FACT,
        "speak speaks speaking language languages fluent understand learning tongue",
        rf"{WHO} {ADV}(?:speak|am fluent|am learning|can speak|do not speak|grew up "
        r"speaking)\b|\bmy (?:native|first|mother|second) (?:language|tongue)\b",
        sure=0.93,
    ),
)
