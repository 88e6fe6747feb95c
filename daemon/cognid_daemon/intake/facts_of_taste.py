"""What the person likes, avoids, prefers."""

from __future__ import annotations

from typing import Final

from cognid_daemon.intake.fact_rule import FACT, PREFERENCE, rule
from cognid_daemon.intake.fact_words import ADV, AM, DO, WHO

TASTE: Final = (
    rule(
        "favourite",
        PREFERENCE,
        "favorite favourite favorites favourites fave go-to preferred least-favorite "
        "preference preferences",
        r"\bmy (?:\w+ ){0,3}(?:favou?rites?|fave|go-to|preferred|preferences?)\b|\b(?:is"
        r"|are) my (?:\w+ ){0,3}(?:favou?rites?|fave|go-to|preferred)\b|\bfavou?rite \w+(?: "
        r"\w+)? (?:of mine|is)\b|\b(?:i|we) have (?:a |an |no )?(?:\w+ ){0,3}preferences?\b"
        r"|\bpreference (?:is|for)\b",
        sure=0.93,
    ),
    rule(
        "like",
        PREFERENCE,
        "like love adore enjoy hate dislike loathe detest prefer despise favor favour liked "
        "loved hated enjoyed preferred appreciate likes loves prefers hates enjoys disdain "
        "cherish",
        rf"(?:{DO}(?:like|love|adore|enjoy|hate|dislike|loathe|detest|prefer|despise|favou?r"
        r"|appreciate|disdain|cherish|liked|loved|hated|enjoyed|preferred|grown to love|come "
        r"to love|fall for)(?:d|ed)?)\b(?! (?:it(?! when)|that|this|your|you|how you|the idea"
        r"|these|those|them|him|her|for you|if you)\b)(?! to (?:know|book|order|see if|have "
        r"you|get|make|check|schedule|hear|find|transfer|ask|report|set|add|apply|change"
        r"|cancel|buy|rent|listen|pay|reserve))",
        sure=0.9,
    ),
    rule(
        "rather",
        PREFERENCE,
        "rather instead over",
        r"\b(?:i|we) would (?:much )?(?:rather|sooner)\b|\b\w+ over \w+(?: \w+)? (?:for me"
        r"|any day|every time)\b|\b(?:i|we) (?:always |usually |would |often )?(?:go for|opt "
        r"for|choose|pick|lean towards?|gravitate towards?|stick (?:to|with)|take)\b.{0,60}\b"
        r"(?:over|rather than|instead of|when possible|whenever)\b",
    ),
    rule(
        "taste",
        PREFERENCE,
        "fan into fond keen obsessed passionate crazy averse drawn comfortable interested "
        "uninterested disinterested advocate aversion interest fondness weakness sweet soft "
        "phobia scared afraid sick picky particular squeamish bothered committed opposed "
        "sensitive against uncomfortable hesitant wary skeptical loyal dislike disinterest "
        "tolerance patience desire enthusiast lover person buff nerd love fear passion "
        "hatred distaste appetite affinity penchant",
        rf"(?:{AM}(?:a |an |the )?(?:(?!going|here|trying|looking)[\w-]+ ){{0,3}}?(?:fan|into"
        r"|fond of|keen on|obsessed with|passionate about|crazy about|averse to|drawn to"
        r"|comfortable|interested|uninterested|disinterested|allergic|advocate|scared of"
        r"|afraid of|terrified of|sick of|tired of|picky|particular about|squeamish|bothered "
        r"by|committed to|opposed to|against|uncomfortable|hesitant|wary|skeptical|loyal to"
        rf"|person|enthusiast|lover|buff|nerd|junkie|addict|aficionado))\b|{WHO} {ADV}have "
        rf"{ADV}(?:a |an |no |little |zero |never had |had )*+(?:\w+ ){{0,3}}?(?:aversion"
        r"|interest|fondness|weakness|sweet tooth|soft spot|phobia|fear|passion|dislike"
        r"|distaste|hatred|love|tolerance|patience|desire|disinterest|preference|low "
        r"tolerance|thing|bias|affinity|penchant|appetite)\b",
        sure=0.88,
    ),
    rule(
        "avoid",
        PREFERENCE,
        "avoid refuse steer stay shy stand bear tolerate trust care value prioritize "
        "prioritise believe find mind need want gravitate seek insist boycott abstain resist "
        "skip cope handle struggle opt choose",
        rf"{DO}(?:avoid|refuse|steer clear|stay away|shy away|stand\b|bear\b|tolerate|trust"
        r"|care (?:for|about|much)|value|prioriti[sz]e|believe in|gravitate|insist on|boycott"
        r"|abstain|stick to|seek out|look for|cope with|struggle with|opt for|lean|find "
        r".{1,60} (?:boring|annoying|tedious|overwhelming|relaxing|fascinating|ineffective"
        r"|distracting|uncomfortable|helpful|difficult|hard|stressful|exhausting|dull"
        r"|unappealing|better|best|more|too|very|off-putting|enjoyable|frustrating|comforting"
        r"|overrated|unsettling|disturbing|important|essential|useful|repetitive|engaging"
        r"|motivating))",
        sure=0.87,
    ),
    rule(
        "only",
        PREFERENCE,
        "only exclusively strictly solely purely not never",
        rf"{WHO} (?:only|exclusively|strictly|solely|purely|can only|will only|only ever) "
        rf"(?!need|want to know|have|wanted|meant|see|got|know)\w|{WHO} (?:do not|will not"
        r"|never|would never|can not) (?:watch|read|use|buy|wear|consume|listen to|play|book"
        r"|stay|shop|travel|fly|own|keep|accept|consider|support|purchase|feed|work with"
        r"|want to (?:use|buy|own|have|be|eat|watch|keep)|like)\b(?! (?:it|that|this|my"
        r"|your)\b)",
        sure=0.85,
    ),
    rule(
        "because_of",
        FACT,
        "due because sensitive skin condition objection belief beliefs religious reasons "
        "issues injury",
        r"\b(?:due to|because of) (?:my|a|an|severe|chronic|the|past|religious|ethical|health"
        rf"|medical) .{{0,80}}|{WHO} (?:am|have|suffer from) .{{0,30}}\b(?:sensitive"
        r"|objections?|condition|issues with|injury|disorder|syndrome|disease)\b",
        sure=0.8,
        needs_score=True,
    ),
    rule(
        "learn_best",
        PREFERENCE,
        "best better most well",
        rf"{WHO} {ADV}(?:learn|work|sleep|think|focus|study|concentrate|feel|relax|function"
        r"|do) (?:\w+ )?(?:best|better|most)\b",
        sure=0.88,
    ),
    rule(
        "not_for_me",
        PREFERENCE,
        "thing cup works suits bores annoys drives makes helps bothers stresses scares "
        "relaxes turns appeal appeals me",
        r"\b(?:not (?:really )?my (?:thing|cup of tea|style|jam)|(?:is|are) my (?:thing|jam"
        r"|happy place)|(?:bores?|annoys?|bothers?|stress(?:es)?|scares?|relax(?:es)?|suits?"
        r"|calms?|fascinates?|excites?) me\b|drives? me (?:crazy|mad|nuts)|makes? me (?:sick"
        r"|anxious|happy|nervous|nauseous|sleepy|uncomfortable|dizzy|feel)|(?:does not|do not"
        r"|did not) (?:appeal to|work for|suit|interest|agree with|sit well with) me|works? "
        r"best for me|appeals? to me|turns? me off)",
        sure=0.85,
    ),
)
