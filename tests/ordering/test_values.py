"""Laws of ids and messages: what counts as the same, and what a pid says."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ordering.values import NO_INCARNATION, MemberId, Message, MessageId, name_of, split_pid
from tests.ordering.untimed import untimed


@untimed
@given(st.text(), st.integers(0, 2**70))
def test_a_pid_splits_into_the_name_and_the_incarnation_it_was_made_of(
    name: str, incarnation: int
) -> None:
    assert split_pid(f"{name}#{incarnation}") == (name, incarnation)


@pytest.mark.parametrize("pid", ["", "alice", "alice#", "alice#one", "alice#-1", "alice# 1", "a#²"])
def test_a_pid_without_a_number_after_the_mark_is_all_name(pid: str) -> None:
    assert split_pid(pid) == (pid, NO_INCARNATION)


@untimed
@given(st.text())
def test_no_pid_raises(pid: str) -> None:
    name, incarnation = split_pid(pid)
    assert pid.startswith(name)
    assert name == name_of(pid)
    assert incarnation >= NO_INCARNATION


def test_only_the_last_mark_counts() -> None:
    assert split_pid("a#1#2") == ("a#1", 2)
    assert split_pid("#3") == ("", 3)


def test_ids_sort_by_sender_and_then_by_count() -> None:
    ids = [MessageId(MemberId(pid), seq) for pid, seq in (("b#1", 1), ("a#1", 10), ("a#1", 9))]
    assert [(pid, seq) for pid, seq in sorted(ids)] == [("a#1", 9), ("a#1", 10), ("b#1", 1)]


def test_a_message_needs_no_stamps_and_no_origin() -> None:
    message = Message(MessageId(MemberId("a#1"), 1), (), b"")
    assert message.stamps is None
    assert message.origin == ()
