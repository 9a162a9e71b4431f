"""Laws of the options that a seed expands into."""

from __future__ import annotations

from collections import Counter
from dataclasses import fields

from simulation.options import DISCIPLINES, GiveUp, Hostility, Options, describe, expand
from simulation.shrink import PLAINEST
from tests.simulation.worlds import plain_options


def test_a_seed_always_means_the_same_world() -> None:
    assert [expand(seed) for seed in range(50)] == [expand(seed) for seed in range(50)]


def test_every_discipline_and_every_hostility_is_drawn() -> None:
    drawn = [expand(seed) for seed in range(400)]
    assert {group.discipline for one in drawn for group in one.groups} == set(DISCIPLINES)
    assert {kind for one in drawn for kind in one.hostile} == set(Hostility)


def test_every_fault_is_on_in_some_worlds_and_off_in_others() -> None:
    drawn = [expand(seed) for seed in range(400)]
    for name, plainest in PLAINEST.items():
        on = sum(getattr(one, name) != plainest for one in drawn)
        assert 20 <= on <= 390, f"{name} is on in {on} of 400 worlds"


def test_a_chosen_discipline_is_that_of_every_group() -> None:
    for seed in range(50):
        groups = expand(seed, discipline="fifo").groups
        assert {group.discipline for group in groups} == {"fifo"}


def test_only_a_group_that_gives_up_has_a_patience() -> None:
    counted: Counter[GiveUp] = Counter()
    for seed in range(200):
        for group in expand(seed).groups:
            counted[group.give_up] += 1
            assert (group.give_up_after_us > 0) is (group.give_up is not GiveUp.HOLD)
    assert set(counted) == set(GiveUp)


def test_what_is_printed_names_every_option_that_is_not_at_its_plainest() -> None:
    options = expand(7)
    printed = describe(options)
    for field in fields(Options):
        value = getattr(options, field.name)
        if field.name in PLAINEST and value not in (0, (), PLAINEST[field.name]):
            assert field.name in printed
    assert "loss" not in describe(plain_options())
