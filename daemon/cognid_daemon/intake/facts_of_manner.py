"""How a person wants to be spoken to, and how work is done in their project."""

from __future__ import annotations

from typing import Final

from cognid_daemon.intake.fact_rule import PREFERENCE, PROCEDURAL, rule
from cognid_daemon.intake.fact_words import ADV

MANNER: Final = (
    rule(
        "call_me",
        PREFERENCE,
        "me",
        r"^(?:please |you can |just )*+(?:do not )?(?:call|address) me \w|\b(?:friends|people"
        r"|everyone|everybody) (?:just |all )?calls? me\b",
        sure=0.95,
    ),
    rule(
        "manner",
        PREFERENCE,
        "answer answers reply replies respond responses emojis emoji explain tone "
        "explanations bullet bullets celsius fahrenheit metric units language markdown "
        "examples speak talk suggestions recommend recommendations jargon sentences summaries",
        r"^(?:please |from now on,? |going forward,? |in (?:the )?future,? |always |never "
        r"|do not |ever |you should |you can |for future reference,? |avoid |stop )*+"
        r"(?:answer|reply|respond|give|use|using|write|keep|keeping|speak|talk|format|explain"
        r"|include|end|begin|start|add|send|skip|be|put|show|structure|phrase|suggest"
        r"|recommend|make|limit|stick|leave|provide|quote|cite|stay|let|having"
        r"|offer)\b.{0,120}?\b(?:answers?|repl(?:y|ies)|responses?|emojis?|me|tone"
        r"|explanations?|examples?|sentences?|bullets?|bullet points?|celsius|fahrenheit"
        r"|metric|units?|jargon|markdown|summaries|in \w+)\b|\byour (?:answers|replies"
        r"|responses|explanations|tone|messages)\b",
        sure=0.9,
    ),
    rule(
        "standing",
        PREFERENCE,
        "always never",
        r"^(?:i (?:want|would like|need|expect|prefer) you to|you (?:should|must|can|may"
        r"|need to|have to|are to)|(?:please )?(?:always|never)) (?:please )?(?:always "
        r"|never )?(?:answer|reply|respond|use|write|give|suggest|recommend|show|ask|explain"
        r"|include|call|speak|mention|assume|offer|translate|start|end|add|keep|make|remind"
        r"|tell|cite|quote|send|put|check|propose)\b",
        sure=0.88,
    ),
    rule(
        "brief",
        PREFERENCE,
        "answers answer replies explanations please talk emojis jargon fluff",
        r"\b(?:short|long|brief|detailed|concise|plain|simple) (?:answers|replies"
        r"|explanations|responses)\b.{0,40}\b(?:fine|enough|please|better|best|for me|ok)\b"
        r"|^no (?:\w+ ){1,3}please\b",
        sure=0.8,
    ),
    rule(
        "rule_of_work",
        PROCEDURAL,
        "always never every each all any before after convention conventions commit commits "
        "branch branches tests merge merging squash deploy release tag rebase review lint "
        "linter tabs spaces naming docstring format only whenever when",
        rf"\bwe {ADV}(?:squash|rebase|merge|deploy|release|tag|review|name|format|lint|commit"
        r"|branch|write tests|test|document|pair|log|store|keep|require|follow|bump|pin"
        r"|version|cut|ship|run|prefix|sign|track|publish|back up|roll out|roll back|hold"
        r"|meet|close|label|estimate|demo)\b|^(?:from now on,? |please |going forward,? )*+"
        r"(?:always|never|do not ever) (?!mind|was|were|been|good|nice|fun|great|happy|glad"
        r"|there|here|a |an |the |give up|knew|thought|stop |again|ever|too|in |on )\w+ \w+ "
        r"?\w|^(?:every|each|all|any|no) (?:\w+ ){1,4}(?:needs?|must|should|goes|go|gets?"
        r"|has to|have to|requires?|starts?|ends?)\b|^(?:from now on|going forward),? (?:all"
        r"|every|each|we|no|new)\b|^(?:branch|commit|branches|commits|tests?|migrations?"
        r"|files?|functions?|classes|variables|tickets?|pull requests?|prs?|docs|feature "
        r"branches|test files|commit messages|branch names|file names|table names)\b(?: "
        r"\w+){0,3} (?:starts?|ends?|begins?|lives?|goes|go|use|uses|follow|follows|are named"
        r"|must|should|need|are written|belong|are|is)\b|\b(?:naming|coding|commit|branch) "
        r"convention\b|\bthe convention is\b|\bin this (?:repo|project|codebase"
        r"|repository),? (?:we|all|every|use|the|always|never)\b|^(?:to|when|before|after"
        r"|whenever) (?:you |we )?(?:releas|deploy|merg|push|commit|build|roll|publish|test"
        r"|ship|migrat|chang|open|clos|add)\w{0,4}\b.{0,80},? (?:we|you|run|always|never|make"
        r"|tag|use|first|bump|check)\b",
        sure=0.85,
    ),
)
