"""A real `precede agent` on a protected group: who may pass, and keys that change on the way."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest

from deploy.local.broker import Broker
from ingest.authentication.key_file import replace_keys
from ingest.authentication.mode import Mode
from ingest.wire.envelope import encode
from ingest.wire.refusal import decode_refusal, is_refusal
from tests.console.agent_process import PATIENCE_S, agent, wait_for_event, wait_until_ready
from tests.ingest.envelopes import plain
from tests.ingest.keys import key_file, keyring, keys
from tests.ingest.loopback import new_group, send_all, wait_until
from tests.ingest.raw_topics import new_raw_topic, stored_in


@pytest.mark.broker
def test_only_authentic_messages_pass_and_new_keys_count_after_sighup(
    broker: Broker, tmp_path: Path
) -> None:
    kafka, _ = new_raw_topic(broker.bootstrap)
    group = new_group()
    path = key_file(tmp_path, keys(1), "site")
    old, new = (keyring(tmp_path, *ids) for ids in ((1,), (1, 2)))
    first, second = (ring.protect(plain(seq), mode=Mode.MAC) for seq, ring in ((1, old), (2, new)))
    flags = [
        "--group", str(group), "--bootstrap", kafka.bootstrap, "--output", "json",
        "--topic-prefix", kafka.topic_prefix, "--set", "authentication.groups=dev=mac",
        "--set", f"authentication.keys_file={path}", "--set", "agent.drain_within_ms=60000",
    ]  # fmt: skip
    with agent(tmp_path / "spool", *flags) as running:
        wait_until_ready(running)
        send_all([first, encode(plain(7)), second, first], to=group)
        wait_until(lambda: len(stored_in(kafka)) == 4)
        replace_keys(path, keys(1, 2))
        running.send_signal(signal.SIGHUP)
        assert "keys 1 and 2" in wait_for_event(running, "keys_reloaded")["message"]
        send_all([second], to=group)
        path.chmod(0o644)
        running.send_signal(signal.SIGHUP)
        assert "kept keys 1 and 2" in wait_for_event(running, "keys_reloaded")["message"]
        send_all([old.protect(plain(3), mode=Mode.MAC)], to=group)
        running.send_signal(signal.SIGTERM)
        told, _ = running.communicate(timeout=PATIENCE_S)
    counters = json.loads(told)
    assert counters["refused"] == {"untagged": 1, "unknown_key": 1}
    assert counters["repeats"] == 1
    values = [stored.value for stored in stored_in(kafka)]
    refused = [decode_refusal(value) for value in values if is_refusal(value)]
    passed = [value for value in values if not is_refusal(value)]
    assert sorted(refusal.reason for refusal in refused) == ["unknown_key", "untagged"]
    third = old.protect(plain(3), mode=Mode.MAC)
    assert passed == [first, first, second, third]
