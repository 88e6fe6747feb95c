"""Loading is cheap until asked for, silent, and fails with a typed error."""

import dataclasses
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from cognid_models import PACKAGE_FOLDER, ModelFailedError, load, read_manifest
from cognid_models.manifest import Manifest, ModelFile
from cognid_models.onnx_embedder import OnnxEmbedder

IMPORT_ONLY = """
import sys, cognid_models
print(sorted({"numpy", "onnxruntime", "tokenizers"} & set(sys.modules)))
"""

LOAD_AND_EMBED = """
import cognid_models
assert cognid_models.load().embed_query("a word") is not None
"""


def _run(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=30, check=True
    )


def test_import_is_cheap() -> None:
    """Importing the package imports none of the heavy parts."""
    assert _run(IMPORT_ONLY).stdout == "[]\n"


def test_loading_and_embedding_write_nothing() -> None:
    """Nothing is written to standard output or error (0.5 s: a process that loads the model)."""
    done = _run(LOAD_AND_EMBED)
    assert (done.stdout, done.stderr) == ("", "")


def test_missing_runtime_is_a_model_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without onnxruntime the model fails by name; nothing else is tried."""
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    monkeypatch.delitem(sys.modules, "cognid_models.onnx_embedder", raising=False)
    with pytest.raises(ModelFailedError, match="onnxruntime") as caught:
        load()
    assert caught.value.code == "model_failed"


@pytest.mark.parametrize("broken", ["model", "tokenizer"])
def test_file_that_the_runtime_refuses_is_a_model_error(tmp_path: Path, broken: str) -> None:
    """A file that fits its hash but is no model is a typed failure, not a crash."""
    manifest = read_manifest()
    shutil.copy(PACKAGE_FOLDER / manifest.tokenizer.file, tmp_path)
    (tmp_path / "junk").write_bytes(b"junk")
    junk = ModelFile("junk", 4, "")
    changed: Manifest = (
        dataclasses.replace(manifest, model=junk)
        if broken == "model"
        else dataclasses.replace(manifest, tokenizer=junk)
    )
    with pytest.raises(ModelFailedError, match="load"):
        OnnxEmbedder(tmp_path, changed)
