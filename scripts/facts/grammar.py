"""The grammar: templates with slots, from which training sentences are drawn.

`<slot>` stands for one of the slot's phrases, `(a|b)` for one of its choices, which may be empty.
Every template yields the same number of sentences at most, drawn with a seeded generator.
"""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Final

_HERE: Final = Path(__file__).parent
_SLOT: Final = re.compile(r"<(\w+)>")
_CHOICE: Final = re.compile(r"\(([^()]*\|[^()]*)\)")
_DEPTH: Final = 4


def stating(each: int, draw: random.Random) -> list[str]:
    """Draw sentences that state something durable, up to `each` of every template."""
    return _expand(_lines("stating.txt"), each, draw)


def others(each: int, draw: random.Random) -> list[str]:
    """Draw sentences that state nothing durable, up to `each` of every template."""
    return _expand(_lines("others.txt"), each, draw)


def _lines(name: str) -> list[str]:
    lines = (_HERE / name).read_text("utf-8").splitlines()
    return [line.strip() for line in lines if line.strip() and not line.startswith("#")]


def _slots() -> dict[str, list[str]]:
    pairs = (line.split(": ", 1) for line in _lines("slots.txt"))
    return {name: phrases.split(" / ") for name, phrases in pairs}


def _expand(templates: list[str], each: int, draw: random.Random) -> list[str]:
    slots = _slots()
    made: dict[str, None] = {}
    for template in templates:
        for _ in range(each):
            made[_one(template, slots, draw)] = None
    return list(made)


def _one(template: str, slots: dict[str, list[str]], draw: random.Random) -> str:
    text = template
    for _ in range(_DEPTH):
        text = _SLOT.sub(lambda found: draw.choice(slots[found[1]]), text)
    text = _CHOICE.sub(lambda found: draw.choice(found[1].split("|")), text)
    return " ".join(text.split())
