"""What was decided in a project, who does what, what must and must not be; and its shape."""

from __future__ import annotations

from typing import Final

from cognid_daemon.intake.fact_rule import EPISODIC, FACT, PROCEDURAL, rule
from cognid_daemon.intake.fact_words import ADV, PROJECT_NOUN, SUBJECT, THE, WHO

PROJECT: Final = (
    rule(
        "decision",
        FACT,
        "postponed rescheduled extended got outsourced hired removed moved decided decide "
        "chose agreed settled opted picked switched standardized standardised dropped "
        "adopted went deprecated replaced migrated selected ditched decision chosen "
        "committed abandoned rejected",
        rf"(?:{WHO}|\bthe team|\bteam|\bthey|\bmanagement|\bthe client|\beveryone) {ADV}"
        rf"(?:have |has )?{ADV}(?:decided|chose|chosen|agreed|settled|opted|switched"
        r"|standardi[sz]ed|migrated|went with|gone with)|(?:\bwe|\bthe team|\bthe client) "
        rf"{ADV}(?:have |has )?{ADV}(?:postponed|rescheduled|extended|got rid of|outsourced"
        r"|hired|removed|moved (?:the|our|to)|picked|dropped|deprecated|replaced|selected"
        r"|ditched|committed|abandoned|rejected|adopted (?!a |an |two |three ))|^decision\b"
        r"|\b(?:the|our|final) decision (?:is|was|:)|\b(?:is|are|was|were) (?:deprecated"
        r"|replaced)\b|\bit (?:was|has been) (?:decided|agreed)\b",
        tells="decision",
    ),
    rule(
        "use",
        FACT,
        "use uses using run runs rely depend target support adopt",
        r"\b(?:we|our \w+|this (?:project|repo|codebase|team|app)|the (?:\w+ ){0,2}"
        rf"(?:{PROJECT_NOUN})) {ADV}(?:use|uses|are using|is using|run on|runs on|run our"
        r"|rely on|relies on|depends? on|targets?|supports?|are on)\b",
        sure=0.85,
    ),
    rule(
        "port",
        FACT,
        "port ports",
        r"\b(?:listens?|runs?|running|serves?|served|is|are|exposed|bound|binds|on|uses?"
        r"|available|reachable|moved|default)\b.{0,60}\bports? \d{2,5}\b",
        sure=0.95,
    ),
    rule(
        "deadline",
        FACT,
        "deadline due milestone launch release ships ship cutoff go-live freeze releases "
        "launches expires",
        r"(?:\b(?:the|our|my) (?:[\w-]+ ){0,2})?\b(?:deadline|due date|milestone|launch date"
        r"|release date|go-live|cutoff|feature freeze|code freeze|target date)\b.{0,80}\b"
        r"(?:is|are|was|has|moved|on|by|falls)\b|\b(?:is|are) due\b|\b(?:version|release"
        r"|v\d[\w.]*|beta|alpha|app|product|mvp|update|contract|license|certificate|feature) "
        r".{0,40}?(?:ships?|launch(?:es)?|releases?|goes live|is released|is planned|is "
        r"scheduled|expires)\b",
        tells="deadline",
    ),
    rule(
        "away",
        FACT,
        "leave vacation holiday sabbatical team",
        r"^(?!i |we |he |she |they |it )[\w.'-]{2,20} (?:is|are|will be) (?:on|in|away|out "
        r"of) (?:\w+ )?(?:parental leave|maternity leave|paternity leave|sick leave|leave"
        r"|vacation|holiday|sabbatical|office|team)\b",
        sure=0.8,
    ),
    rule(
        "somebody_will",
        EPISODIC,
        "will",
        r"^(?!i |we |you |he |she |it |they |that |this |there )(?:the |our |my )?[\w'-]+(?: "
        r"[\w'-]+)? will (?:take over|join|leave|start|lead|move|review|handle|present|visit"
        r"|return|replace|launch|ship|close|open|retire|release|be)\b",
        sure=0.78,
        tells="plan",
        needs_when=True,
    ),
    rule(
        "wants",
        FACT,
        "wants want needs need expects expect insists requires asked",
        r"\b(?:the|our|my) (?:\w+ )?(?:client|customer|customers|boss|ceo|cto|team"
        r"|stakeholders?|users|manager|management|product owner|sponsor|company)(?:'s)? "
        rf"{ADV}(?:wants?|needs?|expects?|insists?|requires?|asked (?:for|us)|prefers?)\b(?! "
        r"to know)",
        sure=0.8,
    ),
    rule(
        "owner",
        FACT,
        "reviews approves runs looks supervises coordinates owns own owner maintains "
        "maintainer responsible charge leads lead handles manages reviewer contact does",
        r"\b(?:owns|maintains|is (?:\w+ ){0,2}responsible for|is in charge of|are "
        r"responsible for|leads|takes care of|oversees)\b|^(?!i |we |you |he |she |it "
        r")[\w'-]+ (?:reviews|approves|runs|handles|looks after|supervises|coordinates) "
        r"(?:the|all|our|every)\b|\b(?:product owner|tech lead|team lead|maintainer|reviewer"
        r"|point of contact|project manager|scrum master|stakeholder|ceo|cto|main contact"
        r"|lead (?:developer|engineer|designer))\b.{0,40}\b(?:is|are|was)\b|\bis (?:the|our"
        r"|my) (?:\w+ ){0,3}(?:product owner|lead|maintainer|reviewer|contact|manager|ceo|cto"
        r"|boss|designer|developer|engineer|architect|pm|stakeholder|supervisor|advisor)\b",
    ),
    rule(
        "constraint",
        FACT,
        "nobody one must can not cannot may only never limit exceed allowed forbidden "
        "required minimum maximum least most requirement required supported needs has have",
        rf"{THE}.{{0,80}}?\b(?:must|must not|may not|may only|can not|cannot|can only|should "
        r"never|should not|needs? to|has to|have to|(?:is|are) (?:not )?(?:allowed|required"
        r"|forbidden|limited|restricted|supported)|does not support|at most|at least|no more "
        r"than|limit(?:ed)?)\b|\b(?:must|may) (?:not|never|only|always|stay|remain|exceed"
        r"|leave)\b|\b(?:minimum|maximum|min|max) (?:\w+ ){1,4}(?:is|are)\b|^(?:nobody|no one"
        r"|only [\w ]{1,30}?) (?:may|can|must|should|is allowed|are allowed)\b|\bwe (?:can "
        r"not (?!wait|believe)|may not|must not|must never|are not allowed|can only|must "
        r"(?:use|support|keep|stay|ship|comply))\b|\b(?:is|are) (?:strictly )?(?:forbidden"
        r"|prohibited|off limits|not allowed|mandatory|out of scope)\b",
        sure=0.8,
    ),
    rule(
        "plural",
        FACT,
        "all logs secrets keys backups deploys deployments uploads fixes dates ids images "
        "errors times endpoints timestamps tokens sessions tables services requests "
        "responses passwords credentials releases builds documents files prices amounts "
        "events messages users customers invoices reports tickets meetings stand-ups standups",
        r"^(?:all |every |each |our |no |production |user |api |bug |customer |build |the )*+"
        r"(?:logs|secrets|keys|backups|deploys|deployments|uploads|fixes|dates|ids|images"
        r"|errors|times|endpoints?|timestamps|tokens|sessions|tables|services?|requests"
        r"|responses|passwords|credentials|releases|builds|documents|files|prices|amounts"
        r"|events|messages|users|customers|invoices|reports|tickets|meetings|stand-?ups|data"
        r"|traffic)\b(?: \w+)? (?:are|is|go|goes|live|lives|need|needs|get|gets|return"
        r"|returns|use|uses|run|runs|have|has|take|takes|happen|happens|end|start|stay|stays"
        r"|expire|expires|belong|land|carry|come)\b(?! (?:broken|down|failing|slow|too|wrong"
        r"|empty|missing))",
        sure=0.78,
        needs_score=True,
    ),
    rule(
        "measure",
        FACT,
        "codename slogan domain style target length size limit timeout budget interval "
        "frequency version name owner region window rate threshold quota velocity sla uptime "
        "password-policy capacity retention cadence",
        r"^(?:the |our |my )?(?:[\w-]+ ){0,3}(?:length|size|limit|timeout|budget|interval"
        r"|frequency|version|region|window|rate|threshold|quota|velocity|sla|uptime|capacity"
        r"|retention|cadence|codename|slogan|domain|style|target|threshold)(?: (?:of|for|on"
        r"|in) (?:the |our |an? )?(?:[\w-]+ ){0,2}?[\w-]+)? (?:is|are|was) (?!too|not|wrong"
        r"|the problem|what)",
        sure=0.8,
    ),
    rule(
        "do_not_in_project",
        PROCEDURAL,
        "not use put name prefix",
        r"^(?:please )?do not (?:ever )?(?:commit|push|merge|deploy|force|edit|touch|bypass"
        r"|hard-?code|log|store|check in|delete|break|skip|release|rename|squash)\b|^"
        r"(?:please )?(?:use|name|prefix|put|write|keep) [\w.-]+ (?:for|in|instead of|with) "
        r"(?!this|that|it\b|the (?:function|above|following|code|next|same)|me\b|my\b|today"
        r"|now)(?:\w+ ){0,2}\w+s\b",
        sure=0.72,
        needs_score=True,
    ),
)

