"""Two hundred hand-labelled lines of our own: what a person might say, and what is worth keeping.

Written before the rules of extraction were tuned, and never read by scripts/train-facts. A line is
worth keeping where it says something of the speaker, the people round them or their project that
is still useful after the conversation (for `context`: some days after). Its kind is that of the one
fact in it; `none` where nothing should be promoted.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from cognid.protocol.values import Kind

_PERSONAL: Final = """
fact: My name is Priya Raman, but everybody says Pri.
fact: I'm a pediatric nurse at the county hospital.
fact: I live in Leeds with my partner and two cats.
fact: My daughter Nora turned six in April.
fact: I'm allergic to shellfish and penicillin.
fact: I have been vegetarian for eleven years.
fact: My birthday is on 3 October.
fact: I speak Polish at home and English at work.
fact: I've got type 1 diabetes.
fact: My husband works night shifts at the post office.
fact: We have a golden retriever called Biscuit.
fact: I grew up on a farm near Galway.
fact: I don't eat gluten because I have celiac disease.
fact: My mother-in-law lives next door to us.
fact: I used to be a paramedic before I became a teacher.
fact: i'm 34 and work as a freelance illustrator
fact: I am colour-blind, so red and green look the same to me.
fact: My sister's name is Odile and she lives in Lyon.
fact: I drive a 2014 Skoda Fabia.
fact: I study marine biology in Kiel.
fact: My doctor is Dr. Alvarez at the clinic on Mill Road.
fact: I have two kids, Tom and Ana.
fact: I wear hearing aids in both ears.
fact: I run five kilometres every morning before breakfast.
fact: I play the cello in an amateur orchestra.
fact: I never drink alcohol.
fact: I quit smoking in 2019.
fact: My wife is pregnant with our second child.
fact: Remember that my locker number is 214.
fact: We moved to Rotterdam last year, and I still commute to Delft.
preference: I prefer window seats on long flights.
preference: I really love slow-cooked stews in winter.
preference: I hate being called before nine.
preference: I can't stand cilantro.
preference: My favourite composer is Fauré.
preference: From now on, please answer me in short bullet points.
preference: Call me Max, not Maximilian.
preference: I'd rather take the train than fly.
preference: I am not a fan of horror films.
preference: Tea over coffee for me, always.
preference: I tend to avoid crowded beaches.
preference: I like my steak well done.
preference: Don't use emojis when you write to me.
preference: i dont like spicy food at all
preference: I enjoy hiking in the Dolomites more than beach holidays.
preference: I'm really into indie board games these days, worker placement most of all.
preference: Please always give temperatures in Celsius.
preference: I've never liked reality shows.
episodic: Yesterday I finished my first half marathon.
episodic: I'm flying to Osaka on 14 November.
episodic: We got married two weeks ago in a tiny chapel.
episodic: Last spring I broke my left wrist while skiing.
episodic: My interview at the museum is next Friday.
episodic: I adopted a cat named Juno last weekend.
episodic: We're planning to visit my brother in Oslo next month.
episodic: I lost my job in March.
episodic: My grandmother passed away on Sunday.
episodic: I have a dentist appointment tomorrow at 3 pm.
context: I'm in Vienna this week, so evenings are free.
context: I have a terrible cold right now.
context: At the moment I'm staying at my parents' place.
context: I'm working from home today because of the strike.
none: How tall is the Eiffel Tower?
none: Hey there, good morning!
none: thanks a lot, that helped
none: Set a timer for ten minutes.
none: Can you book me a table for two at seven?
none: write a function that reverses a linked list
none: Wow, that's amazing!
none: what's the weather in madrid tomorrow
none: I need to know how many calories are in an apple
none: i want to transfer 200 dollars to my savings account
none: Haha, you are funny.
none: Could you summarise the second paragraph?
none: The Amazon is the largest river by discharge.
none: Please translate this letter into French.
none: Tell me a joke about penguins.
none: I think you are right about that.
none: That sounds great, let's go on.
none: Hmm, not sure.
none: If I were rich, I would buy an island.
none: Is my flight on time?
none: would you like to tell me something about yourself
none: I don't understand your last answer.
none: Do I have any meetings on Monday?
none: play the next song and turn it up
none: Sorry, I meant the other one.
none: How do I get to the airport from here?
none: Take care, talk to you later!
none: I see, so it depends on the compiler.
none: Never mind.
none: Explain photosynthesis to me as if I were five.
none: what did i spend on groceries last month
none: i'd like to order a large pizza with mushrooms
none: Let me think about it for a second.
none: I'm not sure what you mean.
none: Remind me to water the plants at six.
"""

_PROJECT: Final = """
fact: We decided to use Postgres 16 instead of MySQL.
fact: The staging server listens on port 8443.
fact: Our API gateway lives in services/edge/gateway.
fact: The deadline for the beta is 12 June.
fact: Dana owns the billing module.
fact: We chose Rust for the ingest worker.
fact: The minimum supported Python version is 3.11.
fact: The repo is at github.com/acme-labs/kestrel.
fact: Our CI runs on GitLab with two self-hosted runners.
fact: The project is called Heron, and it replaces the old ledger tool.
fact: Response times must not exceed 200 ms at the 95th percentile.
fact: Customer data must never leave the EU region.
fact: The config is stored in /etc/heron/heron.toml.
fact: We are using React 18 with Vite for the front end.
fact: Marta is the product owner and Li does the design.
fact: We dropped support for Internet Explorer.
fact: The database schema has 42 tables, most of them legacy.
fact: Our budget for this quarter is 40k euros.
fact: My team has five people spread over three time zones.
fact: The mobile app is written in Kotlin and shares no code with iOS.
fact: Version 2.4 ships on 1 September.
fact: We can't use GPL libraries in this product.
fact: The auth service talks to Redis over TLS only.
fact: I'm building a recipe app with Flask and SQLite.
fact: I work on the search team at a mid-size retailer.
fact: The old importer is deprecated since March.
fact: Our main customer is a hospital chain in Bavaria.
procedural: Always run the linter before you push.
procedural: We squash commits before merging to main.
procedural: Branch names start with the ticket number.
procedural: Never edit the generated files by hand.
procedural: From now on all migrations go through Alembic.
procedural: We deploy every Tuesday after stand-up.
procedural: Tests live next to the code and end with _test.py.
procedural: To release, we tag the commit and let the pipeline do the rest.
procedural: In this repo we use tabs, not spaces.
procedural: Every public function needs a docstring.
episodic: We shipped version 1.9 last Thursday.
episodic: The production database went down yesterday for two hours.
episodic: Next week we migrate the queue to RabbitMQ.
episodic: I merged the new parser on Monday.
context: I'm currently debugging the memory leak in the worker.
context: The build is broken right now, so nobody can merge.
context: This week we are in code freeze.
preference: I prefer composition over inheritance.
preference: I like small pull requests with one change each.
preference: Please keep the code examples in TypeScript.
none: Why does this test fail only in CI?
none: Fix the failing test in utils.py.
none: refactor this method so that it is shorter
none: ImportError: cannot import name 'foo' from 'bar'
none: 2024-05-01 12:00:03 ERROR worker crashed with exit code 137
none: How can I make this query faster?
none: That does not compile.
none: Add a column called status to the orders table.
none: Here is the stack trace.
none: Okay, looks good, next step please.
none: HTTP is a stateless protocol.
none: It still throws the same error.
none: Give me three names for this variable.
none: for i in range(10): print(i)
none: Could we use a queue here?
none: A mutex is not the same as a semaphore.
"""

_GERMAN: Final = """
fact: Ich heiße Jonas und wohne in Freiburg.
fact: Meine Tochter geht in die dritte Klasse.
fact: Ich bin gegen Nüsse allergisch.
fact: Ich arbeite seit 2018 als Tischler.
fact: Wir haben einen Hund namens Balu.
fact: Unser Server läuft auf Port 9000.
fact: Wir haben uns für PostgreSQL entschieden.
fact: Ich bin Vegetarierin.
preference: Ich mag keinen Rosenkohl.
preference: Ich trinke lieber Tee als Kaffee.
preference: Bitte antworte mir ab jetzt immer auf Deutsch.
preference: Am liebsten reise ich mit dem Zug.
episodic: Gestern habe ich meine Führerscheinprüfung bestanden.
episodic: Am 3. Mai ziehe ich nach Köln um.
procedural: Wir mergen nur nach zwei Reviews.
context: Diese Woche bin ich in Hamburg.
none: Wie spät ist es?
none: Stell den Wecker auf sieben Uhr.
none: Danke, das hat geholfen!
none: Kannst du mir ein Rezept für Linsensuppe geben?
none: Schreib mir bitte ein Gedicht über den Herbst.
none: Das ist ja interessant.
"""

_CHINESE: Final = """
fact: 我叫王芳，住在杭州。
fact: 我对花生过敏。
fact: 我在一家银行做程序员。
fact: 我女儿今年五岁。
fact: 我们决定用 PostgreSQL 做数据库。
preference: 我喜欢喝绿茶。
preference: 我不吃香菜。
preference: 以后请用中文回答我。
episodic: 上周五我参加了同学的婚礼。
episodic: 我下个月要去东京出差。
context: 我这周在上海出差。
none: 今天天气怎么样？
none: 帮我订一张去北京的机票
none: 谢谢你！
none: 请写一首关于春天的诗。
none: 好的，我明白了。
"""

_OTHERS: Final = """
fact: Me llamo Lucía y vivo en Sevilla.
preference: No me gusta el café.
fact: J'habite à Nantes depuis 2015.
preference: Je préfère les réponses courtes.
none: ¿Qué hora es en Tokio?
none: Peux-tu me réserver un taxi ?
"""


@dataclass(frozen=True, slots=True)
class FactLine:
    """One line, the group it belongs to, and the kind of its fact; None: nothing to keep."""

    group: str
    kind: Kind | None
    text: str = field(repr=False)


def _lines(group: str, block: str) -> list[FactLine]:
    lines = []
    for line in block.strip().splitlines():
        label, text = line.split(": ", 1)
        lines.append(FactLine(group, None if label == "none" else Kind(label), text))
    return lines


FACT_LINES: Final = (
    *_lines("personal", _PERSONAL),
    *_lines("project", _PROJECT),
    *_lines("german", _GERMAN),
    *_lines("chinese", _CHINESE),
    *_lines("others", _OTHERS),
)
