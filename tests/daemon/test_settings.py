from __future__ import annotations

from pathlib import Path

import pytest

from cognid.protocol.errors import CognidError
from cognid.protocol.values import Role
from cognid_daemon.settings import Settings, read_settings, settings_table


def write(folder: Path, content: str) -> Path:
    """Write config.toml."""
    (folder / "config.toml").write_text(content, encoding="utf-8")
    return folder


def refusal(folder: Path, content: str) -> str:
    """The words with which a config.toml is refused."""
    with pytest.raises(CognidError) as caught:
        read_settings(write(folder, content))
    assert caught.value.code == "configuration_invalid"
    assert caught.value.exit == 78
    return caught.value.detail


def test_defaults_hold_without_a_file(tmp_path: Path) -> None:
    """Without config.toml every default holds."""
    assert read_settings(tmp_path) == Settings()


def test_values_of_the_file_are_taken(tmp_path: Path) -> None:
    """What config.toml sets is set, and the rest keeps its default."""
    content = '[log]\nlevel = "debug"\n[intake]\nroles = ["user"]\n'
    settings = read_settings(write(tmp_path, content))
    assert settings.log.level == "debug"
    assert settings.intake.roles == [Role.USER]
    assert settings.model.folder is None


@pytest.mark.parametrize(
    ("content", "named"),
    [
        ('[log]\nlevle = "debug"\n', "log.levle"),
        ('[lgo]\nlevel = "debug"\n', "lgo"),
        ("[log]\nlevel = 3\n", "log.level"),
        ('[log]\nlevel = "loud"\n', "log.level"),
        ("[intake]\nroles = []\n", "intake.roles"),
        ("[retention]\nremark = -1\n", "retention.remark"),
        ("[retention]\nfact = 0.5\n", "retention.fact"),
        ("[retention]\nremarks = 9\n", "retention.remarks"),
        ("[quota]\nbytes = true\n", "quota.bytes"),
        ("log = 1\n", "log"),
        ('[model]\nfolder = "/nul\\u0000"\n', "model.folder"),
    ],
)
def test_wrong_setting_is_named(tmp_path: Path, content: str, named: str) -> None:
    """An unknown or wrong setting stops the start, by its name."""
    assert f": {named}: " in refusal(tmp_path, content)


def test_broken_file_is_refused_by_its_place(tmp_path: Path) -> None:
    """What is not TOML is refused by line and column, without quoting it."""
    detail = refusal(tmp_path, 'log = "fine"\nkey = CANARY-41\n')
    assert "line 2" in detail
    assert "CANARY" not in detail


def test_a_file_nested_too_deeply_is_refused(tmp_path: Path) -> None:
    """What the parser cannot get to the bottom of is refused like what is not TOML: it must end
    neither the start without a word nor, in a running daemon, the following of the file."""
    assert "not TOML" in refusal(tmp_path, f"log = {'[' * 5_000}")


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    """A file that is not UTF-8 is refused."""
    (tmp_path / "config.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(CognidError, match="not TOML"):
        read_settings(tmp_path)


def test_huge_file_is_refused(tmp_path: Path) -> None:
    """A file beyond the bound is refused before it is parsed."""
    assert "more than" in refusal(tmp_path, "#" * 70_000)


def test_table_names_every_setting_with_its_help() -> None:
    """Each setting stands in the table with a default that is valid and a help text."""
    rows = list(settings_table())
    assert {row.name for row in rows} >= {"log.level", "intake.roles", "model.folder"}
    assert all(row.help.endswith(".") for row in rows)
