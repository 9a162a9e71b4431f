"""What may pass is published unchanged; all else is counted, and some of it shown in quarantine."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ingest.authentication.gate import Gate, TagFault, open_gate
from ingest.authentication.mode import Mode
from ingest.authentication.replay_memory import Freshness
from ingest.authentication.settings import AuthenticationSettings
from ingest.datagram import Datagram
from ingest.intake import (
    FOREIGN_CONTROL,
    FOREIGN_TICK,
    NO_GROUP,
    OVER_RATE,
    SENTENCES,
    Admission,
    Intake,
)
from ingest.sender_limits import SenderLimits
from ingest.token_bucket import TokenBucket
from ingest.wire.bundle import pack
from ingest.wire.envelope import Envelope, Kind, encode, tick
from ingest.wire.errors import WireReason
from ingest.wire.multicast import GroupAddress
from ingest.wire.refusal import Refusal, decode_refusal, encode_refusal, is_refusal
from tests.ingest.envelopes import envelopes, plain
from tests.ingest.keys import key_file, keyring, keys

ADDRESS = GroupAddress("239.255.80.1", 5080)


_PLAIN = st.builds(
    lambda seq, group: encode(plain(seq, group=group)),
    st.integers(1, 5),
    st.sampled_from(["dev", "open", "x"]),
)


def captured(data: bytes, source: str = "10.0.0.7:40001") -> Datagram:
    return Datagram(data, 1_000, source, ADDRESS)


def _intake(
    *, burst: int = 2, maybe_gate: Gate | None = None, maybe_limits: SenderLimits | None = None
) -> Intake:
    return Intake(
        TokenBucket(per_second=1, burst=burst),
        clock=lambda: 0,
        maybe_gate=maybe_gate,
        maybe_limits=maybe_limits,
    )


def _gate(folder: Path) -> Gate:
    path = key_file(folder, keys(1))
    return open_gate(AuthenticationSettings(groups=("dev=mac",), keys_file=path))


NOT_PUBLISHED = (Kind.CONTROL, Kind.SYNCHRONISATION)


def _refused(admission: Admission | None) -> Refusal:
    assert admission is not None
    assert admission.key == NO_GROUP
    return decode_refusal(admission.value)


@given(envelopes().filter(lambda envelope: envelope.kind not in NOT_PUBLISHED))
def test_what_decodes_is_published_unchanged_under_its_group(envelope: Envelope) -> None:
    intake = _intake()
    data = encode(envelope)
    assert intake.admit(captured(data)) == (envelope.group.encode("utf-8"), data)
    assert not intake.malformed


def test_what_members_tell_each_other_to_synchronise_is_passed_over_and_counted() -> None:
    intake = _intake()
    talk = captured(encode(plain()._replace(kind=Kind.SYNCHRONISATION)))
    assert intake.admit(talk) is None
    assert intake.admit_all([talk]) == []
    assert (intake.passed_over, intake.withheld, intake.malformed) == (2, 0, {})


def test_what_does_not_decode_is_shown_up_to_the_limit() -> None:
    intake = _intake(burst=2)
    admitted = [intake.admit(captured(b"junk")) for _ in range(4)]
    assert [admission is None for admission in admitted] == [False, False, True, True]
    shown = _refused(admitted[0])
    assert (shown.reason, shown.source, shown.datagram) == ("too_short", "10.0.0.7:40001", b"junk")
    assert intake.malformed == {WireReason.TOO_SHORT.value: 4}
    assert intake.withheld == 2


def test_what_decodes_is_not_limited_by_what_does_not() -> None:
    intake = _intake(burst=1)
    for _ in range(3):
        intake.admit(captured(b"junk"))
    assert intake.admit(captured(encode(plain()))) == (b"dev", encode(plain()))


@given(st.binary(max_size=200) | envelopes().map(encode))
def test_no_bytes_of_the_network_pass_for_what_only_the_service_writes(data: bytes) -> None:
    disguised = [
        pack([(1, data), (2, encode(tick(2**60)))]),
        encode_refusal(Refusal("forged", "somebody else", "", data)),
        encode(tick(2**60)),
        encode(plain()._replace(kind=Kind.CONTROL, payload=data)),
    ]
    intake = _intake(burst=10)
    for bytes_ in disguised:
        shown = _refused(intake.admit(captured(bytes_)))
        assert shown.datagram == bytes_
        assert shown.source == "10.0.0.7:40001"
    assert intake.malformed.total() == len(disguised)
    assert intake.malformed[FOREIGN_TICK] == 1
    assert intake.malformed[FOREIGN_CONTROL] == 1


@given(st.lists(st.binary(max_size=60)))
def test_every_datagram_is_published_or_counted_as_withheld(datagrams: list[bytes]) -> None:
    intake = _intake(burst=3)
    published = sum(intake.admit(captured(datagram)) is not None for datagram in datagrams)
    assert published + intake.withheld == len(datagrams)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.binary(max_size=60) | envelopes().map(encode) | _PLAIN, max_size=8))
def test_many_at_once_come_to_the_same_as_one_after_the_other(
    tmp_path: Path, datagrams: list[bytes]
) -> None:
    makers: list[Callable[[], Intake]] = [
        _intake,
        lambda: _intake(maybe_gate=_gate(tmp_path)),
        lambda: _intake(maybe_limits=SenderLimits(per_second=1)),
    ]
    for make in makers:
        one, other = make(), make()
        expected = [one.admit(captured(data)) for data in datagrams]
        admitted = other.admit_all([captured(data) for data in datagrams])
        assert admitted == [(1_000, *admission) for admission in expected if admission is not None]
        assert (one.malformed, one.withheld) == (other.malformed, other.withheld)


def test_a_forged_datagram_is_refused_and_shown_with_who_it_claims_to_be(tmp_path: Path) -> None:
    intake = _intake(maybe_gate=_gate(tmp_path))
    data = encode(plain())
    shown = _refused(intake.admit(captured(data)))
    assert shown.reason == TagFault.UNTAGGED
    assert "alice#1:1 of dev" in shown.detail
    assert shown.datagram == data
    assert intake.refused == {"untagged": 1}
    assert not intake.malformed


def test_an_authentic_datagram_passes_and_its_repeat_too_and_is_counted(tmp_path: Path) -> None:
    intake = _intake(maybe_gate=_gate(tmp_path))
    data = keyring(tmp_path).protect(plain(), mode=Mode.MAC)
    for repeats in (0, 1, 2):
        assert intake.admit(captured(data)) == (b"dev", data)
        assert intake.repeats == repeats
    assert not intake.refused


def test_too_old_a_datagram_is_refused_with_its_reason(tmp_path: Path) -> None:
    intake = _intake(maybe_gate=_gate(tmp_path))
    ring = keyring(tmp_path)
    for seq in (100_000, 1):
        admission = intake.admit(captured(ring.protect(plain(seq), mode=Mode.MAC)))
    assert _refused(admission).reason == Freshness.BELOW_WINDOW
    assert intake.refused == {"below_window": 1}


@given(
    sent=st.lists(
        st.tuples(st.sampled_from(["alice#1", "alice#2", "bob#1"]), st.integers(1, 16_000)),
        max_size=60,
    )
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
def test_nothing_honest_is_refused_in_any_order_however_often_it_is_sent(
    tmp_path: Path, sent: list[tuple[str, int]]
) -> None:
    intake = _intake(maybe_gate=_gate(tmp_path))
    ring = keyring(tmp_path)
    for sender, seq in sent:
        data = ring.protect(plain(seq, sender=sender), mode=Mode.MAC)
        assert intake.admit(captured(data)) == (b"dev", data)
    assert intake.repeats == len(sent) - len(set(sent))


def test_strangers_spend_nobodys_rate(tmp_path: Path) -> None:
    limits = SenderLimits(per_second=1)
    intake = _intake(maybe_gate=_gate(tmp_path), maybe_limits=limits)
    for _ in range(100):
        intake.admit(captured(encode(plain())))
    data = keyring(tmp_path).protect(plain(), mode=Mode.MAC)
    assert intake.admit(captured(data)) == (b"dev", data)


def test_what_was_refused_for_its_rate_is_new_when_it_is_sent_again(tmp_path: Path) -> None:
    now = 0
    intake = Intake(
        TokenBucket(per_second=1, burst=9),
        clock=lambda: now,
        maybe_gate=_gate(tmp_path),
        maybe_limits=SenderLimits(per_second=1),
    )
    ring = keyring(tmp_path)
    sent = [ring.protect(plain(seq), mode=Mode.MAC) for seq in (1, 2, 3)]
    admitted = [intake.admit(captured(data)) for data in sent]
    assert [_refused(admitted[2]).reason] == [OVER_RATE]
    now = 1_000_000
    assert intake.admit(captured(sent[2])) == (b"dev", sent[2])
    assert intake.repeats == 0


def test_where_nothing_is_proved_an_address_has_the_rate_and_not_a_name() -> None:
    intake = _intake(burst=9, maybe_limits=SenderLimits(per_second=1))
    flood = [intake.admit(captured(encode(plain(seq)), "10.6.6.6:1")) for seq in range(1, 6)]
    assert sum(admission is not None and admission.key == b"dev" for admission in flood) == 2
    honest = encode(plain(77))
    assert intake.admit(captured(honest, "10.0.0.7:1")) == (b"dev", honest)
    assert intake.refused == {OVER_RATE: 3}


@pytest.mark.parametrize(
    "reason",
    [FOREIGN_TICK, FOREIGN_CONTROL, OVER_RATE, *TagFault]
    + [one for one in Freshness if one not in (Freshness.NEW, Freshness.REPEAT)],
)
def test_every_reason_has_a_sentence_and_can_be_sent(reason: str) -> None:
    assert SENTENCES[str(reason)]
    assert is_refusal(encode_refusal(Refusal(str(reason), "s", SENTENCES[str(reason)], b"")))
