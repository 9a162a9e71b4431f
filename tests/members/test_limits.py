from dataclasses import fields

from members.limits import MemberLimits, Pace, engine_limits
from ordering.policy import Limits


def test_every_bound_is_a_positive_number() -> None:
    for bounds in (MemberLimits(), Pace()):
        assert all(getattr(bounds, field.name) > 0 for field in fields(bounds))


def test_a_members_engine_holds_less_than_the_services_and_waits_longer_for_old_incarnations() -> (
    None
):
    own, service = engine_limits(), Limits()
    assert own.held_per_sender < service.held_per_sender
    assert own.held_per_group < service.held_per_group
    assert own.incarnation_grace_us > service.incarnation_grace_us


def test_a_store_holds_at_least_one_message_and_a_page_less_than_a_frame() -> None:
    limits = MemberLimits()
    assert limits.store_bytes > 1024 * limits.page_bytes
    assert limits.page_bytes <= 1_400
