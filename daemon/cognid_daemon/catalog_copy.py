"""The catalog's second sealed copy: `catalog.copy`, from which a lost catalog.db is made again.

Owns: the records of the catalog as values, and their sealed form: the magic, then AES-256-GCM
(`bank.keys`) over JSON with sorted keys. The file is replaced as a whole and fsynced, names too.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from cognid_daemon.bank import files
from cognid_daemon.bank.errors import NewerSchemaError, WrongKeyError
from cognid_daemon.bank.keys import Use, derive, seal, unseal

_FAMILY: Final = b"COGNIDCAT"
_MAGIC: Final = _FAMILY + b"\x00\x00\x01"


@dataclass(frozen=True, slots=True)
class BankRecord:
    """One bank: whose it is and where it stands. `agent` None is a bank of its own.

    `created_at` is in Unix microseconds, `purge_horizon` in Unix milliseconds (0: nothing dropped).
    """

    bank_id: str
    owner: str
    agent: str | None
    epoch: str
    enabled: bool
    created_at: int
    purge_horizon: int


@dataclass(frozen=True, slots=True)
class Entry:
    """A record with its bank's key, wrapped."""

    record: BankRecord
    key_version: int
    wrapped_key: bytes


@dataclass(frozen=True, slots=True)
class Cutoff:
    """The operation that switches or wipes a bank: what its receipt and ledger entry will say."""

    operation_id: str
    operation: str
    digest: bytes
    authority: str
    policy_fingerprint: str | None


@dataclass(frozen=True, slots=True)
class Switch:
    """A switch that the catalog has made, until the next one: the bank's receipt follows it."""

    epoch: str
    enabled: bool
    cutoff: Cutoff


@dataclass(frozen=True, slots=True)
class Wipe:
    """A wipe that is not at its end.

    Until it is `turned`, `old_bank_id` is the bank of the catalog and `wrapped_key` that of the new
    one; from then on the new bank is in the catalog, `wrapped_key` is empty, and the old key is
    nowhere.
    """

    old_bank_id: str
    new_bank_id: str
    epoch: str
    cutoff: Cutoff
    key_version: int
    wrapped_key: bytes
    turned: bool = False


@dataclass(frozen=True, slots=True)
class Contents:
    """What the catalog holds of banks, keys and open wipes. Barriers, ledger heads and the last
    switches are not in the copy: the banks have them too. `generation` grows with every change, so
    that the newer of two files can be told."""

    generation: int
    entries: tuple[Entry, ...]
    wipes: tuple[Wipe, ...] = ()


def write(path: Path, master: bytes, contents: Contents) -> None:
    """Replace the copy."""
    value = {
        "generation": contents.generation,
        "banks": [
            {
                **asdict(entry.record),
                "key_version": entry.key_version,
                "wrapped_key": entry.wrapped_key.hex(),
            }
            for entry in contents.entries
        ],
        "wipes": [wipe_form(wipe) for wipe in contents.wipes],
    }
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    sealed = seal(derive(master, Use.CATALOG_COPY), text.encode(), _MAGIC)
    files.replace(path, _MAGIC + sealed)


def read(path: Path, master: bytes) -> Contents | None:
    """Read the copy; None where there is none.

    Raises:
        WrongKeyError: it does not open: another master key, or damage.
        NewerSchemaError: a newer build wrote it.
    """
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return None
    magic, sealed = content[: len(_MAGIC)], content[len(_MAGIC) :]
    if magic != _MAGIC and magic.startswith(_FAMILY):
        raise NewerSchemaError(f"{path} was written by a newer Cognid: upgrade Cognid.")
    if magic != _MAGIC:
        raise WrongKeyError(f"not a copy of the catalog: {path}")
    value: dict[str, Any] = json.loads(unseal(derive(master, Use.CATALOG_COPY), sealed, _MAGIC))
    return Contents(
        value["generation"],
        tuple(_entry(bank) for bank in value["banks"]),
        tuple(map(wipe_of, value["wipes"])),
    )


def _entry(bank: dict[str, Any]) -> Entry:
    key_version: int = bank.pop("key_version")
    wrapped_key = bytes.fromhex(bank.pop("wrapped_key"))
    return Entry(BankRecord(**bank), key_version, wrapped_key)


def switch_form(switch: Switch) -> dict[str, Any]:
    """A switch as JSON has it."""
    form = asdict(switch)
    form["cutoff"]["digest"] = switch.cutoff.digest.hex()
    return form


def switch_of(form: dict[str, Any]) -> Switch:
    """The switch of such a form."""
    return Switch(**{**form, "cutoff": _cutoff(form["cutoff"])})


def _cutoff(form: dict[str, Any]) -> Cutoff:
    return Cutoff(**{**form, "digest": bytes.fromhex(form["digest"])})


def wipe_form(wipe: Wipe) -> dict[str, Any]:
    """A wipe as JSON has it."""
    form = asdict(wipe)
    form["cutoff"]["digest"] = wipe.cutoff.digest.hex()
    form["wrapped_key"] = wipe.wrapped_key.hex()
    return form


def wipe_of(form: dict[str, Any]) -> Wipe:
    """The wipe of such a form."""
    cutoff = _cutoff(form["cutoff"])
    wrapped_key = bytes.fromhex(form["wrapped_key"])
    return Wipe(**{**form, "cutoff": cutoff, "wrapped_key": wrapped_key})
