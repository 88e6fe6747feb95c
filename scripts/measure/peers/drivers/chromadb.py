"""chromadb: a persistent client and one collection by cosine, vectors passed in."""

from __future__ import annotations

import sys
import time
from importlib import import_module
from pathlib import Path
from typing import Any

from measure.peers.serving import Said, serve
from measure.peers.table import Table


class Chroma:
    """A client with its files in a folder."""

    how = "vector only (HNSW); vectors given; no encryption"

    def __init__(self, folder: Path, vectors: Path) -> None:
        chromadb: Any = import_module("chromadb")
        self.version: str = chromadb.__version__
        self._table = Table(vectors)
        client = chromadb.PersistentClient(
            path=str(folder), settings=chromadb.Settings(anonymized_telemetry=False)
        )
        self._turns = client.create_collection(
            "turns", configuration={"hnsw": {"space": "cosine"}}, embedding_function=None
        )
        self._client = client
        self._stored = 0

    def prepare(self, told: list[str], asked: list[str]) -> None:
        """Nothing: vectors are given."""

    def add(self, said: Said) -> str:
        """Store one document."""
        self._stored += 1
        name = str(self._stored)
        self._turns.add(ids=[name], documents=[said.text], embeddings=[self._table.told(said.text)])
        return name

    def settle(self) -> None:
        """Nothing: a document is found as soon as it is stored."""

    def search(self, text: str, count: int) -> list[str]:
        """Query, documents included, as its callers do."""
        found = self._turns.query(query_embeddings=[self._table.asked(text)], n_results=count)
        names: list[str] = found["ids"][0]
        return names

    def close(self) -> None:
        """Close the client."""
        self._client.close()

    def cpu_seconds(self) -> float:
        """This process's."""
        return time.process_time()


if __name__ == "__main__":
    sys.exit(serve(Chroma))
