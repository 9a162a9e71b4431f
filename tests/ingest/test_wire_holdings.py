import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.wire.errors import WireError, WireReason
from ingest.wire.holdings import (
    HOLDINGS,
    RUN_ENDS,
    Holding,
    check_holdings,
    holdings_of,
)
from ordering import runs as run
from ordering.values import MemberId


@given(st.dictionaries(st.integers(1, 20), st.sets(st.integers(1, 200), min_size=1)))
def test_any_runs_can_be_written_and_pass_the_check(held: dict[int, set[int]]) -> None:
    runs = [(MemberId(f"m{at}#1"), run.from_numbers(seqs)) for at, seqs in held.items()]
    written = holdings_of(runs, most_bytes=60_000)
    check_holdings(written)
    assert [(one.member, list(one.runs)) for one in written] == runs
    assert all(one.is_open for one in written)


def test_what_does_not_fit_is_cut_and_says_so() -> None:
    runs = run.from_numbers(range(1, 2_000, 2))
    (written,) = holdings_of([(MemberId("alice#1"), runs)], most_bytes=200)
    assert not written.is_open
    assert list(written.runs) == runs[: len(written.runs)]
    assert 0 < len(written.runs) * 3 <= 200


@pytest.mark.parametrize(
    "runs",
    [(1,), (3, 2), (1, 2, 3, 4), (1, 5, 4, 9), (0, 4), (-3, 4), (1, 2**63)],
    ids=["odd", "falling", "touching", "overlapping", "zero", "negative", "too_far"],
)
def test_what_is_no_list_of_runs_is_refused(runs: tuple[int, ...]) -> None:
    with pytest.raises(WireError) as caught:
        check_holdings((Holding("alice#1", runs),))
    assert caught.value.reason is WireReason.BAD_BODY


@pytest.mark.parametrize(
    "holdings",
    [
        tuple(Holding(f"m{at}#1", (1, 1)) for at in range(HOLDINGS + 1)),
        (Holding("alice#1", tuple(range(1, 2 * RUN_ENDS + 4, 2))),),
        (Holding("alice#1", (1, 1)), Holding("alice#1", (3, 3))),
        (Holding("alice", (1, 1)),),
        (Holding("\ud800#1", (1, 1)),),
    ],
    ids=["many_members", "many_ends", "twice", "no_pid", "no_text"],
)
def test_a_list_beyond_a_bound_or_with_a_bad_name_is_refused(
    holdings: tuple[Holding, ...],
) -> None:
    with pytest.raises(WireError):
        check_holdings(holdings)
