import threading
from collections import Counter
from contextlib import closing

import pytest

from ingest.errors import RelayError
from ingest.faults import FaultCounters, Faults, Loss
from ingest.relay import Relay
from ingest.wire.multicast import LOOPBACK_INTERFACE, open_receiver
from tests.ingest.loopback import new_group, send_all, wait_until

SENT = [str(number).encode() for number in range(200)]


def _relayed(faults: Faults) -> tuple[list[bytes], FaultCounters]:
    """Send through a real relay and give what came out at the other side."""
    source, target = new_group(), new_group()
    relay = Relay(faults, source=source, target=target, interface=LOOPBACK_INTERFACE)
    is_stopping = threading.Event()
    thread = threading.Thread(target=relay.run, kwargs={"is_stopping": is_stopping})
    far_side = open_receiver(
        target, interface=LOOPBACK_INTERFACE, buffer_bytes=4_000_000, wait_at_most_s=5.0
    ).socket
    with closing(far_side):
        thread.start()
        send_all(SENT, to=source)
        wait_until(lambda: relay.counters.received == len(SENT))
        is_stopping.set()
        thread.join()
        heard = [far_side.recv(1_000) for _ in range(relay.counters.forwarded)]
    return heard, relay.counters


def test_a_relay_without_faults_changes_nothing() -> None:
    heard, _ = _relayed(Faults(seed=1))
    assert heard == SENT


def test_lost_datagrams_come_later_duplicates_come_twice_and_nothing_is_missing() -> None:
    heard, counters = _relayed(
        Faults(seed=7, loss=0.2, duplication=0.2, jitter_us=20_000, resend_after_us=50_000)
    )
    assert set(heard) == set(SENT)
    assert len(heard) == len(SENT) + counters.duplicated
    assert max(Counter(heard).values()) == 2
    assert heard != sorted(heard, key=int)
    assert counters.lost > 0


def test_what_is_lost_for_good_is_missing_and_counted() -> None:
    heard, counters = _relayed(Faults(seed=7, loss=0.2, loss_is=Loss.FOR_GOOD))
    assert 0 < counters.lost == len(SENT) - len(heard)


def test_what_still_waits_at_the_end_is_sent() -> None:
    an_hour_us = 3_600_000_000
    heard, counters = _relayed(Faults(seed=1, jitter_us=an_hour_us))
    assert sorted(heard) == sorted(SENT)
    assert counters.forwarded == len(SENT)


def test_damage_is_counted_and_the_right_bytes_follow() -> None:
    heard, counters = _relayed(Faults(seed=7, corruption=0.2, resend_after_us=20_000))
    assert set(heard) >= set(SENT)
    assert len(heard) == len(SENT) + counters.corrupted
    assert counters.corrupted > 0


def test_a_relay_that_would_hear_itself_is_refused() -> None:
    group = new_group()
    with pytest.raises(RelayError, match="hear itself"):
        Relay(Faults(seed=1), source=group, target=group, interface=LOOPBACK_INTERFACE)
