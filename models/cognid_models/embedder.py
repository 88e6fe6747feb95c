"""What the daemon asks of an embedding model: one query or one window at a time.

The unit of work is one window, so that its caller decides between any two of them whether something
more urgent waits. An embedder owns no thread and no queue.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ForwardRef, Protocol, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector: TypeAlias = NDArray[np.float32]
    """float32, shape [dimension], finite, of length 1."""
else:
    # A name for annotations only: importing this module must not import numpy (0.1 s of CPU).
    Vector = ForwardRef("NDArray[np.float32]")


@dataclass(frozen=True, slots=True)
class Window:
    """A piece of a text, ready for the model.

    `text[start:end]` is the piece, in characters. The token ids (prefix and special tokens
    included) can be turned back into its words, so no repr shows them.
    """

    start: int
    end: int
    token_ids: tuple[int, ...] = field(repr=False)


class Embedder(Protocol):
    """Turns text into vectors of one space. Every method may be called from several threads."""

    @property
    def space_id(self) -> str:
        """Name of the space: vectors of different spaces are never compared."""

    @property
    def dimension(self) -> int:
        """Length of every vector."""

    @property
    def max_query_tokens(self) -> int:
        """Tokens of a query that count; of a longer one the last ones, where the question is."""

    def embed_query(self, text: str) -> Vector | None:
        """Embed a question; None if it holds nothing that the model knows (blank, emoji only).

        Raises ModelFailedError.
        """

    def windows(self, text: str) -> Iterator[Window]:
        """Cut a text into windows, lazily and in order.

        Their spans overlap and cover the whole text, from 0 to its length. There is none if the
        text holds nothing that the model knows.
        """

    def embed_window(self, window: Window) -> Vector:
        """Embed one window. Raises ModelFailedError."""

    def count_tokens(self, text: str) -> int:
        """Count the model's tokens of a text, without prefix and special tokens."""
