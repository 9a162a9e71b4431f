"""A real Kafka broker for one machine: one JVM, no ZooKeeper, no container.

    with Broker() as broker:
        create_topics(broker.bootstrap, precede_topics(partitions=2))

Called by the tests, by `precede broker` and by `precede demo`. The life of a broker:

 1. Take the folder, and ports: the one that was asked for, else free ones. Format new data.
 2. Start the JVM as a `Child`, so that it ends with us whatever ends us.
 3. Wait until the port is open *and* a metadata call is answered by this very cluster; fail at
    once if the JVM ends.
 4. If it ended because somebody took a free port in the meantime, begin again with other ports.
 5. Stop with SIGTERM, then SIGKILL; remove the data, unless it is to be kept or was there before.
"""

import socket
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

from confluent_kafka import KafkaException

from deploy.errors import BrokerFailedError, LocalError, PortBusyError
from deploy.local import broker_options as options
from deploy.local.broker_directory import BrokerDirectory
from deploy.local.child import Child, describe_exit
from deploy.local.jars import kafka_classpath
from deploy.local.java import find_java
from deploy.local.ports import LOOPBACK, free_ports, is_free, require_free
from deploy.local.symptoms import diagnose, without_frames
from deploy.local.topics import admin_client

READY_WITHIN_SECONDS = 60.0
STOP_GRACE_SECONDS = 15.0
_PORT_TRIES = 5
_LOOK_EVERY_SECONDS = 0.05
_METADATA_WITHIN_SECONDS = 2.0
_LINES_TO_SHOW = 8
# Java prints long traces; the words that explain an end stand this far from it at most.
_LINES_TO_DIAGNOSE = 200
# The kernel frees the port of a killed process a moment after its end.
_PORT_FREED_WITHIN_SECONDS = 10.0


