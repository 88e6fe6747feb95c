"""Settings: what a person can set in `config.toml`, in one table. There is no other way to set it.

The table is the model below: each field has its default and its help; `docs/operations.md` is
checked against `settings_table`. An unknown or wrong setting stops the start: a typing error must
not quietly mean the default.

Owns: the settings' names, types, defaults and reading. May not act on them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from cognid.protocol.errors import CognidError
from cognid.protocol.values import Role, Sound, Word
from cognid_daemon.logs import Level

_FILE_BYTES: Final = 64 * 1024


class _Section(BaseModel):
    model_config = ConfigDict(
        extra="forbid", strict=True, frozen=True, hide_input_in_errors=True, defer_build=True
    )


class LogSettings(_Section):
    """What is logged."""

    level: Level = Field(default="info", description="Lines of this level and above are written.")


class IntakeSettings(_Section):
    """What is taken in."""

    roles: Annotated[list[Annotated[Role, Word]], Field(min_length=1)] = Field(
        default=[Role.USER, Role.ASSISTANT],
        description="Whose turns are kept as remarks; a turn of another role is rejected.",
    )
    extract: bool = Field(
        default=True,
        description="Whether facts are looked for in a user's turn that comes without candidates.",
    )


_Days = Annotated[int, Field(ge=0, le=36_500)]


def _kept(what: str) -> str:
    return f"Days for which {what} are kept, from their commit; 0: for good."


class RetentionSettings(_Section):
    """How many days a memory of each kind, and a session's message, is kept; 0: for good."""

    preference: _Days = Field(default=0, description=_kept("preferences"))
    fact: _Days = Field(default=0, description=_kept("facts"))
    episodic: _Days = Field(default=90, description=_kept("episodic memories"))
    procedural: _Days = Field(default=60, description=_kept("procedural memories"))
    context: _Days = Field(default=7, description=_kept("context memories"))
    remark: _Days = Field(default=180, description=_kept("remarks"))
    message: _Days = Field(default=30, description=_kept("the messages of a session"))


class QuotaSettings(_Section):
    """How much one bank may hold; 0: no bound."""

    memories: Annotated[int, Field(ge=0)] = Field(
        default=2_000_000,
        description="Memories that a bank holds at most, superseded and expired ones too; 0: any.",
    )
    bytes: Annotated[int, Field(ge=0)] = Field(
        default=0,
        description="Bytes of a bank's file at which it takes no new memory; 0: any.",
    )


class ModelSettings(_Section):
    """Which embedding model is used."""

    folder: Annotated[str, Field(min_length=1), Sound] | None = Field(
        default=None,
        description="A folder with another model and its manifest; none: the package's own.",
    )


class Settings(_Section):
    """All settings, by section."""

    log: LogSettings = LogSettings()
    intake: IntakeSettings = IntakeSettings()
    retention: RetentionSettings = RetentionSettings()
    quota: QuotaSettings = QuotaSettings()
    model: ModelSettings = ModelSettings()


@dataclass(frozen=True, slots=True)
class SettingRow:
    """One row of the table."""

    name: str
    default: Any
    help: str


def settings_table() -> Iterator[SettingRow]:
    """Every setting as `section.name`, with its default and help."""
    for section, field in Settings.model_fields.items():
        kind = field.annotation
        if isinstance(kind, type) and issubclass(kind, _Section):
            for name, setting in kind.model_fields.items():
                yield SettingRow(f"{section}.{name}", setting.default, setting.description or "")


def read_settings(configuration: Path) -> Settings:
    """Read `config.toml` of a folder; without the file every default holds.

    Raises:
        CognidError: `configuration_invalid`, naming each unknown or wrong setting.
    """
    path = configuration / "config.toml"
    try:
        with path.open("rb") as file:
            content = file.read(_FILE_BYTES + 1)
    except FileNotFoundError:
        return Settings()
    except OSError as error:
        raise CognidError("configuration_invalid", f"{path}: {error.strerror}") from None
    if len(content) > _FILE_BYTES:
        raise CognidError("configuration_invalid", f"{path} has more than {_FILE_BYTES} bytes")
    import tomllib  # here: 7 ms of CPU on the start path of everyone without a file

    try:
        return Settings.model_validate(tomllib.loads(content.decode("utf-8")))
    except ValidationError as error:
        faults = error.errors(include_url=False, include_context=False, include_input=False)
        named = "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in faults)
        raise CognidError("configuration_invalid", f"{path}: {named}") from None
    except (ValueError, RecursionError) as error:
        # Not UTF-8, TOMLDecodeError, or nested too deeply: only the place is taken from it.
        place = re.search(r"line \d+, column \d+", str(error))
        where = place.group() if place else "it"
        raise CognidError("configuration_invalid", f"{path}: {where} is not TOML") from None
