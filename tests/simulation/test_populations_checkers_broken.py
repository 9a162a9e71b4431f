from ordering.values import MemberId, MessageId
from simulation.populations.checkers.broken import Broken, name_of, names_of

IDS = [MessageId(MemberId("alice#1"), seq) for seq in range(1, 9)]


def test_a_broken_promise_reads_as_a_sentence() -> None:
    assert str(Broken("unequal", "bob", "lacks alice#1:1")) == "unequal: lacks alice#1:1 (bob)"


def test_of_many_ids_a_few_are_named() -> None:
    assert name_of(IDS[0]) == "alice#1:1"
    assert names_of(set(IDS[:2])) == "alice#1:1, alice#1:2"
    assert names_of(set(IDS)).endswith("alice#1:5 and 3 more")
