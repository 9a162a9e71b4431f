"""What a checkpoint says of its job: how far it is, what each partition came to, what groups hold.

Read from the files that Spark and the job keep there, while the job runs or after it stopped. Needs
no Spark and no broker; the checkpoint must be in a folder that this machine can read.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from console.answers.changelog import states_of_task
from console.errors import OperatorError
from ordering.engine import Engine
from ordering_udfs.group_policies import GroupPolicies
from ordering_udfs.shard_state import ShardState, decode_snapshot, encode_state
from sinks.waits import sought
from streaming.manifest import FILE_NAME, Manifest, parse_manifest

QUERIES = ("ordering", "history")
_STATE_FOLDER = "ordering/state/0"


class Progress(NamedTuple):
    """How far a query is: a batch that was begun and not committed is under way, or is repeated."""

    query: str
    begun: int | None
    committed: int | None
    offsets: dict[str, dict[str, int]]
    """Topic -> partition -> where the next batch begins, after the last batch that was begun."""


class GroupFacts(NamedTuple):
    """One group in one partition."""

    group: str
    partition: int
    delivered: int
    held: int
    missing: tuple[str, ...]
    state_bytes: int
    policy: str | None
    """What a control record gave it; None if it has the job's own."""


class Checkpoint:
    """A checkpoint's folder. Raises `OperatorError` if it is none."""

    def __init__(self, directory: str) -> None:
        path = Path(directory.removeprefix("file://"))
        if "://" in str(directory) and not directory.startswith("file://"):
            raise OperatorError(
                f"{directory} is not a folder of this machine: mount it, or copy it here"
            )
        manifest = path / FILE_NAME
        if not manifest.is_file():
            raise OperatorError(
                f"{path} is no checkpoint of a job ({FILE_NAME} is not there): is "
                "job.checkpoint_directory right, and has the job been started once?"
            )
        self._path = path
        self.manifest: Manifest = parse_manifest(manifest.read_text(encoding="utf-8"))

    def progress(self) -> list[Progress]:
        """How far both queries are."""
        return [self._progress_of(query) for query in QUERIES]

    def committed(self) -> int | None:
        """The last batch of the ordering query that is done."""
        return _last_number(self._path / "ordering" / "commits")

    def states(self) -> dict[int, ShardState]:
        """Raw partition -> its state as of the last committed batch."""
        committed = self.committed()
        folder = self._path / _STATE_FOLDER
        found: dict[int, ShardState] = {}
        if committed is None or not folder.is_dir():
            return found
        for task in sorted(folder.iterdir()):
            if task.name.isdigit():
                # The state that batch n left has the version n + 1.
                found |= states_of_task(task, newest_version=committed + 1)
        return dict(sorted(found.items()))

    def unknown_partitions(self, states: Iterable[int]) -> list[int]:
        """Those to which nothing ever came."""
        return sorted(set(range(sum(self.manifest.raw_topics.values()))) - set(states))

    def _progress_of(self, query: str) -> Progress:
        begun = _last_number(self._path / query / "offsets")
        committed = _last_number(self._path / query / "commits")
        offsets: dict[str, dict[str, int]] = {}
        if begun is not None:
            text = (self._path / query / "offsets" / str(begun)).read_text(encoding="utf-8")
            for line in text.splitlines()[2:]:
                offsets |= _offsets_of(line)
        return Progress(query, begun, committed, offsets)


def partition_rows(states: dict[int, ShardState]) -> Iterator[dict[str, Any]]:
    """One row for each partition."""
    for number, state in states.items():
        yield {
            "partition": number,
            "through_offset": state.through_offset,
            "captured": state.captured,
            "delivered": state.delivered,
            "held": state.held,
            "duplicates": state.duplicates,
            "quarantined": state.quarantined,
            "groups": len(state.groups),
            "state_bytes": len(encode_state(state)),
            "log_time_at": state.now,
        }


def group_facts(
    states: dict[int, ShardState], policies: GroupPolicies, *, is_wanted: Callable[[str], bool]
) -> Iterator[GroupFacts]:
    """Every wanted group: its engine is restored to ask it."""
    for number, state in states.items():
        for group, encoded in state.groups.items():
            if not is_wanted(group):
                continue
            text = state.policies.get(group)
            engine = Engine.restore(policies.of(group, text), decode_snapshot(encoded))
            missing = tuple(sought(one.requirement).waiting_for for one in engine.missing())
            yield GroupFacts(
                group,
                number,
                engine.delivered_count,
                engine.held_count,
                missing,
                len(encoded),
                text,
            )


def _last_number(folder: Path) -> int | None:
    """The newest batch of a log: its files are named by number."""
    if not folder.is_dir():
        return None
    return max((int(one.name) for one in folder.iterdir() if one.name.isdigit()), default=None)


def _offsets_of(line: str) -> dict[str, dict[str, int]]:
    try:
        fields = json.loads(line)
    except ValueError:
        return {}
    return fields if isinstance(fields, dict) else {}
