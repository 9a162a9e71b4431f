import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.wire.envelope import Envelope, Kind, encode, tick
from ingest.wire.errors import WireError, WireReason
from ingest.wire.multicast import DATAGRAM_BYTES
from ingest.wire.synchronisation import (
    MESSAGE_BYTES,
    Have,
    Response,
    encode_synchronisation,
)
from members.errors import MemberError, UnknownGroupError
from members.events import Delivered, GroupSeen
from members.limits import MemberLimits
from members.post import Post
from members.refusals import Refusal
from members.routing import GroupManager
from ordering.policy import Acceptance, GroupPolicy
from ordering.values import GroupId, MemberId
from tests.members.company import DEV, START_AT, Company

MALLORY = MemberId("mallory#1")


def in_dev(limits: MemberLimits | None = None, post: Post | None = None) -> GroupManager:
    manager = GroupManager("alice", incarnation=1, seed=1, limits=limits, post=post)
    manager.create(DEV, now=START_AT)
    return manager


def message(
    seq: int = 1, *, group: GroupId = DEV, payload: bytes = b"hi", sender: MemberId = MALLORY
) -> bytes:
    return encode(Envelope(Kind.MESSAGE, group, sender, seq, payload=payload, sent_at=START_AT))


def page(*messages: bytes) -> bytes:
    payload = encode_synchronisation(Response("bob#1", 1, 0, messages))
    return encode(Envelope(Kind.SYNCHRONISATION, DEV, MALLORY, 1, payload=payload))


@pytest.mark.parametrize(
    ("datagram", "reason"),
    [
        (b"", WireReason.TOO_SHORT),
        (b"noise" * 20, WireReason.NOT_OURS),
        (bytes(DATAGRAM_BYTES + 1), Refusal.OVERSIZED),
        (message(payload=bytes(MESSAGE_BYTES)), Refusal.OVERSIZED),
        (message(group=GroupId("elsewhere")), Refusal.NOT_A_MEMBER),
        (encode(tick(5)), Refusal.UNEXPECTED_KIND),
        (encode(Envelope(Kind.SYNCHRONISATION, DEV, MALLORY, 1)), WireReason.BAD_BODY),
        (encode(Envelope(Kind.GROUP_MANAGEMENT, DEV, MALLORY, 1)), WireReason.BAD_BODY),
        (page(b"noise"), WireReason.TOO_SHORT),
        (page(message(group=GroupId("elsewhere"))), Refusal.WRONG_GROUP),
        (page(page(message())), Refusal.UNEXPECTED_KIND),
        (message(seq=2**62), Refusal.QUARANTINED),
    ],
)
def test_a_bad_datagram_changes_nothing_and_is_counted(datagram: bytes, reason: str) -> None:
    manager = in_dev()
    before = manager.memberships[DEV].holdings.had
    effects = manager.receive(datagram, now=START_AT)
    assert (effects.datagrams, effects.events) == ([], [])
    assert manager.memberships[DEV].holdings.had == before == {}
    assert manager.refused == {reason: 1}


def test_a_replayed_message_is_delivered_once() -> None:
    manager = in_dev()
    events = [manager.receive(message(), now=START_AT).events for _ in range(3)]
    assert [len(one) for one in events[1:]] == [0, 0]
    assert sum(isinstance(one, Delivered) for one in events[0]) == 1
    assert manager.refused == {Refusal.DUPLICATE: 2}


def test_what_does_not_pass_authentication_is_counted_and_forgotten() -> None:
    def read(datagram: bytes) -> Envelope:
        raise WireError(WireReason.BAD_TAG, f"{len(datagram)} forged bytes")

    manager = in_dev(post=Post(read=read))
    assert manager.receive(message(), now=START_AT).events == []
    assert manager.refused == {WireReason.BAD_TAG: 1}


@settings(max_examples=200)
@given(st.data())
def test_whatever_arrives_nothing_is_raised(data: st.DataObject) -> None:
    manager = in_dev()
    kind = data.draw(st.sampled_from([Kind.SYNCHRONISATION, Kind.GROUP_MANAGEMENT, Kind.CONTROL]))
    payload = data.draw(st.binary(max_size=80))
    manager.receive(data.draw(st.binary(max_size=80)), now=START_AT)
    manager.receive(encode(Envelope(kind, DEV, MALLORY, 1, payload=payload)), now=START_AT)
    manager.advance(START_AT + 10**8)


