"""Train the scored model of extraction, deterministically, and write its weights.

Negatives: the commands of CLINC150 (Larson et al. 2019, CC BY 3.0) whose hash is even, and our own
templates; positives: our own templates (facts/). The odd commands are kept for measuring.
Plain stochastic gradient descent in one fixed order; scripts/train-facts runs this file.
"""

from __future__ import annotations

import base64
import hashlib
import json
import math
import random
import sys
from pathlib import Path
from typing import Final

from facts.grammar import others, stating

from cognid_daemon.intake import fact_score
from cognid_daemon.intake.extraction import plain_form
from cognid_daemon.intake.fact_score import BUCKETS, WEIGHTS, buckets

SEED: Final = 20_26
EACH: Final = 90
"""Sentences drawn from one template."""
ROUNDS: Final = 6
RATE: Final = 0.5
DECAY: Final = 2e-6
ATTRIBUTION: Final = (
    "Trained with scripts/train-facts on sentences of our own and on commands of CLINC150"
    " (S. Larson et al., An Evaluation Dataset for Intent Classification and Out-of-Scope"
    " Prediction, 2019), licensed CC BY 3.0."
)


def is_even(line: str) -> bool:
    """Whether a line belongs to the half that trains: a stable hash of its text decides."""
    return hashlib.sha256(line.encode()).digest()[0] % 2 == 0


def train(commands: list[str]) -> tuple[list[float], float]:
    """The weights of the buckets and the bias."""
    draw = random.Random(SEED)  # noqa: S311 — repeatable, nothing secret
    rows = [(buckets(plain_form(line)), 1.0) for line in stating(EACH, draw)]
    rows += [(buckets(plain_form(line)), 0.0) for line in others(EACH, draw)]
    rows += [(buckets(plain_form(line)), 0.0) for line in commands if is_even(line)]
    weights = [0.0] * BUCKETS
    bias = 0.0
    for turn in range(ROUNDS):
        rate = RATE / (1 + turn)
        draw.shuffle(rows)
        for found, wanted in rows:
            share = 1 / math.sqrt(len(found) or 1)
            total = bias + share * sum(weights[bucket] for bucket in found)
            error = wanted - 1 / (1 + math.exp(-max(min(total, 30.0), -30.0)))
            step = rate * error * share
            bias += rate * error * 0.1
            for bucket in found:
                weights[bucket] += step - rate * DECAY * weights[bucket]
    return weights, bias


def write(weights: list[float], bias: float, to: Path) -> None:
    """Write the weights as signed bytes and one scale."""
    scale = max(abs(weight) for weight in weights) / 127
    stored = bytes(round(weight / scale) % 256 for weight in weights)
    body = {
        "about": ATTRIBUTION,
        "scale": round(scale, 9),
        "bias": round(bias, 9),
        "weights": base64.b64encode(stored).decode("ascii"),
    }
    to.write_text(json.dumps(body, indent=1) + "\n", "ascii")


def main() -> None:
    """Read the commands, train, write."""
    if not 2 <= len(sys.argv) <= 3:
        sys.exit("usage: scripts/train-facts CLINC [OUT]")
    commands = json.loads(Path(sys.argv[1]).read_text("utf-8"))
    usual = Path(fact_score.__file__).with_name(WEIGHTS)
    write(*train(commands), Path(sys.argv[2]) if len(sys.argv) == 3 else usual)


if __name__ == "__main__":
    main()
