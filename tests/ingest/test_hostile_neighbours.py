"""Honest members and hostile neighbours on one multicast group: only the members are ordered.

Real sockets on loopback, the agent's capture and intake, the job's shard; `verify` is the judge.
"""

import random
from collections.abc import Sequence
from pathlib import Path

from console.verification import Verification
from ingest.authentication.gate import Gate, open_gate
from ingest.authentication.keyring import Keyring
from ingest.authentication.mode import Mode
from ingest.authentication.settings import AuthenticationSettings
from ingest.capture import Capture
from ingest.datagram import Datagram
from ingest.intake import Admission, Intake
from ingest.token_bucket import TokenBucket
from ingest.wire.bundle import pack
from ingest.wire.envelope import decode, encode, tick
from ingest.wire.multicast import LOOPBACK_INTERFACE, Subscription
from ordering.policy import GroupPolicy
from ordering_udfs.group_policies import GroupPolicies
from ordering_udfs.raw_rows import RawRows
from ordering_udfs.shard import Shard
from ordering_udfs.shard_state import ShardState
from sinks.records import decode_ordered, decode_quarantine
from tests.ingest.keys import key_file, keyring, keys
from tests.ingest.loopback import new_group, send_all, wait_until
from tests.messages import wire

PATIENCE_S = 30.0
BUFFER_BYTES = 4_000_000
HONEST = 40


def _conversation(ring: Keyring) -> list[bytes]:
    """Two members who answer each other, tagged."""
    lines = [wire("a", 1, group="floor")]
    for number in range(1, HONEST):
        name, other = ("b", "a") if number % 2 else ("a", "b")
        parent = (other, (number + 1) // 2)
        lines.append(wire(name, number // 2 + 1, parent, group="floor"))
    return [ring.protect(decode(line), mode=Mode.MAC) for line in lines]


def _hostile(honest: list[bytes], stranger: Keyring) -> list[bytes]:
    """What a neighbour without the key can send who has heard everything."""
    tagged = decode(honest[3])
    return [
        wire("a", 7, group="floor", payload=b"untagged"),
        encode(tagged._replace(payload=b"another payload")),
        encode(tagged._replace(parents=())),
        encode(tagged._replace(seq=2**60)),
        encode(tagged._replace(sent_at=1)),
        honest[3].replace(b"b#1", b"a#1", 1),
        stranger.protect(decode(wire("a", 9, group="floor")), mode=Mode.MAC),
        pack([(1, wire("a", 9, group="floor")), (2, encode(tick(2**62)))]),
        encode(tick(2**62)),
        honest[5][:-1],
        b"junk",
        *honest[10:15],
    ]


def _admitted(datagrams: list[bytes], gate: Gate) -> tuple[list[Admission], Intake]:
    group = new_group()
    intake = Intake(TokenBucket(per_second=1, burst=1_000), clock=lambda: 0, maybe_gate=gate)
    taken: list[Admission | None] = []

    def take(datagrams: Sequence[Datagram]) -> None:
        taken.extend(intake.admit(datagram) for datagram in datagrams)

    capture = Capture(
        Subscription(group), interface=LOOPBACK_INTERFACE, buffer_bytes=BUFFER_BYTES, take=take
    )
    capture.start()
    send_all(datagrams, to=group)
    wait_until(lambda: len(taken) == len(datagrams))
    capture.ask_to_stop()
    assert capture.has_ended(within_s=PATIENCE_S)
    return [admission for admission in taken if admission is not None], intake


def test_only_what_members_said_is_ordered_and_all_else_is_quarantined_with_its_reason(
    tmp_path: Path,
) -> None:
    honest = _conversation(keyring(tmp_path))
    stranger = Keyring(key_file(tmp_path, keys(2), "stranger"))
    hostile = _hostile(honest, stranger)
    sent = [*honest, *hostile, *honest[:3]]
    random.Random(1).shuffle(sent)
    settings = AuthenticationSettings(groups=("floor=mac",), keys_file=tmp_path / "keys")
    admissions, intake = _admitted(sent, open_gate(settings))
    assert len(admissions) == len(sent)

    shard = Shard(ShardState(0), policies=GroupPolicies(GroupPolicy()), partitions=1)
    values = [admission.value for admission in admissions]
    shard.receive(RawRows(range(len(values)), [1_000] * len(values), values))
    shard.finish()
    delivered = [decode_ordered(value) for value in shard.outputs.ordered.values]
    assert sorted(record.envelope for record in delivered) == sorted(honest)
    quarantined = [decode_quarantine(value) for value in shard.outputs.quarantine.values]
    reasons = sorted(record.reason for record in quarantined)
    assert reasons == sorted(
        ["untagged", "unknown_key", "not_ours", "foreign_tick", "length_mismatch", "too_short"]
        + ["forged"] * 5
    )
    assert all(f"from {LOOPBACK_INTERFACE}:" in record.detail for record in quarantined)
    assert intake.repeats == 8

    verification = Verification()
    for offset, admission in enumerate(admissions):
        verification.take_raw((0, offset, 0), admission.value)
    verification.take_ordered(delivered)
    verification.take_quarantine(quarantined)
    report = verification.report()
    assert (report.anomalies["lost"], report.anomalies["duplicated"]) == (0, 0)
    assert report.anomalies["out_of_order"] == 0
