"""Public peers and the daemon, told and asked the same in one run.

First every store is told everything, one store after the other, and the last texts are measured;
then all are asked in turn, block by block, so that the machine's mood is everybody's. Embedding is
no part of any figure: vectors are made beforehand (by our model, or by a peer's own where it brings
one) and looked up by every side alike, the daemon included.

Owns: who takes part, in which form, what is measured, and the bars.
"""

from __future__ import annotations

import statistics
import sys
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from cognid_models import load
from measure.figures import Figure
from measure.metrics import Scored, any_at, score
from measure.peers.corpus import CANARY, Corpus, read_corpus
from measure.peers.driving import (
    OUR_PYTHON,
    AbsentError,
    Answer,
    Driver,
    DriverError,
    Peer,
    counting_shim,
    driving,
    find_python,
)
from measure.peers.table import write_table
from measure.scratch import scratch_home

_DRIVERS: Final = "measure.peers.drivers"
EVENTS: Final = Peer("cognid", f"{_DRIVERS}.cognid", ("events",))
ALONE: Final = Peer("cognid", f"{_DRIVERS}.cognid")
PEERS: Final = (
    Peer("citadeldb", f"{_DRIVERS}.citadeldb"),
    Peer("compartment", f"{_DRIVERS}.compartment"),
    Peer("agentrecall-db", f"{_DRIVERS}.agentrecall"),
    Peer("chromadb", f"{_DRIVERS}.chromadb"),
    Peer("mem0ai", f"{_DRIVERS}.mem0"),
)
_SEARCH_BARS: Final = {"chromadb": 2.0}
"""CPU of a search over the peer's; elsewhere 1. Chroma's is a vector search and nothing else."""

_SIZE, _QUICK_SIZE = 10_000, 3_500
_QUICK_QUESTIONS: Final = 160
_LINE: Final = 500  # texts told at once
_MEASURED: Final = 1_000  # of the texts, the last
_BLOCK: Final = 20
_COUNT: Final = 10
_PATIENCE_SECONDS: Final = 300.0
"""Of asking one store. One that is slower answers the first questions only."""


@dataclass(frozen=True, slots=True)
class Row:
    """What one store showed. CPU and wall time in ms, embedding apart; `not_run` says why not."""

    store: str
    texts: str
    """`alone`, `with speakers` (the name before the text) or `as events`."""
    not_run: str | None = None
    version: str = ""
    how: str = ""
    found_at_5: tuple[bool, ...] = ()
    """Of each question asked of it, in the order of asking; slow stores are asked fewer."""
    any_at_10: float = 0.0
    cpu_ms_search: float = 0.0
    ms_search: float = 0.0
    cpu_ms_add: float = 0.0
    ms_add: float = 0.0
    syncs_add: float | None = None
    disk_bytes: int = 0
    readable: bool = False

    def any_at_5(self, first: int | None = None) -> float:
        """The share of questions, or of so many first ones, with gold among the first five."""
        return statistics.fmean(self.found_at_5[:first])


@dataclass(frozen=True, slots=True)
class Comparison:
    """All rows, ours first, and the bars that they are held against."""

    rows: list[Row]
    figures: list[Figure]
    texts: int
    turns: int
    cut: int
    questions: int

    def as_json(self) -> dict[str, Any]:
        """Everything but the figures, as an object."""
        return {
            "texts": self.texts,
            "locomo_turns": self.turns,
            "beam_pieces": self.cut,
            "questions": self.questions,
            "rows": [_as_json(row) for row in self.rows],
        }


def _as_json(row: Row) -> dict[str, Any]:
    found = asdict(row)
    asked = found.pop("found_at_5")
    return found | {"asked": len(asked), "any_at_5": row.any_at_5() if asked else None}


@dataclass(slots=True)
class _Entry:
    """A store that takes part, while it does."""

    peer: Peer
    texts: str
    corpus: Corpus
    folder: Path
    driver: Driver
    ids: list[str] = field(default_factory=list)
    added: list[Answer] = field(default_factory=list)
    asked: list[Answer] = field(default_factory=list)
    scored: list[Scored] = field(default_factory=list)


