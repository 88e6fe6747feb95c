"""agentrecall-db: one SQLite file, keyword and vector search fused, an embedder passed in."""

from __future__ import annotations

import sqlite3
import sys
import time
from importlib import import_module, metadata
from pathlib import Path
from typing import Any

from measure.peers.serving import Said, serve
from measure.peers.table import Table


class _Embedder:
    def __init__(self, table: Table) -> None:
        self._table = table
        self.dim = table.dimension

    def embed(self, texts: list[str]) -> list[list[float]]:
        return [self._table.either(text) for text in texts]


class AgentRecall:
    """A file in a folder; needs the `semantic` extra, and a Python whose sqlite3 loads extensions
    (without which it says that the extra is missing)."""

    how = "hybrid: bm25 and vector by rank; vectors given; no encryption"

    def __init__(self, folder: Path, vectors: Path) -> None:
        agentrecall: Any = import_module("agentrecall")
        import_module("sqlite_vec")
        import_module("numpy")
        if not hasattr(sqlite3.Connection, "enable_load_extension"):
            raise ModuleNotFoundError(name="a sqlite3 that loads extensions")
        self.version = metadata.version("agentrecall-db")
        self._memory = agentrecall.Memory(
            folder / "agent.db", embeddings=True, embedder=_Embedder(Table(vectors))
        )

    def prepare(self, told: list[str], asked: list[str]) -> None:
        """Nothing: vectors are given."""

    def add(self, said: Said) -> str:
        """Store one memory."""
        return str(self._memory.add(said.text).id)

    def settle(self) -> None:
        """Nothing: a memory is indexed when it is stored."""

    def search(self, text: str, count: int) -> list[str]:
        """Search with its own weights."""
        return [str(hit.id) for hit in self._memory.search(text, k=count)]

    def close(self) -> None:
        """Close the file."""
        self._memory.close()

    def cpu_seconds(self) -> float:
        """This process's."""
        return time.process_time()


if __name__ == "__main__":
    sys.exit(serve(AgentRecall))
