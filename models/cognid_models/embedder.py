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


@dataclass(frozen=True, slots=True)
class Scale:
    """What a cosine is worth for texts of one form.

    `unrelated` is that of a query and texts that have nothing to do with it (the mean), `unrelated
    + span` that of a query and a sure match, `alike` that of two texts that say the same.
    """

    unrelated: float
    span: float
    alike: float

    def share(self, cosine: float) -> float:
        """Give the cosine as a share of the way from unrelated to sure, 0 to 1."""
        return min(1.0, max(0.0, (cosine - self.unrelated) / self.span))


@dataclass(frozen=True, slots=True)
class Calibration:
    """The scales of the two forms in which a text is embedded. They make both comparable."""

    passage: Scale
    statement: Scale


class Embedder(Protocol):
    """Turns text into vectors of one space. Every method may be called from several threads."""

    @property
    def space_id(self) -> str:
        """Name of the space: vectors of different spaces are never compared."""

    @property
    def dimension(self) -> int:
        """Length of every vector."""

    @property
    def calibration(self) -> Calibration:
        """What the space's cosines are worth."""

    @property
    def max_query_tokens(self) -> int:
        """Tokens of a query that count; of a longer one the last ones, where the question is."""

    def embed_query(self, text: str) -> Vector | None:
        """Embed a question; None if it holds nothing that the model knows (blank, emoji only).

        Its length is not 1: see `Scale` for what its cosines are worth.

        Raises ModelFailedError.
        """

    def windows(self, text: str, *, statement: bool = False) -> Iterator[Window]:
        """Cut a text into windows, lazily and in order.

        A `statement` (a fact or a preference, in a sentence of its own) is embedded in the form of
        the questions that it answers, anything else as a passage that may answer them.

        Their spans overlap and cover the whole text, from 0 to its length. There is none if the
        text holds nothing that the model knows.
        """

    def embed_window(self, window: Window) -> Vector:
        """Embed one window. Raises ModelFailedError."""

    def count_tokens(self, text: str) -> int:
        """Count the model's tokens of a text, without prefix and special tokens."""