def compare(data: Path, peers: Path | None, *, quick: bool) -> Comparison:
    """Measure all that are installed.

    Args:
        data: the folder with `locomo*.json` and perhaps `beam*.json`.
        peers: the folder with the peers' environments.

    Raises:
        DataError: no such data.
    """
    corpus = read_corpus(data, _QUICK_SIZE if quick else _SIZE, _QUICK_QUESTIONS if quick else None)
    spoken = corpus.with_speakers()
    with scratch_home() as home, ExitStack() as stack:
        vectors = home / "vectors"
        vectors.mkdir()
        _embed(vectors, (corpus, spoken))
        shim = counting_shim(home)
        entries, missing = [], []
        wanted = [(EVENTS, "as events", corpus), (ALONE, "alone", corpus)]
        for peer in PEERS:
            wanted += [(peer, "alone", corpus), (peer, "with speakers", spoken)]
        for number, (peer, texts, told) in enumerate(wanted):
            folder = home / str(number)
            folder.mkdir()
            try:
                ours = peer.package == EVENTS.package
                python = OUR_PYTHON if ours else find_python(peers, peer.package)
                driver = stack.enter_context(driving(peer, python, folder, shim))
                driver.open(folder, vectors)
                entry = _Entry(peer, texts, told, folder, driver)
                _tell(entry)
                entries.append(entry)
            except (AbsentError, DriverError) as error:
                word = "absent" if isinstance(error, AbsentError) else "failed"
                missing.append(Row(peer.package, texts, not_run=f"{word}: {error}"))
        rows = [*_ask(entries, missing), *missing]
    return Comparison(
        rows, bars(rows), len(corpus.said), corpus.turns, corpus.cut, len(corpus.questions)
    )


def _embed(folder: Path, corpora: Sequence[Corpus]) -> None:
    """Make every vector once, with our model and one thread."""
    model = load()
    told = list(dict.fromkeys(one.text for corpus in corpora for one in corpus.said))
    asked = list(dict.fromkeys(one.text for one in corpora[0].questions))
    print(f"bench: embedding {len(told):,} texts, {len(asked)} questions", file=sys.stderr)
    kept, vectors = [], []
    for text in told:
        window = next(iter(model.windows(text)), None)
        if window is not None:
            kept.append(text)
            vectors.append(model.embed_window(window).astype("<f4").tobytes())
    queries, lengths = [], []
    for text in asked:
        vector = model.embed_query(text)
        if vector is not None:
            length = float((vector @ vector) ** 0.5)
            queries.append(text)
            lengths.append(length)
            vectors.append((vector / length).astype("<f4").tobytes())
    write_table(folder, kept, queries, lengths, vectors)


def _tell(entry: _Entry) -> None:
    print(f"bench: telling {entry.peer.package}, {entry.texts}", file=sys.stderr)
    said = entry.corpus.said
    entry.driver.prepare(
        list(dict.fromkeys(one.text for one in said)),
        [one.text for one in entry.corpus.questions],
    )
    for first in range(0, len(said), _LINE):
        measured = first >= len(said) - _MEASURED
        answer = entry.driver.add(said[first : first + _LINE], durable=measured)
        entry.ids += map(str, answer.ids)
        if measured:
            entry.added.append(answer)


def _ask(entries: list[_Entry], missing: list[Row]) -> list[Row]:
    """Ask all of them in turn, then close them and look at their files."""
    rows = []
    failed: set[int] = set()
    questions = entries[0].corpus.questions if entries else ()
    blocks = [questions[n : n + _BLOCK] for n in range(0, len(questions), _BLOCK)]
    for number, block in enumerate([blocks[0], *blocks]):  # the first warms up
        texts = [one.text for one in block]
        for place, entry in enumerate(entries):
            if place in failed or sum(sum(a.seconds) for a in entry.asked) > _PATIENCE_SECONDS:
                continue
            try:
                answer = entry.driver.search(texts, _COUNT)
            except DriverError as error:
                failed.add(place)
                missing.append(Row(entry.peer.package, entry.texts, not_run=f"failed: {error}"))
                continue
            if number:
                entry.asked.append(answer)
                entry.scored += scores(block, answer.ids, entry.ids)
    for place, entry in enumerate(entries):
        if place not in failed:
            entry.driver.close()
            rows.append(_row(entry))
    return rows


