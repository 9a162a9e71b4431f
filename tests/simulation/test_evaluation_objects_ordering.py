"""Laws of counting orderings: the rule as it is written, on cases small enough to see."""

from __future__ import annotations

from simulation.evaluation.objects_ordering import (
    Counts,
    count_orderings,
    precedes_by_rule,
    precedes_traditionally,
)
from simulation.evaluation.objects_world import NO_ID, ConflictTable, Id, Request

CONFLICTING = ConflictTable((frozenset({(0, 1)}),))


def request(
    sender: int, clock: tuple[int, ...], vector: tuple[Id, ...], *, method: int = 0
) -> Request:
    return Request(0, method, sender, sender, clock, vector)


FIRST = request(0, (1, 0), ((0, 0, 1), NO_ID))
KNOWING = request(1, (1, 1), ((0, 0, 1), (0, 1, 1)), method=1)
UNKNOWING = request(1, (1, 1), (NO_ID, (0, 1, 1)), method=1)
COMPATIBLE = request(1, (1, 1), ((0, 0, 1), (0, 1, 1)), method=0)
CONCURRENT = request(1, (0, 1), (NO_ID, (0, 1, 1)), method=1)


def test_a_traditional_protocol_orders_whatever_the_network_saw_in_order() -> None:
    assert precedes_traditionally(FIRST, UNKNOWING)
    assert not precedes_traditionally(UNKNOWING, FIRST)
    assert not precedes_traditionally(FIRST, CONCURRENT)
    assert not precedes_traditionally(FIRST, FIRST)


def test_the_rule_orders_two_senders_only_if_methods_conflict_and_one_knew_of_the_other() -> None:
    assert precedes_by_rule(FIRST, KNOWING, CONFLICTING)
    assert not precedes_by_rule(FIRST, UNKNOWING, CONFLICTING)
    assert not precedes_by_rule(FIRST, COMPATIBLE, CONFLICTING)


def test_the_rule_orders_one_sender_by_its_own_ids_alone() -> None:
    later = request(0, (2, 0), ((0, 0, 2), NO_ID))
    sibling = request(0, (2, 0), ((0, 0, 1), NO_ID))
    assert precedes_by_rule(FIRST, later, CONFLICTING)
    assert not precedes_by_rule(FIRST, sibling, CONFLICTING)


def test_direct_pairs_leave_out_what_follows_from_others() -> None:
    second = request(0, (2, 0), ((0, 0, 2), NO_ID))
    third = request(0, (3, 0), ((0, 0, 3), NO_ID))
    counts = count_orderings([FIRST, second, third], CONFLICTING)
    assert counts == Counts(
        direct=2,
        direct_ordered=2,
        same_sender=2,
        same_sender_ordered=2,
        pairs=3,
        pairs_ordered=3,
    )
