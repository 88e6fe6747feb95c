"""mem0ai with infer=False: texts as they are, in its default store (Qdrant, local, on disk).

Its keyword search needs fastembed and the files of `Qdrant/bm25`, its entities spaCy and a model,
which both are fetched from a hub; where they are not at hand it searches by vector alone, and says
so.
"""

from __future__ import annotations

import os
import sys
import time
from importlib import import_module, metadata
from pathlib import Path
from typing import Any

from measure.peers.serving import Said, serve
from measure.peers.table import Table

_USER = "bench"


class _Embedder:
    def __init__(self, table: Table) -> None:
        self._table = table

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        asked = memory_action == "search"
        return self._table.asked(text) if asked else self._table.told(text)

    def embed_batch(self, texts: list[str], memory_action: str = "add") -> list[list[float]]:
        return [self.embed(text, memory_action) for text in texts]


class Mem0:
    """A memory with its files in a folder. No model of a language is ever asked."""

    def __init__(self, folder: Path, vectors: Path) -> None:
        os.environ |= {"MEM0_TELEMETRY": "False", "MEM0_DIR": str(folder)}
        mem0: Any = import_module("mem0")
        self.version = metadata.version("mem0ai")
        table = Table(vectors)
        unused = {"api_key": "unused"}
        self._memory = mem0.Memory.from_config(
            {
                "vector_store": {
                    "provider": "qdrant",
                    "config": {
                        "path": str(folder / "qdrant"),
                        "collection_name": "turns",
                        "embedding_model_dims": table.dimension,
                        "on_disk": True,
                    },
                },
                "llm": {"provider": "openai", "config": unused},
                "embedder": {"provider": "openai", "config": unused},
                "history_db_path": str(folder / "history.db"),
            }
        )
        self._memory.embedding_model = _Embedder(table)
        words = self._memory.vector_store._get_bm25_encoder() is not None
        part = "hybrid: vector and bm25" if words else "vector only (no fastembed model here)"
        self.how = f"{part}; vectors given; infer=False; no encryption"

    def prepare(self, told: list[str], asked: list[str]) -> None:
        """Nothing: vectors are given."""

    def add(self, said: Said) -> str:
        """Store one message as it is."""
        added = self._memory.add(
            [{"role": said.role, "content": said.text}], user_id=_USER, infer=False
        )
        return str(added["results"][0]["id"])

    def settle(self) -> None:
        """Nothing: a memory is found as soon as it is stored."""

    def search(self, text: str, count: int) -> list[str]:
        """Search with its own threshold."""
        found = self._memory.search(text, filters={"user_id": _USER}, top_k=count)
        return [str(one["id"]) for one in found["results"]]

    def close(self) -> None:
        """Close it."""
        self._memory.close()
        self._memory.vector_store.client.close()

    def cpu_seconds(self) -> float:
        """This process's."""
        return time.process_time()


if __name__ == "__main__":
    sys.exit(serve(Mem0))
