"""A deterministic reranker for tests, where what the real one thinks is not the point."""

from __future__ import annotations

import threading
import time

from cognid_models import RerankerFailedError


class WordReranker:
    """Scores a text by the words that it shares with the question: 4 each, less 8.

    `delay` seconds pass in each pair; `fault` makes each fail. `read` are the texts, as they came.
    """

    def __init__(self, delay: float = 0.0, *, fault: bool = False) -> None:
        self.delay = delay
        self.fault = fault
        self.read: list[str] = []
        self.thread: str | None = None

    def score(self, query: str, text: str) -> float:
        """How many words both have."""
        self.thread = threading.current_thread().name
        if self.fault:
            raise RerankerFailedError("rerank", "as asked")
        time.sleep(self.delay)
        self.read.append(text)
        words = set(query.casefold().split())
        return 4.0 * len(words & set(text.casefold().split())) - 8.0
