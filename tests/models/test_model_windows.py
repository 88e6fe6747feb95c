"""Windows cover a text to its last character, whatever the text is, at a bounded cost."""

import base64
import itertools
import random
import time
import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer

from cognid_models import PACKAGE_FOLDER, Embedder, Window, read_manifest
from cognid_models.windows import Cutter

WORDS = [
    "harbour",
    "Mira",
    "42",
    "keeps",
    "the",
    "blue",
    "kettle,",
    "naïve",
    "日本語",
    "🍕",
    "\n",
    "x_y",
]
SPECIAL_IDS = {101, 102, 103}  # [CLS], [SEP], [MASK]


@pytest.fixture(scope="module")
def reference() -> Tokenizer:
    """The tokenizer alone, to compare with."""
    tokenizer = Tokenizer.from_file(str(PACKAGE_FOLDER / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def _text(words: int, seed: int = 1) -> str:
    # Not for secrets: only the same text in every run.
    return " ".join(random.Random(seed).choices(WORDS[:7], k=words))


def _assert_covers(windows: list[Window], text: str) -> None:
    assert windows[0].start == 0
    assert windows[-1].end == len(text)
    for before, after in itertools.pairwise(windows):
        assert before.start < after.start <= before.end < after.end


def test_short_text_is_one_window_as_the_tokenizer_would_make_it(
    embedder: Embedder, reference: Tokenizer
) -> None:
    """A short text is one window: prefix, text and special tokens, nothing else."""
    text = "Mira keeps a blue kettle in the harbour office."
    (window,) = embedder.windows(text)
    assert (window.start, window.end) == (0, len(text))
    assert list(window.token_ids) == reference.encode("passage: " + text).ids


def test_long_text_is_covered_by_overlapping_windows(embedder: Embedder) -> None:
    """Spans start at 0, overlap, and end with the text; no window is too long."""
    text = _text(3_000)
    windows = list(embedder.windows(text))
    _assert_covers(windows, text)
    assert len(windows) > 10
    assert max(len(w.token_ids) for w in windows) == read_manifest().window_tokens


def test_spans_hold_the_words_of_their_tokens(embedder: Embedder, reference: Tokenizer) -> None:
    """The text of a span, tokenized alone, gives the tokens of its window."""
    text = _text(2_500, seed=2)
    for window in embedder.windows(text):
        alone = reference.encode("passage: " + text[window.start : window.end])
        assert list(window.token_ids) == alone.ids


def test_tail_is_in_the_last_window(embedder: Embedder, reference: Tokenizer) -> None:
    """The last words of a long text reach the model."""
    *_, last = embedder.windows(_text(2_000) + " the end mark is zanzibar")
    assert "zanzibar" in reference.decode(list(last.token_ids))


def test_text_that_just_fits_is_one_window(embedder: Embedder) -> None:
    """A text that fills a window exactly gets no second one; a token more does."""
    body = read_manifest().window_tokens - 4  # [CLS] passage : … [SEP]
    assert len(list(embedder.windows("the " * body))) == 1
    assert len(list(embedder.windows("the " * (body + 1)))) == 2


def test_windows_are_made_lazily(embedder: Embedder) -> None:
    """The first window of 400,000 characters costs no more than a piece of them."""
    text = _text(70_000)[:400_000]
    tracemalloc.start()
    next(embedder.windows(text))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1_000_000


@pytest.mark.parametrize(
    "junk",
    [
        "A" * 1_000_000,
        "é" * 400_000,
        "🍕" * 400_000,
        base64.b64encode(bytes(range(250)) * 150).decode(),
    ],
    ids=["letters", "accents", "emoji", "base64"],
)
def test_giant_word_is_quick_and_hides_nothing(embedder: Embedder, junk: str) -> None:
    """A sentence beside a giant unbroken word stays one short window, in under a second of CPU."""
    sentence = "Mira keeps a blue kettle."
    text = f"{sentence} {junk}"
    before = time.thread_time()
    windows = list(embedder.windows(text))
    assert time.thread_time() - before < 1.0
    _assert_covers(windows, text)
    assert len(windows) == 1
    assert len(windows[0].token_ids) < 100


@pytest.mark.parametrize(
    "text", ["", " \n\t", "\u200b\u00ad", "A" * 400_000, "🍕🍕 🚀", "\u1780\u1781 \u1782"]
)
def test_text_without_a_known_token_has_no_window(embedder: Embedder, text: str) -> None:
    """What holds nothing that the model knows is never sent to it."""
    assert list(embedder.windows(text)) == []
    assert embedder.embed_query(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "今日は東京で会議があります。" * 200,
        "Straße, naïve façade, Ångström, e\u0301te\u0301 " * 150,
        "👩‍👩‍👧 family at the 🏖️ beach " * 150,
        "שלום עולם مرحبا بالعالم " * 150,
        "line\r\nfeed\x0bform\x0c\x85\u2028 end " * 200,
        "{'key':[1,2,{'deep':null}]}," * 300,
    ],
    ids=["cjk", "accents", "emoji", "rtl", "breaks", "minified"],
)
def test_odd_text_is_covered(embedder: Embedder, text: str) -> None:
    """Other scripts, joined emoji, line breaks and spaceless code are covered to the end."""
    windows = list(embedder.windows(text))
    _assert_covers(windows, text)


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=300), st.integers(1, 40))
@settings(max_examples=40, deadline=None)
def test_any_text_is_covered_or_has_no_window(embedder: Embedder, text: str, times: int) -> None:
    """Whatever the characters, windows cover all of the text or there is none."""
    whole = text * times
    if windows := list(embedder.windows(whole)):
        _assert_covers(windows, whole)


def test_typed_control_tokens_are_plain_text(embedder: Embedder) -> None:
    """A "[MASK]" or "[SEP]" that someone typed is read as the letters it is."""
    (window,) = embedder.windows("say [MASK] then [SEP] then [CLS]")
    assert not SPECIAL_IDS & set(window.token_ids[1:-1])


def test_window_does_not_show_its_words(embedder: Embedder) -> None:
    """The repr of a window holds its span only: token ids are words."""
    (window,) = embedder.windows("a secret word")
    assert repr(window) == "Window(start=0, end=13)"


def test_tokens_are_counted_without_prefix_and_special_ones(embedder: Embedder) -> None:
    """The count is that of the text alone."""
    assert embedder.count_tokens("") == 0
    assert embedder.count_tokens("the blue kettle") == 3


@settings(max_examples=40, deadline=None, derandomize=True)
@given(
    st.lists(
        st.sampled_from(
            ["words ", "🙂", "東京", "aGVsbG8gd29ybGQ" * 20, " ", "x" * 120, "é\n", "-"]
        ),
        max_size=60,
    ).map("".join)
)
def test_counting_gives_as_many_tokens_as_there_are(text: str) -> None:
    """Runs of unknown ones count one here too, across pieces and encoded data."""
    cutter = Cutter(PACKAGE_FOLDER / "tokenizer.json", read_manifest(PACKAGE_FOLDER))
    assert cutter.count(text * 9) == sum(1 for _ in cutter.tokens(text * 9))
