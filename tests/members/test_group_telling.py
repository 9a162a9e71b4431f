from random import Random

from ingest.wire.envelope import Envelope, Kind, encode
from ingest.wire.management import GroupInfo, encode_management
from members.group_table import Group, Order
from members.group_telling import RECORD_BYTES, GroupTelling, infos_of, records_of
from members.limits import Pace
from ordering.values import GroupId, MemberId

NOW = 1_000_000


def group_of(*pids: str, name: str = "dev") -> Group:
    group = Group(GroupId(name), description="", order=Order("semantic", "causal"))
    for pid in pids:
        group.merge(MemberId(pid), is_left=False, limit=5_000)
    return group


def telling_of(group: Group) -> GroupTelling:
    telling = GroupTelling(rng=Random(1), pace=Pace())
    telling.ask_for([group], now=NOW)
    return telling


def test_a_group_is_told_within_the_time_for_answers_and_once() -> None:
    group = group_of("alice#1")
    telling = telling_of(group)
    maybe_deadline = telling.next_deadline()
    assert maybe_deadline is not None
    assert NOW < maybe_deadline <= NOW + Pace().answer_within_us
    assert telling.due({group.group: group}, now=maybe_deadline - 1) == []
    (record,) = telling.due({group.group: group}, now=maybe_deadline)
    assert record.groups[0].current == ("alice#1",)
    assert telling.next_deadline() is None


def test_what_another_has_told_is_not_told_again() -> None:
    group = group_of("alice#1", "bob#1")
    telling = telling_of(group)
    telling.heard(GroupInfo("dev", "", "semantic", "causal", ("alice#1",), ()), group)
    assert telling.next_deadline() is not None
    telling.heard(GroupInfo("dev", "", "semantic", "causal", ("bob#1", "alice#1"), ()), group)
    assert telling.next_deadline() is None


def test_a_group_that_was_left_is_not_told() -> None:
    group = group_of("alice#1")
    telling = telling_of(group)
    telling.forget(group.group)
    assert telling.next_deadline() is None


def test_a_crowd_is_told_in_records_that_fit_a_datagram_and_miss_nobody() -> None:
    crowd = group_of(*(f"{'x' * 200}{at}#1" for at in range(900)))
    small = [group_of("alice#1", name=f"group-{at}") for at in range(300)]
    records = records_of([info for group in (crowd, *small) for info in infos_of(group)])
    told: set[str] = set()
    for record in records:
        payload = encode_management(record)
        assert len(payload) <= RECORD_BYTES + 1_024
        encode(Envelope(Kind.GROUP_MANAGEMENT, GroupId("*"), MemberId("a#1"), 1, payload=payload))
        told |= {pid for info in record.groups for pid in info.current if info.group == "dev"}
    assert told == set(crowd.current())
    assert sum(len(record.groups) for record in records) >= 301
