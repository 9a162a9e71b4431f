import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from members import script as script_module
from members.errors import ScriptError
from members.script import Script, name_of, parse_script, pid_of, read_script
from ordering.values import MessageId


def _row(**changes: Any) -> dict[str, Any]:
    row = {"group": "dev", "sender": "alice", "seq": 1, "parent": None, "at": 0.0, "data": "hi"}
    return row | changes


def _parse(*rows: dict[str, Any]) -> Script:
    return parse_script([json.dumps(row) for row in rows], source="talk.jsonl")


def test_a_line_is_a_message_of_a_members_first_incarnation() -> None:
    (line,) = _parse(_row(at=1.5, data="grüße")).lines
    assert line.id == MessageId(pid_of("alice"), 1)
    assert line.id.sender == "alice#1"
    assert (line.group, line.parents, line.at_us, line.text) == ("dev", (), 1_500_000, "grüße")


def test_a_parent_may_stand_anywhere_and_there_may_be_several() -> None:
    script = _parse(
        _row(parent=["bob", 1], also=[["carol", 1]]),
        _row(sender="bob"),
        _row(sender="carol"),
    )
    assert script.lines[0].parents == (
        MessageId(pid_of("bob"), 1),
        MessageId(pid_of("carol"), 1),
    )


def test_a_member_counts_in_each_group_from_one() -> None:
    script = _parse(_row(), _row(group="ops"), _row(seq=2), _row(group="ops", seq=2))
    assert [line.id.seq for line in script.lines] == [1, 1, 2, 2]


def test_the_members_are_named_in_the_order_of_their_first_words() -> None:
    script = _parse(_row(sender="bob", at=7), _row(), _row(sender="bob", seq=2))
    assert script.members == ("bob", "alice")
    assert script.duration_us == 7_000_000
    assert [line.id.seq for line in script.spoken_by("bob")] == [1, 2]


def test_a_member_without_a_line_is_refused_with_the_known_names() -> None:
    with pytest.raises(ScriptError, match=r"'zoe' says nothing .* alice"):
        _parse(_row()).spoken_by("zoe")


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"seq": 2}, r"talk\.jsonl:1: alice's seq in dev is 2; 1 comes next"),
        ({"seq": "1"}, r"talk\.jsonl:1: Expected `int`"),
        ({"at": None}, r"talk\.jsonl:1: Expected `float`"),
        ({"at": -1}, r"at is -1\.0"),
        ({"extra": 1}, r"unknown field `extra`"),
        ({"sender": ""}, r"talk\.jsonl:1: pid '#1'"),
        ({"sender": "a\nb"}, r"control character"),
        ({"sender": "x" * 300}, r"302 bytes"),
        ({"group": ""}, r"1 to 255"),
        ({"parent": ["bob", 1]}, r"answers message 1 of bob"),
        ({"parent": ["alice", 1]}, r"not another message"),
        ({"parent": ["bob"]}, r"Expected `array` of length 2"),
        ({"also": [["bob", 3]]}, r"answers message 3 of bob"),
        ({"clock": {"alice": 2}}, r"the clock counts 2 of its own sender"),
        ({"clock": {"bob": 2}}, r"the clock counts None of its own sender"),
    ],
)
def test_a_slip_is_one_sentence_that_says_where(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(ScriptError, match=said):
        _parse(_row(**wrong))


def test_a_parent_in_another_group_is_refused() -> None:
    with pytest.raises(ScriptError, match="not another message of dev"):
        _parse(_row(sender="bob", group="ops"), _row(parent=["bob", 1]))


def test_a_missing_field_and_broken_json_are_refused() -> None:
    row = _row()
    del row["data"]
    with pytest.raises(ScriptError, match="missing required field `data`"):
        _parse(row)
    with pytest.raises(ScriptError, match="talk:2"):
        parse_script([json.dumps(_row()), "{"], source="talk")


def test_an_empty_script_is_refused() -> None:
    with pytest.raises(ScriptError, match="empty"):
        parse_script([], source="talk")


def test_a_script_past_the_bound_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(script_module, "MOST_LINES", 2)
    with pytest.raises(ScriptError, match="more than 2 lines"):
        _parse(_row(), _row(seq=2), _row(seq=3))


def test_a_file_that_can_not_be_read_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(ScriptError, match="No such file"):
        read_script(tmp_path / "none.jsonl")
    (tmp_path / "bytes").write_bytes(b"\xff\xfe")
    with pytest.raises(ScriptError, match="not UTF-8"):
        read_script(tmp_path / "bytes")


def test_a_file_is_read_like_its_lines(tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    path.write_text(json.dumps(_row()) + "\n" + json.dumps(_row(seq=2)) + "\n", encoding="utf-8")
    assert read_script(path) == _parse(_row(), _row(seq=2))


def test_the_name_is_the_pid_without_its_incarnation() -> None:
    assert name_of(pid_of("a#b")) == "a#b"


@given(st.text(max_size=100))
def test_no_text_raises_anything_but_a_script_error(text: str) -> None:
    with pytest.raises(ScriptError):
        parse_script([text], source="talk")