class Broker:
    """A broker that runs while its context is open."""

    def __init__(
        self,
        directory: Path | None = None,
        *,
        port: int | None = None,
        keep: bool = False,
        extra: Mapping[str, str] | None = None,
        ready_within_seconds: float = READY_WITHIN_SECONDS,
    ) -> None:
        """Nothing happens yet: `start`, or entering the context, starts it.

        `directory` holds data, settings and log; without it a new one is made in the state
        directory. `extra` are Kafka's own settings, laid over ours.
        """
        self._given_directory = directory
        self._given_port = port
        self._keep = keep
        self._extra = dict(extra or {})
        self._ready_within_seconds = ready_within_seconds
        self._maybe_directory: BrokerDirectory | None = None
        self._maybe_ports: tuple[int, int] | None = None
        self._maybe_child: Child | None = None

    @property
    def bootstrap(self) -> str:
        """The address to give to Kafka clients."""
        return f"{LOOPBACK}:{self._ports[0]}"

    @property
    def directory(self) -> Path:
        """Where data, settings and log are."""
        return self._directory.path

    @property
    def log_file(self) -> Path:
        """What the broker says; each start adds to it."""
        return self._directory.log_file

    @property
    def pid(self) -> int:
        """The process id of the JVM."""
        return self._child.pid

    @property
    def is_running(self) -> bool:
        """Whether the JVM is there; a paused one is."""
        return self._maybe_child is not None and self._maybe_child.is_running

    def start(self) -> None:
        """Start it and wait until it answers.

        Raises `PortBusyError`, `DirectoryUnfitError`, `BrokerFailedError`, or what Java and jars
        raise.
        """
        self._maybe_directory = BrokerDirectory(self._given_directory)
        try:
            self._start_on_some_port()
        except BaseException as error:
            # The log of an end that nobody can explain is worth keeping.
            self._end(keep=self._keep or isinstance(error, BrokerFailedError))
            raise

    def stop(self) -> None:
        """End it in order; its data stays until the context is left, so that `restart` finds it."""
        if self._maybe_child is not None:
            self._maybe_child.stop(grace_seconds=STOP_GRACE_SECONDS)

    def kill(self) -> None:
        """End it as a power cut would."""
        self._child.kill()

    def pause(self) -> None:
        """Freeze it: its connections stay open and nothing is answered."""
        self._child.pause()

    def resume(self) -> None:
        """Let a paused broker go on."""
        self._child.resume()

    def restart(self) -> None:
        """Start it again on the same data and ports, after an orderly stop if it still runs."""
        self.stop()
        deadline = time.monotonic() + _PORT_FREED_WITHIN_SECONDS
        for port in self._ports:
            while not is_free(port) and time.monotonic() < deadline:
                time.sleep(_LOOK_EVERY_SECONDS)
            require_free(port)
        self._serve()

    def require_running(self) -> None:
        """Raise what its log explains if it has ended by itself."""
        if not self.is_running:
            raise self._explain_end()

    def close(self) -> None:
        """Stop it and, unless it is to be kept, remove what it wrote. May be called again."""
        self._end(keep=self._keep)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _start_on_some_port(self) -> None:
        if self._given_port is not None:
            require_free(self._given_port)
        for tries_left in reversed(range(_PORT_TRIES)):
            port, controller_port = free_ports(2)
            self._maybe_ports = (self._given_port or port, controller_port)
            try:
                self._write_settings()
                self._format_once()
                self._serve()
            except PortBusyError:
                is_given_taken = self._given_port is not None and not is_free(self._given_port)
                if is_given_taken or not tries_left:
                    raise
            else:
                return

    def _write_settings(self) -> None:
        port, controller_port = self._ports
        properties = options.server_properties(
            port=port,
            controller_port=controller_port,
            data=self._directory.data,
            extra=self._extra,
        )
        self._directory.write_settings(options.properties_text(properties))

    def _format_once(self) -> None:
        if options.is_formatted(self._directory.data):
            return
        command = options.format_command(
            find_java().launcher,
            classpath=kafka_classpath(),
            settings=self._directory.settings_file,
            cluster_id=options.new_cluster_id(),
        )
        self._maybe_child = Child(command, name="Kafka's format tool", log_file=self.log_file)
        if self._child.wait(within_seconds=self._ready_within_seconds) != 0:
            self._child.kill()
            raise self._explain_end()

    def _serve(self) -> None:
        command = options.serve_command(
            find_java().launcher,
            classpath=kafka_classpath(),
            settings=self._directory.settings_file,
        )
        self._maybe_child = Child(command, name="The broker", log_file=self.log_file)
        self._wait_until_ready()

    def _wait_until_ready(self) -> None:
        deadline = time.monotonic() + self._ready_within_seconds
        while not (self._port_is_open() and self._answers_metadata()):
            self.require_running()
            if time.monotonic() > deadline:
                raise BrokerFailedError(
                    f"The broker did not answer at {self.bootstrap} within "
                    f"{self._ready_within_seconds:g} s; look into {self.log_file}."
                )
            time.sleep(_LOOK_EVERY_SECONDS)

    def _port_is_open(self) -> bool:
        address = (LOOPBACK, self._ports[0])
        try:
            with socket.create_connection(address, timeout=_METADATA_WITHIN_SECONDS):
                return True
        except OSError:
            return False

    def _answers_metadata(self) -> bool:
        try:
            found = admin_client(self.bootstrap).list_topics(timeout=_METADATA_WITHIN_SECONDS)
        except KafkaException:
            return False
        # Another broker might have taken the port first, and would answer as well.
        is_ours = found.cluster_id == options.cluster_id_of(self._directory.data)
        return is_ours and bool(found.brokers)

    def _explain_end(self) -> LocalError:
        child = self._child
        lines = child.last_lines(_LINES_TO_DIAGNOSE)
        shown = "\n".join(f"  {line}" for line in without_frames(lines)[-_LINES_TO_SHOW:])
        return diagnose(
            lines,
            directory=self.directory,
            ports=self._ports,
            otherwise=(
                f"{child.name} ended with {describe_exit(child.exit_code)}; "
                f"the end of {self.log_file}:\n{shown}"
            ),
        )

    def _end(self, *, keep: bool) -> None:
        self.stop()
        if self._maybe_directory is not None:
            self._maybe_directory.release(keep=keep)

    @property
    def _directory(self) -> BrokerDirectory:
        return _started(self._maybe_directory)

    @property
    def _ports(self) -> tuple[int, int]:
        return _started(self._maybe_ports)

    @property
    def _child(self) -> Child:
        return _started(self._maybe_child)


_Part = TypeVar("_Part")


def _started(maybe_part: _Part | None) -> _Part:
    if maybe_part is None:
        raise BrokerFailedError("The broker has not been started; call start() first.")
    return maybe_part
