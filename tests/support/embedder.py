"""A deterministic small embedder for tests, where the quality of vectors is not the point.

Texts that share words get near vectors. Nothing shipped knows it.
"""

import hashlib
import re
import time
from collections.abc import Iterator
from itertools import count
from typing import TYPE_CHECKING

import numpy as np

from cognid_models import Calibration, Embedder, Scale, Vector, Window

WINDOW_WORDS = 64
OVERLAP_WORDS = 8
MAX_QUERY_WORDS = 128


class WordEmbedder:
    """Sum of one fixed random vector a word, of length 1.

    `delay` seconds pass in every embedding, so that a test can have a slow model.
    """

    def __init__(self, dimension: int = 384, delay: float = 0.0) -> None:
        self.dimension = dimension
        self.delay = delay
        self.space_id = f"test-words-{dimension}"
        self.max_query_tokens = MAX_QUERY_WORDS
        # Texts without a common word are about .05 apart from 0, one common word in six is .17.
        self.calibration = Calibration(Scale(0.0, 0.4, 0.8), Scale(0.0, 0.4, 0.8))

    def embed_query(self, text: str) -> Vector | None:
        """Embed a question; None if it holds no word."""
        ids = tuple(_word_id(match.group()) for match in _words(text))
        return self._embed(ids[-MAX_QUERY_WORDS:]) if ids else None

    def windows(self, text: str, *, statement: bool = False) -> Iterator[Window]:
        """Cut a text into windows of words that overlap and cover it; both forms are alike."""
        words = list(_words(text))
        for first in count(0, WINDOW_WORDS - OVERLAP_WORDS):
            part = words[first : first + WINDOW_WORDS]
            if not part:
                return
            last = first + WINDOW_WORDS >= len(words)
            yield Window(
                start=part[0].start() if first else 0,
                end=len(text) if last else part[-1].end(),
                token_ids=tuple(_word_id(match.group()) for match in part),
            )
            if last:
                return

    def embed_window(self, window: Window) -> Vector:
        """Embed one window."""
        return self._embed(window.token_ids)

    def count_tokens(self, text: str) -> int:
        """Count words."""
        return sum(1 for _ in _words(text))

    def _embed(self, ids: tuple[int, ...]) -> Vector:
        if self.delay:
            time.sleep(self.delay)
        total = np.zeros(self.dimension)
        for word_id in ids:
            total += np.random.default_rng(word_id).standard_normal(self.dimension)
        return (total / np.linalg.norm(total)).astype(np.float32)


def _words(text: str) -> Iterator[re.Match[str]]:
    return re.finditer(r"\w+", text)


def _word_id(word: str) -> int:
    digest = hashlib.blake2b(word.casefold().encode(), digest_size=6).digest()
    return int.from_bytes(digest, "big")


if TYPE_CHECKING:
    # Proof that the type is an Embedder.
    _proof: Embedder = WordEmbedder()
