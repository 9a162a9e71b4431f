"""A capture file in place of the groups: what an agent listens to when it is given one.

    replaying = Replaying(Replay(path), settings, gate=gate, accept=spool.append_all)

It has the verbs of `ingest/listening.py`, and comes to an end. Limits by rate count in the file's
time: a file that is read at full speed gives what the network gave.
"""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from ingest.authentication.gate import Gate
from ingest.datagram import Datagram
from ingest.files.source import FileSource, Pace
from ingest.listening import Accept, Changed, Heard, heard_by, make_intake, make_take
from ingest.mapping.mapping import Mapping
from ingest.settings import AgentSettings
from ingest.wire.addresses import GroupAddress


class Replay(NamedTuple):
    """Which file, and how fast."""

    path: Path
    pace: Pace = Pace.FULL


class Replaying:
    """One file. Raises CaptureFileError if it is none that can be read."""

    def __init__(
        self,
        replay: Replay,
        settings: AgentSettings,
        *,
        gate: Gate,
        accept: Accept,
        maybe_mapping: Mapping | None = None,
    ) -> None:
        self._now = 0
        self._intake = make_intake(
            settings, gate=gate, maybe_mapping=maybe_mapping, clock=lambda: self._now
        )
        self._hand_on = make_take(self._intake, accept)
        self._source = FileSource(
            replay.path,
            subscriptions=settings.subscriptions(),
            pace=replay.pace,
            take=self._take,
        )

    @property
    def buffer_got_bytes(self) -> int:
        """A file needs no buffer."""
        return self._source.buffer_got_bytes

    @property
    def groups(self) -> list[str]:
        """None is joined."""
        return []

    @property
    def has_finished(self) -> bool:
        """Whether the file has been read to its end."""
        return self._source.has_finished

    @property
    def elsewhere(self) -> Counter[GroupAddress]:
        """How many datagrams of the file went to addresses that nobody here listens to."""
        return self._source.elsewhere

    def start(self) -> None:
        """Begin to read."""
        self._source.start()

    def change(self, _settings: AgentSettings) -> Changed:
        """Nothing: a file that is being read is read as it was asked for."""
        return Changed([], [])

    def require_running(self) -> None:
        """Raise what ended the reading before the file's end."""
        if self._source.maybe_failure is not None:
            raise self._source.maybe_failure

    def stop(self, *, within_s: float) -> bool:
        """Stop reading; say whether that was done in time."""
        self._source.ask_to_stop()
        return self._source.has_ended(within_s=within_s)

    def heard(self) -> Heard:
        """Give what the file came to so far."""
        return heard_by(self._source, self._intake)

    def _take(self, datagrams: Sequence[Datagram]) -> None:
        for datagram in datagrams:
            # Records may be out of order by a little; a clock never goes back.
            self._now = max(self._now, datagram.captured_at)
            self._hand_on((datagram,))
