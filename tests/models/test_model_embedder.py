"""The real model gives unit vectors that tell a paraphrase from something else."""

import base64
import threading

import numpy as np
import pytest

from cognid_models import Embedder, ModelFailedError, Vector, Window, read_manifest
from cognid_models.onnx_embedder import OnnxEmbedder
from cognid_models.requests import REQUESTS

SENTENCE = "Mira keeps a blue kettle in the harbour office."


def _passage(embedder: Embedder, text: str) -> Vector:
    (window,) = embedder.windows(text)
    return embedder.embed_window(window)


def _query(embedder: Embedder, text: str) -> Vector:
    vector = embedder.embed_query(text)
    assert vector is not None
    return vector


@pytest.mark.parametrize("text", ["a", SENTENCE, "1 2 3", "Grüße aus Köln", "the " * 252])
def test_vector_has_length_one(embedder: Embedder, text: str) -> None:
    """Every vector is float32, of the manifest's dimension, finite and of length 1."""
    for statement in (False, True):
        (window,) = embedder.windows(text, statement=statement)
        vector = embedder.embed_window(window)
        assert vector.dtype == np.float32
        assert vector.shape == (embedder.dimension,)
        assert np.linalg.norm(vector) == pytest.approx(1.0, abs=1e-5)


def test_a_query_is_less_what_every_request_has(embedder: Embedder) -> None:
    """The vector in the manifest is the mean of the sentences that ask about nothing."""
    manifest = read_manifest()
    stored = np.frombuffer(base64.b64decode(manifest.request_mean), "<f2").astype(np.float32)
    asked = [_query(embedder, text) + manifest.request_share * stored for text in REQUESTS]
    assert [float(np.linalg.norm(one)) for one in asked] == pytest.approx([1.0] * 20, abs=1e-3)
    assert np.mean(asked, axis=0) == pytest.approx(stored, abs=1e-3)


def test_a_statement_answers_a_question_of_other_words(embedder: Embedder) -> None:
    """Both forms put the answer above what is unrelated, on scales that compare."""
    question = _query(embedder, "Where does Mira keep her kettle?")
    for statement, scale in (
        (False, embedder.calibration.passage),
        (True, embedder.calibration.statement),
    ):
        shares = []
        for text in (SENTENCE, "The router was reset twice."):
            (window,) = embedder.windows(text, statement=statement)
            shares.append(scale.share(float(question @ embedder.embed_window(window))))
        assert shares[0] > shares[1] + 0.1


def test_same_text_gives_the_same_bytes(embedder: Embedder) -> None:
    """A text embedded twice, with another in between, gives the same vector to the bit."""
    first = _passage(embedder, SENTENCE)
    _passage(embedder, "something longer in between " * 20)
    assert _passage(embedder, SENTENCE).tobytes() == first.tobytes()


def test_query_and_passage_have_their_own_prefix(embedder: Embedder) -> None:
    """The same words asked and stored are near, but not the same vector."""
    near = float(_query(embedder, SENTENCE) @ _passage(embedder, SENTENCE))
    assert 0.6 < near < 0.75  # .77 is the length of the query's


@pytest.mark.parametrize(
    ("question", "answer", "other"),
    [
        (
            "What does she brew her tea with?",
            "Mira boils water in her old blue kettle.",
            "The train to Porto leaves from platform nine.",
        ),
        (
            "Which pet does Tom have?",
            "Tom adopted a small cat from the shelter.",
            "Tom paid the rent for March.",
        ),
        (
            "How do I restart the server?",
            "Run systemctl restart to bring the machine's service up again.",
            "The soup needs more salt and a little lemon.",
        ),
    ],
)
def test_paraphrase_is_nearer_than_something_else(
    embedder: Embedder, question: str, answer: str, other: str
) -> None:
    """A question is nearer to its answer in other words than to another sentence."""
    asked = _query(embedder, question)
    assert asked @ _passage(embedder, answer) > asked @ _passage(embedder, other) + 0.02


def test_sentence_beside_a_giant_word_is_found(embedder: Embedder) -> None:
    """Fifty kilobytes of one letter do not drown the sentence before them."""
    asked = _query(embedder, "Where is the blue kettle?")
    drowned = _passage(embedder, f"{SENTENCE} {'A' * 50_000}")
    assert asked @ drowned > asked @ _passage(embedder, "The train leaves at nine.") + 0.02


def test_tail_of_a_long_text_is_found(embedder: Embedder) -> None:
    """What only the end of a long text says is nearest to its last window."""
    text = "The committee discussed the budget again. " * 100 + "The end mark is a zebra."
    asked = _query(embedder, "Which animal is the end mark?")
    scores = [float(asked @ embedder.embed_window(w)) for w in embedder.windows(text)]
    assert len(scores) > 2
    assert scores[-1] == max(scores)


def test_long_query_keeps_its_end(embedder: Embedder) -> None:
    """Of a query beyond the bound the last tokens count: the front decides nothing."""
    end = "the " * (embedder.max_query_tokens - 5) + "where is my kettle?"
    assert embedder.count_tokens(end) == embedder.max_query_tokens
    alone = _query(embedder, end)
    assert np.array_equal(_query(embedder, "zebras and other animals " * 300 + end), alone)


def test_query_runs_beside_a_window(embedder: Embedder) -> None:
    """Two threads use the model at once and each gets its own vector."""
    alone = _query(embedder, SENTENCE)
    (window,) = embedder.windows("the committee " * 120)
    expected = embedder.embed_window(window)
    found: list[Vector] = []
    background = threading.Thread(target=lambda: found.append(embedder.embed_window(window)))
    background.start()
    beside = _query(embedder, SENTENCE)
    background.join(timeout=20)
    assert np.array_equal(beside, alone)
    assert np.array_equal(found[0], expected)


class _Session:
    """A session that answers with what it is given: the fault that the real one never shows."""

    def __init__(self, row: np.ndarray) -> None:
        self._row = row

    def run(self, *_: object) -> list[np.ndarray]:
        return [self._row[None, :]]


@pytest.mark.parametrize(
    "row",
    [
        np.full(384, np.nan, np.float32),
        np.full(384, np.inf, np.float32),
        np.zeros(384, np.float32),
        np.ones(384, np.float32),
        np.array([1.0], np.float32),
    ],
    ids=["nan", "infinite", "zero", "long", "short"],
)
def test_vector_that_is_none_is_refused(
    embedder: Embedder, row: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A result that is not finite, of length 1 and of the right shape never leaves the model."""
    monkeypatch.setattr(embedder, "_session", _Session(row))
    with pytest.raises(ModelFailedError) as caught:
        embedder.embed_query("a word")
    assert caught.value.code == "model_failed"


def test_refusal_of_the_runtime_is_typed_and_says_no_words(
    embedder: Embedder, capfd: pytest.CaptureFixture[str]
) -> None:
    """A run that onnxruntime refuses is a ModelFailedError; no token id is in it or printed."""
    assert isinstance(embedder, OnnxEmbedder)
    beyond_the_vocabulary = 99_999  # onnxruntime's own message names it
    with pytest.raises(ModelFailedError, match="embed") as caught:
        embedder.embed_window(Window(0, 1, (101, beyond_the_vocabulary, 102)))
    assert str(beyond_the_vocabulary) not in str(caught.value)
    assert caught.value.__suppress_context__
    assert capfd.readouterr() == ("", "")
