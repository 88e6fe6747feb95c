"""The manifest names what it ships, and no other file passes for it."""

import base64
import dataclasses
import hashlib
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import cognid_models
from cognid_models import (
    PACKAGE_FOLDER,
    Manifest,
    ModelChangedError,
    ModelError,
    ModelFailedError,
    ModelFile,
    ModelMissingError,
    read_manifest,
    verify,
)
from cognid_models.onnx_embedder import OnnxEmbedder


@pytest.fixture
def small(tmp_path: Path) -> tuple[Path, Manifest]:
    """A folder with small stand-in files and the manifest that fits them."""

    def file(name: str, content: bytes) -> ModelFile:
        (tmp_path / name).write_bytes(content)
        return ModelFile(name, len(content), hashlib.sha256(content).hexdigest())

    manifest = dataclasses.replace(
        read_manifest(),
        model=file("model.onnx", b"weights" * 1_000),
        tokenizer=file("tokenizer.json", b"{}"),
    )
    return tmp_path, manifest


def test_package_holds_the_files_of_its_manifest() -> None:
    """The shipped files are the ones that the manifest names."""
    verify(PACKAGE_FOLDER, read_manifest())


def test_default_model_is_pinned() -> None:
    """The default's hash, dimension and space id change only on purpose."""
    manifest = read_manifest()
    assert manifest.model.sha256 == (
        "25b447a9b52b53f320b035cc6b7585a2e306f972d619fe43dca809f2a7b68165"
    )
    assert manifest.dimension == 384
    assert manifest.licence == "MIT"
    assert manifest.space_id == "e5-small-v2-nb8-d3fb6cd5813d"


def test_whole_files_pass(small: tuple[Path, Manifest]) -> None:
    """Unchanged files pass."""
    verify(*small)


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
def test_missing_file_is_named(small: tuple[Path, Manifest], name: str) -> None:
    """A file that is not there is named, with a remedy."""
    folder, manifest = small
    (folder / name).unlink()
    with pytest.raises(ModelMissingError, match=name) as caught:
        verify(folder, manifest)
    assert caught.value.code == "model_missing"
    assert caught.value.remedy


def _flip_a_bit(content: bytes) -> bytes:
    return content[:-1] + bytes([content[-1] ^ 1])


def _truncate(content: bytes) -> bytes:
    return content[: len(content) // 2]


def _grow(content: bytes) -> bytes:
    return content + b"\0"


@pytest.mark.parametrize("change", [_flip_a_bit, _truncate, _grow])
def test_changed_file_is_refused_with_both_hashes(
    small: tuple[Path, Manifest], change: Callable[[bytes], bytes]
) -> None:
    """One changed bit, a cut or an added byte is refused; both hashes are named."""
    folder, manifest = small
    file = folder / manifest.model.file
    changed = change(file.read_bytes())
    file.write_bytes(changed)
    with pytest.raises(ModelChangedError) as caught:
        verify(folder, manifest)
    assert caught.value.code == "model_changed"
    assert manifest.model.sha256 in str(caught.value)
    assert hashlib.sha256(changed).hexdigest() in str(caught.value)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("passage_prefix", ""),
        ("query_prefix", ""),
        ("statement_prefix", ""),
        ("scheme", 2),
        ("window_tokens", 512),
        ("model", ModelFile("e5-small-v2.nb8.onnx", 1, "0" * 64)),
        ("tokenizer", ModelFile("tokenizer.json", 1, "0" * 64)),
    ],
)
def test_space_id_changes_with_whatever_changes_vectors(field: str, value: object) -> None:
    """Other weights of the same dimension, another prefix or another cut are another space."""
    manifest = read_manifest()
    changed = dataclasses.replace(manifest, **{field: value})  # type: ignore[arg-type]  # by name
    assert changed.space_id != manifest.space_id


def test_space_id_ignores_what_leaves_vectors_alone() -> None:
    """A word about the source does not make every bank embed again."""
    manifest = read_manifest()
    assert dataclasses.replace(manifest, source="elsewhere").space_id == manifest.space_id


