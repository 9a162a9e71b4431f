"""The job's side: any raw record into a shard, any bytes into the readers of its topics."""

from __future__ import annotations

from ingest.wire.envelope import encode, tick
from ordering.policy import GroupPolicy
from ordering_udfs.control import read_policy_change, write_policy_change
from ordering_udfs.errors import ControlError, PolicyTextError
from ordering_udfs.group_policies import GroupPolicies, parse_policy
from ordering_udfs.raw_rows import RawRows
from ordering_udfs.shard import Shard
from ordering_udfs.shard_state import ShardState
from sinks.errors import RecordError
from sinks.membership import MembershipRecord, decode_membership, encode_membership
from sinks.records import (
    Counters,
    MarkBits,
    OrderedRecord,
    Origin,
    QuarantineRecord,
    decode_counters,
    decode_ordered,
    decode_quarantine,
    encode_counters,
    encode_ordered,
    encode_quarantine,
)
from sinks.waits import (
    GapRecord,
    GapStatus,
    Sought,
    WaitRecord,
    WaitStatus,
    decode_gap,
    decode_wait,
    encode_gap,
    encode_wait,
)
from tests.fuzz.mutator import Field
from tests.fuzz.target import Target
from tests.fuzz.targets.examples import envelopes, messages
from tests.fuzz.targets.outcomes import ACCEPTED, refused
from tests.fuzz.targets.wire import BUNDLES, DEEP, NAMES, PREFIX_FIELDS, REFUSALS, mend_envelope

POLICIES = GroupPolicies(GroupPolicy())
KNOWN = encode(messages()[0])
TICK = encode(tick(2**40))


def run_shard(data: bytes) -> str:
    """Whatever a raw record holds, every entry has one fate, and what comes out can be read."""
    shard = Shard(ShardState(0), policies=POLICIES, partitions=1)
    shard.receive(RawRows((0, 1, 2), (1_000, 1_001, 1_002), (KNOWN, data, TICK)))
    state = shard.finish()
    outputs = shard.outputs
    assert state.held >= 0
    assert len(outputs.ordered.values) == state.delivered
    for value in outputs.ordered.values:
        decode_ordered(value)
    assert [decode_wait(value).status for value in outputs.waits.values].count(
        WaitStatus.HELD
    ) == state.held
    reasons = {decode_quarantine(value).reason for value in outputs.quarantine.values}
    if reasons:
        return refused(", ".join(sorted(reasons)[:2]))
    return f"{ACCEPTED} {state.delivered - 1} {state.held} {state.duplicates}"


def run_policy(data: bytes) -> str:
    """A change of policy is one that can be written down again, or is refused with a sentence."""
    try:
        text = read_policy_change(data)
        policy = parse_policy(text, default=GroupPolicy())
    except (ControlError, PolicyTextError) as error:
        str(error).encode()
        return refused("no policy", str(error))
    assert parse_policy(text, default=policy) == policy
    assert read_policy_change(write_policy_change(text)) == text
    return f"{ACCEPTED} {policy.discipline}"


def run_records(data: bytes) -> str:
    """The readers take the same bytes; at most one of them may accept."""
    accepted: list[str] = []
    sentence = ""
    for name, read in (
        ("ordered", decode_ordered),
        ("quarantine", decode_quarantine),
        ("counters", decode_counters),
        ("waits", decode_wait),
        ("gaps", decode_gap),
        ("membership", decode_membership),
    ):
        try:
            read(data)
            accepted.append(name)
        except RecordError as error:
            sentence = str(error)
    assert len(accepted) <= 1
    return f"{ACCEPTED} {accepted[0]}" if accepted else refused("record", sentence)


ORIGIN = Origin(5, 0, 1_000)
RECORDS = (
    encode_ordered(OrderedRecord(1, 2, 0, ORIGIN, MarkBits.LATE, KNOWN)),
    encode_quarantine(QuarantineRecord(1, 0, ORIGIN, "forged", "from x", KNOWN)),
    encode_counters(Counters(3, 4, 5)),
    encode_wait(WaitRecord(1, 0, ORIGIN, "b#1:1", WaitStatus.HELD, Sought("a#1:1"), 50)),
    encode_membership(MembershipRecord(1, 2, 0, ORIGIN, KNOWN)),
    encode_gap(GapRecord(0, "dev", GapStatus.OPEN, Sought("a#1:1"), 50)),
)

TARGETS = (
    Target(
        "shard", run_shard, (*envelopes(), *BUNDLES, *REFUSALS, encode(tick(2**62))),
        fields=PREFIX_FIELDS, tokens=(*NAMES, *DEEP), mend=mend_envelope,
    ),
    Target(
        "policy", run_policy,
        tuple(
            write_policy_change(text)
            for text in ("fifo", "semantic,release,5000", "causal:full,quarantine", "total,hold")
        ),
        tokens=(
            b"fifo", b"causal:", b",release,", b",9999999999", b"objects", b"significant", b'"',
            b"[" * 3_000, b'{"policy":' * 2_000, b"\\ud800", b"\xff", b"null", b"1e999",
        ),
    ),
    Target(
        "records", run_records, RECORDS,
        fields=(Field(4, 1), Field(6, 2), Field(8, 8), Field(24, 4), Field(48, 2), Field(50, 2)),
        tokens=(b"PRCO\x01", b"PRCQ\x01", b"PRCW\x01", b"PRCM\x01", b'"',
                b"[" * 3_000, b"\xff", b"null", b"1e999"),
    ),
)  # fmt: skip
