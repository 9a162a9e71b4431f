"""Laws of a seeded world."""

from __future__ import annotations

from dataclasses import replace

from simulation.endpoint import RESTORED, TICK, Endpoint, Role
from simulation.options import Hostility
from simulation.world import World
from tests.simulation.worlds import plain_options


def ran(**changes: object) -> World:
    world = World(replace(plain_options(), **changes))  # type: ignore[arg-type]
    world.run()
    return world


def sequence(endpoint: Endpoint) -> list[int]:
    return [step.entry_index for step in endpoint.steps]


def test_the_same_options_give_the_same_world() -> None:
    one = ran(loss=0.2, shuffle_window=8, restarts=1, hostile=(Hostility.CYCLE,))
    other = ran(loss=0.2, shuffle_window=8, restarts=1, hostile=(Hostility.CYCLE,))
    for left, right in zip(one.endpoints(), other.endpoints(), strict=True):
        assert left.steps == right.steps


def test_without_faults_everyone_delivers_everything() -> None:
    world = ran()
    made = len(world.histories[0].entries)
    assert made == 20
    for endpoint in world.endpoints():
        assert endpoint.engine.delivered_count == made
        assert endpoint.engine.held_count == 0


def test_after_healing_everyone_was_given_what_it_lacked() -> None:
    world = ran(loss=0.5)
    everything = set(range(len(world.histories[0].entries)))
    for endpoint in world.endpoints():
        assert endpoint.healed
        assert endpoint.handed == everything


def test_what_vanished_is_not_sent_again() -> None:
    world = ran(loss=0.5, vanished=1.0)
    everything = set(range(len(world.histories[0].entries)))
    assert any(endpoint.handed < everything for endpoint in world.endpoints())


def test_a_restart_leaves_the_old_incarnations_transcript_behind() -> None:
    world = ran(restarts=2)
    names = {endpoint.name for endpoint in world.endpoints()}
    assert any(name.endswith("#2") for name in names)
    unhealed = [endpoint for endpoint in world.endpoints() if not endpoint.healed]
    assert len(unhealed) == 2


def test_a_crashed_member_goes_on_from_its_bytes() -> None:
    world = ran(member_crashes=3)
    restored = sum(sequence(endpoint).count(RESTORED) for endpoint in world.endpoints())
    assert restored == 3


def test_the_service_reads_the_log_that_the_edges_wrote() -> None:
    world = ran(edges=2)
    (service,) = world.services
    assert service.role is Role.SERVICE
    assert sequence(service) == [record.entry_index for record in world.logs[0].records]
    captured = [index for index in sequence(service) if index != TICK]
    assert len(captured) == 2 * len(set(captured))


def test_hostile_senders_are_heard_by_members_and_edges() -> None:
    world = ran(hostile=(Hostility.FORGED_PARENT, Hostility.SELF_PARENT))
    hostile = {
        entry.number for entry in world.histories[0].entries if entry.maybe_hostility is not None
    }
    assert hostile
    for endpoint in world.endpoints():
        assert hostile <= endpoint.handed
