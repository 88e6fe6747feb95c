"""The calls of an agent's own tools, and export, import and doctor, against a real daemon."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest
from support.daemon import WITHOUT_MODEL, DaemonProcess, running

from cognid import (
    Changed,
    Client,
    CognidError,
    Committed,
    CorrectPreview,
    Imported,
    Record,
    Shown,
    TargetsConflict,
)
from cognid.credentials import new_credential
from cognid.protocol.proof import verifier_of


@pytest.fixture(scope="module")
def shared() -> Iterator[DaemonProcess]:
    """One daemon for this module; each test has agents of its own."""
    with running(settings=WITHOUT_MODEL) as daemon:
        yield daemon


@pytest.fixture
def owner(shared: DaemonProcess, request: pytest.FixtureRequest) -> Iterator[Client]:
    """The owner's client of an agent of this test's own."""
    where = (shared.places.socket, shared.credential())
    with Client(*where, agent=request.node.name) as client:
        client.ensure_bank(enabled=True)
        yield client


@contextmanager
def tool(owner: Client, shared: DaemonProcess, rights: Sequence[str]) -> Iterator[Client]:
    """A client of the same agent whose credential has these rights alone."""
    credential = new_credential("tool")
    name = f"{owner.agent} {'-'.join(rights)}"
    verifier = verifier_of(credential.secret)
    owner.create_grant(
        credential.credential_id,
        name,
        verifier,
        owners=["local"],
        agents=[owner.agent],
        rights=rights,
    )
    with Client(shared.places.socket, credential, agent=owner.agent) as client:
        yield client


def add(client: Client, text: str) -> str:
    """Assert a memory; gives its id."""
    outcome = client.add(text)
    assert isinstance(outcome, Committed)
    return outcome.memories[0].memory_id


def test_tool_forgets_what_its_preview_listed(owner: Client, shared: DaemonProcess) -> None:
    """The agent's forget takes exactly its preview, with its token; the ledger has its own name."""
    lamp, other = add(owner, "The lamp code is amber-sky."), add(owner, "The lamp is in the hall.")
    with tool(owner, shared, ["tool_forget"]) as client:
        preview = client.tool_forget_preview([lamp])
        assert [one.memory_id for one in preview.affected] == [lamp]
        token = preview.preview_token
        assert token is not None
        more = client.tool_forget([lamp, other], preview_token=token)
        assert isinstance(more, TargetsConflict)
        assert more.reason == "preview_stale"
        outcome = client.tool_forget([lamp], preview_token=token)
        assert isinstance(outcome, Changed)
        assert (outcome.affected, outcome.projection) == ([lamp], None)
        with pytest.raises(CognidError, match="forbidden"):
            client.open_configure()
    handle = owner.open_configure().handle
    history = owner.inspect_history(handle, lamp)
    assert history.view == "history"
    assert history.entries[-1].operation == "memory.tool_forget"


def test_tool_corrects_what_its_preview_showed(owner: Client, shared: DaemonProcess) -> None:
    """The agent's correct changes the memory that its preview showed, if it is still so."""
    lamp = add(owner, "The lamp code is amber-sky.")
    with tool(owner, shared, ["tool_correct"]) as client:
        preview = client.tool_correct_preview(lamp)
        assert isinstance(preview, CorrectPreview)
        outcome = client.tool_correct(lamp, "It is b.", preview_token=preview.preview_token)
        assert isinstance(outcome, Changed)
        assert outcome.revision == 2
        late = client.tool_correct_preview(lamp)
        assert isinstance(late, CorrectPreview)
        handle = owner.open_configure().handle
        owner.correct(handle, lamp, "It is c.", expected_revision=2)
        stale = client.tool_correct(lamp, "It is d.", preview_token=late.preview_token)
        assert isinstance(stale, TargetsConflict)
    shown = owner.inspect_get(handle, lamp)
    assert isinstance(shown, Shown)
    assert shown.memory.text == "It is c."


def test_tools_are_off_unless_given_by_name(owner: Client, shared: DaemonProcess) -> None:
    """A grant with every usual right may neither forget nor correct."""
    lamp = add(owner, "The lamp code is amber-sky.")
    with tool(owner, shared, ["remember", "recall", "session", "lane"]) as client:
        for refused in (
            lambda: client.tool_forget_preview([lamp]),
            lambda: client.tool_forget([lamp], preview_token=f"prv_{'0' * 64}"),
            lambda: client.tool_correct_preview(lamp),
            lambda: client.tool_correct(lamp, "x", preview_token=f"prv_{'0' * 64}"),
            lambda: client.export(),
            lambda: client.doctor(ledger=True),
        ):
            with pytest.raises(CognidError) as caught:
                refused()
            assert caught.value.code == "forbidden"


def test_export_and_import_move_a_bank(owner: Client) -> None:
    """Records of one bank's pages, imported into another, are the same memories."""
    for number in range(5):
        add(owner, f"note {number}")
    records: list[Record] = []
    cursor: str | None = None
    while True:
        page = owner.export(limit=2, cursor=cursor)
        assert page.total == 5
        records += [Record.model_validate_json(one.model_dump_json()) for one in page.records]
        cursor = page.cursor
        if cursor is None:
            break
    assert [record.revisions[0].text for record in records] == [f"note {n}" for n in range(5)]
    other = f"{owner.agent} other"
    owner.ensure_bank(enabled=True, agent=other)
    outcome = owner.import_records(records, agent=other)
    assert isinstance(outcome, Imported)
    assert (outcome.imported, outcome.skipped, outcome.blocked) == (5, 0, [])
    again = owner.export(agent=other).records
    assert [Record.model_validate_json(one.model_dump_json()) for one in again] == records


def test_doctor_proves_an_erasure(owner: Client) -> None:
    """Asked for the erasure, the doctor does what is owed and proves it; the ledger is whole."""
    lamp = add(owner, "The lamp code is amber-sky.")
    before = owner.doctor(erasure=lamp).erasure
    assert before is not None
    assert (before.forgotten_at, before.erased) == (None, False)
    handle = owner.open_configure().handle
    assert isinstance(owner.forget(handle, [lamp], confirmed=True), Changed)
    proofs = owner.doctor(erasure=lamp, ledger=True)
    assert proofs.erasure is not None
    assert proofs.ledger is not None
    assert (proofs.erasure.erased, proofs.erasure.pending) == (True, [])
    assert (proofs.ledger.whole, proofs.ledger.rolled_back) == (True, False)
    with pytest.raises(CognidError, match="invalid_argument"):
        owner.doctor()
