"""Warming: after it no text makes the event loop compile anything to speak of."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

_COMPILED_LATER = """
import asyncio, re, sys
from datetime import UTC, datetime
from cognid_daemon.intake.worker import ScreeningThread
from cognid_daemon.intake.extraction import extract
from cognid_daemon.intake.screening import rules_against

async def quiet():
    waited.append(1)

waited = []
if "warm" in sys.argv:
    asyncio.run(ScreeningThread().warm(quiet))
    assert len(waited) > 50
compiler = re._compiler
compiled, length = compiler.compile, [0]
def counted(pattern, *more):
    length.append(len(pattern))
    return compiled(pattern, *more)
compiler.compile = counted
for line in sys.stdin.read().splitlines():
    rules_against(line)
    extract(line, datetime.now(UTC))
print(sum(length))
"""

_LINES = """\
Please don't remember this.
Forget what I said about my sister, and remember: I moved to Porto in May.
Bitte merke dir das nicht. Ich wohne seit drei Jahren in Graz.
N'enregistre pas ce message. J'habite à Lyon.
No guardes esto, por favor. Me gusta el té verde.
Non ricordare questo messaggio.
Não guarde isto.
Onthoud dit niet.
Nie zapamiętuj tego.
Не запоминай это.
请不要记住这句话。我住在杭州。
これは覚えないでください。
이건 기억하지 마세요.
Bunu hatırlama.
My password is kelp4you and the token is ghp_aB3dE5gH7jK9mN1pQ2sT4vW6xY8zA0cF2hJ4.
I prefer window seats; we chose Rust for the ingest worker; my dentist is Dr. Ames.
"""


@pytest.mark.parametrize("is_warm", [True, False])
def test_nothing_is_compiled_after_it(is_warm: bool) -> None:
    """Requests, secrets and facts in all languages: the patterns are there but for a few of some
    letters. (Some take 0.2 s, and the first remember of a new daemon would hold up every recall for
    a second.)"""
    assert hasattr(re, "_compiler")
    said = subprocess.run(
        [sys.executable, "-c", _COMPILED_LATER, *(["warm"] if is_warm else [])],
        input=_LINES,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    characters = int(said)
    assert characters < 300 if is_warm else characters > 10_000