def scores(
    block: Iterable[Any], rankings: Iterable[Sequence[str]], ids: Sequence[str]
) -> list[Scored]:
    """Hold answers against the gold, which names places among what was told, as `ids` does."""
    return [
        score(one.category, ranking, frozenset(ids[int(place)] for place in one.gold))
        for one, ranking in zip(block, rankings, strict=True)
    ]


def _row(entry: _Entry) -> Row:
    added = sum(len(one.ids) for one in entry.added)
    syncs = [one.syncs for one in entry.added]
    files = [path for path in entry.folder.rglob("*") if path.is_file()]
    files = [path for path in files if path.name not in ("driver.log", "syncs", "embedding")]
    return Row(
        store=entry.peer.package,
        texts=entry.texts,
        version=entry.driver.version,
        how=entry.driver.how,
        found_at_5=tuple(bool(any_at(one, 5)) for one in entry.scored),
        any_at_10=statistics.fmean(any_at(one, 10) for one in entry.scored),
        cpu_ms_search=statistics.median(
            1000 * one.cpu_seconds / len(one.ids) for one in entry.asked
        ),
        ms_search=1000 * statistics.median(took for one in entry.asked for took in one.seconds),
        cpu_ms_add=1000 * sum(one.cpu_seconds for one in entry.added) / added,
        ms_add=1000 * statistics.median(took for one in entry.added for took in one.seconds),
        syncs_add=None if None in syncs else sum(one or 0 for one in syncs) / added,
        disk_bytes=sum(path.stat().st_size for path in files),
        readable=any(CANARY.encode() in path.read_bytes() for path in files),
    )


def bars(rows: Sequence[Row]) -> list[Figure]:
    """What the daemon has to be beside each peer, at whichever of its two forms finds more."""
    ours = next((row for row in rows if row.texts == "as events" and row.not_run is None), None)
    figures = []
    for peer in PEERS:
        theirs = [row for row in rows if row.store == peer.package]
        ran = [row for row in theirs if row.not_run is None]
        if ours is None or not ran:
            reason = next((row.not_run for row in theirs if row.not_run), "nothing to compare")
            figures.append(Figure(f"cognid / {peer.package}", None, "x", not_run=reason))
            continue
        best = max(ran, key=Row.any_at_5)
        asked = len(best.found_at_5)
        search = _SEARCH_BARS.get(peer.package, 1.0)
        ratios: tuple[tuple[str, float, float, float, bool], ...] = (
            ("any@5", ours.any_at_5(asked), best.any_at_5(), 1.0, True),
            ("CPU of a search", ours.cpu_ms_search, best.cpu_ms_search, search, False),
            ("CPU of an add", ours.cpu_ms_add, best.cpu_ms_add, 1.0, False),
        )
        figures += [
            Figure(f"{name}, cognid / {peer.package}", mine / max(its, 1e-9), "x", bar, least)
            for name, mine, its, bar, least in ratios
        ]
    return figures


def table(rows: Sequence[Row]) -> list[str]:
    """The rows as lines of Markdown."""
    lines = [
        "| store | texts | asked | any@5 | any@10 | search, CPU ms | search, ms | add, CPU ms "
        "| add, ms | syncs an add | MB | text readable | how |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        if row.not_run is not None:
            lines.append(f"| {row.store} | {row.texts} | {row.not_run} {'| ' * 10}|")
            continue
        syncs = "not counted" if row.syncs_add is None else f"{row.syncs_add:.2f}"
        figures = (
            str(len(row.found_at_5)), f"{row.any_at_5():.3f}", f"{row.any_at_10:.3f}",
            f"{row.cpu_ms_search:.2f}", f"{row.ms_search:.2f}",
            f"{row.cpu_ms_add:.2f}", f"{row.ms_add:.2f}", syncs,
            f"{row.disk_bytes / 1e6:.1f}", "yes" if row.readable else "no", row.how,
        )  # fmt: skip
        lines.append(f"| {row.store} {row.version} | {row.texts} | {' | '.join(figures)} |")
    return lines
