"""Field cases: what people type into a query, and what must come back. Numbers are the cases'."""

import pytest
from support.daemon import DaemonProcess
from support.talk import Agent


def test_a_path_in_a_query_is_only_a_path(bank: Agent) -> None:
    """1: a slash is no syntax; the memory with the path is first."""
    bank.add("The plumber comes on Thursday")
    bank.add("Invoices are kept in Docs/2024/paid")
    assert bank.texts("Docs/2024")[0] == "Invoices are kept in Docs/2024/paid"
    assert bank.lexical("Docs/2024") == ["Invoices are kept in Docs/2024/paid"]


@pytest.mark.parametrize("apostrophe", ["'", "\u2019", "\u02bc"])
def test_apostrophes_are_alike(bank: Agent, apostrophe: str) -> None:
    """2, 17: an apostrophe is no syntax, and its three forms find the same memory."""
    bank.add("Don't wake Oona before nine")
    assert bank.lexical(f"don{apostrophe}t wake") == ["Don't wake Oona before nine"]
    assert bank.texts(f"don{apostrophe}t wake")[0] == "Don't wake Oona before nine"


def test_a_hyphenated_identifier_beats_its_parts(bank: Agent) -> None:
    """3: KLM-204 is no column filter; a memory with 204 alone does not beat the whole."""
    bank.add("Room 204 is booked for the review")
    bank.add("Bug KLM-204 is the login loop")
    bank.add("KLM is an airline")
    bank.wait_indexed()
    assert bank.texts("KLM-204")[0] == "Bug KLM-204 is the login loop"
    assert bank.lexical("KLM-204")[0] == "Bug KLM-204 is the login loop"


def test_the_exact_version_comes_first(bank: Agent) -> None:
    """4: dots are no syntax, and 12.7 is not 12.8."""
    bank.add("The build box runs debian 12.8 with kernel 6.9")
    bank.add("The old server runs debian 12.7 with kernel 6.1")
    bank.wait_indexed()
    assert "12.7" in bank.texts("debian 12.7 kernel")[0]
    assert "12.7" in bank.lexical("debian 12.7 kernel")[0]


def test_a_quoted_flag_finds_its_memory(bank: Agent) -> None:
    """6: quotes and dashes neither fail nor make the text vanish."""
    bank.add("Always run the migration with --dry-run first")
    assert bank.lexical('"--dry-run"') == ["Always run the migration with --dry-run first"]
    assert bank.texts('"--dry-run"')[0] == "Always run the migration with --dry-run first"


@pytest.mark.parametrize(
    "query",
    [
        "-4",
        "*",
        "(",
        '"',
        "^a",
        "a:b",
        "AND",
        "NEAR(",
        "OR NOT",
        ";--",
        "%",
        "_",
        "\\",
        "'",
        "{",
        "+",
    ],
)
def test_operator_characters_are_no_syntax(bank: Agent, query: str) -> None:
    """7: each gives an answer, never an error."""
    bank.add("The lamp is in the attic")
    assert bank.recall(query)["outcome"] in ("hits", "no_hits")
    assert isinstance(bank.lexical(query), list)


@pytest.mark.parametrize("query", ["", "  \n", "\u200b"])
def test_a_blank_query_is_an_invalid_argument(bank: Agent, query: str) -> None:
    """8: there is one documented answer to asking nothing, and no arbitrary list."""
    bank.add("The lamp is in the attic")
    for method, params in (
        ("memory.recall", {}),
        ("memory.search", {"pipeline": "lexical"}),
        ("memory.search", {"pipeline": "vector"}),
        ("context.assemble", {}),
    ):
        data = bank.error(method, {"query": query, **params})
        assert data["code"] == "invalid_argument"
        assert data["detail"].startswith("query:")


