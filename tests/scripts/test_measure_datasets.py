"""Reading LoCoMo, BEAM and PrefEval: made-up files of their forms."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from measure.datasets import DataError, read_data

from cognid.protocol.values import Role

LOCOMO = [
    {
        "sample_id": "conv-1",
        "conversation": {
            "speaker_a": "Ann",
            "speaker_b": "Bo",
            "session_10_date_time": "12:09 am on 13 September, 2023",
            "session_10": [{"speaker": "Ann", "dia_id": "D10:1", "text": "Back from Oslo."}],
            "session_2_date_time": "1:56 pm on 8 May, 2023",
            "session_2": [
                {"speaker": "Bo", "dia_id": "D2:1", "text": "Hi!", "blip_caption": "a red barn"},
                {"speaker": "Ann", "dia_id": "D2:2", "text": "I sail."},
            ],
        },
        "qa": [
            {"question": "Who sails?", "category": 4, "evidence": ["D2:2"]},
            {"question": "Both?", "category": 1, "evidence": ["D:2:1; D10:1", "D99:9"]},
            {"question": "No evidence?", "category": 3, "evidence": []},
            {"question": "Evidence of nothing told?", "category": 4, "evidence": ["D99:9"]},
        ],
    }
]
BEAM = [
    {
        "chat": 7,
        "turns": [
            {"id": 0, "role": "user", "content": "I use Flask.", "time_anchor": None},
            {"id": 1, "role": "assistant", "content": "Noted.", "time_anchor": None},
        ],
        "questions": [
            {"ability": "extraction", "question": "Which framework?", "evidence_ids": [0, 1]},
            {"ability": "extraction", "question": "What was noted?", "evidence_ids": [1]},
            {"ability": "abstention", "question": "My age?", "evidence_ids": []},
        ],
    }
]
PREFEVAL = {
    "food": [
        {"preference": "I eat no fish.", "question": "A menu for tonight?"},
        {"preference": "I like it hot.", "question": "Which curry?"},
    ],
    "travel": [{"preference": "I never fly.", "question": "How to get to Rome?"}],
}


def _write(path: Path, content: object) -> Path:
    path.write_text(json.dumps(content))
    return path


def test_locomo_turns_come_session_by_session_without_captions(tmp_path: Path) -> None:
    """Session 2 comes before session 10; speaker_a is the user; captions are left out."""
    (conversation,) = read_data("locomo", _write(tmp_path / "l.json", LOCOMO)).conversations
    assert [(one.key, one.role, one.speaker) for one in conversation.told] == [
        ("D2:1", Role.ASSISTANT, "Bo"),
        ("D2:2", Role.USER, "Ann"),
        ("D10:1", Role.USER, "Ann"),
    ]
    assert conversation.told[0].text == "Hi!"
    assert conversation.told[0].at == datetime(2023, 5, 8, 13, 56, tzinfo=UTC)
    assert conversation.told[2].at == datetime(2023, 9, 13, 0, 9, tzinfo=UTC)
    assert conversation.told[2].session == "session-10"


def test_locomo_gold_is_every_turn_that_the_evidence_names(tmp_path: Path) -> None:
    """`D:2:1; D10:1` names two turns; a question without evidence that was told is skipped."""
    (conversation,) = read_data("locomo", _write(tmp_path / "l.json", LOCOMO)).conversations
    assert [(one.category, sorted(one.gold)) for one in conversation.questions] == [
        ("4", ["D2:2"]),
        ("1", ["D10:1", "D2:1"]),
    ]
    assert conversation.skipped == 2


def test_beam_tells_the_users_messages_unless_both_are_asked_for(tmp_path: Path) -> None:
    """With the user's messages alone, evidence in the assistant's is no gold."""
    path = _write(tmp_path / "b.json", BEAM)
    (users,) = read_data("beam", path).conversations
    (both,) = read_data("beam", path, "both").conversations
    assert [one.key for one in users.told] == ["0"]
    assert [one.gold for one in users.questions] == [{"0"}]
    assert users.skipped == 2
    assert [one.gold for one in both.questions] == [{"0", "1"}, {"1"}]
    assert both.skipped == 1


def test_prefeval_is_one_bank_and_each_question_wants_its_own_preference(tmp_path: Path) -> None:
    """All topics' preferences lie in one bank, as preferences and not as turns."""
    (bank,) = read_data("prefeval", _write(tmp_path / "p.json", PREFEVAL)).conversations
    assert not bank.turns
    assert [one.key for one in bank.told] == ["food-0", "food-1", "travel-0"]
    assert bank.questions[1].text == "Which curry?"
    assert bank.questions[1].gold == {"food-1"}


@pytest.mark.parametrize("content", ["{", '{"a": 1}', "[1]"])
def test_a_file_of_another_form_is_named(tmp_path: Path, content: str) -> None:
    """What is not the data set is refused with its path, whatever it holds."""
    path = tmp_path / "other.json"
    path.write_text(content)
    with pytest.raises(DataError, match=r"other\.json: not"):
        read_data("locomo", path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    """A path that does not exist is refused in one line."""
    with pytest.raises(DataError, match=r"nowhere\.json: No such file"):
        read_data("beam", tmp_path / "nowhere.json")
