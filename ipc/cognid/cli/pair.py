"""`cognid pair`: make a credential for a program, and a grant that bounds it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Final, Literal

import typer

from cognid.cli import options
from cognid.cli.terminal import answering
from cognid.client import Client
from cognid.credentials import (
    Credential,
    credential_path,
    new_credential,
    save_credential,
    write_credential,
)
from cognid.paths import find_places
from cognid.protocol.errors import CognidError
from cognid.protocol.proof import verifier_of
from cognid.protocol.values import Right

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
"""A name becomes a file's name."""
_USUAL_RIGHTS: Final = (Right.REMEMBER, Right.RECALL, Right.SESSION, Right.LANE)


def command(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A name for the program.")],
    agent: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="An agent it may act for; may be repeated; '*' is every agent. Without it, the "
            "memories of no agent.",
        ),
    ] = None,
    owner: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="An owner, likewise; '*' is every owner. Without it, local."
        ),
    ] = None,
    right: Annotated[
        list[Right] | None,
        typer.Option(
            help="What it may do; may be repeated. Without it: remember, recall, session, lane."
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Where to write the credential, in a folder that is."),
    ] = None,
    as_json: options.Json = False,
) -> None:
    """Make a credential for a program. Its secret is in the file that is named, and only there."""
    with answering(as_json) as terminal:
        if not _NAME.fullmatch(name):
            raise CognidError(
                "invalid_argument", "name: up to 64 letters, digits, points, dashes, underscores"
            )
        credential = new_credential(name)
        path = out or credential_path(find_places(), name)
        with Client() as client:
            client.connect()  # so that no file is written where there is no daemon
            _write(credential, path, save_credential if out is None else write_credential)
            try:
                grant = client.create_grant(
                    credential.credential_id,
                    name,
                    verifier_of(credential.secret),
                    owners=_everyone_or(owner) or ["local"],
                    agents=_everyone_or(agent) or [None],
                    rights=right or _USUAL_RIGHTS,
                )
            except CognidError as error:
                if error.effect == "none":
                    path.unlink()
                raise
        if as_json:
            terminal.object({"grant": grant.model_dump(mode="json"), "path": str(path)})
        else:
            terminal.line(str(path))
            terminal.note(f"The program finds it with COGNID_CREDENTIAL={path}")


def _everyone_or(names: list[str] | None) -> list[str] | Literal["*"]:
    return "*" if names and "*" in names else names or []


def _write(credential: Credential, path: Path, write: Callable[[Credential, Path], None]) -> None:
    """Write the file before the grant is made: a grant without its secret is of no use."""
    if path.exists():
        raise CognidError("grant_exists", f"{path} exists; delete it where its grant was revoked")
    try:
        write(credential, path)
    except OSError as error:
        raise CognidError("folder_unsafe", f"{path}: {error.strerror}") from None
