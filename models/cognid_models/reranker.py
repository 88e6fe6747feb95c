"""The reranker: a second model, which reads a question and a text together and says how well the
one is answered by the other. It is better at that than the embedding model, and a hundred times as
dear, so it is asked about a few candidates only.

An optional part: its model lies where the daemon's owner put it, and `reranker.toml` beside this
module proves it. Owns: that proof and the loading. Decides neither what is asked nor when.
"""

import hashlib
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from cognid_models.errors import (
    ModelChangedError,
    RerankerChangedError,
    RerankerFailedError,
    RerankerMissingError,
)
from cognid_models.manifest import (
    PACKAGE_FOLDER,
    ModelFile,
    require_declared_types,
    verify_file,
)

_MANIFEST_FILE: Final = "reranker.toml"


class Reranker(Protocol):
    """Reads pairs, one at a time, so that its caller decides between any two whether to go on.

    It owns no thread and no queue.
    """

    def score(self, query: str, text: str) -> float:
        """Say how well a text answers a question.

        Returns:
            A logit, between about -11 (nothing to do with it) and 10.

        Raises:
            RerankerFailedError: the model did not give one.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class RerankerManifest:
    """Which reranker it is, and how a pair is prepared for it."""

    name: str
    precision: str
    licence: str
    upstream: str
    source: str
    max_tokens: int
    query_tokens: int
    model: ModelFile
    tokenizer: ModelFile
    """The embedding model's; it lies in the package."""


def read_reranker_manifest(folder: Path = PACKAGE_FOLDER) -> RerankerManifest:
    """Read which reranker this build takes.

    Raises:
        RerankerChangedError: the package's own file is not what it should be.
    """
    try:
        table = tomllib.loads((folder / _MANIFEST_FILE).read_bytes().decode())
        model, tokenizer = ModelFile(**table.pop("model")), ModelFile(**table.pop("tokenizer"))
        manifest = RerankerManifest(model=model, tokenizer=tokenizer, **table)
        require_declared_types(manifest, model, tokenizer, file=_MANIFEST_FILE)
    except ModelChangedError as error:
        raise RerankerChangedError(error.file, error.expected, error.actual) from None
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise RerankerChangedError(
            _MANIFEST_FILE, "the keys of a manifest", type(error).__name__
        ) from None
    return manifest


def load_reranker(folder: Path) -> Reranker:
    """Load the reranker whose model lies in `folder` (0.3 s; 45 MB as long as it is kept).

    Raises:
        RerankerMissingError: its file is not there.
        RerankerChangedError: its file is another one. It is not run.
        RerankerFailedError: the runtime is missing or refuses it.
        ModelError: the package's tokenizer is not what it should be.
    """
    manifest = read_reranker_manifest()
    verify_file(PACKAGE_FOLDER, manifest.tokenizer)
    # Proven as the bytes that are run: between two readings a file could be replaced.
    model = _proven(folder, manifest.model)
    try:
        from cognid_models.onnx_reranker import OnnxReranker
    except ImportError as error:
        raise RerankerFailedError("load", f"{error.name} cannot be imported") from error
    return OnnxReranker(model, PACKAGE_FOLDER / manifest.tokenizer.file, manifest)


def _proven(folder: Path, wanted: ModelFile) -> bytes:
    try:
        with (folder / wanted.file).open("rb") as stream:
            content = stream.read(wanted.bytes + 1)
    except OSError as error:
        raise RerankerMissingError(wanted.file, error.strerror or type(error).__name__) from None
    actual = hashlib.sha256(content).hexdigest()
    if actual != wanted.sha256:
        raise RerankerChangedError(
            wanted.file,
            f"sha256 {wanted.sha256} ({wanted.bytes} bytes)",
            f"sha256 {actual} of its first {len(content)} bytes",
        )
    return content
