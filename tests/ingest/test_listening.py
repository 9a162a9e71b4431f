import pytest

from ingest.authentication.gate import open_gate
from ingest.authentication.settings import AuthenticationSettings
from ingest.listening import Listening
from ingest.mapping.mapping import Mapping
from ingest.mapping.settings import MappingFormat, MappingSettings
from ingest.settings import AgentSettings
from ingest.wire.envelope import decode, encode
from ingest.wire.errors import MulticastError
from ingest.wire.multicast import GroupAddress
from tests.ingest.envelopes import plain
from tests.ingest.loopback import new_group, send_all, wait_until

PATIENCE_S = 60.0


class Bench:
    """A listening and everything that it accepted."""

    def __init__(self, *groups: GroupAddress) -> None:
        self.accepted: list[tuple[int, bytes, bytes]] = []
        self.settings = _settings(*groups)
        gate = open_gate(AuthenticationSettings())
        self.listening = Listening(self.settings, gate=gate, accept=self.accepted.extend)


def _settings(*groups: GroupAddress, interface: str = "127.0.0.1") -> AgentSettings:
    return AgentSettings(groups=tuple(map(str, groups)), interface=interface, quarantined_per_s=1)


def test_what_is_admitted_is_accepted_with_its_time_and_its_group() -> None:
    group = new_group()
    bench = Bench(group)
    bench.listening.start()
    send_all([encode(plain(1)), encode(plain(2))], to=group)
    wait_until(lambda: len(bench.accepted) == 2)
    assert bench.listening.stop(within_s=PATIENCE_S)
    assert [accepted[1:] for accepted in bench.accepted] == [
        (b"dev", encode(plain(1))),
        (b"dev", encode(plain(2))),
    ]
    assert all(accepted[0] > 0 for accepted in bench.accepted)


def test_what_was_heard_adds_up_over_groups_that_come_and_go() -> None:
    one, other = new_group(), new_group()
    bench = Bench(one)
    bench.listening.start()
    send_all([b"junk"] * 5, to=one)
    wait_until(lambda: bench.listening.heard().received == 5)
    changed = bench.listening.change(_settings(other))
    assert (changed.joined, changed.left) == ([str(other)], [str(one)])
    assert bench.listening.groups == [str(other)]
    send_all([b"junk"] * 4, to=other)
    wait_until(lambda: bench.listening.heard().received == 9)
    bench.listening.stop(within_s=PATIENCE_S)
    heard = bench.listening.heard()
    assert heard.malformed == {"too_short": 9}
    assert heard.withheld == 9 - len(bench.accepted)
    assert heard.kernel_drops == 0


def test_a_change_that_cannot_be_made_changes_nothing() -> None:
    one, other = new_group(), new_group()
    bench = Bench(one)
    bench.listening.start()
    with pytest.raises(MulticastError):
        bench.listening.change(_settings(one, other, interface="192.0.2.1"))
    assert bench.listening.groups == [str(one)]
    send_all([encode(plain(1))], to=one)
    wait_until(lambda: len(bench.accepted) == 1)
    bench.listening.stop(within_s=PATIENCE_S)


def test_one_that_was_never_started_ends_at_once() -> None:
    bench = Bench(new_group(), new_group())
    assert bench.listening.buffer_got_bytes > 0
    assert bench.listening.stop(within_s=0.0)


def test_foreign_datagrams_are_mapped_before_they_are_judged() -> None:
    group = new_group()
    accepted: list[tuple[int, bytes, bytes]] = []
    listening = Listening(
        _settings(group),
        gate=open_gate(AuthenticationSettings()),
        accept=accepted.extend,
        maybe_mapping=Mapping(MappingSettings(format=MappingFormat.JSON, seq="/n")),
    )
    listening.start()
    send_all([b'{"n": 7}'], to=group)
    wait_until(lambda: bool(accepted))
    assert listening.stop(within_s=PATIENCE_S)
    envelope = decode(accepted[0][2])
    assert (envelope.seq, envelope.group) == (7, str(group))
    assert not listening.has_finished
