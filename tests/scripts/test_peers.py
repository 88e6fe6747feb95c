"""The comparison with public peers, without any: a fake driver, and what its answers give."""

import json
import subprocess
import sys
from array import array
from collections.abc import Iterator
from pathlib import Path

import pytest
from measure.datasets import DataError, Question
from measure.peers.comparing import EVENTS, PEERS, Row, bars, scores, table
from measure.peers.corpus import CANARY, read_corpus
from measure.peers.driving import AbsentError, Driver, DriverError, Peer, driving, find_python
from measure.peers.serving import Said
from measure.peers.table import Table, write_table
from measure.scratch import scratch_home

from cognid_models import PACKAGE_FOLDER, read_manifest

HERE = Path(sys.executable)
LOCOMO = [
    {
        "sample_id": name,
        "conversation": {
            "speaker_a": "Ann",
            "speaker_b": "Bo",
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [
                {"speaker": speaker, "dia_id": f"D1:{place}", "text": f"{text} ({name})"}
                for place, (speaker, text) in enumerate(
                    [("Ann", "My sister keeps goats."), ("Bo", "The violin lesson moved.")], 1
                )
            ],
        },
        "qa": [
            {"question": f"Goats of {name}?", "category": 4, "evidence": ["D1:1"]},
            {"question": f"Violin of {name}?", "category": 2, "evidence": ["D1:2"]},
            {"question": "Adversarial?", "category": 5, "evidence": ["D1:2"]},
        ],
    }
    for name in ("one", "two")
]
BEAM = [
    {
        "chat": 1,
        "turns": [
            {"id": 1, "role": "user", "content": "Short. " + "A sentence of a user's. " * 30}
        ],
        "questions": [],
    }
]
FAKE = """
import sys, time
from pathlib import Path
from measure.peers.serving import serve

class Store:
    version, how = "9.9", "fake"
    def __init__(self, folder, vectors):
        print("chatter on standard output")
        self.told = []
    def prepare(self, told, asked): pass
    def add(self, said):
        if said.text == "fail": raise RuntimeError("its last words")
        self.told.append(said.text)
        return len(self.told) - 1
    def settle(self): pass
    def search(self, text, count):
        spent = time.process_time() + 0.01
        while time.process_time() < spent: pass
        return [n for n, told in enumerate(self.told) if text in told][:count]
    def close(self): Path("closed").touch()
    def cpu_seconds(self): return time.process_time()

def opening(folder, vectors):
    if folder.name == "absent":
        import a_peer_that_nobody_has
    return Store(folder, vectors)

sys.exit(serve(opening))
"""


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder with a made-up LoCoMo and a made-up BEAM."""
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "locomo_small.json").write_text(json.dumps(LOCOMO))
    (folder / "beam_small.json").write_text(json.dumps(BEAM))
    return folder


@pytest.fixture
def driver(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Driver]:
    """A running driver of a fake peer."""
    (tmp_path / "fake_peer.py").write_text(FAKE)
    starting = Peer("fake", "fake_peer")
    with driving(starting, HERE, tmp_path, None) as running:
        yield running


def _row(store: str, texts: str, found: list[bool], **more: float) -> Row:
    return Row(store, texts, found_at_5=tuple(found), **more)  # type: ignore[arg-type]


def test_a_driver_answers_line_by_line_and_a_peer_may_print(driver: Driver, tmp_path: Path) -> None:
    """What a peer prints is no answer; ids, times and CPU of each line come back."""
    driver.open(tmp_path, tmp_path)
    assert (driver.version, driver.how) == ("9.9", "fake")
    driver.prepare(["a"], ["b"])
    added = driver.add(
        [Said("goats here", "s", 1, "user"), Said("b", "s", 2, "user")], durable=True
    )
    assert added.ids == [0, 1]
    assert len(added.seconds) == 2
    assert added.syncs is None
    found = driver.search(["goats", "nothing"], 10)
    assert found.ids == [[0], []]
    assert 0.02 <= found.cpu_seconds < 0.5
    driver.close()
    assert (tmp_path / "closed").exists()


def test_a_peer_that_is_not_installed_is_absent_with_a_word(driver: Driver, tmp_path: Path) -> None:
    """The missing module is named."""
    with pytest.raises(AbsentError, match="a_peer_that_nobody_has is not installed"):
        driver.open(tmp_path / "absent", tmp_path)


def test_a_peer_that_fails_leaves_its_last_words(driver: Driver, tmp_path: Path) -> None:
    """The last line of its standard error says why."""
    driver.open(tmp_path, tmp_path)
    with pytest.raises(DriverError, match="RuntimeError: its last words"):
        driver.add([Said("fail", "s", 1, "user")], durable=True)


def test_each_peer_is_looked_for_in_its_own_environment_then_in_the_common_one(
    tmp_path: Path,
) -> None:
    """A folder without any says where it was looked for."""
    with pytest.raises(AbsentError, match="no --peers"):
        find_python(None, "chromadb")
    with pytest.raises(AbsentError, match="chromadb/bin/python"):
        find_python(tmp_path, "chromadb")
    for folder in (tmp_path, tmp_path / "chromadb"):
        (folder / "bin").mkdir(parents=True)
        (folder / "bin" / "python").touch()
        assert find_python(tmp_path, "chromadb") == folder / "bin" / "python"


def test_every_driver_says_absent_where_its_peer_is(tmp_path: Path) -> None:
    """Under our own Python, which has no peer, each of them ends with a word and status 0."""
    for peer in PEERS:
        folder = tmp_path / peer.package
        folder.mkdir()
        write_table(folder, ["a"], ["b"], [1.0], [bytes(8), bytes(8)])
        with driving(peer, HERE, folder, None) as running, pytest.raises(AbsentError):
            running.open(folder, folder)


def test_a_corpus_has_every_turn_a_canary_and_others_in_between(data: Path) -> None:
    """Gold names places of the whole; the same text of two conversations is told twice."""
    corpus = read_corpus(data, 20, None)
    assert len(corpus.said) == 20
    assert corpus.turns == 4
    assert corpus.cut > 0
    assert CANARY in [one.text for one in corpus.said]
    assert {one.category for one in corpus.questions} == {"2", "4"}
    for question in corpus.questions:
        word, name = question.text.rstrip("?").split(" of ")
        (place,) = question.gold
        assert word.lower() in corpus.said[int(place)].text
        assert name in corpus.said[int(place)].text
    first = next(n for n, one in enumerate(corpus.said) if one.speaker)
    assert corpus.with_speakers().said[first].text.startswith("Ann: My sister")
    streams = [one.stream for one in corpus.said]
    assert streams.index("two") - streams.index("one") > 2


def test_a_corpus_without_beam_is_filled_with_made_up_texts(data: Path) -> None:
    """And a folder without LoCoMo is refused."""
    (data / "beam_small.json").unlink()
    assert read_corpus(data, 20, 1).cut == 0
    assert len(read_corpus(data, 20, 1).questions) == 1
    (data / "locomo_small.json").unlink()
    with pytest.raises(DataError, match=r"no locomo\*\.json"):
        read_corpus(data, 20, None)


def test_cognid_is_driven_like_its_peers_with_vectors_looked_up() -> None:
    """A real daemon finds a text by the vector that the table gives it, where no word would."""
    told = ["Ann: The goats are on the hill.", "Bo: The oven is too hot.", "Bo: We saw trams."]
    size = read_manifest(PACKAGE_FOLDER).dimension
    rows = [array("f", (float(n == place) for n in range(size))).tobytes() for place in (0, 1, 2)]
    with scratch_home() as home:
        write_table(home, told, ["Qwertz?"], [1.0], [*rows, rows[1]])
        with driving(EVENTS, HERE, home, None) as running:
            running.open(home, home)
            said = [
                Said(text.partition(": ")[2], "talk", number, "user", text.partition(":")[0])
                for number, text in enumerate(told, 1)
            ]
            added = running.add(said, durable=True)
            assert added.ids == ["talk#1", "talk#2", "talk#3"]
            found = running.search(["Qwertz?"], 2)
            assert found.ids[0][0] == "talk#2"
            assert 0 < found.cpu_seconds < 2
            running.close()


def test_vectors_come_back_by_their_texts(tmp_path: Path) -> None:
    """A question and a text of the same words are two things."""
    rows = [bytes(4) + b"\x00\x00\x80?", b"\x00\x00\x80?" + bytes(4)]
    write_table(tmp_path, ["a"], ["a"], [2.0], rows)
    found = Table(tmp_path)
    assert found.told("a") == [0.0, 1.0]
    assert found.asked("a") == found.either("a") == [1.0, 0.0]
    assert found.length("a") == 2.0
    assert found.told(" a\n") == found.told("a")
    assert found.place("b") is None
    with pytest.raises(LookupError, match=r"^a text without a vector$"):
        found.asked("b")


def test_answers_are_held_against_the_ids_that_the_store_gave() -> None:
    """Two texts that a store keeps as one are one gold item; what was not stored is missed."""
    asked = [Question("q", "1", frozenset({"0", "2"})), Question("r", "1", frozenset({"1"}))]
    found = scores(asked, [["x", "y"], ["x"]], ["y", "not stored: denied", "y"])
    assert [(one.places, one.gold) for one in found] == [((1,), 1), ((), 1)]


def test_a_peer_is_compared_at_its_better_form_over_the_questions_it_was_asked() -> None:
    """A slow peer that was asked two of four is held against our first two."""
    ours = _row("cognid", "as events", [True, False, True, True], cpu_ms_search=2, cpu_ms_add=2)
    rows = [
        ours,
        _row("chromadb", "alone", [False] * 4, cpu_ms_search=9, cpu_ms_add=9),
        _row("chromadb", "with speakers", [True, True], cpu_ms_search=1, cpu_ms_add=1),
        Row("mem0ai", "alone", not_run="absent: nowhere"),
    ]
    found = {figure.name: figure for figure in bars(rows)}
    assert found["any@5, cognid / chromadb"].value == 0.5
    assert found["any@5, cognid / chromadb"].verdict == "under"
    assert found["CPU of a search, cognid / chromadb"].verdict == "ok"
    assert found["CPU of an add, cognid / chromadb"].verdict == "over"
    assert found["cognid / mem0ai"].not_run == "absent: nowhere"
    lines = table(rows)
    assert {line.count("|") for line in lines} == {14}
    assert "| chromadb  | with speakers | 2 | 1.000 |" in lines[4]


def test_the_bench_skips_peers_with_a_word_where_there_is_no_data(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """No data set is named: nothing is measured, and it says so."""
    monkeypatch.delenv("COGNID_DATA", raising=False)
    script = Path(__file__).parents[2] / "scripts" / "bench.py"
    ran = subprocess.run(
        [sys.executable, str(script), "peers"], capture_output=True, text=True, timeout=50
    )
    assert ran.returncode == 0, ran.stderr
    assert "not run: no --data FOLDER and no $COGNID_DATA" in ran.stdout


def test_a_store_is_closed_where_the_bench_is_gone(tmp_path: Path) -> None:
    """The end of standard input closes it, so that no daemon is left behind."""
    (tmp_path / "fake_peer.py").write_text(FAKE)
    with driving(Peer("fake", "fake_peer"), HERE, tmp_path, None) as running:
        running.open(tmp_path, tmp_path)
    assert (tmp_path / "closed").exists()
