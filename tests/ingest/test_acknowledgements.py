from hypothesis import given
from hypothesis import strategies as st

from ingest.acknowledgements import Acknowledgements


def test_the_oldest_record_without_an_answer_holds_the_cursor() -> None:
    waiting = Acknowledgements()
    for partition, first in ((0, 1), (1, 2), (0, 5)):
        waiting.sent(partition, first)
    assert waiting.through(9, maybe_unsent=None) == 0
    waiting.answered(0)
    assert waiting.through(9, maybe_unsent=None) == 1
    waiting.answered(0)
    assert waiting.through(9, maybe_unsent=None) == 1
    waiting.answered(1)
    assert waiting.outstanding == 0
    assert waiting.through(9, maybe_unsent=8) == 7
    assert waiting.through(9, maybe_unsent=None) == 9


@given(st.lists(st.integers(0, 2), max_size=30), st.randoms(use_true_random=False))
def test_nothing_behind_the_cursor_is_without_an_answer(
    partitions: list[int], random: object
) -> None:
    """Answers come in any order between partitions, in the order of sending within one."""
    waiting = Acknowledgements()
    unanswered: list[tuple[int, int]] = []
    for first, partition in enumerate(partitions, start=1):
        waiting.sent(partition, first)
        unanswered.append((partition, first))
    while unanswered:
        partition = random.choice(unanswered)[0]  # type: ignore[attr-defined] # a Random
        waiting.answered(partition)
        unanswered.remove(next(one for one in unanswered if one[0] == partition))
        through = waiting.through(len(partitions), maybe_unsent=None)
        assert all(first > through for _, first in unanswered)
        assert unanswered or through == len(partitions)
