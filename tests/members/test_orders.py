"""Laws of the orders that members keep: all but the one that only the log has."""

import pytest

from members.errors import MemberError
from members.orders import check_order
from members.routing import GroupManager
from ordering.disciplines.registry import names
from ordering.policy import GroupPolicy
from tests.members.company import Company


@pytest.mark.parametrize("discipline", [name for name in names() if name != "total"])
def test_every_other_order_is_kept(discipline: str) -> None:
    policy = GroupPolicy(discipline=discipline)
    assert check_order(policy) is policy


def test_total_order_is_refused_by_create_and_by_join_and_nothing_has_happened() -> None:
    manager = GroupManager("alice", incarnation=1, seed=1)
    policy = GroupPolicy(discipline="total")
    for call in (manager.create, manager.join):
        with pytest.raises(MemberError, match="order of the log"):
            call("dev", policy=policy, now=1)
        assert not manager.memberships
        assert not manager.groups()


def test_a_group_that_was_heard_to_be_total_is_refused_too() -> None:
    company = Company("alice", "bob")
    company.gather("alice")
    group = company.managers["bob"]._joining.find(company.managers["alice"].groups()[0].group)
    assert group is not None
    group.order = group.order._replace(discipline="total")
    with pytest.raises(MemberError, match="order of the log"):
        company.managers["bob"].join("dev", now=company.now)
