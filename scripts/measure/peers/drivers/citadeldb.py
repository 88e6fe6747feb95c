"""citadeldb: an encrypted region, its own fused recall, an embedder as its README shows one."""

from __future__ import annotations

import sys
import time
from importlib import import_module
from pathlib import Path
from typing import Any

from measure.peers.serving import Said, serve
from measure.peers.table import Table

_REGION = "chat"


class _Embedder:
    metric = "cosine"
    model_id = "given:v1"

    def __init__(self, table: Table) -> None:
        self._table = table
        self.dim = table.dimension

    def embed_with_cancel(self, texts: list[str], _: Any) -> list[list[float]]:
        return [self._table.told(text) for text in texts]

    def embed_queries_with_cancel(self, texts: list[str], _: Any) -> list[list[float]]:
        return [self._table.asked(text) for text in texts]


class Citadel:
    """A database in a folder."""

    how = "hybrid: vector, words, recency, importance; vectors given; encrypted"

    def __init__(self, folder: Path, vectors: Path) -> None:
        citadeldb: Any = import_module("citadeldb")
        self.version: str = citadeldb.__version__
        self._db = citadeldb.connect(
            str(folder / "memory.cdl"), key="a passphrase of the bench", region_keys=True
        )
        self._memory = self._db.memory()
        self._memory.create_encrypted_region(_REGION, _Embedder(Table(vectors)))

    def prepare(self, told: list[str], asked: list[str]) -> None:
        """Nothing: vectors are given."""

    def add(self, said: Said) -> str:
        """Store one atom."""
        return str(self._memory.remember(_REGION, {"kind": "fact", "text": said.text}))

    def settle(self) -> None:
        """Nothing: an atom is indexed when it is stored."""

    def search(self, text: str, count: int) -> list[str]:
        """Recall with its own weights."""
        return [str(hit.id) for hit in self._memory.recall(_REGION, text=text, k=count)]

    def close(self) -> None:
        """Close the database."""
        self._db.close()

    def cpu_seconds(self) -> float:
        """This process's."""
        return time.process_time()


if __name__ == "__main__":
    sys.exit(serve(Citadel))
