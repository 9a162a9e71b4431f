from itertools import pairwise
from random import Random

from ingest.wire.holdings import Holding
from ingest.wire.synchronisation import Have, Request, Response, Wanted
from members.asking import ALL, NOW, Asked, Asking, JoinPolicy, Outcome, last, thread
from members.holdings import Holdings
from members.limits import MemberLimits, Pace
from ordering.runs import Runs
from ordering.values import MemberId, MessageId

ALICE, BOB = MemberId("alice#1"), MemberId("bob#1")
PACE = Pace()


class Setting:
    """Someone who asks, and what it has."""

    def __init__(self, *had: int) -> None:
        limits = MemberLimits()
        self.holdings = Holdings(limits)
        self.asking = Asking(self.holdings, rng=Random(1), limits=limits, pace=PACE)
        self.needed: dict[MemberId, Runs] = {}
        self.now = 0
        for seq in had:
            self.receive(seq)

    def receive(self, seq: int) -> None:
        self.holdings.add(MessageId(ALICE, seq))
        self.asking.on_received(ALICE, now=self.now)

    def next(self) -> Asked:
        """Go to the next deadline and give what is due there."""
        deadline = self.asking.next_deadline()
        assert deadline is not None
        self.now = max(self.now, deadline)
        return self.asking.due(lambda: self.needed, now=self.now)

    def join(self, policy: JoinPolicy) -> Request:
        self.asking.join(policy, now=self.now)
        (request,) = self.next().requests
        self.asking.next_seq()
        return request

    def have(self, *runs: int, chosen: tuple[Holding, ...] = ()) -> Have:
        return Have((Holding(ALICE, runs),), 0, BOB, 1, chosen=chosen)


def test_nobody_asks_for_what_is_not_missing() -> None:
    setting = Setting(1, 2, 3)
    assert setting.asking.next_deadline() is None


def test_a_gap_that_stays_open_is_asked_for_exactly() -> None:
    setting = Setting(1, 4, 6)
    asked = setting.next()
    assert setting.now == PACE.ask_after_us
    assert asked.requests == [Request((), Wanted.EXACTLY, exactly=(Holding(ALICE, (2, 3, 5, 5)),))]
    assert asked.gaps == {ALICE: [2, 3, 5, 5]}


def test_what_is_only_late_is_not_asked_for() -> None:
    setting = Setting(1, 3)
    setting.receive(2)
    assert setting.next() == Asked([], {}, {}, Outcome.NOTHING)
    assert setting.asking.next_deadline() is None


def test_an_unanswered_gap_is_asked_for_less_and_less_often_then_told_and_left_to_rest() -> None:
    setting = Setting(1, 3)
    asked_at = []
    while True:
        asked = setting.next()
        if asked.unanswered:
            break
        asked_at.append(setting.now)
    assert asked.unanswered == {ALICE: [2, 2]}
    assert len(asked_at) == PACE.asks
    spans = [later - earlier for earlier, later in pairwise(asked_at)]
    assert spans[-1] > 4 * spans[0] >= 4 * PACE.ask_again_us
    assert setting.asking.next_deadline() is None


def test_it_is_asked_for_again_when_somebody_says_to_have_it() -> None:
    setting = Setting(1, 3)
    while not setting.next().unanswered:
        pass
    setting.asking.on_have(setting.have(1, 3), requested_here=False, now=setting.now)
    assert setting.next().requests


def test_filling_the_last_gap_is_told_as_synchronised_once() -> None:
    setting = Setting(1, 3)
    setting.next()
    setting.receive(2)
    assert setting.next().outcome is Outcome.SYNCHRONISED
    assert setting.asking.next_deadline() is None


def test_what_a_held_message_waits_for_is_asked_for_though_nobody_spoke_of_it() -> None:
    setting = Setting()
    setting.needed = {BOB: [9, 9]}
    setting.asking.open(BOB, now=0)
    assert setting.next().requests[0].exactly == (Holding(BOB, (9, 9)),)


def test_who_hears_another_ask_for_the_same_waits_for_that_answer() -> None:
    setting = Setting(1, 3)
    other = Request((), Wanted.EXACTLY, exactly=(Holding(ALICE, (1, 5)),))
    setting.asking.on_request(other, now=0)
    assert setting.asking.next_deadline() >= PACE.ask_again_us  # type: ignore[operator]
    partly = Setting(1, 3, 6)
    partly.asking.on_request(Request((), Wanted.EXACTLY, exactly=(Holding(ALICE, (2, 2)),)), now=0)
    assert partly.asking.next_deadline() == PACE.ask_after_us


def test_nothing_is_asked_for_while_somebody_is_still_giving() -> None:
    setting = Setting(1, 3)
    setting.asking.on_page(Response(BOB, 1, 5, ()), now=PACE.ask_after_us)
    assert setting.asking.next_deadline() > PACE.ask_after_us  # type: ignore[operator]


def test_who_joins_for_all_asks_at_once_and_is_synchronised_when_nothing_is_lacking() -> None:
    setting = Setting()
    assert setting.join(ALL).wanted is Wanted.EVERYTHING
    setting.asking.on_have(setting.have(1, 2), requested_here=True, now=0)
    for seq in (1, 2):
        setting.receive(seq)
    outcomes = []
    while setting.asking.next_deadline() is not None:
        outcomes.append(setting.next().outcome)
    assert outcomes[-1] is Outcome.SYNCHRONISED
    assert not setting.asking.is_joining


def test_who_joins_for_now_wants_nothing_of_what_there_is() -> None:
    setting = Setting()
    assert setting.join(NOW).wanted is Wanted.NOTHING
    setting.asking.on_have(setting.have(1, 7), requested_here=True, now=0)
    while setting.asking.next_deadline() is not None:
        assert setting.next().requests == []
    assert setting.holdings.lacking() == {}
    setting.receive(9)
    assert setting.next().requests[0].exactly == (Holding(ALICE, (8, 8)),)


def test_who_joins_for_the_last_ones_asks_for_those_that_do_not_come() -> None:
    setting = Setting()
    assert setting.join(last(2)).last == 2
    chosen = (Holding(ALICE, (6, 7)),)
    setting.asking.on_have(setting.have(1, 7, chosen=chosen), requested_here=True, now=0)
    setting.receive(7)
    requests: list[Request] = []
    while not requests:
        requests += setting.next().requests
    assert requests[0].exactly == (Holding(ALICE, (6, 6)),)


def test_a_thread_is_named_in_the_request() -> None:
    assert Setting().join(thread(MessageId(ALICE, 4))).maybe_thread == (ALICE, 4)


def test_who_finds_nobody_is_told_so_and_goes_on_when_somebody_comes() -> None:
    setting = Setting()
    setting.join(ALL)
    outcome = Outcome.NOTHING
    asks = 1
    while outcome is Outcome.NOTHING:
        asked = setting.next()
        outcome = asked.outcome
        asks += len(asked.requests)
    assert outcome is Outcome.ALONE
    assert asks == PACE.asks
    setting.asking.on_have(Have((), 0), requested_here=False, now=setting.now)
    assert setting.next().outcome is Outcome.SYNCHRONISED


def test_made_up_members_do_not_crowd_out_true_gaps_for_ever() -> None:
    limits = MemberLimits(members_per_group=3)
    asking = Asking(Holdings(limits), rng=Random(1), limits=limits, pace=PACE)
    for at in range(10):
        asking.open(MemberId(f"nobody-{at}#1"), now=0)
    asked = asking.due(dict, now=PACE.ask_after_us)
    assert asked.requests == []
    assert asking.next_deadline() is None  # nothing of them is lacking, so they are forgotten
