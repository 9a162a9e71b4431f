"""Windows are kept for those who spoke last, and a new incarnation opens one."""

import threading

import pytest

from ingest.authentication import bounds
from ingest.authentication.replay_memory import Freshness, ReplayMemory, SenderKey
from ingest.authentication.settings import BelowWindow

ALICE: SenderKey = ("dev", "alice", 1)
SECOND = 1_000_000


def _memory(*, below: BelowWindow = BelowWindow.REFUSE, senders: int = 8) -> ReplayMemory:
    return ReplayMemory(width=64, below=below, senders=senders)


def _take(
    memory: ReplayMemory, seq: int, *, sender: SenderKey = ALICE, incarnation: int = 1, now: int = 0
) -> Freshness:
    return memory.take(sender, incarnation=incarnation, seq=seq, now=now)


def test_senders_groups_kinds_and_incarnations_have_windows_of_their_own() -> None:
    memory = _memory()
    for sender in (ALICE, ("dev", "bob", 1), ("ops", "alice", 1), ("dev", "alice", 4)):
        for incarnation in (1, 2):
            seen = [_take(memory, 7, sender=sender, incarnation=incarnation) for _ in range(2)]
            assert seen == [Freshness.NEW, Freshness.REPEAT]


def test_a_message_below_the_window_is_refused_or_published_as_the_setting_says() -> None:
    for below, expected in (
        (BelowWindow.REFUSE, Freshness.BELOW_WINDOW),
        (BelowWindow.PUBLISH, Freshness.REPEAT),
    ):
        memory = _memory(below=below)
        assert _take(memory, 1_000) is Freshness.NEW
        assert _take(memory, 1) is expected


def test_an_old_incarnation_is_heard_while_few_newer_ones_live() -> None:
    memory = _memory()
    assert _take(memory, 1, incarnation=5) is Freshness.NEW
    assert _take(memory, 9, incarnation=2) is Freshness.NEW
    assert _take(memory, 2, incarnation=5) is Freshness.NEW


def test_an_old_incarnation_is_refused_once_enough_newer_ones_live() -> None:
    memory = _memory()
    for incarnation in range(2, 2 + bounds.INCARNATIONS):
        assert _take(memory, 1, incarnation=incarnation) is Freshness.NEW
    assert _take(memory, 1, incarnation=1) is Freshness.OLD_INCARNATION
    assert _take(memory, 2, incarnation=2) is Freshness.NEW


def test_an_old_incarnation_is_published_where_what_is_too_old_is() -> None:
    memory = _memory(below=BelowWindow.PUBLISH)
    for incarnation in range(2, 2 + bounds.INCARNATIONS):
        _take(memory, 1, incarnation=incarnation)
    assert _take(memory, 1, incarnation=1) is Freshness.REPEAT


def test_a_newer_incarnation_takes_the_place_of_the_oldest() -> None:
    memory = _memory()
    for incarnation in range(1, 2 + bounds.INCARNATIONS):
        now = incarnation * SECOND
        assert _take(memory, 1, incarnation=incarnation, now=now) is Freshness.NEW
    assert _take(memory, 2, incarnation=1, now=60 * SECOND) is Freshness.OLD_INCARNATION


def test_a_flood_of_incarnations_is_refused_and_closes_no_window() -> None:
    memory = _memory()
    for incarnation in range(1, 1 + bounds.INCARNATIONS):
        _take(memory, 1, incarnation=incarnation)
    flood = {_take(memory, 1, incarnation=number) for number in range(100, 10_000)}
    assert flood == {Freshness.INCARNATION_OVER_RATE}
    assert _take(memory, 1, incarnation=1) is Freshness.REPEAT
    assert _take(memory, 1, incarnation=10_000, now=2 * SECOND) is Freshness.NEW


def test_a_flood_of_one_senders_incarnations_or_repeats_never_touches_another() -> None:
    memory = _memory()
    for number in range(5_000):
        _take(memory, 1, incarnation=number + 1)
        _take(memory, 1)
    assert _take(memory, 1, sender=("dev", "bob", 1)) is Freshness.NEW
    assert _take(memory, 1, sender=("dev", "bob", 1)) is Freshness.REPEAT


def test_repeats_are_published_up_to_a_rate() -> None:
    memory = _memory()
    _take(memory, 1)
    repeats = [_take(memory, 1) for _ in range(bounds.REPEATS_PER_S + 10)]
    assert repeats.count(Freshness.REPEAT) == bounds.REPEATS_PER_S
    assert repeats.count(Freshness.REPEAT_OVER_RATE) == 10
    assert _take(memory, 1, now=SECOND) is Freshness.REPEAT


def test_the_longest_silent_sender_makes_room_and_loses_nothing() -> None:
    memory = _memory(senders=2)
    for name in ("alice", "bob", "alice", "carol"):
        _take(memory, 1, sender=("dev", name, 1))
    assert memory.forgotten == 1
    assert _take(memory, 1, sender=("dev", "alice", 1)) is Freshness.REPEAT
    assert _take(memory, 1, sender=("dev", "bob", 1)) is Freshness.NEW


@pytest.mark.parametrize("threads", [4])
def test_a_seq_is_new_for_one_of_many_threads(threads: int) -> None:
    memory = ReplayMemory(width=16_384, below=BelowWindow.REFUSE)
    seen: list[list[Freshness]] = [[] for _ in range(threads)]
    together = threading.Barrier(threads)

    def hear(mine: list[Freshness]) -> None:
        together.wait()
        mine += [_take(memory, seq) for seq in range(1, 2_001)]

    running = [threading.Thread(target=hear, args=(mine,)) for mine in seen]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    assert sum(mine.count(Freshness.NEW) for mine in seen) == 2_000
