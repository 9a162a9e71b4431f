from random import Random

from members.limits import Pace
from members.telling import Telling

PACE = Pace()
SECOND = 1_000_000


def telling() -> Telling:
    return Telling(rng=Random(3), pace=PACE, now=0)


def test_a_quiet_group_is_told_more_and_more_seldom_and_never_not_at_all() -> None:
    one = telling()
    spans = []
    for _ in range(12):
        at = one.next_at
        one.told(now=at)
        spans.append(one.next_at - at)
    assert min(spans) >= PACE.tell_after_us // 2
    assert spans[-1] >= PACE.tell_longest_us // 2
    assert max(spans) <= 2 * PACE.tell_longest_us


def test_a_change_makes_a_quiet_group_tell_soon_and_a_busy_one_no_sooner() -> None:
    one = telling()
    before = one.next_at
    one.changed(now=0)
    assert one.next_at == before
    for _ in range(8):
        one.told(now=one.next_at)
    now = one.next_at - PACE.tell_longest_us // 4
    one.changed(now=now)
    assert one.next_at <= now + 2 * PACE.tell_after_us


def test_who_hears_its_own_words_says_them_later() -> None:
    one = telling()
    before = one.next_at
    one.heard_the_same(now=before - 1)
    assert one.next_at > before


def test_who_hears_that_another_lacks_something_tells_within_the_time_for_answers() -> None:
    one = telling()
    one.soon(now=5)
    assert 5 < one.next_at <= 5 + PACE.answer_within_us


def test_a_crowd_tells_less_often_each() -> None:
    alone, crowd = telling(), telling()
    crowd.crowd(40)
    for one in (alone, crowd):
        one.told(now=0)
    assert crowd.next_at > 4 * alone.next_at


def test_two_who_can_not_help_each_other_fall_silent() -> None:
    one = telling()
    told = 0
    now = 0
    while now < 600 * SECOND:
        one.soon(now=now)
        if one.next_at <= now:
            told += 1
            one.told(now=now)
        now += SECOND // 20
    assert told <= 600 / 30 * 2 + 15
