"""The server from start to stop: threads that follow, the application, and uvicorn around it."""

from __future__ import annotations

import contextlib
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from console.configuration.sections import Configuration
from console.errors import ExitCode, OperatorError
from console.web.app import Application
from console.web.checking import EVERY_SECONDS, Checker
from console.web.follower import Follower
from console.web.guarding import Guard, allowed_hosts
from console.web.history import History
from console.web.in_force import PoliciesInForce
from console.web.model import Model
from console.web.picture import Picture, RawEnds
from console.web.raw_reader import RawReader
from console.web.writing import Writing
from ingest.wire.multicast import parse_group_address
from members.multicast_transport import MulticastTransport
from members.post import Post
from sinks.upkeep import parse_retention
from streaming.policy import group_policies

if TYPE_CHECKING:
    import uvicorn

STOP_GRACE_SECONDS: Final = 5
MOST_CONNECTIONS: Final = 512


class WebServer:
    """Everything behind the page; `run` serves until it is told to stop."""

    def __init__(self, configuration: Configuration, *, token: str) -> None:
        web, kafka, job = configuration.web, configuration.kafka, configuration.job
        self._listener = listen(web.address)
        self._policies = PoliciesInForce(
            group_policies(job), checkpoint_directory=job.checkpoint_directory
        )
        self._model = Model()
        self._raw = RawReader(kafka)
        self._follower = Follower(kafka, self._model, raw=self._raw)
        self._ends = RawEnds(kafka)
        self._checker = Checker(
            _verification(configuration), captured=self._captured, every_s=EVERY_SECONDS
        )
        self._maybe_writing = self._writing(configuration)
        history = History(job.tables_directory)
        picture = Picture(
            self._model,
            policies=self._policies,
            ends=self._ends,
            checker=self._checker,
            is_caught_up=lambda: self._follower.is_caught_up,
            maybe_member=None if self._maybe_writing is None else web.member,
        )
        self._application = Application(
            self._model,
            history,
            picture=picture,
            checker=self._checker,
            maybe_writing=self._maybe_writing,
            is_caught_up=lambda: self._follower.is_caught_up,
        )
        host, port = self._listener.getsockname()[:2]
        self.address = f"http://{f'[{host}]' if ':' in host else host}:{port}/"
        self._guarded = Guard(
            self._application.build(),
            hosts=allowed_hosts(port, host=host, names=web.hosts),
            token=token,
        )
        self._maybe_uvicorn: uvicorn.Server | None = None

    def run(self, *, on_ready: Callable[[], None]) -> None:
        """Serve until SIGTERM, Ctrl-C or `stop`, then end well."""
        import uvicorn

        class Server(uvicorn.Server):
            async def startup(self, sockets: list[socket.socket] | None = None) -> None:
                await super().startup(sockets)
                if self.started:
                    on_ready()

            async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
                end_streams()
                await super().shutdown(sockets)

            @contextlib.contextmanager
            def capture_signals(self) -> Iterator[None]:
                # The server's own would end the process by the signal after a clean stop.
                with _ended_by_signals(lambda: setattr(self, "should_exit", True)):
                    yield

        def end_streams() -> None:
            self._application.is_over = True
            if self._maybe_writing is not None:
                self._maybe_writing.close()

        self._maybe_uvicorn = Server(_uvicorn_settings(self._guarded))
        with self._threads():
            self._maybe_uvicorn.run(sockets=[self._listener])

    def stop(self) -> None:
        """End `run`, from another thread."""
        if self._maybe_uvicorn is not None:
            self._maybe_uvicorn.should_exit = True

    @contextlib.contextmanager
    def _threads(self) -> Iterator[None]:
        threads = (self._follower, self._ends, self._policies, self._checker)
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            for thread in threads:
                thread.stop()
            self._raw.close()

    def _captured(self) -> int:
        return sum(counters.captured for counters, _ in self._model.counters())

    def _writing(self, configuration: Configuration) -> Writing | None:
        web = configuration.web
        if not web.member_address:
            return None
        group = parse_group_address(web.member_address)
        return Writing(
            self._model,
            name=web.member,
            open_transport=lambda: MulticastTransport(group, interface=web.member_interface),
            post=_post(configuration),
            policy_of=self._policies.of,
            read_raw=self._raw.read,
        )


def _uvicorn_settings(app: Guard) -> uvicorn.Config:
    import uvicorn

    return uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        lifespan="off",
        timeout_graceful_shutdown=STOP_GRACE_SECONDS,
        limit_concurrency=MOST_CONNECTIONS,
    )


@contextlib.contextmanager
def _ended_by_signals(end: Callable[[], None]) -> Iterator[None]:
    """Let SIGTERM and Ctrl-C call `end`; a thread has no signals and needs none."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    numbers = (signal.SIGTERM, signal.SIGINT)
    before = [signal.signal(number, lambda *_: end()) for number in numbers]
    try:
        yield
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)


def listen(address: str) -> socket.socket:
    """Take an address, as host:port; port 0 is any free one."""
    host, _, port = address.rpartition(":")
    host = host.strip("[]")
    try:
        listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, int(port)))
    except (OSError, OverflowError) as error:
        raise OperatorError(
            f"the page cannot listen on {address} ({getattr(error, 'strerror', error)}); "
            "set web.address to another one",
            ExitCode.CANNOT_CONNECT,
        ) from error
    return listener


def _verification(configuration: Configuration) -> Callable[[], Any]:
    def verify() -> Any:
        from console.verification_sources import verify_sources

        return verify_sources(
            configuration.kafka,
            configuration.job.tables_directory,
            policies=group_policies(configuration.job),
            retention=parse_retention(configuration.job.retention),
        )

    return verify


def _post(configuration: Configuration) -> Post:
    """How the page's member writes: tagged where the groups are protected."""
    authentication = configuration.authentication
    maybe_keys: Path | None = authentication.keys_file
    if maybe_keys is None:
        return Post()
    from ingest.authentication.keyring import Keyring
    from members.keyed_post import keyed_post

    return keyed_post(Keyring(maybe_keys), authentication.modes())
