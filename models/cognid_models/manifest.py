"""The manifest: what a model is, which vectors it makes, and the hashes that prove its files.

It reads and checks files only; it never loads a model and never repairs one.
"""

import hashlib
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cognid_models.embedder import Scale
from cognid_models.errors import ModelChangedError, ModelMissingError

PACKAGE_FOLDER: Final = Path(__file__).parent
"""Where the default model lies: inside the package, so that a first start needs no network."""

MANIFEST_FILE: Final = "manifest.toml"


@dataclass(frozen=True, slots=True)
class ModelFile:
    """One file of the model, named by size and sha256 (lower-case hex)."""

    file: str
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """All that decides which vector a text gets, and where the model comes from."""

    name: str
    precision: str
    licence: str
    upstream: str
    source: str
    query_tokens: int
    scheme: int
    pooling: str
    dimension: int
    max_tokens: int
    window_tokens: int
    overlap_tokens: int
    query_prefix: str
    passage_prefix: str
    statement_prefix: str
    request_share: float
    request_mean: str
    passage: Scale
    statement: Scale
    model: ModelFile
    tokenizer: ModelFile

    @property
    def space_id(self) -> str:
        """Name the space of the vectors: equal ids mean comparable vectors, and nothing else does.

        A model of the same dimension but other weights would give scores without meaning, so the
        id is derived from the hashes and from everything that prepares a text for the model.
        """
        parts = (
            self.model.sha256,
            self.tokenizer.sha256,
            str(self.scheme),
            self.pooling,
            str(self.dimension),
            str(self.max_tokens),
            str(self.window_tokens),
            str(self.overlap_tokens),
            self.query_prefix,
            self.passage_prefix,
            self.statement_prefix,
        )
        digest = hashlib.sha256("\n".join(parts).encode()).hexdigest()
        return f"{self.name}-{self.precision}-{digest[:12]}"


def read_manifest(folder: Path = PACKAGE_FOLDER) -> Manifest:
    """Read the manifest of the model in `folder`.

    Raises:
        ModelMissingError: there is none.
        ModelChangedError: it is not TOML, its keys are not those of :class:`Manifest`, or its
            numbers are none that a model can be used with.
    """
    try:
        raw = (folder / MANIFEST_FILE).read_bytes()
    except OSError as error:
        raise ModelMissingError(MANIFEST_FILE, error.strerror or type(error).__name__) from None
    try:
        table = tomllib.loads(raw.decode())
        model, tokenizer = ModelFile(**table.pop("model")), ModelFile(**table.pop("tokenizer"))
        passage, statement = Scale(**table.pop("passage")), Scale(**table.pop("statement"))
        manifest = Manifest(
            model=model, tokenizer=tokenizer, passage=passage, statement=statement, **table
        )
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise ModelChangedError(
            MANIFEST_FILE, "the keys of a manifest", type(error).__name__
        ) from None
    require_declared_types(manifest, model, tokenizer, passage, statement)
    _require_usable(manifest)
    return manifest


def _require_usable(manifest: Manifest) -> None:
    """Refuse numbers with which the model would load, and each score be none or each memory fail.

    Comparisons with NaN are false, so they are written as what must hold.
    """
    scales = (manifest.passage, manifest.statement)
    for field, holds in (
        ("dimension", manifest.dimension >= 1),
        ("window_tokens", 1 <= manifest.window_tokens <= manifest.max_tokens),
        ("query_tokens", 1 <= manifest.query_tokens <= manifest.max_tokens),
        ("overlap_tokens", 0 <= manifest.overlap_tokens < manifest.window_tokens),
        ("request_share", 0.0 <= manifest.request_share <= 1.0),
        ("unrelated", all(-1.0 <= scale.unrelated <= 1.0 for scale in scales)),
        ("span", all(0.0 < scale.span <= 2.0 for scale in scales)),
        ("alike", all(-1.0 <= scale.alike <= 1.0 for scale in scales)),
    ):
        if not holds:
            raise ModelChangedError(MANIFEST_FILE, f"{field}: a number in its bounds", "another")


def verify(folder: Path, manifest: Manifest) -> None:
    """Check every file in `folder` against its sha256 (about 40 ms for the default model).

    Raises:
        ModelMissingError: a file is not there or cannot be read.
        ModelChangedError: a file has other content; both hashes are named.
    """
    for wanted in (manifest.tokenizer, manifest.model):
        verify_file(folder, wanted)


def verify_file(folder: Path, wanted: ModelFile) -> None:
    """Check one file against its sha256. Raises as `verify` does."""
    try:
        with (folder / wanted.file).open("rb") as stream:
            actual = hashlib.file_digest(stream, "sha256").hexdigest()
            size = stream.tell()
    except OSError as error:
        raise ModelMissingError(wanted.file, error.strerror or type(error).__name__) from None
    if (actual, size) != (wanted.sha256, wanted.bytes):
        raise ModelChangedError(
            wanted.file,
            f"sha256 {wanted.sha256} ({wanted.bytes} bytes)",
            f"sha256 {actual} ({size} bytes)",
        )


def require_declared_types(*parts: object, file: str = MANIFEST_FILE) -> None:
    """Refuse a manifest whose numbers are strings or the other way round."""
    for part in parts:
        for field, kind in type(part).__annotations__.items():
            value = getattr(part, field)
            if type(value) is not kind:
                raise ModelChangedError(file, f"{field}: {kind.__name__}", "another type")
