from hypothesis import given
from hypothesis import strategies as st

from ingest.intake import FOREIGN_TICK, NO_GROUP, Intake
from ingest.token_bucket import TokenBucket
from ingest.wire.envelope import Envelope, encode, tick
from ingest.wire.errors import WireReason
from tests.ingest.envelopes import envelopes, plain


def _intake(*, burst: int = 2) -> Intake:
    return Intake(TokenBucket(per_second=1, burst=burst), clock=lambda: 0)


@given(envelopes())
def test_what_decodes_is_published_under_its_group(envelope: Envelope) -> None:
    intake = _intake()
    assert intake.key_for(encode(envelope)) == envelope.group.encode("utf-8")
    assert not intake.malformed


def test_what_does_not_decode_is_published_without_a_group_up_to_the_limit() -> None:
    intake = _intake(burst=2)
    assert [intake.key_for(b"junk") for _ in range(4)] == [NO_GROUP, NO_GROUP, None, None]
    assert intake.malformed == {WireReason.TOO_SHORT.value: 4}
    assert intake.withheld == 2


def test_what_decodes_is_not_limited_by_what_does_not() -> None:
    intake = _intake(burst=1)
    for _ in range(3):
        intake.key_for(b"junk")
    assert intake.key_for(encode(plain())) == b"dev"


def test_nobody_but_the_job_may_move_time_on() -> None:
    intake = _intake()
    assert intake.key_for(encode(tick(5))) is None
    assert intake.malformed == {FOREIGN_TICK: 1}
    assert intake.withheld == 1


@given(st.lists(st.binary(max_size=60)))
def test_every_datagram_is_published_or_counted_as_withheld(datagrams: list[bytes]) -> None:
    intake = _intake(burst=3)
    published = sum(intake.key_for(datagram) is not None for datagram in datagrams)
    assert published + intake.withheld == len(datagrams)
