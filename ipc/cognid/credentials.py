"""Credentials: 0600 files that hold a random 256-bit secret and the name it was paired under.

The daemon makes the owner's at its first start; `cognid pair NAME` makes others. A sandboxed
program gets the socket and its own credential file, and can do no more than its grant says.

Owns: the file's form and its safe reading and writing. A secret never enters a message or a repr.
"""

from __future__ import annotations

import json
import os
import secrets
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from cognid.paths import Places, make_folder, read_private, write_private
from cognid.protocol.errors import CognidError
from cognid.protocol.proof import SECRET_BYTES, new_secret

OWNER: Final = "owner"
"""The name of the credential that the daemon makes for the person who runs it."""
VARIABLE: Final = "COGNID_CREDENTIAL"
"""Names a credential file to use instead of the owner's."""


@dataclass(frozen=True, slots=True)
class Credential:
    """One credential as it stands in its file."""

    credential_id: str
    name: str
    secret: bytes = field(repr=False)


def new_credential(name: str) -> Credential:
    """Make a credential with a fresh id and secret."""
    return Credential(f"crd_{secrets.token_hex(16)}", name, new_secret())


def save_credential(credential: Credential, path: Path) -> None:
    """Write a credential file, 0600 in a 0700 folder, durably."""
    make_folder(path.parent)
    write_credential(credential, path)


def write_credential(credential: Credential, path: Path) -> None:
    """Write a credential file, 0600, into a folder that is there and stays as it is."""
    content = {
        "credential_id": credential.credential_id,
        "name": credential.name,
        "secret": credential.secret.hex(),
    }
    write_private(path, json.dumps(content, indent=1).encode("utf-8") + b"\n")


def load_credential(path: Path) -> Credential:
    """Read a credential file.

    Raises:
        CognidError: `credential_missing`, or `credential_unsafe` where others can read it or it
            does not have the form of a credential.
    """
    try:
        content = read_private(path)
    except FileNotFoundError:
        raise CognidError("credential_missing", str(path)) from None
    try:
        parts = json.loads(content)
        credential = Credential(
            str(parts["credential_id"]), str(parts["name"]), bytes.fromhex(parts["secret"])
        )
    except (ValueError, KeyError, TypeError):
        # From None: the parser's message could quote the secret.
        raise CognidError("credential_unsafe", f"{path} is not a credential file") from None
    if len(credential.secret) != SECRET_BYTES:
        raise CognidError("credential_unsafe", f"{path} is not a credential file")
    return credential


def credential_path(places: Places, name: str = OWNER) -> Path:
    """Where the credential of a name lies."""
    return places.credentials / f"{name}.json"


def default_credential(places: Places) -> Path:
    """The credential to use where none is named: `$COGNID_CREDENTIAL`, else the owner's."""
    named = os.environ.get(VARIABLE)
    return Path(named) if named else credential_path(places)
