from ingest.wire.envelope import Envelope, Kind, decode, encode
from ingest.wire.management import Join, decode_management
from ingest.wire.synchronisation import Have, decode_synchronisation
from members.post import Post
from ordering.values import GroupId, MemberId, MessageId

DEV, ALICE = GroupId("dev"), MemberId("alice#1")


def test_each_kind_of_post_can_be_read() -> None:
    post = Post()
    envelope, datagram = post.message(
        DEV, MessageId(ALICE, 1), parents=(), payload=b"hi", stamps=None, now=5
    )
    assert post.read(datagram) == envelope
    assert envelope.kind is Kind.MESSAGE
    join = decode(post.management(DEV, ALICE, Join(), seq=1, now=5))
    assert decode_management(join.payload) == Join()
    have = decode(post.synchronisation(DEV, ALICE, Have((), 0), seq=1, now=5))
    assert decode_synchronisation(have.payload) == Have((), 0)


def test_everything_that_goes_out_is_sealed() -> None:
    sealed: list[Kind] = []

    def seal(envelope: Envelope) -> bytes:
        sealed.append(envelope.kind)
        return encode(envelope)

    post = Post(seal=seal)
    post.message(DEV, MessageId(ALICE, 1), parents=(), payload=b"", stamps=None, now=5)
    post.management(DEV, ALICE, Join(), seq=1, now=5)
    post.synchronisation(DEV, ALICE, Have((), 0), seq=1, now=5)
    assert sealed == [Kind.MESSAGE, Kind.GROUP_MANAGEMENT, Kind.SYNCHRONISATION]
