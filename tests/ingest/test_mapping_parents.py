import json
from typing import Any

import pytest

from ingest.mapping.errors import MappingError
from ingest.mapping.settings import PREVIOUS, MappingFormat, MappingSettings
from ingest.wire.bounds import PARENTS
from ingest.wire.errors import WireError, WireReason
from ordering.values import MemberId, MessageId
from tests.ingest.foreign import mapped


def _parents(document: dict[str, Any], **chosen: Any) -> tuple[MessageId, ...]:
    settings = MappingSettings(
        format=MappingFormat.JSON, sender="=bob", seq="/n", **{"first_seq": 0, **chosen}
    )
    return mapped(settings, json.dumps({"n": 9, **document}).encode()).parents


def _id(sender: str, seq: int) -> MessageId:
    return MessageId(MemberId(sender), seq)


def test_without_a_field_there_are_no_parents() -> None:
    assert _parents({"re": 3}) == ()


def test_the_previous_message_of_the_same_sender_is_the_parent_of_all_but_the_first() -> None:
    assert _parents({}, parents=PREVIOUS) == (_id("bob#1", 9),)
    assert _parents({"n": 0}, parents=PREVIOUS) == ()


def test_one_parent_is_of_the_sender_itself_unless_another_is_named() -> None:
    assert _parents({"re": 3}, parent_seq="/re") == (_id("bob#1", 4),)
    named = _parents({"re": 3, "to": "amy"}, parent_seq="/re", parent_sender="/to")
    assert named == (_id("amy#1", 4),)


def test_incarnations_are_told_or_the_messages_own() -> None:
    fields = {"parent_seq": "/re", "incarnation": "/boot"}
    assert _parents({"re": 3, "boot": 5}, **fields) == (_id("bob#5", 4),)
    fields |= {"parent_sender": "/to", "parent_incarnation": "/life"}
    document = {"re": 3, "boot": 5, "to": "amy", "life": 2}
    assert _parents(document, **fields) == (_id("amy#2", 4),)


def test_a_list_gives_a_parent_for_each_item() -> None:
    fields = {"parents": "/re", "parent_sender": "/who", "parent_seq": "/n"}
    items = [{"who": "amy", "n": 3}, {"who": "bob", "n": 0}]
    assert _parents({"re": items}, **fields) == (_id("amy#1", 4), _id("bob#1", 1))
    assert _parents({"re": items[0]}, **fields) == (_id("amy#1", 4),)
    assert _parents({"re": [2, "3"]}, parents="/re") == (_id("bob#1", 3), _id("bob#1", 4))


@pytest.mark.parametrize("document", [{}, {"re": None}, {"re": []}, {"re": [None]}, {"re": 77}])
def test_a_parent_that_is_not_there_is_none(document: dict[str, Any]) -> None:
    assert _parents(document, parents="/re", no_parent_seq=77) == ()


def test_a_list_that_is_too_long_is_refused_before_its_items_are_read() -> None:
    assert len(_parents({"re": list(range(1, PARENTS + 1))}, parents="/re")) == PARENTS
    with pytest.raises(WireError) as caught:
        _parents({"re": [None, *("no numbers" for _ in range(PARENTS))]}, parents="/re")
    assert caught.value.reason is WireReason.BAD_PARENTS


def test_a_parent_before_the_first_message_is_refused() -> None:
    with pytest.raises(WireError) as caught:
        _parents({"re": 3}, parent_seq="/re", first_seq=5)
    assert caught.value.reason is WireReason.BAD_PARENTS


def test_a_parent_without_its_sender_is_refused() -> None:
    with pytest.raises(MappingError, match="there is no parent's sender"):
        _parents({"re": 3}, parent_seq="/re", parent_sender="/to")
