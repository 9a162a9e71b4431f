"""Laws of hostile senders."""

from __future__ import annotations

from random import Random

import pytest

from ordering.policy import Limits
from ordering.stamps import CausalStamps
from ordering.values import MemberId
from simulation.history import History
from simulation.hostile import LEAP, HeardBy, HostileSender
from simulation.options import GiveUp, GroupOptions, Hostility
from simulation.patience import ancestry
from tests.simulation.transcripts import Script, held
from tests.simulation.worlds import chain

LIMITS = Limits(held_per_sender=30, vector_width=8, parents=4)


def new_hostile(history: History, *, seed: int = 1, discipline: str = "semantic") -> HostileSender:
    return HostileSender(
        MemberId("mallory#1"),
        group=GroupOptions(discipline, GiveUp.HOLD, 0),
        history=history,
        limits=LIMITS,
        rng=Random(seed),
    )


@pytest.mark.parametrize("seed", range(5))
def test_an_equivocation_is_one_id_with_two_contents(seed: int) -> None:
    attacks = new_hostile(History(), seed=seed).attack(Hostility.EQUIVOCATION, now=0)
    assert len({attack.entry.message.id for attack in attacks}) == 1
    assert len({attack.entry.message.content for attack in attacks}) == 2
    assert {HeardBy.ODD, HeardBy.EVEN} <= {attack.heard_by for attack in attacks}


def test_a_self_parent_answers_itself() -> None:
    (attack,) = new_hostile(History()).attack(Hostility.SELF_PARENT, now=0)
    assert attack.entry.message.id in attack.entry.message.parents


@pytest.mark.parametrize("seed", range(8))
def test_every_message_of_a_ring_hangs_from_itself(seed: int) -> None:
    script = Script()
    attacks = new_hostile(script.history, seed=seed).attack(Hostility.CYCLE, now=0)
    assert len(attacks) >= 2
    for attack in attacks:
        script.receive(attack.entry, held(attack.entry, attack.entry.message.parents[-1]))
    ledger = script.ledger()
    for attack in attacks:
        assert ancestry(attack.entry, contents=ledger.contents) >> attack.entry.slot & 1


def test_a_flood_is_larger_than_its_room_and_waits_for_what_never_comes() -> None:
    history = History()
    attacks = new_hostile(history).attack(Hostility.FLOOD, now=0)
    assert len(attacks) > LIMITS.held_per_sender
    made = {attack.entry.message.id for attack in attacks}
    assert all(not made & set(attack.entry.message.parents) for attack in attacks)


def test_a_jump_leaps_by_more_than_anyone_counts() -> None:
    attacks = new_hostile(History()).attack(Hostility.JUMP, now=0)
    assert max(attack.entry.message.id.seq for attack in attacks) > LEAP


def test_a_forged_parent_has_not_been_sent() -> None:
    history = History()
    chain(history, 1)
    attacks = new_hostile(history).attack(Hostility.FORGED_PARENT, now=0)
    sent = {entry.message.id for entry in history.entries}
    assert attacks
    assert all(not sent & set(attack.entry.message.parents) for attack in attacks)


@pytest.mark.parametrize("discipline", ["semantic", "causal"])
def test_an_overstatement_is_longer_than_the_group_allows(discipline: str) -> None:
    sender = new_hostile(History(), discipline=discipline)
    (attack,) = sender.attack(Hostility.WIDE, now=0)
    message = attack.entry.message
    if isinstance(message.stamps, CausalStamps):
        assert len(message.stamps.members) > LIMITS.vector_width
    else:
        assert len(message.parents) > LIMITS.parents
    assert attack.entry.requires >> attack.entry.slot & 1


def test_who_hears_an_attack_is_told_by_the_number_of_the_node() -> None:
    assert [HeardBy.ODD.includes(node) for node in range(4)] == [False, True, False, True]
    assert [HeardBy.EVEN.includes(node) for node in range(4)] == [True, False, True, False]
    assert all(HeardBy.ALL.includes(node) for node in range(4))
