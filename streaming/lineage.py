"""Lineage: telling a catalogue that this job turned these topics into those topics and tables.

OpenLineage run events (https://openlineage.io/docs/spec/object-model), sent by plain HTTP from the
driver to `job.openlineage_url`, if that is set: START when the job starts, RUNNING once a minute,
COMPLETE when it is stopped, FAIL with the reason when it fails. A thread of its own sends them,
with a short patience, a short queue and no second try, so that a catalogue that is slow, wrong or
away costs a line in the log and nothing else.
"""

from __future__ import annotations

import json
import queue
import threading
import urllib.parse
import urllib.request
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from enum import StrEnum
from importlib.metadata import version
from pathlib import Path
from typing import Any

from ingest.telemetry.journal import Level, Tell
from sinks.settings import KafkaSettings
from sinks.tables import TABLES
from streaming.settings import JobSettings

PATIENCE_SECONDS = 5.0
RUNNING_EVERY_SECONDS = 60.0
MOST_WAITING = 8
"""Events that may wait for a slow catalogue; the next one is dropped."""

SCHEMA_URL = "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent"
ERROR_SCHEMA_URL = (
    "https://openlineage.io/spec/facets/1-0-1/ErrorMessageRunFacet.json#/$defs/ErrorMessageRunFacet"
)
MOST_REASON = 500

Send = Callable[[bytes], None]


class RunState(StrEnum):
    """What an event says of the run."""

    START = "START"
    RUNNING = "RUNNING"
    COMPLETE = "COMPLETE"
    FAIL = "FAIL"


class RunEvents:
    """Makes the events of one run of the job."""

    def __init__(self, kafka: KafkaSettings, settings: JobSettings) -> None:
        self._run_id = str(uuid.uuid4())
        self._producer = f"urn:precede:{version('precede')}"
        self._job = {"namespace": settings.openlineage_namespace, "name": kafka.topic_prefix}
        broker = f"kafka://{kafka.bootstrap.split(',')[0]}"
        written = [topic for name, topic in kafka.topics._asdict().items() if name != "raw"]
        self._inputs = [_dataset(broker, topic) for topic in kafka.shards.topics]
        self._outputs = [
            *(_dataset(broker, topic) for topic in written),
            *(_table(table.path(settings.tables_directory)) for table in TABLES),
        ]

    def event(self, state: RunState, *, at: datetime, reason: str = "") -> dict[str, Any]:
        """One event; `reason` is why the run failed."""
        run: dict[str, Any] = {"runId": self._run_id}
        if reason:
            run["facets"] = {
                "errorMessage": {
                    "_producer": self._producer,
                    "_schemaURL": ERROR_SCHEMA_URL,
                    "message": reason[:MOST_REASON],
                    "programmingLanguage": "python",
                }
            }
        return {
            "eventType": state.value,
            "eventTime": at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "run": run,
            "job": self._job,
            "inputs": self._inputs,
            "outputs": self._outputs,
            "producer": self._producer,
            "schemaURL": SCHEMA_URL,
        }


class Reporter:
    """Sends events from a thread of its own; nothing that happens there reaches the job."""

    def __init__(self, events: RunEvents, *, send: Send, tell: Tell) -> None:
        self._events = events
        self._send = send
        self._tell = tell
        self._waiting: queue.Queue[tuple[RunState, str] | None] = queue.Queue(MOST_WAITING)
        self._has_complained = False
        self._thread = threading.Thread(target=self._run, name="lineage", daemon=True)
        self._thread.start()

    def report(self, state: RunState, *, reason: str = "") -> None:
        """Send an event soon; one that finds the queue full is dropped."""
        try:
            self._waiting.put_nowait((state, reason))
        except queue.Full:
            self._complain("too many events wait for it")

    def close(self) -> None:
        """Wait a moment for what is still to be sent."""
        try:
            self._waiting.put(None, timeout=PATIENCE_SECONDS)
        except queue.Full:
            return
        self._thread.join(2 * PATIENCE_SECONDS)

    def _run(self) -> None:
        while True:
            try:
                maybe_next = self._waiting.get(timeout=RUNNING_EVERY_SECONDS)
            except queue.Empty:
                maybe_next = (RunState.RUNNING, "")
            if maybe_next is None:
                return
            state, reason = maybe_next
            event = self._events.event(state, at=datetime.now(UTC), reason=reason)
            try:
                self._send(json.dumps(event).encode())
            except Exception as error:  # a catalogue must never stop the job, whatever it does
                self._complain(f"{type(error).__name__}: {error}")

    def _complain(self, why: str) -> None:
        """Say it once: a catalogue that is away for a day is one line, not a thousand."""
        if not self._has_complained:
            self._has_complained = True
            self._tell(
                Level.WARNING,
                "lineage_unavailable",
                f"The catalogue at job.openlineage_url did not take an event ({why});"
                " the job goes on without it",
            )


@contextmanager
def reported(kafka: KafkaSettings, settings: JobSettings, *, tell: Tell) -> Iterator[None]:
    """Tell the catalogue of what runs meanwhile, if there is one."""
    if settings.openlineage_url is None:
        yield
        return
    send = http_sender(settings.openlineage_url, maybe_token_file=settings.openlineage_token_file)
    reporter = Reporter(RunEvents(kafka, settings), send=send, tell=tell)
    reporter.report(RunState.START)
    try:
        yield
    except BaseException as error:
        reporter.report(RunState.FAIL, reason=str(error) or type(error).__name__)
        raise
    else:
        reporter.report(RunState.COMPLETE)
    finally:
        reporter.close()


def http_sender(url: str, *, maybe_token_file: Path | None) -> Send:
    """Post to this address and no other: what it answers is not followed."""
    opener = urllib.request.OpenerDirector()
    for handler in (
        urllib.request.HTTPHandler,
        urllib.request.HTTPSHandler,
        urllib.request.HTTPErrorProcessor,
        urllib.request.HTTPDefaultErrorHandler,
    ):
        opener.add_handler(handler())

    def send(body: bytes) -> None:
        headers = {"Content-Type": "application/json"}
        if maybe_token_file is not None:
            token = maybe_token_file.read_text(encoding="utf-8").strip()
            headers["Authorization"] = f"Bearer {token}"
        request = urllib.request.Request(url, data=body, headers=headers, method="POST")
        maybe_answer = opener.open(request, timeout=PATIENCE_SECONDS)
        if maybe_answer is not None:
            maybe_answer.close()

    return send


def _dataset(namespace: str, name: str) -> dict[str, str]:
    return {"namespace": namespace, "name": name}


def _table(path: str) -> dict[str, str]:
    parts = urllib.parse.urlsplit(path)
    if not parts.scheme or parts.scheme == "file":
        return _dataset("file", str(Path(parts.path).absolute()))
    return _dataset(f"{parts.scheme}://{parts.netloc}", parts.path.lstrip("/"))
