"""Laws of the shipped conversation: it can be spoken, it is decent, and its source is credited."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

from console.excerpt import CONVERSATION
from ingest.wire.envelope import decode
from members.script import Script, name_of, read_script
from members.speaker import Speaker
from ordering.values import MessageId

FOLDER = CONVERSATION.parent
RUDE = re.compile(
    r"\b(arse\w*|ass|asshole|bastard|bitch\w*|bloody|bollocks|bull\w*hit|cock|crap\w*|cunt|damn\w*"
    r"|dick\w*|fag\w*|f+u+c+k\w*|f[\W_]ck|hell|idiot\w*|kill\w*|moron\w*|nazi\w*|nigg\w*|omfg|piss\w*"
    r"|porn\w*|retard\w*|sex\w*|s+h+i+t+\w*|slut\w*|stupid\w*|sucks?|wank\w*|whore\w*|wtf|stfu)\b",
    re.IGNORECASE,
)
HOST_OR_ADDRESS = re.compile(
    r"https?://|www\.|\b\d{1,3}(\.\d{1,3}){3}\b|\S+@\S+\.\S+|\b[\w-]+\.(com|org|net|io)\b"
)


@pytest.fixture(scope="module")
def script() -> Script:
    return read_script(CONVERSATION)


def test_the_conversation_has_the_size_of_a_demonstration(script: Script) -> None:
    assert 120 <= len(script.lines) <= 200
    assert 5 <= len(script.members) <= 8


def test_every_parent_is_there_and_was_said_before_its_answer(script: Script) -> None:
    said: set[MessageId] = set()
    for line in script.lines:
        assert set(line.parents) <= said
        said.add(line.id)


def test_times_never_go_back_and_no_pause_is_long(script: Script) -> None:
    times = [line.at_us for line in script.lines]
    assert times[0] == 0
    assert all(0 <= later - earlier <= 20_000_000 for earlier, later in pairwise(times))


def test_there_are_several_threads_and_they_go_deep(script: Script) -> None:
    depth: dict[MessageId, int] = {}
    for line in script.lines:
        depth[line.id] = 1 + max((depth[parent] for parent in line.parents), default=0)
    assert sum(level == 1 for level in depth.values()) >= 5
    assert max(depth.values()) >= 6


def test_most_answers_are_for_somebody_else_than_the_one_who_spoke_last(script: Script) -> None:
    answers = [line for line in script.lines if line.parents]
    assert len(answers) > 100
    assert sum(line.parents[0].sender != line.id.sender for line in answers) > 40


def test_the_text_is_decent_and_tells_no_address(script: Script) -> None:
    for line in script.lines:
        assert line.text.strip() == line.text != ""
        assert line.text.isprintable()
        assert not RUDE.search(line.text), line.text
        assert not HOST_OR_ADDRESS.search(line.text), line.text
        assert re.fullmatch(r"[A-Za-z0-9]+", name_of(line.id.sender))


def test_every_line_fits_the_wire(script: Script) -> None:
    for member in script.members:
        lines = script.spoken_by(member)
        datagrams = Speaker(lines, start_at=0, speed=60).due(now=script.duration_us)
        assert [decode(datagram).payload.decode() for datagram in datagrams] == [
            line.text for line in lines
        ]


def test_the_licence_the_credit_and_the_changes_are_next_to_it() -> None:
    assert "Attribution 4.0 International" in (FOLDER / "LICENSE.txt").read_text(encoding="utf-8")
    readme = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert "Kummerfeld" in readme
    assert "## What was changed" in readme
