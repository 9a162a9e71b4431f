"""Messages in the table: by id, and with all that answers them."""

from __future__ import annotations

import pytest

from console.answers.messages import checked_id, find_deliveries, find_refused, only_one, thread_of
from console.errors import OperatorError, UsageError


def test_an_id_is_found_in_every_group_that_has_it(shop: str) -> None:
    found = find_deliveries(shop, "cat#1:1", maybe_group=None)
    assert {one.group for one in found} == {"shop", "kitchen"}
    assert [one.group for one in find_deliveries(shop, "cat#1:1", maybe_group="shop")] == ["shop"]


def test_a_second_content_of_an_id_is_found_in_quarantine(shop: str) -> None:
    (refused,) = find_refused(shop, "cat#1:1", maybe_group="shop")
    assert refused.group == "shop"
    assert find_refused(shop, "cat#1:1", maybe_group="kitchen") == []


def test_a_thread_has_its_root_and_everything_below(shop: str) -> None:
    (middle,) = find_deliveries(shop, "bob#1:1", maybe_group=None)
    assert [one.position for one in thread_of(shop, middle, is_below_only=False)] == [1, 2, 3, 4]
    assert [one.position for one in thread_of(shop, middle, is_below_only=True)] == [2, 3, 4]


def test_none_and_several_say_what_to_do() -> None:
    with pytest.raises(OperatorError, match="precede why x#1:1"):
        only_one([], "x#1:1")
    with pytest.raises(UsageError, match="no message id"):
        checked_id("x")
