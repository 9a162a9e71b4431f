"""Laws of honest senders of an inter-object group."""

from __future__ import annotations

from random import Random

from ordering.stamps import Cast, ObjectStamps
from ordering.values import MemberId, Message, MessageId
from simulation.history import Entry, History
from simulation.options import GiveUp, GroupOptions
from simulation.senders.objects import Known, ObjectsSender, Receipt, Thread, merge
from simulation.senders.plain import Habits, Seat


def conversation(seed: int, *, messages: int = 80) -> History:
    """Three objects that hear everything at once."""
    history = History()
    rng = Random(seed)
    group = GroupOptions("objects", GiveUp.HOLD, 0)
    habits = Habits(0.5, 0.0, 0.5)
    objects = [
        ObjectsSender(Seat(MemberId(f"m{number}#1"), group, history, habits, rng))
        for number in range(3)
    ]
    for number in range(messages):
        entry = objects[rng.randrange(3)].make(now=number)
        for one in objects:
            one.note(entry, now=number)
    return history


def stamps_of(entry: Entry) -> ObjectStamps:
    assert isinstance(entry.message.stamps, ObjectStamps)
    return entry.message.stamps


def response(history: History, sender: str, seq: int) -> Entry:
    stamps = ObjectStamps(cid=0, iseq=seq, is_response=True)
    message = Message(MessageId(MemberId(sender), seq), (), b"", stamps=stamps)
    return history.write_down(message, requires=0, sent_at=0)


def test_an_objects_ids_never_fall() -> None:
    last: dict[str, tuple[int, int]] = {}
    for entry in conversation(1).entries:
        stamps = stamps_of(entry)
        sender = entry.message.id.sender
        assert (stamps.cid, stamps.iseq) >= last.get(sender, (0, 0))
        last[sender] = (stamps.cid, stamps.iseq)


def test_only_messages_sent_side_by_side_share_an_id() -> None:
    seen: dict[tuple[str, int, int], str] = {}
    for entry in conversation(2).entries:
        stamps = stamps_of(entry)
        key = (entry.message.id.sender, stamps.cid, stamps.iseq)
        if key in seen:
            assert stamps.cast == seen[key] == Cast.PARALLEL
        seen[key] = stamps.cast
    assert any(cast == Cast.PARALLEL for cast in seen.values())


def test_messages_sent_side_by_side_share_a_vector() -> None:
    seen: dict[tuple[str, int, int], tuple[object, object]] = {}
    for entry in conversation(2).entries:
        stamps = stamps_of(entry)
        key = (entry.message.id.sender, stamps.cid, stamps.iseq)
        vector = (stamps.members, stamps.vector)
        assert seen.setdefault(key, vector) == vector


def test_all_that_a_message_surely_comes_after_is_counted_by_its_vector() -> None:
    history = conversation(3)
    assert any(entry.requires for entry in history.entries)
    for entry in history.entries:
        assert entry.requires & ~entry.captures == 0
        assert entry.requires & ~entry.awaits == 0
        counted = {entry.message.id.sender, *stamps_of(entry).members}
        for slot, message_id in enumerate(history.ids):
            if entry.captures >> slot & 1:
                assert message_id.sender in counted


def test_a_conjunctive_receipt_counts_when_the_last_response_is_in() -> None:
    history = History()
    thread = Thread({}, maybe_request=None)
    thread.receipt, thread.waits_for = Receipt.CONJUNCTIVE, 2
    thread.take(response(history, "bob#1", 1))
    assert thread.known == {}
    thread.take(response(history, "carol#1", 1))
    assert thread.known == {"bob#1": (0, 1, 1), "carol#1": (0, 1, 1)}


def test_of_a_disjunctive_receipt_only_the_first_response_counts() -> None:
    history = History()
    thread = Thread({}, maybe_request=None)
    thread.receipt = Receipt.DISJUNCTIVE
    thread.take(response(history, "bob#1", 1))
    thread.take(response(history, "carol#1", 1))
    assert thread.known == {"bob#1": (0, 1, 1)}


def test_merging_keeps_the_highest_id_and_the_highest_count() -> None:
    history = History()
    known: Known = {"bob#1": (0, 9, 2)}
    merge(known, response(history, "bob#1", 4))
    assert known == {"bob#1": (0, 9, 4)}
