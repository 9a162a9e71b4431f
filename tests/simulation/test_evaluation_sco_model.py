"""Laws of the SCO model: plain schemes cost what arithmetic says, deferral trades as it must."""

from __future__ import annotations

import pytest

from simulation.evaluation.sco_model import Outcome, Scheme, ScoModel, Timer, World


def outcome(scheme: Scheme, world: World, *, seed: int = 1) -> Outcome:
    return ScoModel(scheme, world, seed=seed).run(warm_up_units=20, measured_units=20)


@pytest.mark.parametrize("destinations", [1, 2, 5, 9])
def test_c0_costs_three_messages_and_three_rounds_per_destination(destinations: int) -> None:
    found = outcome(Scheme.C0, World(destinations=destinations))
    assert found == Outcome(3.0 * destinations, 12.0, 12.0)


@pytest.mark.parametrize("destinations", [2, 5, 9])
def test_d0_costs_r_squared_confirmations_and_two_rounds(destinations: int) -> None:
    found = outcome(Scheme.D0, World(destinations=destinations))
    assert found == Outcome(destinations + float(destinations**2), 8.0, 8.0)


def test_a_single_destination_of_d0_knows_at_once() -> None:
    assert outcome(Scheme.D0, World(destinations=1)).full_delay_units == 4.0


@pytest.mark.parametrize("scheme", [Scheme.C1, Scheme.D1])
def test_deferral_never_sends_more_and_never_accepts_earlier(scheme: Scheme) -> None:
    plain = Scheme.C0 if scheme is Scheme.C1 else Scheme.D0
    world = World()
    deferred, at_once = outcome(scheme, world), outcome(plain, world)
    assert deferred.messages_per_data_message < at_once.messages_per_data_message
    assert deferred.full_delay_units > at_once.full_delay_units


@pytest.mark.parametrize("timer", list(Timer))
def test_no_confirmation_waits_longer_than_k(timer: Timer) -> None:
    patience = 2
    found = outcome(Scheme.D1, World(destinations=2, patience_units=patience, timer=timer))
    assert 8.0 <= found.reliable_delay_units <= 8.0 + patience


def test_full_acceptance_is_never_before_reliable_acceptance() -> None:
    for scheme in Scheme:
        found = outcome(scheme, World(destinations=3, patience_units=6))
        assert found.full_delay_units >= found.reliable_delay_units


def test_everybody_spoken_to_in_every_unit_needs_no_control_message() -> None:
    for scheme in (Scheme.C1, Scheme.D1):
        assert outcome(scheme, World(destinations=9)).messages_per_data_message == 9.0


def test_the_same_seed_gives_the_same_outcome() -> None:
    assert outcome(Scheme.D1, World(), seed=3) == outcome(Scheme.D1, World(), seed=3)
    assert outcome(Scheme.D1, World(), seed=3) != outcome(Scheme.D1, World(), seed=4)