@pytest.mark.parametrize("limit", [0, -1, 10**6, 101, True, "5", 1.5])
def test_a_limit_outside_its_bounds_is_refused(bank: Agent, limit: object) -> None:
    """60: no number stands for "all", none is changed in silence, and the bounds hold."""
    bank.add("The lamp is in the attic")
    listing = {"view": "list", "handle": bank.handle()}
    for method, params in (
        ("memory.recall", {"query": "lamp"}),
        ("memory.search", {"query": "lamp", "pipeline": "lexical"}),
        ("memory.inspect", listing),
    ):
        data = bank.error(method, {**params, "limit": limit})
        assert data["code"] == "invalid_argument"
        assert "limit:" in data["detail"]
    for good in (1, 100):
        assert len(bank.texts("lamp", limit=good)) == 1


@pytest.mark.parametrize("query", ["驱动", "机柜"])
def test_a_chinese_word_is_found_inside_its_sentence(bank: Agent, query: str) -> None:
    """9: a run of Chinese is not one token; the lexical side alone finds the word."""
    bank.add("打印机的驱动放在三楼机柜里")
    bank.add("周末去爬山")
    assert bank.lexical(query) == ["打印机的驱动放在三楼机柜里"]


def test_a_longer_chinese_phrase_still_finds_its_memory(bank: Agent) -> None:
    """11: the pieces of a phrase are not joined by AND."""
    bank.add("部署脚本在仓库根目录")
    assert bank.lexical("部署脚本的结果在哪里") == ["部署脚本在仓库根目录"]


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("プリンターの鍵は受付にある", "プリンター"),
        ("회의실 비밀번호는 게시판에 있다", "비밀번호"),
        ("กุญแจรถอยู่ในลิ้นชัก", "ลิ้นชัก"),
    ],
)
def test_scripts_without_spaces_are_found_by_word(bank: Agent, text: str, query: str) -> None:
    """9, its kind: Kana, Hangul and Thai words are found inside their sentences."""
    bank.add(text)
    assert bank.lexical(query) == [text]


def test_composed_and_decomposed_accents_are_alike(bank: Agent) -> None:
    """14: NFC finds NFD and the reverse, and a fact in both forms is one fact."""
    composed, decomposed = "Zo\u00eb\u2019s caf\u00e9 key", "Zoe\u0308\u2019s cafe\u0301 key"
    first = bank.add(composed)
    assert bank.lexical(decomposed) == [composed]
    again = bank.add(decomposed)
    assert again["outcome"] == "duplicate"
    assert again["memories"] == first["memories"]
    other = Agent(bank.connection)
    other.add(decomposed)
    assert other.lexical(composed) == [decomposed]


def test_arabic_hamza_is_found_decomposed(bank: Agent) -> None:
    """15: alef with hamza typed as two characters finds the one."""
    bank.add("مفتاح أحمد في الدرج")
    assert bank.lexical("\u0627\u0654حمد") == ["مفتاح أحمد في الدرج"]


def test_a_question_in_other_words_finds_the_memory(bank: Agent) -> None:
    """19: no phrase need stand verbatim; the memory is among the first three."""
    for text in (
        "The spare laptop is in locker nine",
        "Lunch is at noon on Fridays",
        "The meeting room has a new projector",
        "Ines waters the plants",
        "The car needs new tyres",
    ):
        bank.add(text)
    bank.wait_indexed()
    found = bank.texts("where did we put the extra notebook computer")
    assert "The spare laptop is in locker nine" in found[:3]


def test_emoji_are_findable(bank: Agent) -> None:
    """1, its kind: an emoji is a word that can be asked for."""
    bank.add("The 🦊 sticker is on my laptop")
    bank.add("The 🐢 sticker is on the fridge")
    assert bank.lexical("🦊") == ["The 🦊 sticker is on my laptop"]


def test_no_query_leaves_a_trace_in_the_log(bank: Agent, shared_daemon: DaemonProcess) -> None:
    """7: neither a traceback nor a word of text or query stands in the log."""
    bank.add("canary-text-Quetzal")
    bank.recall("canary-query-Quetzal NEAR(")
    log = shared_daemon.log_text()
    assert "Traceback" not in log
    assert "Quetzal" not in log
