"""The scenes of the demo: what is spoken, how its groups are ordered, and what goes wrong for good.

A scene is data. Everything else (network, agent, job, page, verification) is the same for all.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final, NamedTuple

from console.excerpt import CONVERSATION
from members.script import Script, name_of, read_script
from ordering.values import MemberId, MessageId

EXCERPTS: Final = Path(__file__).parent / "excerpts"
TRACES: Final = EXCERPTS / "spans" / "traces.jsonl"
BROADCAST: Final = EXCERPTS / "vector_clocks" / "broadcast.jsonl"


class Scene(NamedTuple):
    """One thing to see."""

    name: str
    meaning: str
    """what to look for, in a sentence"""
    script_file: Path
    rules: tuple[str, ...] = ()
    """the `job.groups` of this scene; other groups are in semantic order"""
    maybe_lost: MessageId | None = None
    """a message that never arrives, however often it is sent"""

    def script(self) -> Script:
        """What the members say."""
        return read_script(self.script_file)

    def delivered(self, script: Script) -> int:
        """How many messages of the script will be delivered."""
        return len(script.lines) - (self.maybe_lost is not None)

    def lost_by(self, member: str) -> list[int]:
        """The seqs of a member that are lost for good."""
        if self.maybe_lost is None or name_of(self.maybe_lost.sender) != member:
            return []
        return [self.maybe_lost.seq]


SCENES: Final = {
    scene.name: scene
    for scene in (
        Scene(
            "conversation",
            "people help each other; answers appear under their questions, whatever the "
            "network did",
            CONVERSATION,
        ),
        Scene(
            "traces",
            "spans of a shop's real traces; each is told when it ends, so nearly all come before "
            "the span that called them and wait, until the root comes last",
            TRACES,
        ),
        Scene(
            "incident",
            "one question is lost for good; its answers are held, and after some seconds given up "
            "and released without it, while all other threads go on",
            CONVERSATION,
            rules=("rust=semantic,release,4000",),
            maybe_lost=MessageId(MemberId("porky11#1"), 1),
        ),
        Scene(
            "causal",
            "events of a broadcast with their vector clocks; each waits for all that its host had "
            "seen, and for nothing else",
            BROADCAST,
            rules=("broadcast=causal",),
        ),
    )
}


def scene_names() -> tuple[str, ...]:
    """The names, the default first."""
    return tuple(SCENES)