def test_a_flooding_member_is_bounded_and_takes_nothing_from_the_others() -> None:
    manager = in_dev(MemberLimits(datagrams_per_second=10, datagrams_burst=20, store_messages=50))
    for seq in range(1, 201):
        manager.receive(message(seq), now=START_AT)
    assert manager.refused[Refusal.OVER_QUOTA] == 180
    bob = message(1, sender=MemberId("bob#1"))
    assert any(isinstance(one, Delivered) for one in manager.receive(bob, now=START_AT).events)


def test_a_flood_of_crowded_pages_is_bounded_too() -> None:
    manager = in_dev(MemberLimits(datagrams_per_second=10, datagrams_burst=20))
    crowded = page(*(b"" for _ in range(1_000)))
    for _ in range(5):
        manager.receive(crowded, now=START_AT)
    assert manager.refused[Refusal.OVER_QUOTA] == 5
    assert manager.refused[WireReason.TOO_SHORT] == 0


def test_a_flood_under_made_up_names_fills_nothing_without_bound() -> None:
    limits = MemberLimits(members_per_group=16, store_messages=64, known_groups=4)
    manager = in_dev(limits)
    for at in range(3_000):
        sender = MemberId(f"nobody-{at}#1")
        manager.receive(message(at + 2, sender=sender), now=START_AT + at)
        body = Have((), at, None, 0)
        payload = encode_synchronisation(body)
        have = encode(Envelope(Kind.SYNCHRONISATION, DEV, sender, 1, payload=payload))
        manager.receive(have, now=START_AT + at)
    membership = manager.memberships[DEV]
    assert membership.store.count <= 64
    assert len(membership.group.current()) <= 16
    assert len(membership.holdings.had) <= 1_024
    assert manager.refused[Refusal.MEMBERS_FULL] > 0


def test_ones_own_words_given_back_by_the_network_are_nothing() -> None:
    manager = in_dev()
    (datagram,) = manager.send(DEV, "hello", now=START_AT).datagrams
    assert manager.receive(datagram, now=START_AT).events == []
    assert not manager.refused


def test_the_same_calls_with_the_same_seed_give_the_same_bytes() -> None:
    def spoken() -> list[tuple[str, bytes]]:
        company = Company("alice", "bob", "carol")
        company.gather()
        company.loses = lambda _, destination, __: destination == "bob"
        company.say("alice", "one")
        company.loses = lambda *_: False
        company.say("carol", "two")
        company.pass_time(60)
        return company.sent

    assert spoken() == spoken()


def test_a_group_is_joined_in_the_order_that_its_creator_chose() -> None:
    company = Company("alice", "bob")
    policy = GroupPolicy(discipline="causal", acceptance=Acceptance.CAUSAL)
    company.perform("alice", company.managers["alice"].create(DEV, policy=policy, now=company.now))
    (seen,) = company.told("bob", GroupSeen)
    assert (seen.discipline, seen.acceptance) == ("causal", "causal")
    company.perform("bob", company.managers["bob"].join(DEV, now=company.now))
    assert company.managers["bob"].memberships[DEV].policy.discipline == "causal"


def test_a_group_of_an_order_that_is_not_known_is_refused_with_what_to_do() -> None:
    company = Company("alice", "bob")
    company.perform("alice", company.managers["alice"].create(DEV, now=company.now))
    entry = company.managers["bob"]._joining.find(DEV)
    assert entry is not None
    entry.order = entry.order._replace(discipline="alphabetical")
    with pytest.raises(MemberError, match="give a policy, or upgrade"):
        company.managers["bob"].join(DEV, now=company.now)


def test_a_group_without_a_name_is_called_after_its_creator() -> None:
    manager = GroupManager("alice", incarnation=3, seed=1)
    manager.create(now=START_AT)
    manager.create(now=START_AT)
    assert list(manager.memberships) == ["alice#3/1", "alice#3/2"]


def test_a_call_that_cannot_be_done_says_why() -> None:
    manager = in_dev()
    with pytest.raises(UnknownGroupError, match="alice is not in ops; join it, or create it"):
        manager.send("ops", "hello", now=START_AT)
    with pytest.raises(MemberError, match="already"):
        manager.join(DEV, now=START_AT)
    with pytest.raises(MemberError, match="already"):
        manager.create(DEV, now=START_AT)
    with pytest.raises(WireError):
        manager.create("*", now=START_AT)
    with pytest.raises(WireError):
        GroupManager("new\nline", incarnation=1, seed=1)
