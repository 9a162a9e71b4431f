"""The promise of mappings: a system that knows nothing of us is ordered without changing it."""

import json
import random
import struct
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ingest.mapping.mapping import Mapping
from ingest.mapping.settings import PREVIOUS, MappingFormat, MappingSettings
from ingest.wire.envelope import decode, message_of
from ordering.engine import Engine
from ordering.events import Delivered
from ordering.policy import GroupPolicy
from tests.ingest.foreign import foreign

SPEAKERS = ("amy", "bob", "eve")
CHAT = MappingSettings(
    format=MappingFormat.JSON, group="=chat", sender="/who", seq="/n", first_seq=0,
    parents="/re", parent_sender="/who", parent_seq="/n", payload="/text",
)  # fmt: skip
TICKER = MappingSettings(
    format=MappingFormat.FIXED, group="=ticker", sender="0:4:text", seq="4:4:big", parents=PREVIOUS
)


def _delivered(settings: MappingSettings, datagrams: list[bytes]) -> list[tuple[str, int, bytes]]:
    """Map what arrives, order it by meaning, and give what comes out: sender, seq, payload."""
    mapping, engine = Mapping(settings), Engine(GroupPolicy(discipline="semantic"))
    out: list[tuple[str, int, bytes]] = []
    for now, data in enumerate(datagrams):
        envelope = mapping.envelope_of(foreign(data))
        for event in engine.receive(message_of(decode(envelope), envelope), now=now):
            if isinstance(event, Delivered):
                told = decode(event.message.content)
                out.append((told.sender, told.seq, told.payload))
    return out


@given(st.integers(0, 2**32))
def test_a_chat_of_another_maker_is_read_with_questions_before_answers(seed: int) -> None:
    chooser = random.Random(seed)
    counts = dict.fromkeys(SPEAKERS, 0)
    lines: list[dict[str, Any]] = []
    for number in range(40):
        who = chooser.choice(SPEAKERS)
        line: dict[str, Any] = {"who": who, "n": counts[who], "re": [], "text": f"line {number}"}
        if number and chooser.random() < 0.8:
            answered = chooser.choice(lines[-9:])
            line["re"] = [{"who": answered["who"], "n": answered["n"]}]
        lines.append(line)
        counts[who] += 1
    shuffled = [json.dumps(line).encode() for line in lines]
    chooser.shuffle(shuffled)
    places = {(who, seq): place for place, (who, seq, _) in enumerate(_delivered(CHAT, shuffled))}
    assert len(places) == len(lines)
    for line in lines:
        for answered_line in line["re"]:
            before = (f"{answered_line['who']}#1", answered_line["n"] + 1)
            assert places[before] < places[f"{line['who']}#1", line["n"] + 1]


@given(st.permutations(range(1, 13)))
def test_a_ticker_without_answers_is_read_in_each_senders_order(arrivals: list[int]) -> None:
    datagrams = [
        struct.pack(">4sI", name, seq) + b"price"
        for seq in arrivals
        for name in (b"NYC\0", b"LON\0")
    ]
    out = _delivered(TICKER, datagrams)
    for sender in ("NYC#1", "LON#1"):
        assert [seq for name, seq, _ in out if name == sender] == list(range(1, 13))
