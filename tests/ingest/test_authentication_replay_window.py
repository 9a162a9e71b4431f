"""A window tells seen from unseen exactly, as far back as it is wide."""

import sys

from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule

from ingest.authentication.replay_window import ReplayWindow, Seen
from ingest.wire.bounds import SEQ_LAST

WIDTH = 64


class NaiveWindow:
    """The same, from its definition: a set of everything, and a floor."""

    def __init__(self, *, width: int, first: int) -> None:
        self.seen: set[int] = set()
        self.width = width
        self.floor = max(1, first - width + 1)

    def take(self, seq: int) -> Seen:
        if seq < self.floor:
            return Seen.BELOW
        if seq in self.seen:
            return Seen.REPEAT
        missing = next(n for n in range(self.floor, SEQ_LAST) if n not in self.seen)
        if seq - missing >= self.width:
            self.floor = seq - self.width + 1
        self.seen.add(seq)
        return Seen.NEW


@given(st.lists(st.integers(1, 400), min_size=1, max_size=200), st.integers(2, WIDTH))
def test_a_window_says_what_its_definition_says(seqs: list[int], width: int) -> None:
    window = ReplayWindow(width=width, first=seqs[0])
    naive = NaiveWindow(width=width, first=seqs[0])
    for seq in seqs:
        assert window.take(seq) is naive.take(seq), seq


@given(st.permutations(range(1, WIDTH + 1)))
def test_any_order_within_the_width_loses_nothing(seqs: list[int]) -> None:
    window = ReplayWindow(width=WIDTH, first=seqs[0])
    assert {window.take(seq) for seq in seqs} == {Seen.NEW}
    assert {window.take(seq) for seq in seqs} == {Seen.REPEAT}


def test_a_seq_is_new_once() -> None:
    window = ReplayWindow(width=WIDTH)
    assert [window.take(seq) for seq in (1, 1, 3, 3, 2, 2)] == [Seen.NEW, Seen.REPEAT] * 3


def test_what_was_missing_for_too_long_can_not_be_told() -> None:
    window = ReplayWindow(width=WIDTH)
    window.take(2)
    for seq in range(3, 3 + WIDTH):
        assert window.take(seq) is Seen.NEW
    assert window.take(1) is Seen.BELOW


def test_a_resend_of_what_came_in_order_is_a_repeat_however_old() -> None:
    window = ReplayWindow(width=WIDTH)
    for seq in range(1, 10_000):
        assert window.take(seq) is Seen.NEW
    assert window.take(1) is Seen.REPEAT


def test_a_window_that_begins_late_knows_the_seqs_just_below() -> None:
    window = ReplayWindow(width=WIDTH, first=1_000)
    assert window.take(1_000) is Seen.NEW
    assert window.take(1_000 - WIDTH + 1) is Seen.NEW
    assert window.take(1_000 - WIDTH) is Seen.BELOW


def test_the_greatest_jump_is_one_step() -> None:
    window = ReplayWindow(width=WIDTH)
    assert [window.take(seq) for seq in (1, SEQ_LAST, SEQ_LAST, 2)] == [
        Seen.NEW,
        Seen.NEW,
        Seen.REPEAT,
        Seen.BELOW,
    ]


def test_memory_follows_the_disorder_and_stays_within_the_width() -> None:
    window = ReplayWindow(width=WIDTH)
    for seq in range(1, 5_000):
        window.take(seq)
    assert window._bits == 0
    for seq in range(6_000, 60_000, 2):
        window.take(seq)
        assert sys.getsizeof(window._bits) <= sys.getsizeof(1 << WIDTH)


class Arrivals(RuleBasedStateMachine):
    """A sender's seqs as a network brings them: on, again, late, far ahead, in any mixture."""

    def __init__(self) -> None:
        super().__init__()
        self.window = ReplayWindow(width=8)
        self.naive = NaiveWindow(width=8, first=1)
        self.highest = 0
        self.new: set[int] = set()

    @rule()
    def the_next(self) -> None:
        self._take(self.highest + 1)

    @rule(behind=st.integers(0, 20))
    def one_again_or_late(self, behind: int) -> None:
        self._take(max(1, self.highest - behind))

    @rule(ahead=st.integers(2, 30))
    def one_far_ahead(self, ahead: int) -> None:
        self._take(self.highest + ahead)

    def _take(self, seq: int) -> None:
        seen = self.window.take(seq)
        assert seen is self.naive.take(seq)
        assert seen is not Seen.NEW or seq not in self.new, "a replay was taken for new"
        if seen is Seen.NEW:
            self.new.add(seq)
        self.highest = max(self.highest, seq)


TestArrivals = Arrivals.TestCase
