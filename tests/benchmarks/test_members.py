"""Laws of the members' benchmark."""

from __future__ import annotations

from typing import Any

from benchmarks.members import Load, measure, measured_of, take
from members.limits import MemberLimits

LOAD = Load(members=2, per_second=2, seconds=1)


def result(name: str, delivered: list[str], samples_us: list[int]) -> dict[str, Any]:
    return {
        "member": name,
        "delivered": delivered,
        "samples_us": samples_us,
        "dropped_by_kernel": 0,
    }


def test_ones_own_messages_do_not_count() -> None:
    ended = [
        result("a#1", ["a#1:1", "b#1:1"], [1, 3_000]),
        result("b#1", ["a#1:1", "b#1:1"], [3_000, 1]),
    ]
    measured = measured_of(ended, LOAD, busy_share=0.5)
    assert measured.figures["send_to_delivery_median_ms"] == 3.0
    assert measured.faults == ()


def test_a_member_that_did_not_deliver_everything_is_a_fault() -> None:
    ended = [result("a#1", ["a#1:1"], [1]), result("b#1", ["a#1:1", "b#1:1"], [1, 1])]
    assert measured_of(ended, LOAD, busy_share=0.5).faults == ("a#1 delivered 1 of 2 messages",)


def test_a_small_load_is_measured_for_real() -> None:
    told: list[str] = []
    small = Load(members=2, per_second=20, seconds=1)
    measured = measure(say=told.append, load=small, fast=small, long_talk=5_000)
    assert told
    assert measured.faults == ()
    assert measured.figures["deliveries"] == 40
    assert measured.figures["send_to_delivery_p99_ms"] > 0
    assert measured.figures["one_member_takes_messages_per_s"] > 0
    assert measured.figures["fast_talk_undelivered"] == 0
    assert measured.figures["long_talk_messages_per_s"] > 0


def test_what_one_member_keeps_does_not_grow_beyond_its_bound() -> None:
    bound = MemberLimits().store_messages
    assert take(100)[1] == 100
    assert take(bound + 500)[1] == bound
