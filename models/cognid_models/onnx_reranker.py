"""The real reranker: one onnxruntime session on the CPU, run by whichever thread calls.

Importing this module imports numpy, onnxruntime and tokenizers: only the loader may do that, on the
thread that loads.
"""

import math
from pathlib import Path
from typing import Final

import numpy as np
from tokenizers import Tokenizer

from cognid_models.errors import RerankerFailedError
from cognid_models.onnx_embedder import open_session
from cognid_models.reranker import RerankerManifest

_CHARACTERS: Final = 2_048
"""Of a text or a question that are tokenized: 1.4 ms. The model takes fewer tokens than that."""


class OnnxReranker:
    """A Reranker over a proven model. Every method may be called from several threads."""

    def __init__(self, model: bytes, tokenizer: Path, manifest: RerankerManifest) -> None:
        self._max_tokens = manifest.max_tokens
        self._query_tokens = manifest.query_tokens
        try:
            self._tokenizer = Tokenizer.from_file(str(tokenizer))
            # As the embedding model's: no padding, and what somebody typed is no control token.
            self._tokenizer.no_padding()
            self._tokenizer.no_truncation()
            self._tokenizer.encode_special_tokens = True
            self._start, self._end = (self._id_of(name) for name in ("[CLS]", "[SEP]"))
            self._session = open_session(model)
        except Exception as error:  # both runtimes raise bare Exception and their own kinds
            raise RerankerFailedError("load", type(error).__name__) from error

    def score(self, query: str, text: str) -> float:
        """Say how well a text answers a question. Of a long question the end counts, of a long
        text the beginning."""
        asked = self._tokens(query[-_CHARACTERS:])[-self._query_tokens :]
        said = self._tokens(text[:_CHARACTERS])[: self._max_tokens - len(asked) - 3]
        ids = np.array([[self._start, *asked, self._end, *said, self._end]], dtype=np.int64)
        sides = np.zeros_like(ids)
        sides[0, len(asked) + 2 :] = 1
        given = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": sides}
        try:
            (rows,) = self._session.run(None, given)
        except Exception as error:
            raise RerankerFailedError("rerank", type(error).__name__) from None
        if rows.shape != (1, 1):
            raise RerankerFailedError("rerank", f"a result of shape {rows.shape}")
        logit = float(rows[0, 0])
        if not math.isfinite(logit):
            raise RerankerFailedError("rerank", "not a finite number")
        return logit

    def _tokens(self, text: str) -> list[int]:
        ids: list[int] = self._tokenizer.encode(text, add_special_tokens=False).ids
        return ids

    def _id_of(self, token: str) -> int:
        token_id = self._tokenizer.token_to_id(token)
        if token_id is None:
            raise LookupError(token)
        return token_id