@pytest.mark.parametrize(
    "text", ["", "name = [", "\x00", "name = 'only this'", "more = 1\n{whole}", "{untyped}"]
)
def test_unreadable_manifest_is_refused(tmp_path: Path, text: str) -> None:
    """A manifest that is no TOML, or has other keys or types, is refused as changed."""
    whole = (PACKAGE_FOLDER / "manifest.toml").read_text()
    untyped = whole.replace("dimension = 384", "dimension = '384'")
    content = text.replace("{whole}", whole).replace("{untyped}", untyped)
    (tmp_path / "manifest.toml").write_text(content)
    with pytest.raises(ModelChangedError, match=r"manifest\.toml"):
        read_manifest(tmp_path)


@pytest.mark.parametrize(
    ("line", "other"),
    [
        ("request_share = 0.3", "request_share = nan"),
        ("unrelated = 0.52\n", "unrelated = nan\n"),
        ("span = 0.1725", "span = 0.0"),
        ("alike = 0.9\n", "alike = inf\n"),
        ("overlap_tokens = 32", "overlap_tokens = -3"),
        ("overlap_tokens = 32", "overlap_tokens = 300"),
        ("window_tokens = 256", "window_tokens = 9999"),
        ("query_tokens = 128", "query_tokens = 0"),
        ('name = "e5-small-v2"', f"name = {'[' * 5_000}"),
    ],
)
def test_unusable_numbers_are_refused(tmp_path: Path, line: str, other: str) -> None:
    """With them each score would be no number, or each memory or query fail: it is not loaded."""
    whole = (PACKAGE_FOLDER / "manifest.toml").read_text()
    assert line in whole
    (tmp_path / "manifest.toml").write_text(whole.replace(line, other, 1))
    with pytest.raises(ModelChangedError, match=r"manifest\.toml"):
        read_manifest(tmp_path)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("query_tokens", 3),
        ("window_tokens", 35),
        ("request_mean", "AAA="),
        ("request_mean", base64.b64encode(b"\x00\x7c" * 384).decode()),  # infinity
    ],
)
def test_what_only_the_model_can_tell_is_refused(field: str, value: Any) -> None:
    """No room beside the prefixes, and the mean of requests of another length or none at all."""
    manifest = dataclasses.replace(read_manifest(), **{field: value})
    with pytest.raises(ModelFailedError, match="load"):
        OnnxEmbedder(PACKAGE_FOLDER, manifest)


def test_folder_without_manifest_has_no_model(tmp_path: Path) -> None:
    """A folder without manifest is a missing model, not a guess."""
    with pytest.raises(ModelMissingError, match=r"manifest\.toml"):
        cognid_models.load(tmp_path)


def test_load_refuses_a_changed_model_before_it_runs_it(tmp_path: Path) -> None:
    """The real model with one other bit is never loaded."""
    for name in ("manifest.toml", "tokenizer.json"):
        shutil.copy(PACKAGE_FOLDER / name, tmp_path)
    name = read_manifest().model.file
    (tmp_path / name).write_bytes(_flip_a_bit((PACKAGE_FOLDER / name).read_bytes()))
    with pytest.raises(ModelChangedError, match=name):
        cognid_models.load(tmp_path)


def test_each_error_has_its_own_code_and_a_remedy() -> None:
    """Codes are distinct and each error tells a person what to do."""
    kinds = ModelError.__subclasses__()
    assert {kind.code for kind in kinds} == {"model_missing", "model_changed", "model_failed"}
    assert all(kind.remedy for kind in kinds)


def test_notice_names_source_and_licence() -> None:
    """The notice that the licence asks for lies beside the model."""
    notice = (PACKAGE_FOLDER / "NOTICE").read_text()
    for words in ("intfloat/e5-small-v2", "Microsoft", "Permission is hereby granted", "bert-base"):
        assert words in notice
