"""The embedding model: its files, their proof, and text turned into vectors on the CPU.

This package owns the model files, the tokenizer and the cut of long text into windows. It knows
nothing of banks, of the wire or of threads: the daemon decides when and on which thread to load and
to embed. Importing it is cheap; numpy, onnxruntime and tokenizers are imported by :func:`load`.
"""

from cognid_models.embedder import Calibration, Embedder, Scale, Vector, Window
from cognid_models.errors import (
    ModelChangedError,
    ModelError,
    ModelFailedError,
    ModelMissingError,
    RerankerChangedError,
    RerankerFailedError,
    RerankerMissingError,
)
from cognid_models.loader import load
from cognid_models.manifest import PACKAGE_FOLDER, Manifest, ModelFile, read_manifest, verify
from cognid_models.reranker import (
    Reranker,
    RerankerManifest,
    load_reranker,
    read_reranker_manifest,
)

__all__ = [
    "PACKAGE_FOLDER",
    "Calibration",
    "Embedder",
    "Manifest",
    "ModelChangedError",
    "ModelError",
    "ModelFailedError",
    "ModelFile",
    "ModelMissingError",
    "Reranker",
    "RerankerChangedError",
    "RerankerFailedError",
    "RerankerManifest",
    "RerankerMissingError",
    "Scale",
    "Vector",
    "Window",
    "load",
    "load_reranker",
    "read_manifest",
    "read_reranker_manifest",
    "verify",
]
