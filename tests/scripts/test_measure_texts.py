"""The made-up texts of the bench."""

from itertools import pairwise

from measure.texts import Texts


def test_one_seed_gives_one_sequence() -> None:
    """Two runs of the bench write and ask the same; another seed gives other texts."""
    assert list(Texts(1).turns(5)) == list(Texts(1).turns(5))
    assert list(Texts(1).turns(5)) != list(Texts(2).turns(5))


def test_queries_are_distinct() -> None:
    """No cache could answer a query of the bench: of 1,000 none stands twice."""
    texts = Texts(3)
    assert len({texts.query() for _ in range(1000)}) == 1000


def test_a_long_text_has_exactly_the_length_asked_for() -> None:
    """400,000 characters are what the bound allows, and not one more."""
    assert len(Texts(4).long_text(400_000)) == 400_000


def test_common_words_fall_off_as_in_language() -> None:
    """The most frequent content word is in a few per cent of the texts, not in all or in none."""
    texts = Texts(5)
    turns = [set(texts.turn().rstrip(".").split()) for _ in range(2000)]
    shares = [sum(word in turn for turn in turns) / len(turns) for word in ("project", "algebra")]
    assert all(more > less for more, less in pairwise([0.6, *shares]))
    assert shares[0] > 0.05
