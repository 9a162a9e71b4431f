"""One group's burst, and one sender's, cost the others nothing that they could notice."""

from __future__ import annotations

from ingest.wire.envelope import decode
from ordering.policy import GroupPolicy, Limits
from ordering_udfs.group_policies import GroupPolicies
from tests.messages import wire
from tests.ordering_udfs.shards import Came, RawRow, come_to, rows, tick_at

WAITING = 100_000
SENDERS = 10


def crowd(waiting: int = WAITING) -> list[bytes]:
    """Messages of ten senders that all wait for one that is missing, each for the one before."""
    log: list[bytes] = []
    last = {f"s{n}": ("root", 1) for n in range(SENDERS)}
    for number in range(waiting):
        sender = f"s{number % SENDERS}"
        log.append(wire(sender, number // SENDERS + 1, last[sender], group="crowd"))
        last[sender] = (sender, number // SENDERS + 1)
    return log


def groups_of(came: Came) -> list[str]:
    return [decode(record.envelope).group for record in came.ordered]


def test_a_healed_gap_that_frees_a_hundred_thousand_keeps_every_other_record_in_its_place() -> None:
    held = crowd()
    others = [wire("a", seq, group="calm") for seq in range(1, 201)]
    log = [*held, *others[:100], wire("root", 1, group="crowd"), *others[100:]]
    came = come_to([rows(*log)])
    order = groups_of(came)
    assert order[:100] == ["calm"] * 100, "who came before the gap healed was delivered before"
    assert order[100 : 100 + WAITING + 1] == ["crowd"] * (WAITING + 1)
    assert order[-100:] == ["calm"] * 100
    assert came.state.held == 0


def test_a_sender_that_floods_a_group_fills_its_own_room_only() -> None:
    limits = Limits(held_per_sender=50, held_per_group=80, held_reserve=5)
    policies = GroupPolicies(GroupPolicy(limits=limits))
    flood = [wire("mallory", seq, ("nobody", 1)) for seq in range(1, 301)]
    honest = [wire("ann", 1, ("bob", 1)), wire("bob", 1), wire("ann", 2)]
    elsewhere = [wire("cat", seq, group="other") for seq in range(1, 4)]
    log = [*flood[:150], honest[0], *flood[150:], *honest[1:], *elsewhere, tick_at(1)]
    came = come_to([rows(*log)], policies=policies)
    delivered = [record.envelope for record in came.ordered]
    assert set(delivered) == {*honest, *elsewhere}
    assert came.state.held == 50
    assert sum(came.state.reasons.values()) == 250
    assert all(decode(record.captured).sender == "mallory#1" for record in came.quarantined), (
        "nobody else lost anything"
    )


def test_where_the_batches_are_cut_changes_nothing_in_a_crowd() -> None:
    held = [*crowd(3_000), wire("root", 1, group="crowd")]
    whole = come_to([rows(*held)])
    log = rows(*held)
    pieces: list[list[RawRow]] = [log[:1], log[1:1_500], log[1_500:2_999], log[2_999:]]
    assert come_to(pieces).ordered == whole.ordered
