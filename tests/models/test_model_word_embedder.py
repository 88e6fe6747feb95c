"""The small embedder of the tests behaves like one."""

import itertools

import numpy as np
import pytest
from support.embedder import WordEmbedder


@pytest.mark.parametrize("dimension", [32, 384])
def test_shared_words_are_near(dimension: int) -> None:
    """Texts that share words are nearer than texts that share none; lengths are 1."""
    embedder = WordEmbedder(dimension)
    asked = embedder.embed_query("blue kettle harbour")
    (near,) = embedder.windows("The blue kettle in the harbour")
    (far,) = embedder.windows("nine trains leave from Porto")
    assert asked is not None
    assert np.linalg.norm(asked) == pytest.approx(1.0, abs=1e-5)
    assert asked @ embedder.embed_window(near) > asked @ embedder.embed_window(far) + 0.2


def test_spaces_of_two_dimensions_differ() -> None:
    """Another dimension is another space."""
    assert WordEmbedder(32).space_id != WordEmbedder(384).space_id


@pytest.mark.parametrize("words", [1, 63, 64, 65, 120, 121, 500])
def test_windows_cover_the_text(words: int) -> None:
    """Windows overlap and cover the text."""
    text = " word" * words + " "
    windows = list(WordEmbedder(32).windows(text))
    assert windows[0].start == 0
    assert windows[-1].end == len(text)
    for before, after in itertools.pairwise(windows):
        assert before.start < after.start <= before.end < after.end


def test_blank_text_has_no_vector() -> None:
    """A text without a word has no window and no query vector."""
    assert list(WordEmbedder(32).windows(" ! ")) == []
    assert WordEmbedder(32).embed_query(" ! ") is None
