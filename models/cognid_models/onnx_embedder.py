"""The real embedder: one onnxruntime session on the CPU, run by whichever thread calls.

Importing this module imports numpy, onnxruntime and tokenizers (0.3 s of CPU): only the loader may
do that, on the thread that loads. It has no thread of its own, so a query on one thread runs beside
a background window on another, and the caller's priority (nice) is the model's.
"""

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import numpy as np
import onnxruntime

from cognid_models.embedder import Calibration, Vector, Window
from cognid_models.errors import ModelFailedError
from cognid_models.manifest import Manifest
from cognid_models.windows import Cutter

_FATAL_ONLY: Final = 4  # messages of errors hold token ids, and those are words
_UNIT_TOLERANCE: Final = 1e-3
"""Of the squared length. float32 sums are within 1e-6; NaN and infinity are never within."""


class OnnxEmbedder:
    """An Embedder over the files that a manifest names. Built only from verified files."""

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        self.space_id = manifest.space_id
        self.dimension = manifest.dimension
        self.calibration = Calibration(manifest.passage, manifest.statement)
        try:
            self._cutter = Cutter(folder / manifest.tokenizer.file, manifest)
            self._session = open_session(str(folder / manifest.model.file))
            self._request = manifest.request_share * _halves(manifest.request_mean)
            if self._request.shape != (self.dimension,) or not np.isfinite(self._request).all():
                raise ValueError("request_mean")
        except Exception as error:  # both runtimes raise bare Exception and their own kinds
            raise ModelFailedError("load", type(error).__name__) from error
        self.max_query_tokens = self._cutter.max_query_tokens

    def embed_query(self, text: str) -> Vector | None:
        """Embed a question; None if it holds nothing that the model knows."""
        token_ids = self._cutter.query(text)
        return self._run(token_ids) - self._request if token_ids else None

    def windows(self, text: str, *, statement: bool = False) -> Iterator[Window]:
        """Cut a text into windows, lazily and in order."""
        return self._cutter.windows(text, statement=statement)

    def embed_window(self, window: Window) -> Vector:
        """Embed one window."""
        return self._run(window.token_ids)

    def count_tokens(self, text: str) -> int:
        """Count the model's tokens of a text, a run of unknown ones as one."""
        return self._cutter.count(text)

    def _run(self, token_ids: tuple[int, ...]) -> Vector:
        # One text at a time: batches pad, are slower than single texts here, and cannot be
        # pre-empted (28-30 texts a CPU second unsorted in 32s against 66 singly).
        ids = np.array([token_ids], dtype=np.int64)
        try:
            (rows,) = self._session.run(
                None, {"input_ids": ids, "attention_mask": np.ones_like(ids)}
            )
        except Exception as error:
            raise ModelFailedError("embed", type(error).__name__) from None
        vector: Vector = rows[0]
        if vector.shape != (self.dimension,):
            raise ModelFailedError("embed", f"a vector of shape {vector.shape}")
        if not abs(float(vector @ vector) - 1.0) < _UNIT_TOLERANCE:
            raise ModelFailedError("embed", "not a finite vector of length 1")
        return vector


def _halves(encoded: str) -> Vector:
    """A vector out of the manifest."""
    return np.frombuffer(base64.b64decode(encoded, validate=True), "<f2").astype(np.float32)


def open_session(model: str | bytes) -> onnxruntime.InferenceSession:
    """Open a model, given as a path or as its content, for one thread on the CPU."""
    onnxruntime.set_default_logger_severity(_FATAL_ONLY)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = _FATAL_ONLY
    # One thread: a laptop stays usable, and the calling thread does the work itself. Spinning
    # saves 1 ms on two threads and burns a core.
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.add_session_config_entry("session.inter_op.allow_spinning", "0")
    # Without the arena the memory of a long window goes back (123 MB against 154 MB of RSS after
    # one of 512 tokens) and speed is the same.
    options.enable_cpu_mem_arena = False
    options.enable_mem_pattern = False
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
