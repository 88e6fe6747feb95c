"""The fold: one normalization for text and query, and the only way into FTS5's syntax."""

from __future__ import annotations

import sqlite3
import time
import unicodedata
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cognid_daemon.bank.fold import QUERY_TERMS, fold_document, fold_query, match_any

ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=80)


@pytest.fixture(scope="module")
def index() -> Iterator[sqlite3.Connection]:
    """An index with the bank's tokenizer; a table of it lists the tokens it made."""
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE VIRTUAL TABLE lexical USING fts5(body, tokenize='porter ascii')")
    yield connection
    connection.close()


def found(index: sqlite3.Connection, document: str, query: str) -> bool:
    """Whether a query's terms find a document."""
    index.execute("DELETE FROM lexical")
    index.execute("INSERT INTO lexical VALUES (?)", (fold_document(document, None),))
    terms = fold_query(query)
    if not terms:
        return False
    statement = "SELECT count(*) FROM lexical WHERE lexical MATCH ?"
    return bool(index.execute(statement, (match_any(terms),)).fetchone()[0])


@pytest.mark.parametrize(
    ("document", "query"),
    [
        ("Invoices are kept in Docs/2024/paid", "Docs/2024"),
        ("Don't wake Oona before nine", "don't wake"),
        ("Don't wake Oona before nine", "don\u2019t wake"),
        ("I don\u2019t", "don't"),
        ("I don\u02bct", "don\u2019t"),
        ("Zoë\u2019s key", "Zoe's"),
        ("Bug KLM-204 is the login loop", "klm204"),
        ("kernel of debian 12.7", "12.7"),
        ("always with --dry-run", '"--dry-run"'),
        ("a snake_case name", "snakecase"),
        ("call renderPage first", "render"),
        ("call renderPage first", "renderpage"),
        ("打印机的驱动放在三楼机柜里", "驱动"),
        ("打印机的驱动放在三楼机柜里", "机柜"),
        ("部署脚本在仓库根目录", "部署脚本的结果在哪里"),
        ("猫を飼っている", "猫"),
        ("한국어를 배운다", "한국어"),
        ("กุญแจอยู่ในลิ้นชัก", "กุญแจ"),
        ("Zoë\u2019s café key", unicodedata.normalize("NFD", "café")),
        (unicodedata.normalize("NFD", "Zoë\u2019s café key"), "café"),
        ("Zoë\u2019s café key", "cafe"),
        ("مفتاح أحمد في الدرج", "ا\u0654حمد"),
        ("مُفْتَاح", "مفتاح"),
        ("שָׁלוֹם", "שלום"),
        ("ＫＬＭ－２０４", "KLM-204"),
        ("ｶﾞｽ", "ガス"),
        ("رقم ١٢٣", "123"),
        ("Straße", "STRASSE"),
        ("smørrebrød", "smorrebrod"),
        ("हिन्दी भाषा", "हिन्दी"),
        ("a party 🎉 today", "🎉"),
        ("fine 👍🏽", "👍"),
        ("flag 🇩🇪", "🇩🇪"),
        ("written in C++", "C++"),
        ("the runner was running", "run"),
    ],
)
def test_alike_forms_meet(index: sqlite3.Connection, document: str, query: str) -> None:
    """A query finds a text that says the same in another form."""
    assert found(index, document, query)


@pytest.mark.parametrize(
    ("document", "query"),
    [
        ("127 errors", "12.7"),
        ("version 1.27", "12.7"),
        ("plain C", "C++"),
        ("flag 🇩🇪", "🇪🇩"),
        ("abc", "*"),
        ("abc", '"'),
    ],
)
def test_unlike_forms_share_no_exact_term(document: str, query: str) -> None:
    """An identifier's own term stands in nothing else."""
    own = [term for term in fold_query(query) if not term.isalnum()]
    assert not set(own) & set(fold_document(document, None).split(" "))


@given(ANY_TEXT)
def test_the_tokenizer_finds_no_other_boundary(index: sqlite3.Connection, text: str) -> None:
    """Every token is a token to FTS5 too, so that what is stored is what is asked for."""
    body = fold_document(text, None)
    index.execute("DELETE FROM lexical")
    index.execute("INSERT INTO lexical VALUES (?)", (body,))
    for token in set(body.split()):
        statement = "SELECT count(*) FROM lexical WHERE lexical MATCH ?"
        assert index.execute(statement, (match_any([token]),)).fetchone() == (1,)
    (size,) = index.execute("SELECT sz FROM lexical_docsize").fetchone()
    assert size[-1] & 0x7F == len(body.split()) & 0x7F


@given(ANY_TEXT)
def test_no_query_reaches_the_syntax(index: sqlite3.Connection, text: str) -> None:
    """Whatever is asked is a list of quoted terms to FTS5, never an operator or an error."""
    terms = fold_query(text)
    assert len(terms) <= QUERY_TERMS
    assert len(set(terms)) == len(terms)
    if terms:
        statement = "SELECT rowid FROM lexical WHERE lexical MATCH ?"
        index.execute(statement, (match_any(terms),)).fetchall()


@pytest.mark.parametrize("hostile", ['a" OR b', '"', 'x" NEAR(y', "a*"])
def test_match_any_quotes(index: sqlite3.Connection, hostile: str) -> None:
    """A term that did not come from the fold is still no syntax."""
    assert match_any([hostile]).count('"') % 2 == 0
    index.execute("SELECT rowid FROM lexical WHERE lexical MATCH ?", (match_any([hostile]),))


@given(ANY_TEXT)
def test_composed_and_decomposed_are_one(text: str) -> None:
    """NFC, NFD, NFKC and the text itself have the same tokens."""
    forms = {fold_document(unicodedata.normalize(form, text), None) for form in ("NFC", "NFD")}
    assert len(forms) == 1


@given(st.text(st.characters(max_codepoint=127), max_size=80))
def test_the_quick_way_is_the_same_way(text: str) -> None:
    """ASCII has the same tokens whether or not something else stands beside it."""
    assert f"{fold_document(text, None)} 猫".split() == fold_document(f"{text} 猫", None).split()


def test_stop_words_go_unless_alone() -> None:
    """A query loses its stop words, but a query of nothing else keeps them."""
    assert fold_query("where is the printer") == ["printer"]
    assert fold_query("to be or not to be") == ["or", "not", "to", "be"]
    assert fold_query("AND") == ["and"]


def test_the_tail_of_a_long_query_decides() -> None:
    """Of too many terms the last are kept."""
    terms = fold_query(" ".join(f"w{number}" for number in range(1000)))
    assert terms == [f"w{number}" for number in range(1000 - QUERY_TERMS, 1000)]


def test_the_speaker_is_part_of_the_document() -> None:
    """A turn is found by the name of who said it."""
    assert fold_document("the green one", "Zoë") == "zoe the green one"


@pytest.mark.parametrize(
    "unit", ["A", "a.b", "é", "打", "👍", "\u0301", "a'", "\ufdfa", "aB", "a+", "1\u00b7", "हि"]
)
def test_any_long_text_is_folded_in_linear_time(unit: str) -> None:
    """400,000 characters of anything take well under a second and lose nothing to search."""
    text = (unit * 400_000)[:400_000]
    begun = time.perf_counter()
    body = fold_document(f"{text} coral", None)
    assert time.perf_counter() - begun < 3
    assert "coral" in body.split(" ")
    assert max(map(len, body.split(" "))) <= 200
