"""Laws of honest senders of a causal group."""

from __future__ import annotations

from random import Random

from ordering.stamps import CausalStamps
from ordering.values import MemberId
from simulation.history import Entry, History
from simulation.options import GiveUp, GroupOptions
from simulation.senders.causal import CausalSender
from simulation.senders.plain import Habits, Seat


def new_sender(name: str, history: History, *, acceptance: str = "causal") -> CausalSender:
    group = GroupOptions("causal", GiveUp.HOLD, 0, acceptance=acceptance)
    return CausalSender(Seat(MemberId(name), group, history, Habits(0.0, 0.0, 0.0), Random(1)))


def said(sender: CausalSender) -> Entry:
    """A member delivers its own message at once."""
    entry = sender.make(now=0)
    hears(sender, entry)
    return entry


def hears(sender: CausalSender, entry: Entry) -> None:
    sender.hear(entry)
    sender.note(entry, now=0)


def vector(entry: Entry) -> dict[str, int]:
    stamps = entry.message.stamps
    assert isinstance(stamps, CausalStamps)
    return dict(zip(stamps.members, stamps.csn, strict=True))


def test_the_vector_says_the_next_count_of_everyone_that_does_not_come_before() -> None:
    history = History()
    alice, bob, carol = (new_sender(name, history) for name in ("alice#1", "bob#1", "carol#1"))
    for entry in (said(alice), said(alice)):
        hears(bob, entry)
    hears(carol, said(bob))
    last = said(carol)
    assert vector(last) == {"carol#1": 1, "bob#1": 2, "alice#1": 3}
    assert history.names(last.requires) == "alice#1:1, alice#1:2, bob#1:1"


def test_the_vector_and_the_definition_name_the_same_messages() -> None:
    history = History()
    rng = Random(5)
    senders = [new_sender(f"m{number}#1", history) for number in range(3)]
    heard: list[list[Entry]] = [[], [], []]
    for _ in range(60):
        number = rng.randrange(3)
        entry = said(senders[number])
        upcoming = vector(entry)
        named = {
            slot for slot, one in enumerate(history.ids) if one.seq < upcoming.get(one.sender, 1)
        }
        assert sum(1 << slot for slot in named) == entry.requires
        for other in range(3):
            if other != number:
                heard[other].append(entry)
        listener = rng.randrange(3)
        while heard[listener]:
            hears(senders[listener], heard[listener].pop(0))


def test_acknowledgements_stop_at_the_first_gap() -> None:
    history = History()
    alice, bob = (new_sender(name, history, acceptance="full") for name in ("alice#1", "bob#1"))
    first, _, third = said(alice), said(alice), said(alice)
    hears(bob, first)
    hears(bob, third)
    stamps = bob.make(now=0).message.stamps
    assert isinstance(stamps, CausalStamps)
    assert dict(zip(stamps.members, stamps.ack, strict=True))["alice#1"] == 2


def test_what_came_and_waits_is_acknowledged_and_comes_before_nothing() -> None:
    history = History()
    alice, bob = (new_sender(name, history, acceptance="full") for name in ("alice#1", "bob#1"))
    bob.hear(said(alice))
    entry = bob.make(now=0)
    stamps = entry.message.stamps
    assert isinstance(stamps, CausalStamps)
    assert dict(zip(stamps.members, stamps.ack, strict=True))["alice#1"] == 2
    assert vector(entry)["alice#1"] == 1
    assert entry.requires == 0


def test_at_a_reliable_level_a_message_needs_the_word_of_those_it_is_for() -> None:
    history = History()
    alice, bob = (new_sender(name, history, acceptance="full") for name in ("alice#1", "bob#1"))
    first = alice.make(now=0)
    assert first.confirmers == ()
    bob.hear(first)
    second = bob.make(now=0)
    assert second.confirmers == ("alice#1",)
    assert second.confirms == 1 << first.slot
