"""A program's answers to those who look after it, over HTTP on an address of its own.

    /livez     200 if the program works, whatever Kafka does; else a restart may help
    /readyz    200 if what comes in goes out; else 503 and why
    /metrics   numbers for Prometheus

Reads only, needs nothing, tells nothing that came from the network but numbers. One request at a
time and a short patience, so that nobody can tie up more than one thread.
"""

import json
import threading
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any, Final, NamedTuple

from ingest.telemetry.exposition import CONTENT_TYPE
from ingest.telemetry.journal import Level, Tell

OFF: Final = "off"
_PATIENCE_S: Final = 2.0
_JSON: Final = "application/json"


class Condition(NamedTuple):
    """How a program is at one instant."""

    is_live: bool
    reasons: list[str]
    """why what comes in does not go out at the moment; empty if it does"""


class Program(NamedTuple):
    """Who answers: its name, the setting that has the address, and what to ask."""

    name: str
    setting: str
    condition: Callable[[], Condition]
    metrics: Callable[[], str]


class StatusServer:
    """Answers until it is closed. An address that is taken is told, and keeps nothing back."""

    def __init__(self, address: str, *, program: Program, tell: Tell) -> None:
        """Take the address, as `host:port`; port 0 is any free one."""
        self._maybe_server: HTTPServer | None = None
        self._thread = threading.Thread(target=self._serve, name="status", daemon=True)
        if address == OFF:
            return
        host, _, port = address.rpartition(":")
        try:
            self._maybe_server = HTTPServer((host.strip("[]"), int(port)), _handler(program))
        except OSError as error:
            tell(
                Level.ERROR,
                "status_unavailable",
                f"Nobody can ask how this {program.name} is: {address} can't be used"
                f" ({error.strerror}); give it another {program.setting}",
            )

    @property
    def port(self) -> int:
        """The port that was taken; 0 if none was."""
        return 0 if self._maybe_server is None else self._maybe_server.server_port

    def start(self) -> None:
        """Begin to answer."""
        if self._maybe_server is not None:
            self._thread.start()

    def close(self) -> None:
        """Stop answering and free the address."""
        if self._maybe_server is not None:
            if self._thread.ident is not None:
                self._maybe_server.shutdown()
                self._thread.join()
            self._maybe_server.server_close()

    def _serve(self) -> None:
        if self._maybe_server is not None:
            self._maybe_server.serve_forever(poll_interval=0.1)


def _handler(program: Program) -> type[BaseHTTPRequestHandler]:
    """Make the class that answers one request."""

    class Handler(BaseHTTPRequestHandler):
        timeout = _PATIENCE_S
        server_version = f"precede-{program.name}"
        sys_version = ""

        def do_GET(self) -> None:
            if self.path == "/metrics":
                self._answer(HTTPStatus.OK, program.metrics(), CONTENT_TYPE)
            elif self.path == "/livez":
                now = program.condition()
                self._judge([] if now.is_live else now.reasons)
            elif self.path == "/readyz":
                self._judge(program.condition().reasons)
            else:
                self._answer(HTTPStatus.NOT_FOUND, "/livez, /readyz or /metrics\n", "text/plain")

        def _judge(self, reasons: list[str]) -> None:
            status = HTTPStatus.SERVICE_UNAVAILABLE if reasons else HTTPStatus.OK
            self._answer(status, json.dumps({"ok": not reasons, "reasons": reasons}) + "\n", _JSON)

        def _answer(self, status: HTTPStatus, text: str, content_type: str) -> None:
            body = text.encode()
            self.send_response(status)
            self.send_header("Content-Type", content_type)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing: a look every few seconds is no news."""

    return Handler
