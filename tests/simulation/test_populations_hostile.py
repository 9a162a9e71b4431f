from random import Random

from ingest.wire.envelope import Envelope, Kind, encode
from members.routing import GroupManager
from ordering.values import GroupId, MemberId
from simulation.populations.hostile import OVERHEARD, Stranger

NOW = 1_000_000


def test_nothing_that_a_stranger_sends_is_new_to_who_has_heard_it() -> None:
    manager = GroupManager("alice", incarnation=1, seed=1)
    manager.create("population", now=NOW)
    heard = encode(Envelope(Kind.MESSAGE, GroupId("population"), MemberId("bob#1"), 1))
    manager.receive(heard, now=NOW)
    stranger = Stranger(Random(5))
    stranger.overhear(heard)
    for _ in range(300):
        assert manager.receive(stranger.datagram(), now=NOW).events == []
    assert len(manager.refused) > 5


def test_it_remembers_a_bounded_number() -> None:
    stranger = Stranger(Random(5))
    for at in range(10 * OVERHEARD):
        stranger.overhear(bytes([at % 256]))
    assert len(stranger._overheard) == OVERHEARD
