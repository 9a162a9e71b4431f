"""Laws of precedence: on one call and on two, and that significant is a part of causal."""

from __future__ import annotations

import random

from ordering.stamps import MessageType
from simulation.evaluation.significant_model import SignificantModel
from simulation.evaluation.significant_order import bits, count_pairs, relate
from simulation.evaluation.significant_world import (
    CallMessage,
    Catalogue,
    History,
    Instance,
    Operation,
    SignificantWorld,
    Step,
    StepKind,
    draw_catalogue,
)

READ = Operation(has_input=False, changes_state=False, has_output=True)
WRITE = Operation(has_input=True, changes_state=True, has_output=False)
CLIENT, STORE = 0, 1


def two_calls(operation: Operation) -> tuple[History, Catalogue]:
    """One client instance calls the store twice; the store performs the same operation twice."""
    catalogue = Catalogue(
        ((operation,), (operation,)),
        (frozenset(), frozenset({(0, 0)} if operation.changes_state else ())),
    )
    request, response = operation.request_type, operation.response_type
    messages = [
        CallMessage(CLIENT, STORE, request, 1, None),
        CallMessage(STORE, CLIENT, response, 2, 0),
        CallMessage(CLIENT, STORE, request, 3, None),
        CallMessage(STORE, CLIENT, response, 4, 2),
    ]
    send, receive = StepKind.SEND, StepKind.RECEIVE
    steps = [
        [Step(send, 0, 0), Step(receive, 1, 0), Step(send, 2, 0), Step(receive, 3, 0)],
        [Step(receive, 0, 1), Step(send, 1, 1), Step(receive, 2, 2), Step(send, 3, 2)],
    ]
    instances = [
        Instance(CLIENT, 0, 0, None, 4),
        Instance(STORE, 0, 0, 0, 2),
        Instance(STORE, 0, 2, 2, 4),
    ]
    return History(messages, steps, instances), catalogue


def test_causal_order_orders_everything_that_was_known() -> None:
    relations = relate(*two_calls(READ))
    assert [list(bits(before)) for before in relations.causal] == [[], [0], [0, 1], [0, 1, 2]]


def test_reads_are_ordered_within_their_own_instance_alone() -> None:
    relations = relate(*two_calls(READ))
    assert [list(bits(before)) for before in relations.significant] == [[], [0], [0], [0, 2]]


def test_writes_that_conflict_are_ordered_through_the_store() -> None:
    history, catalogue = two_calls(WRITE)
    relations = relate(history, catalogue)
    assert history.messages[0].message_type is MessageType.REQUEST_INPUT_STATE
    assert 0 in bits(relations.significant[2])
    counts = count_pairs(history, catalogue, relations)
    assert counts.causal == 2
    assert counts.needed >= 1


def test_significant_precedence_is_a_part_of_causal_precedence() -> None:
    world = SignificantWorld(clients=3, services=2, stores=2, transactions_per_client=2)
    for seed in range(5):
        catalogue = draw_catalogue(
            world.layers[-1].stop,
            state_percent=75,
            conflict_percent=75,
            generator=random.Random(seed),
        )
        history = SignificantModel(world, catalogue, seed=seed).run()
        relations = relate(history, catalogue)
        for causal, significant in zip(relations.causal, relations.significant, strict=True):
            assert significant & ~causal == 0
        counts = count_pairs(history, catalogue, relations)
        assert counts.needed <= counts.causal


def test_bits_are_the_positions_of_the_ones() -> None:
    assert list(bits(0b101001)) == [0, 3, 5]
    assert list(bits(0)) == []
