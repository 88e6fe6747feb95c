"""The reranker: an optional part whose file is proven before any of it runs."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from cognid_models import (
    PACKAGE_FOLDER,
    ModelError,
    Reranker,
    RerankerChangedError,
    RerankerFailedError,
    RerankerMissingError,
    load_reranker,
    read_manifest,
    read_reranker_manifest,
)


@pytest.fixture(scope="module")
def reranker(reranker_source: Path) -> Reranker:
    """The real one."""
    return load_reranker(reranker_source)


def test_it_is_pinned() -> None:
    """Its hash and licence change only on purpose, and its tokenizer is the package's own."""
    manifest = read_reranker_manifest()
    assert manifest.model.sha256 == (
        "1225ccd6afd0f1b43a1b08bf67cd1cb68c05aafb443e9d8450015b8b3837ffd1"
    )
    assert manifest.model.bytes == 34_001_604
    assert manifest.licence == "Apache-2.0"
    assert manifest.tokenizer == read_manifest().tokenizer
    assert not (PACKAGE_FOLDER / manifest.model.file).exists()


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    """Where it is not installed, loading says so, with the command that installs it."""
    with pytest.raises(RerankerMissingError, match=r"int8\.onnx") as caught:
        load_reranker(tmp_path)
    assert caught.value.code == "reranker_missing"
    assert caught.value.remedy == "cognid reranker install FILE"


@pytest.mark.parametrize("change", [b"", b"\0"], ids=["shorter", "longer"])
def test_another_file_is_never_run(tmp_path: Path, change: bytes) -> None:
    """A file of another content is refused; both hashes are named."""
    manifest = read_reranker_manifest()
    (tmp_path / manifest.model.file).write_bytes(b"not a model" + change)
    with pytest.raises(RerankerChangedError) as caught:
        load_reranker(tmp_path)
    assert caught.value.code == "reranker_changed"
    assert manifest.model.sha256 in str(caught.value)


def test_one_other_bit_is_another_file(tmp_path: Path, reranker_source: Path) -> None:
    """The real model with one other bit is never loaded."""
    name = read_reranker_manifest().model.file
    content = (reranker_source / name).read_bytes()
    (tmp_path / name).write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    with pytest.raises(RerankerChangedError, match=name):
        load_reranker(tmp_path)


def test_a_manifest_that_is_none_is_refused(tmp_path: Path) -> None:
    """Nothing, no TOML, and other types: each is an error of the reranker's own."""
    for content in (
        None,
        "name = [",
        (PACKAGE_FOLDER / "reranker.toml").read_text("utf-8") + "x=1",
    ):
        if content is not None:
            (tmp_path / "reranker.toml").write_text(content)
        with pytest.raises(RerankerChangedError, match=r"reranker\.toml"):
            read_reranker_manifest(tmp_path)
    text = (PACKAGE_FOLDER / "reranker.toml").read_text("utf-8")
    (tmp_path / "reranker.toml").write_text(text.replace("max_tokens = ", "max_tokens = 0.5 #"))
    with pytest.raises(RerankerChangedError, match="max_tokens: int"):
        read_reranker_manifest(tmp_path)


def test_errors_are_the_models_own() -> None:
    """Whoever catches a ModelError catches these too."""
    for kind in (RerankerMissingError, RerankerChangedError, RerankerFailedError):
        assert issubclass(kind, ModelError)
        assert kind.code.startswith("reranker_")


def test_what_answers_is_worth_more(reranker: Reranker) -> None:
    """It tells an answer from a text that shares its words, and from one about something else."""
    question = "Where does the spare key hang?"
    answer = reranker.score(
        question, "Ines: You find the spare one on a hook behind the blue shelf."
    )
    beside = reranker.score(question, "Ines: The spare time flies, and the keyboard too.")
    other = reranker.score(question, "Bo: I burned the lasagne again.")
    assert answer > beside > other


def test_the_same_pair_has_the_same_score(reranker: Reranker) -> None:
    """It is deterministic, and one pair does not depend on the pair before."""
    pair = ("When is the lesson?", "The violin lesson was moved to Thursday.")
    first = reranker.score(*pair)
    reranker.score("?", "x " * 500)
    assert reranker.score(*pair) == first


@pytest.mark.parametrize("text", ["", " ", "🎻🎻", "\0", "[MASK] [SEP]", "x" * 400_000, "日本" * 9])
def test_any_text_has_a_score(reranker: Reranker, text: str) -> None:
    """Nothing, emoji, control tokens that were typed, a giant word: a finite number, in bounded
    time, on either side."""
    began = time.thread_time()
    scores = reranker.score("where?", text), reranker.score(text, "there")
    assert all(-20 < score < 20 for score in scores)
    assert time.thread_time() - began < 1.0


def test_typed_control_tokens_are_words(reranker: Reranker) -> None:
    """A "[SEP]" in a text does not end it: what follows counts as before."""
    question = "Where does the key hang?"
    plain = reranker.score(question, "The key hangs on the hook.")
    typed = reranker.score(question, "[SEP] The key hangs on the hook.")
    assert abs(plain - typed) < 4
