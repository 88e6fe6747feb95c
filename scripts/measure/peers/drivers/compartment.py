"""compartment: a vault and the model that its wheel brings, for its ranking is made for that one.

Its model embeds everything beforehand; measured calls look that up. What is told goes in as its own
capture of conversations stores it: verbatim, without the gate that would ask an author for shorter
claims.
"""

from __future__ import annotations

import os
import sys
import time
from importlib import import_module, metadata
from pathlib import Path
from typing import Any

from measure.peers.serving import Said, serve

_CALLER = "user"
_PASSPHRASE = "of the bench"  # noqa: S105 - of a vault that is thrown away


class _Kept:
    """Its embedder, with the vectors that are known already."""

    def __init__(self, model: Any) -> None:
        self._model = model
        self.dim = model.dim
        self._told: dict[str, Any] = {}
        self._asked: dict[str, Any] = {}

    def prepare(self, told: list[str], asked: list[str]) -> None:
        cut = [self._model.chunk(text) for text in told]
        rows = self._model.embed_passages([window for windows in cut for window in windows])
        place = 0
        for text, windows in zip(told, cut, strict=True):
            self._told[text] = rows[place : place + len(windows)]
            place += len(windows)
        self._asked = {text: self._model.embed_query(text) for text in asked}

    def embed_record(self, text: str) -> Any:
        kept = self._told.get(text)
        return self._model.embed_record(text) if kept is None else kept

    def embed_query(self, text: str) -> Any:
        return self._asked[text]


class Compartment:
    """A vault in a folder, without the reference facts that `compartment init` would add."""

    how = "hybrid: vector, words, age; its own model (bge-small, int8); encrypted"

    def __init__(self, folder: Path, _: Path) -> None:
        os.environ["COMPARTMENT_EMBED_DAEMON"] = "0"
        vault: Any = import_module("compartment.vault")
        embed: Any = import_module("compartment.embed")
        self.version = metadata.version("compartment")
        self._vault = vault.Vault.create(str(folder / "memory.vault"), _PASSPHRASE, _CALLER)
        self._kept = self._vault._embedder = _Kept(embed.Embedder())

    def prepare(self, told: list[str], asked: list[str]) -> None:
        """Embed all of it with the vault's own model."""
        self._kept.prepare([text.strip() for text in told], asked)

    def add(self, said: Said) -> str:
        """Store one text verbatim; one that is all but the same as another is that other."""
        stored = self._vault.store(said.text, caller=_CALLER, source="from chat", _gate=False)
        return str(stored["id"])

    def settle(self) -> None:
        """Nothing: a record is indexed when it is stored."""

    def search(self, text: str, count: int) -> list[str]:
        """Search for that many."""
        found = self._vault.search(text, caller=_CALLER, top_k=count)
        return [one["id"] for one in found["results"]]

    def close(self) -> None:
        """Lock the vault, which also writes it whole."""
        self._vault.lock()

    def cpu_seconds(self) -> float:
        """This process's."""
        return time.process_time()


if __name__ == "__main__":
    sys.exit(serve(Compartment))