SHAPE: Final = (
    rule(
        "made_of",
        FACT,
        "was were written built implemented hosted based deployed runs stored located lives "
        "live talks talk depends requires consists contains has have called named replaces "
        "shares serves sits handles uses supports is are exposes connects points stores "
        "reads writes sends receives returns starts expects belongs communicates",
        rf"{SUBJECT}(?:'s)?(?: [\w.'/-]{{1,30}}){{0,3}}? (?:{ADV})(?:(?:is|are|was|were) "
        rf"(?:{ADV})(?:\w{{3,}}ed (?:in|to|by|on|at|every|with|from|after|before|as)\b|"
        r"(?!it\b|working|broken|down|slow|failing|wrong|too|empty|missing|there|this|that"
        r"|same|weird|stuck|ok|fine|good|bad|great|nice|clear|right|up|done|cool|amazing"
        r"|awesome|really|so|very|what|why|how|interesting|large|small|big)[a-z][\w.+\#-]{2,}"
        r"(?: \d[\d.]*)?(?: and .{1,40})?[.!]?$|written|built|versioned|tracked|tested|signed"
        r"|run|planned|measured|paid|maintained|owned|implemented|hosted|based|deployed"
        r"|stored|located|called|named|generated|kept|found|at|in|on|under|behind|served"
        r"|licensed|backed|managed|handled|for|from|made|defined|configured|cached|encrypted"
        r"|shared|split|limited|capped|set|a|an|the|our|one|\d)|lives?|talks?|depends?"
        r"|requires?|consists?|contains?|replaces?|shares?|serves?|sits?|handles?|uses?"
        r"|supports?|exposes?|connects?|points?|stores?|reads?|writes?|sends?|receives?"
        r"|returns?|expects?|belongs?|communicates?|runs?|resides?|listens?|has|have"
        r"|starts?)\b",
        sure=0.78,
        needs_score=True,
    ),
    rule(
        "of_something",
        FACT,
        "it",
        rf"^it {ADV}(?:runs on|lives in|listens|uses|must|requires|depends|supports|consists"
        r"|talks to|stores|replaces|expires|(?:is|was) (?:written|built|hosted|stored|located"
        r"|called|deployed|owned|maintained|due|based|named)) \w",
        sure=0.8,
    ),
    rule(
        "place",
        FACT,
        "lives live is are stored located found kept sits resides hosted defined repo docs "
        "config logs at under in",
        r"\b(?:lives?|(?:is|are)(?: \w+)? (?:stored|located|found|kept|hosted|defined|at|in"
        r"|under)|sits?|resides?|(?:is|are) (?:at|in|under)) (?:in|at|under|on)? ?(?:the "
        r")?[`'\"]?(?:~|\.{0,2}/|[\w.-]{1,60}/|https?:|[\w-]{1,40}\.(?:py|md|toml|ya?ml|json"
        r"|com|org|net|io|dev|sh|ts|js|go|rs|cfg|ini|env)\b)",
        sure=0.93,
    ),
    rule(
        "version",
        FACT,
        "version versions python node java minimum supported requires",
        r"\b(?:version|python|node|java|ruby|php|postgres|go|rust|\.net|kernel|django|react"
        r"|angular|ubuntu|debian|android|ios|macos|windows)(?: version)? (?:is |are |>= ?"
        r"|v)?\d[\w.]{0,12}\b.{0,40}\b(?:required|minimum|supported|only|or (?:later|newer"
        r"|higher))\b|\b(?:minimum|supported|required|current|target) (?:\w+ "
        r"){0,3}versions?\b.{0,30}\d",
        sure=0.9,
    ),
    rule(
        "our",
        FACT,
        "our",
        rf"\bour (?:[\w'/-]{{1,30}} ){{1,4}}?(?:{ADV})(?:is|are|has|have|was|were|uses?|runs?"
        r"|needs?|must|should|expects?|lives?|contains?|serves?|covers?|costs?|pays?|wants?"
        r"|does not|do not|can not)\b",
        sure=0.8,
    ),
)
