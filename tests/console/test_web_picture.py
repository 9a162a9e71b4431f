"""The overview: groups with their discipline, totals, lag."""

from __future__ import annotations

import pytest

from console.web.checking import Checker
from console.web.in_force import PoliciesInForce
from console.web.model import Model
from console.web.picture import Picture, RawEnds, totals
from deploy.local.broker import Broker
from deploy.local.ports import free_ports
from ordering.policy import GroupPolicy
from ordering_udfs.group_policies import GroupPolicies, parse_rule
from sinks.records import Counters, MarkBits, OrderedRecord, Origin
from sinks.settings import KafkaSettings
from tests.console.pages import wait_for
from tests.messages import wire
from tests.topic_tools import alone, produce, two_raw_topics


def picture(model: Model, ends: dict[int, int]) -> Picture:
    default = GroupPolicy(after_us=1)
    policies = GroupPolicies(default, (parse_rule("floor.*=fifo,release,5000", default=default),))
    checker = Checker(lambda: NotImplemented, captured=lambda: 0, every_s=1)
    raw_ends = RawEnds(KafkaSettings())
    raw_ends.offsets = ends
    return Picture(
        model,
        policies=PoliciesInForce(policies, checkpoint_directory="nowhere"),
        ends=raw_ends,
        checker=checker,
        is_caught_up=lambda: True,
        maybe_member="page",
    )


def test_each_group_has_the_discipline_that_its_rule_says() -> None:
    model = Model()
    for number, group in enumerate(("chat", "floor.7"), start=1):
        envelope = wire("a", 1, group=group)
        origin = Origin(number, 0, 1)
        model.deliver(OrderedRecord(number, 1, 0, origin, MarkBits.NONE, envelope))
    groups = {one["group"]: one for one in picture(model, {})()["groups"]}
    assert (groups["chat"]["discipline"], groups["chat"]["give_up"]) == ("semantic", "hold")
    assert (groups["floor.7"]["discipline"], groups["floor.7"]["give_up"]) == ("fifo", "release")


def test_a_changed_policy_is_shown_as_such() -> None:
    model = Model()
    model.deliver(
        OrderedRecord(1, 1, 0, Origin(1, 0, 1), MarkBits.NONE, wire("a", 1, group="chat"))
    )
    changed = picture(model, {})
    changed._policies._texts = {"chat": "fifo,quarantine,9"}
    (group,) = changed()["groups"]
    assert (group["discipline"], group["give_up"]) == ("fifo", "quarantine")
    assert group["policy_change"] == "fifo,quarantine,9"


def test_the_lag_is_what_the_job_has_not_looked_at_and_unknown_without_a_broker() -> None:
    model = Model()
    model.count(Counters(0, through_offset=6, captured=7), seen_at=1)
    assert picture(model, {0: 10})()["partitions"][0]["lag"] == 3
    assert picture(model, {})()["partitions"][0]["lag"] is None


def test_totals_are_sums_over_the_partitions() -> None:
    assert totals([Counters(0, captured=2), Counters(1, captured=3)])["captured"] == 5


@pytest.mark.broker
def test_the_ends_are_those_of_all_raw_topics(broker: Broker) -> None:
    kafka = two_raw_topics(broker.bootstrap)
    produce(alone(kafka, list(kafka.shards.topics)[1]), [wire("s", 1), wire("s", 2)])
    ends = RawEnds(kafka)
    ends.start()
    wait_for(lambda: ends.offsets, "the ends")
    ends.stop()
    assert ends.offsets == {0: 0, 1: 0, 2: 2}


def test_a_broker_that_is_away_leaves_the_lag_unknown() -> None:
    ends = RawEnds(KafkaSettings(bootstrap=f"127.0.0.1:{free_ports(1)[0]}"))
    ends.start()
    wait_for(lambda: ends.problem, "a sentence about the broker")
    ends.stop()
    assert ends.offsets == {}
    assert "no broker answers" in ends.problem
