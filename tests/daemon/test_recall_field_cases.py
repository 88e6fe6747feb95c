"""What people report of search text and query syntax, held at the recall room's door."""

from __future__ import annotations

import threading
import time
import unicodedata
from pathlib import Path

import pytest
from support.recall_room import recall_room, word_model

from cognid.protocol.values import Pipeline
from cognid_models import Embedder, load

OTHERS = (
    "The bins go out on Monday",
    "204 people came to the opening, 127 of them by train",
    "Version 1.27 of the handbook is out",
    "The kernel of a walnut",
    "Wake me before the bus leaves",
    "Papers are kept in the blue folder, paid or not",
)


CASES = [
    ("Invoices are kept in Docs/2024/paid", "Docs/2024"),
    ("Don't wake Oona before nine", "don't wake"),
    ("Don't wake Oona before nine", "don\u2019t wake Oona"),
    ("Don\u02bct wake Oona before nine", "don't wake Oona"),
    ("Bug KLM-204 is the login loop", "KLM-204"),
    ("The box runs debian 12.7 with its own kernel", "debian 12.7 kernel"),
    ("Call the script with --dry-run first", '"--dry-run"'),
    ("打印机的驱动放在三楼机柜里", "驱动"),
    ("打印机的驱动放在三楼机柜里", "机柜"),
    ("部署脚本在仓库根目录", "部署脚本的结果在哪里"),
    ("Zoë\u2019s café key", unicodedata.normalize("NFD", "Zoë\u2019s café key")),
    (unicodedata.normalize("NFD", "Zoë\u2019s café key"), "Zoë\u2019s café key"),
    ("مفتاح أحمد في الدرج", "مفتاح ا\u0654حمد"),
    ("Deploys are cut from commit 9f3c1ab", "what is 9f3c1ab?"),
]


@pytest.mark.parametrize("pipeline", [None, Pipeline.LEXICAL])
@pytest.mark.parametrize(("memory", "query"), CASES)
async def test_the_text_is_first(
    tmp_path: Path, memory: str, query: str, pipeline: Pipeline | None
) -> None:
    """The memory that holds what is asked for is at rank 1, with vectors and without."""
    async with recall_room(tmp_path) as room:
        await room.add(memory)
        for other in OTHERS:
            await room.add(other, session="other")
        await room.settle()
        assert (await room.texts(query, pipeline=pipeline))[0] == memory


@pytest.mark.parametrize(("memory", "query"), CASES)
async def test_the_text_is_first_before_the_model_is_there(
    tmp_path: Path, memory: str, query: str
) -> None:
    """The same holds for the first answers after a start, by FTS5's own ranking."""
    release = threading.Event()

    def slow() -> Embedder:
        release.wait(10)
        return word_model()

    async with recall_room(tmp_path, slow) as room:
        await room.add(memory)
        for other in OTHERS:
            await room.add(other, session="other")
        answer = await room.ask(query, pipeline=Pipeline.LEXICAL)
        assert answer.hits[0].text == memory
        assert room.host.state == "loading"
        release.set()


async def test_an_identifier_beats_any_likeness(tmp_path: Path) -> None:
    """The one memory that holds the ticket is before those that share every other word."""
    question = "Please tell Ines what the login loop on the office laptop had to do with KLM-204"
    async with recall_room(tmp_path) as room:
        for number in range(12):
            await room.add(
                f"Ines said the login loop on the office laptop had to do with KLM-{number}"
            )
        await room.add("See KLM-204, and then some, before anybody asks for anything again")
        await room.settle()
        assert (await room.texts(question))[0].startswith("See KLM-204")


QUERIES = ["-4", "*", "(", '"', "^a", "a:b", "AND", "NEAR(", "OR NOT", ";--", "%", "_", "\\"]


async def test_operators_are_text(tmp_path: Path) -> None:
    """A lone or leading operator gives a list, maybe empty, at once and without an error."""
    async with recall_room(tmp_path) as room:
        for other in OTHERS:
            await room.add(other)
        await room.settle()
        await room.ask("warm")
        for query in QUERIES:
            begun = time.monotonic()
            answer = await room.ask(query)
            assert time.monotonic() - begun < 0.1
            assert not answer.partial


async def test_with_the_real_model(tmp_path: Path) -> None:
    """A question in other words finds its memory; the tail of 9,000 characters is found too."""
    filler = "We walked along the river and talked about nothing in particular. " * 136
    async with recall_room(tmp_path, load) as room:
        await room.add("The spare laptop is in locker nine")
        for other in OTHERS:
            await room.add(other, session="other")
        await room.add(f"{filler} The dentist moved my appointment to Thursday.", session="long")
        await room.settle()
        texts = await room.texts("where did we put the extra notebook computer", limit=3)
        assert "The spare laptop is in locker nine" in texts
        answer = await room.ask(
            "when do I have to see someone about my teeth", pipeline=Pipeline.VECTOR, limit=3
        )
        long = [hit for hit in answer.hits if not hit.complete]
        assert "dentist" in long[0].text
        assert not answer.partial
