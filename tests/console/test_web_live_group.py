"""One group as the page sees it live."""

from __future__ import annotations

from console.web import live_group
from console.web.live_group import HeldMessage, LiveGroup, LiveMessage
from sinks.waits import Sought


def message(ordinal: int, position: int | None = None) -> LiveMessage:
    return LiveMessage(
        ordinal, position or ordinal, f"a#1:{ordinal}", (), "", False, (), 0, 0, 0, (0, ordinal, 0)
    )


def held(name: str, waiting_for: str, since: int = 5) -> HeldMessage:
    return HeldMessage(name, Sought(waiting_for), since, since, (0, 1, 0))


def test_what_is_behind_an_ordinal_is_found_after_the_oldest_has_gone() -> None:
    group = LiveGroup("g", 0)
    for ordinal in range(2, 6_000, 2):
        group.deliver(message(ordinal), at_second=0)
    for _ in range(2_500):
        group.drop_oldest()
    assert group.first_ordinal == 5_002
    assert [one.ordinal for one in group.after(5_990, at_most=9)] == [5_992, 5_994, 5_996, 5_998]
    assert [one.ordinal for one in group.after(0, at_most=2)] == [5_002, 5_004]
    assert group.find("a#1:2") is None
    assert group.find("a#1:5998") is not None


def test_dropping_from_an_empty_group_does_nothing() -> None:
    group = LiveGroup("g", 0)
    group.drop_oldest()
    assert (len(group), group.first_ordinal, group.last_ordinal) == (0, 0, 0)


def test_a_gap_is_what_is_waited_for_and_not_itself_held() -> None:
    group = LiveGroup("g", 0)
    group.hold(held("b", "a"), version=1)
    group.hold(held("c", "b"), version=2)
    group.hold(held("d", "a"), version=3)
    assert group.gaps() == {Sought("a"): 2}
    assert group.overview(0)["gaps"] == 1
    assert group.overview(0)["oldest_held_at"] == 5


def test_changes_are_told_from_a_version_on_until_they_are_too_old() -> None:
    group = LiveGroup("g", 0)
    group.hold(held("b", "a"), version=7)
    group.end_wait("b", "delivered", version=9)
    changes = group.changes_after(7)
    assert changes is not None
    assert [(one.id, one.status) for one in changes] == [("b", "delivered")]
    for version in range(10, 10 + live_group.CHANGES_KEPT):
        group.hold(held("x", "y"), version=version)
    assert group.changes_after(7) is None
    assert group.changes_after(100) is not None


def test_the_chart_and_the_rate_count_the_last_seconds() -> None:
    group = LiveGroup("g", 0)
    for ordinal, second in ((1, 100), (2, 100), (3, 150), (4, 151)):
        group.deliver(message(ordinal), at_second=second)
    chart = group.chart(155)
    assert len(chart) == 60
    assert sum(chart) == 4
    assert chart[-5] == 1
    assert sum(group.chart(161)) == 2
    assert group.overview(155)["rate"] == 0.2
