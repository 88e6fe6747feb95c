"""The scored model: how likely a sentence states something durable, from its words alone.

A logistic regression over hashed words, pairs of words, pieces of words and a few shapes, with
8-bit weights, in pure Python. scripts/train-facts makes its weights from the even half of the
CLINC150 commands (Larson et al. 2019, CC BY 3.0) and sentences that a grammar of our own made.

It is a score beside the rules, not a gate: it has seen few ways of speaking. Knows no rule.
"""

from __future__ import annotations

import base64
import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Final
from zlib import crc32

WEIGHTS: Final = "fact_weights.json"
BUCKETS: Final = 16_384
_WORDS_READ: Final = 48
_TOKEN: Final = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W_]+|[?؟？]")


@dataclass(frozen=True, slots=True)
class Weights:
    """A trained model: one signed byte a bucket, times `scale`, plus `bias`."""

    scale: float
    bias: float
    values: tuple[int, ...] = field(repr=False)


@cache
def _trained() -> Weights:
    """The weights beside this module, read when the first sentence is scored."""
    stored = json.loads(files(__package__).joinpath(WEIGHTS).read_text("ascii"))
    values = memoryview(base64.b64decode(stored["weights"])).cast("b")
    return Weights(stored["scale"], stored["bias"], tuple(values))


def score(plain: str, weights: Weights | None = None) -> float:
    """The likelihood, 0 to 1, that a sentence in plain form states a durable fact."""
    model = weights or _trained()
    values = model.values
    found = buckets(plain)
    total = sum(values[bucket] for bucket in found)
    # Long and short sentences are compared by what their features say on the whole.
    return _sigmoid(model.bias + model.scale * total / math.sqrt(len(found) or 1))


def buckets(plain: str) -> list[int]:
    """The places of a sentence's features, each once."""
    return list({crc32(feature.encode()) % BUCKETS for feature in _features(plain)})


def _features(plain: str) -> Iterator[str]:
    words = _TOKEN.findall(plain)[:_WORDS_READ]
    words = ["0" if word.isdigit() else word for word in words]
    before = "^"
    for word in words:
        yield word
        yield f"{before} {word}"
        if len(word) > 4:
            yield f"-{word[-3:]}"
            yield f"{word[:4]}-"
        before = word
    yield f"{before} $"
    yield f"^{' '.join(words[:3])}"
    yield f"#{min(len(words), 24) // 3}"


def _sigmoid(value: float) -> float:
    if value < -60:
        return 0.0
    return 1 / (1 + math.exp(-value))
