"""Words that several English rules share: who speaks, how they qualify, kin, projects, events."""

from __future__ import annotations

from typing import Final

ADV: Final = (
    r"(?:(?:[a-z]{2,12}ly|also|just|always|still|now|very|quite|both|often|kind of|sort "
    r"of|not|never|more|much|even|seldom|sometimes|long|all|so|too|rather|already|no "
    r"longer|most of the time) ){0,4}"
)
WHO: Final = r"\b(?:i|we)"
AM: Final = rf"\b(?:i am|we are|i have been|we have been|i was|we were) {ADV}"
DO: Final = (
    rf"{WHO} {ADV}(?:do not |did not |does not |have |can |can not |will not |would "
    rf"|tend to |try to |am trying to |used to |have to |will |must )?{ADV}"
)
KIN: Final = (
    "wife|husband|partner|girlfriend|boyfriend|fiance|fiancee|fiancé|fiancée|spouse|ex"
    "|son|daughter|kid|kids|child|children|baby|twins|mother|mom|mum|father|dad|parents"
    "|parent|brother|brothers|sister|sisters|siblings|sibling|grandmother|grandma"
    "|grandfather|grandpa|grandparents|aunt|uncle|cousin|cousins|nephew|niece|in-laws"
    "|mother-in-law|father-in-law|sister-in-law|brother-in-law|stepson|stepdaughter"
    "|stepmother|stepfather|grandson|granddaughter|grandkids|family|friend|friends"
    "|roommate|flatmate|neighbor|neighbour|boss|manager|colleague|colleagues|coworker"
    "|teacher|mentor|therapist|doctor|dentist|team|teammate|assistant|dog|dogs|cat|cats"
    "|puppy|kitten|parrot|rabbit|hamster|horse|pet|pets|bird|fish|turtle|snake|tortoise"
    "|guinea pig|cow|goat|chickens|hens|goats"
)
OWN: Final = (
    "job|career|hobby|hobbies|company|business|employer|degree|major|thesis|house|home"
    "|apartment|flat|garden|car|bike|motorcycle|hometown|school|university|college|class"
    "|wedding|birthday|anniversary|surgery|diagnosis|goal|dream|ambition|aim|passion"
    "|blood type|shoe size|height|weight|age|zodiac|religion|faith|nationality|native"
    "|mother tongue|accent|diet|allergy|allergies|doctor|condition|eyesight|hearing|back"
    "|knee|heart|health|side project|startup|blog|band|church|salary|income|phone|laptop"
    "|computer|timezone|time zone|pronouns|handle|username|locker|desk|office|commute"
    "|routine|schedule|shift|shifts|style|skin|hair|size|nickname|upbringing|background"
    "|setup|workflow|team|books?|novel|art|music|shop|studio|store|practice|project|app"
    "|website|exam|interview|flight|trip|appointment|deadline"
)
PROJECT_NOUN: Final = (
    "project|product|repo|repository|codebase|code|app|application|api|service|server"
    "|backend|back end|frontend|front end|database|db|schema|site|website|platform|system"
    "|pipeline|ci|build|team|company|startup|client|customer|customers|budget|deadline"
    "|release|launch|milestone|beta|alpha|mvp|version|module|library|package|framework"
    "|stack|worker|queue|cache|gateway|proxy|cluster|bucket|staging|production|prod"
    "|dashboard|config|configuration|docs|documentation|tests|test suite|logs|data|model"
    "|models|script|scripts|tool|cli|sdk|plugin|bot|endpoint|endpoints|user|users|table"
    "|tables|migration|migrations|environment|env|container|image|domain|branch|branches"
    "|monorepo|importer|parser|ingest|auth|billing|search|layer|component|components"
    "|feature|sprint|roadmap|office|policy|standup|stand-up|machine|cloud|infrastructure"
    "|infra|architecture|interface|ui|design|designs|target|rollout|hosting|license"
    "|contract|protocol|format|encoder|daemon|integration|webhook|job|jobs|cron|report"
    "|reports|owner|lead|maintainer|secret|secrets|key|keys|backup|backups|file|files"
    "|folder|directory|firmware|device|devices|game|engine|compiler|runtime|prototype"
    "|device|kernel|driver|latency|response|responses|uploads?|requests?|sessions?"
    "|tokens?|timestamps?|dates|ids|names"
)
THE: Final = (
    r"\b(?:the|our|my|this|all|every|each|any|its|their|no) (?:[\w.'/-]{1,30} ){0,4}?"
    rf"(?:{PROJECT_NOUN})\b"
)
SUBJECT: Final = rf"(?:{THE}|^(?:[\w.-]{{1,30}} ){{0,2}}?(?:{PROJECT_NOUN})\b)"
PAST_EVENT: Final = (
    "went|moved|adopted|lost|bought|sold|won|finished|graduated|got|started|quit|left"
    "|joined|met|visited|travell?ed|flew|broke|had|gave|took|ran|completed|signed|passed"
    "|failed|received|began|saw|attended|celebrated|made|built|released|shipped|deployed"
    "|merged|launched|hired|fired|married|proposed|divorced|retired|published|performed"
    "|painted|wrote|learned|learnt|read|watched|hosted|organi[sz]ed|volunteered|donated"
    "|applied|hiked|injured|hurt|tore|sprained|fell|caught|found|decided|changed|switched"
    "|became|turned|spent|drove|came|returned|tried|baked|cooked|planted|set up|opened"
    "|closed|founded|created|discovered|explored|played|swam|cycled|camped|interviewed"
    "|presented|spoke|renewed|upgraded|migrated|fixed|added|removed|worked|enjoyed|helped"
    "|stayed|lived|studied|bought|booked|ordered|scored|recovered|crashed|rewrote"
    "|replaced|tested|landed|reached|stopped|did|was|were|had|saw|told|talked|called"
    "|earned|raised|invited|suffered|underwent|noticed|experienced|participated|competed"
    "|entered|posted|recorded|filmed|wrapped|picked|brought|took up|signed up|enrolled"
    "|registered|dropped|split|rolled|cut|pushed|tagged|reviewed|refactored"
)
ING: Final = (
    "going|planning|flying|moving|travell?ing|starting|getting|having|meeting|seeing"
    "|visiting|hosting|taking|attending|leaving|driving|heading|running|launching"
    "|shipping|releasing|migrating|presenting|speaking|performing|competing|working"
    "|hoping|thinking|looking forward|expecting|retiring|graduating|interviewing"
    "|switching|joining|opening|closing|renovating|saving|training|preparing|celebrating"
    "|marrying|adopting|applying|volunteering|organi[sz]ing|about"
)
HEALTH: Final = (
    r"allerg\w{1,6}|intoleran\w{2,4}|diabet\w{2,4}|asthma\w{0,4}|celiac|coeliac"
    r"|epilep\w{2,4}|migraines?|anxiety|depression|adhd|autis\w{1,3}|dyslexi\w|insomnia"
    r"|arthritis|eczema|psoriasis|ibs|hypertension|high blood pressure|low blood pressure"
    r"|cancer|pregnant|colou?r-?\s?blind|deaf|blind|disab\w{3,6}|wheelchair|insulin"
    r"|thyroid|anemia|anaemia|chronic|vertigo|tinnitus|sciatica|bipolar|ptsd|ocd|lactose"
    r"|gluten|medication|hearing aids?|glasses|contact lenses|pacemaker|prosthe\w{2,5}"
    r"|crohn'?s?|endometriosis|pcos|lupus|multiple sclerosis"
)
DIET: Final = (
    r"vegetarians?|vegans?|pescatarian|pescetarian|halal|kosher|keto|paleo|low-carb"
    r"|teetotal\w{0,4}|sober|flexitarian|plant-based|gluten-free|dairy-free|lactose-free"
    r"|fasting"
)
