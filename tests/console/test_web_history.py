"""Questions to the tables: search, time travel, threads, newcomers."""

from __future__ import annotations

from pathlib import Path

import pytest

from console.web.history import History
from deploy.local.broker import Broker
from sinks.errors import DestinationError
from tests.console.desk import Desk, said

pytestmark = pytest.mark.broker


@pytest.fixture(scope="module")
def history(broker: Broker, tmp_path_factory: pytest.TempPathFactory) -> History:
    """a1 <- b1 <- c1 (late), a2, and x1 that waits for ever; another group beside it."""
    tables = tmp_path_factory.mktemp("tables")
    desk = Desk(broker.bootstrap)
    desk.say(said("a", 1, text="Who has the KEY?"), said("c", 1, ("b", 1), text="thanks"))
    desk.tick()
    desk.say(said("a", 2, text="100 % <key> \\ done"), said("b", 1, ("a", 1), text="I do"))
    desk.say(said("x", 1, ("nobody", 9), text="lost"))
    desk.tick()
    desk.say(said("a", 1, text="another key", group="other"))
    desk.keep(tables)
    return History(str(tables))


def ids(answer: object) -> list[str]:
    messages = answer.messages if hasattr(answer, "messages") else []
    return [message["id"] for message in messages]


def test_words_are_found_capitals_or_not_and_mean_only_themselves(history: History) -> None:
    assert ids(history.search("key", maybe_group="dev")) == ["a#1:1", "a#1:2"]
    assert len(history.search("key").messages) == 3
    assert ids(history.search("% <", maybe_group="dev")) == ["a#1:2"]
    assert ids(history.search(".*", maybe_group="dev")) == []
    assert ids(history.search("", maybe_group="dev", maybe_sender="B#")) == ["b#1:1"]


def test_the_conversation_can_be_seen_as_of_a_position(history: History) -> None:
    whole = history.as_of("dev")
    assert ids(whole) == ["a#1:1", "a#1:2", "b#1:1", "c#1:1"]
    assert ids(history.as_of("dev", maybe_position=2)) == ["a#1:1", "a#1:2"]
    assert ids(history.as_of("dev", maybe_position=0)) == []
    assert history.as_of("dev", maybe_position=99).total == 4


def test_the_conversation_can_be_seen_as_of_an_instant_with_what_was_held(
    history: History,
) -> None:
    whole = history.as_of("dev").messages
    before = whole[1]["delivered_at"]
    then = history.as_of("dev", maybe_at=before)
    assert ids(then) == ["a#1:1", "a#1:2"]
    assert [held["id"] for held in then.held] == ["c#1:1"]
    assert [held["id"] for held in history.as_of("dev", maybe_at=2**50 * 2).held] == ["x#1:1"]
    assert ids(history.as_of("dev", maybe_at=1)) == []


def test_an_answer_that_came_early_was_delivered_when_its_question_came(history: History) -> None:
    question, answer = history.as_of("dev").messages[2:]
    assert answer["captured_at"] < question["captured_at"]
    assert answer["delivered_at"] == question["delivered_at"]


def test_a_thread_is_all_above_and_all_below(history: History) -> None:
    assert ids(history.thread("dev", "b#1:1")) == ["a#1:1", "b#1:1", "c#1:1"]
    assert ids(history.thread("dev", "a#1:2")) == ["a#1:2"]
    assert ids(history.thread("dev", "nobody#1:9")) == []


def test_a_newcomer_gets_the_last_so_many(history: History) -> None:
    assert ids(history.last("dev", 2)) == ["b#1:1", "c#1:1"]
    assert len(history.last("dev", 99).messages) == 4
    assert history.last("none", 3).messages == []


def test_what_a_reader_missed_comes_in_the_order_of_its_ordinals(history: History) -> None:
    missed = history.between("dev", after=1, before=4, at_most=5)
    assert [one["ordinal"] for one in missed] == [2, 3]
    assert [one["ordinal"] for one in history.between("dev", after=0, before=9, at_most=1)] == [1]


def test_every_group_is_listed(history: History) -> None:
    assert history.groups() == ["dev", "other"]


def test_tables_that_are_not_there_yet_are_an_operators_sentence(tmp_path: Path) -> None:
    with pytest.raises(DestinationError, match=r"job\.tables_directory"):
        History(str(tmp_path)).as_of("dev")
