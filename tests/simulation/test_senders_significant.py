"""Laws of honest senders of a significant group."""

from __future__ import annotations

from random import Random

from ordering.stamps import SignificantStamps
from ordering.values import MemberId
from simulation.definitions.significant import REQUESTS
from simulation.history import Entry, History, slots_in
from simulation.options import GiveUp, GroupOptions
from simulation.senders.plain import Habits, Seat
from simulation.senders.significant import SignificantSender, latest_of


def conversation(seed: int, *, messages: int = 60) -> History:
    """Three objects that hear everything at once."""
    history = History()
    rng = Random(seed)
    group = GroupOptions("significant", GiveUp.HOLD, 0)
    habits = Habits(0.5, 0.0, 0.5)
    objects = [
        SignificantSender(Seat(MemberId(f"m{number}#1"), group, history, habits, rng))
        for number in range(3)
    ]
    for number in range(messages):
        entry = objects[rng.randrange(3)].make(now=number // 2)
        for one in objects:
            one.note(entry, now=number)
    return history


def stamps_of(entry: Entry) -> SignificantStamps:
    assert isinstance(entry.message.stamps, SignificantStamps)
    return entry.message.stamps


def test_a_senders_times_of_sending_rise() -> None:
    last: dict[str, int] = {}
    for entry in conversation(1).entries:
        sender = entry.message.id.sender
        assert stamps_of(entry).sent_at > last.get(sender, -1)
        last[sender] = stamps_of(entry).sent_at


def test_the_stamps_name_the_latest_that_comes_before_of_each_member() -> None:
    history = conversation(2)
    for entry in history.entries:
        stamps = stamps_of(entry)
        named = dict(zip(stamps.members, stamps.preceding, strict=True))
        if stamps.own_preceding:
            named[entry.message.id.sender] = stamps.own_preceding
        latest = latest_of(entry.requires, history=history)
        assert named == {member: one.sent_at for member, one in latest.items()}


def test_what_is_awaited_is_all_of_a_member_up_to_the_named_instant() -> None:
    history = conversation(3)
    for entry in history.entries:
        assert entry.requires & ~entry.awaits == 0
        latest = latest_of(entry.requires, history=history)
        for slot in slots_in(entry.awaits):
            awaited = history.maybe_first_entry(slot)
            assert awaited is not None
            assert awaited.sent_at <= latest[awaited.message.id.sender].sent_at


def test_every_response_answers_a_request() -> None:
    history = conversation(4)
    by_id = {entry.message.id: entry for entry in history.entries}
    responses = [one for one in history.entries if stamps_of(one).message_type in ("O", "N")]
    assert responses
    for response in responses:
        (request,) = response.message.parents
        assert stamps_of(by_id[request]).message_type in REQUESTS
        assert response.requires >> by_id[request].slot & 1


def test_much_is_left_unordered() -> None:
    history = conversation(5)
    ordered = sum(entry.requires.bit_count() for entry in history.entries)
    pairs = len(history.entries) * (len(history.entries) - 1) // 2
    assert 0 < ordered < pairs // 2
