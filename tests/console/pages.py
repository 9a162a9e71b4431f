"""The page's server for tests: inside this process, or as the real command."""

from __future__ import annotations

import contextlib
import http.client
import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from console.configuration.loading import load
from console.web.server import WebServer
from tests.console.desk import Desk

TOKEN = "a-token-for-the-tests"
PATIENCE_SECONDS = 120.0


def wait_for(is_true: Any, what: str) -> None:
    """Wait for a condition; fail with a sentence if it never comes."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not is_true():
        assert time.monotonic() < deadline, f"{what} did not happen"
        time.sleep(0.02)


def assignments(desk: Desk, tables: Path, **more: str) -> list[str]:
    """What the command would be given with --set."""
    return [
        f"kafka.bootstrap={desk.kafka.bootstrap}",
        f"kafka.topic_prefix={desk.kafka.topic_prefix}",
        f"kafka.partitions={desk.kafka.partitions}",
        f"job.tables_directory={tables}",
        f"job.checkpoint_directory={tables}.checkpoint",
        "web.address=127.0.0.1:0",
        *(f"web.{name}={value}" for name, value in more.items()),
    ]


class Answer(NamedTuple):
    """What a request came to."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Client:
    """Asks one server, as a browser on its page would."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.host = urlsplit(address).netloc

    def ask(self, path: str, *, method: str = "GET", body: Any = None, **headers: str) -> Answer:
        connection = http.client.HTTPConnection(self.host, timeout=PATIENCE_SECONDS)
        try:
            content = None if body is None else json.dumps(body).encode()
            connection.request(method, path, body=content, headers=headers)
            answer = connection.getresponse()
            found = {name.lower(): value for name, value in answer.getheaders()}
            return Answer(answer.status, found, answer.read())
        finally:
            connection.close()

    def write(self, path: str, body: Any, *, token: str = TOKEN) -> Answer:
        headers = {"Origin": f"http://{self.host}", "Authorization": f"Bearer {token}"}
        return self.ask(path, method="POST", body=body, **headers)

    @contextlib.contextmanager
    def events(self, path: str, *, last: str = "") -> Iterator[Iterator[tuple[str, str, Any]]]:
        """Events of a stream as (id, name, data)."""
        connection = http.client.HTTPConnection(self.host, timeout=PATIENCE_SECONDS)
        headers = {"Last-Event-ID": last} if last else {}
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        assert answer.status == 200
        try:
            yield _events(answer)
        finally:
            connection.close()


def _events(answer: http.client.HTTPResponse) -> Iterator[tuple[str, str, Any]]:
    fields: dict[str, str] = {}
    for raw in answer:
        line = raw.decode().rstrip("\n")
        if line:
            name, _, value = line.partition(": ")
            fields[name] = value
        elif "data" in fields:
            yield fields.get("id", ""), fields["event"], json.loads(fields["data"])
            fields = {}
        else:
            fields = {}


@contextlib.contextmanager
def serving(desk: Desk, tables: Path, **more: str) -> Iterator[Client]:
    """A server inside this process."""
    configuration = load(
        config_file=None, environ={}, assignments=assignments(desk, tables, **more)
    ).configuration
    server = WebServer(configuration, token=TOKEN)
    is_ready = threading.Event()
    thread = threading.Thread(target=server.run, kwargs={"on_ready": is_ready.set})
    thread.start()
    try:
        assert is_ready.wait(PATIENCE_SECONDS)
        yield Client(server.address)
    finally:
        server.stop()
        thread.join(PATIENCE_SECONDS)
        assert not thread.is_alive()


class PageProcess:
    """`precede web` as a process that can be killed and started again on the same address."""

    def __init__(self, desk: Desk, tables: Path, **more: str) -> None:
        self._given = assignments(desk, tables, **more)
        self._maybe_process: subprocess.Popen[str] | None = None
        self.address = ""
        self.start()

    def start(self) -> None:
        command = [sys.executable, "-m", "console", "web"]
        given = self._given
        if self.address:
            given = [*given, f"web.address={urlsplit(self.address).netloc}"]
        for assignment in given:
            command += ["--set", assignment]
        self._maybe_process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert self._maybe_process.stdout is not None
        line = self._maybe_process.stdout.readline()
        assert line.startswith("ready: "), self._maybe_process.communicate()[1]
        self.address = line.removeprefix("ready: ").strip()

    def kill(self) -> None:
        assert self._maybe_process is not None
        self._maybe_process.kill()
        self._maybe_process.communicate()

    def stop(self) -> tuple[int, str]:
        """SIGTERM; gives the exit code and what it said on standard error."""
        assert self._maybe_process is not None
        self._maybe_process.terminate()
        _, said = self._maybe_process.communicate(timeout=PATIENCE_SECONDS)
        return self._maybe_process.returncode, said
