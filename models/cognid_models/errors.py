"""The ways a model can fail its caller, each with a stable code and a remedy for a person.

No message holds text that was to be embedded; it may name files, hashes, shapes and exception
types.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import ClassVar


class ModelError(Exception):
    """Root of this package's errors. Never raised itself.

    Until it is resolved there are no vectors: recall answers lexically and says so.
    """

    code: ClassVar[str]
    remedy: ClassVar[str]


class ModelMissingError(ModelError):
    """Raised on loading when a file of the model is not there or cannot be read."""

    code = "model_missing"
    remedy = "install cognid[daemon] again, or put the file back"

    def __init__(self, file: str, reason: str) -> None:
        self.file = file
        super().__init__(f"model file {file} cannot be read: {reason}")


class ModelChangedError(ModelError):
    """Raised on loading when a file is not the one that the manifest names by its sha256."""

    code = "model_changed"
    remedy = "install cognid[daemon] again; a file that differs would give other vectors"

    def __init__(self, file: str, expected: str, actual: str) -> None:
        self.file = file
        self.expected = expected
        self.actual = actual
        super().__init__(f"model file {file} was changed: expected {expected}, found {actual}")


class ModelFailedError(ModelError):
    """Raised when the runtime refuses the model, or when what it computes is no result."""

    code = "model_failed"
    remedy = "check that onnxruntime is 1.22 or newer and that memory is left, then restart"

    def __init__(self, step: str, reason: str) -> None:
        self.step = step
        super().__init__(f"the model failed to {step}: {reason}")


class RerankerMissingError(ModelMissingError):
    """Raised on loading where the reranker is not installed. Nothing else depends on it."""

    code = "reranker_missing"
    remedy = "cognid reranker install FILE"


class RerankerChangedError(ModelChangedError):
    """Raised on loading when the reranker's file is not the one that the package names."""

    code = "reranker_changed"
    remedy = "cognid reranker install FILE, from where it came; a file that differs is never run"


class RerankerFailedError(ModelFailedError):
    """Raised when the runtime refuses the reranker, or when what it computes is no number."""

    code = "reranker_failed"
    remedy = "check that memory is left, then restart; or cognid reranker remove"


@contextmanager
def failing_as(step: str) -> Iterator[None]:
    """Take what nobody foresaw (no memory, a tokenizer's bare exception) for a failure of the
    model, whose caller has an answer for that. Of its words none is kept: they may hold the text.

    Raises:
        ModelFailedError: in place of whatever else than a ModelError is raised.
    """
    try:
        yield
    except ModelError:
        raise
    except Exception as error:
        raise ModelFailedError(step, type(error).__name__) from None
