"""Laws of the tables: they say what the reading of the paper says, copied here by hand."""

from __future__ import annotations

from itertools import product

import pytest

from ordering.disciplines.significant_tables import (
    RECEIVE_SEND,
    RECEIVE_SEND_APART,
    RETURNING,
    SEND_SEND,
    TABLES,
    Table,
    draw,
    is_ordered,
    is_received_in_order,
)
from ordering.stamps import MessageType

SEND_SEND_DRAWN = r"""
m1\m2  IS IN NS NN O  N
IS     x  .  x  .  x  .
IN     .  .  .  .  .  .
NS     x  .  x  .  x  .
NN     .  .  .  .  .  .
O      .  .  .  .  x  .
N      .  .  .  .  .  .
"""
RECEIVE_SEND_DRAWN = r"""
m1\m2  IS IN NS NN O  N
IS     x  x  x  .  x  r
IN     x  x  .  .  x  r
NS     x  .  x  .  r  r
NN     .  .  .  .  r  r
O      x  x  .  .  x  .
N      .  .  .  .  .  .
"""
RECEIVE_SEND_APART_DRAWN = r"""
m1\m2  IS IN NS NN O  N
IS     x  x  x  .  x  .
IN     .  .  .  .  .  .
NS     x  x  x  .  x  .
NN     .  .  .  .  .  .
O      .  .  .  .  .  .
N      .  .  .  .  .  .
"""


@pytest.mark.parametrize(
    ("table", "drawn"),
    [
        (SEND_SEND, SEND_SEND_DRAWN),
        (RECEIVE_SEND, RECEIVE_SEND_DRAWN),
        (RECEIVE_SEND_APART, RECEIVE_SEND_APART_DRAWN),
    ],
    ids=list(TABLES),
)
def test_a_table_drawn_is_the_table_as_it_is_read(table: Table, drawn: str) -> None:
    print(draw(table))
    assert draw(table) == drawn.strip()


def test_an_r_orders_a_request_and_its_own_response_and_nothing_else() -> None:
    for table in TABLES.values():
        for first, second in product(MessageType, repeat=2):
            sign = table[first][second]
            orders = [
                is_ordered(table, first, second, is_request_and_response=is_pair)
                for is_pair in (False, True)
            ]
            assert orders == {"x": [True, True], "r": [False, True], ".": [False, False]}[sign]


def test_what_has_neither_input_nor_output_nor_effect_orders_no_other_operation() -> None:
    nothing = (MessageType.REQUEST_PLAIN, MessageType.RESPONSE_PLAIN)
    for table in TABLES.values():
        for first, second in product(nothing, MessageType):
            assert not is_ordered(table, first, second, is_request_and_response=False)


def test_a_common_receiver_keeps_one_instance_in_order_and_others_where_they_conflict() -> None:
    empty = MessageType.RESPONSE_PLAIN
    for first, second in product(MessageType, repeat=2):
        same, conflicting, apart = (
            is_received_in_order(
                first, second, is_same_instance=is_same, is_conflicting=is_conflicting
            )
            for is_same, is_conflicting in ((True, False), (False, True), (False, False))
        )
        assert same
        assert conflicting == ((first, second) != (empty, empty))
        assert not apart


def test_only_requests_that_change_state_are_left_behind() -> None:
    assert {kind.value for kind in RETURNING} == {"IS", "NS"}
