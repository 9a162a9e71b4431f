"""A real Kafka broker for one machine: one JVM, no ZooKeeper, no container.

    with Broker() as broker:
        create_topics(broker.bootstrap, precede_topics(partitions=2))

Called by the tests, by `precede broker` and by `precede demo`. The life of a broker:

 1. Take ports: the one that was asked for, else free ones. Write the settings. Format new data.
 2. Start the JVM as a `Child`, so that it ends with us whatever ends us.
 3. Wait until the port is open *and* a metadata call is answered; fail at once if the JVM ends.
 4. If it ended because somebody took a free port in the meantime, begin again with other ports.
 5. Stop with SIGTERM, then SIGKILL; remove the data, unless it is to be kept or was there before.
"""

import shutil
import socket
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from confluent_kafka import KafkaException

from deploy.errors import BrokerFailedError, DirectoryUnfitError, PortBusyError
from deploy.local import broker_options as options
from deploy.local.child import Child, describe_exit, last_lines
from deploy.local.jars import kafka_classpath
from deploy.local.java import find_java
from deploy.local.place import state_directory
from deploy.local.ports import LOOPBACK, free_ports, is_free, require_free
from deploy.local.symptoms import diagnose
from deploy.local.topics import admin_client

READY_WITHIN_SECONDS = 60.0
STOP_GRACE_SECONDS = 15.0
_BROKERS_FOLDER = "brokers"
_PORT_TRIES = 5
_LOOK_EVERY_SECONDS = 0.05
_METADATA_WITHIN_SECONDS = 2.0
_LINES_TO_SHOW = 12
# Java prints its traces bottom up; the words that explain an end stand this far from it at most.
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
        self._directory: Path | None = None
        self._ports: tuple[int, int] | None = None
        self._child: Child | None = None

    @property
    def bootstrap(self) -> str:
        """The address to give to Kafka clients."""
        return f"{LOOPBACK}:{self._ports_in_use()[0]}"

    @property
    def directory(self) -> Path:
        """Where data, settings and log are."""
        if self._directory is None:
            raise BrokerFailedError("The broker has not been started; call start() first.")
        return self._directory

    @property
    def log_file(self) -> Path:
        """What the broker says; each start adds to it."""
        return self.directory / "broker.log"

    @property
    def pid(self) -> int:
        """The process id of the JVM."""
        return self._running_child().pid

    @property
    def is_running(self) -> bool:
        """Whether the JVM is there; a paused one is."""
        return self._child is not None and self._child.is_running

    def start(self) -> None:
        """Start it and wait until it answers.

        Raises `PortBusyError`, `DirectoryUnfitError`, `BrokerFailedError`, or what Java and jars
        raise.
        """
        self._directory, existed = self._prepare_directory()
        self._keep = self._keep or existed
        try:
            self._start_on_some_port()
        except BaseException as error:
            # The log of an end that nobody can explain is worth keeping.
            self._end(keep=isinstance(error, BrokerFailedError))
            raise

    def stop(self) -> None:
        """End it in order; its data stays until the context is left, so that `restart` finds it."""
        if self._child is not None:
            self._child.stop(grace_seconds=STOP_GRACE_SECONDS)

    def kill(self) -> None:
        """End it as a power cut would."""
        self._running_child().kill()

    def pause(self) -> None:
        """Freeze it: its connections stay open and nothing is answered."""
        self._running_child().pause()

    def resume(self) -> None:
        """Let a paused broker go on."""
        self._running_child().resume()

    def restart(self) -> None:
        """Start it again on the same data and ports, after an orderly stop if it still runs."""
        self.stop()
        deadline = time.monotonic() + _PORT_FREED_WITHIN_SECONDS
        for port in self._ports_in_use():
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

    def _prepare_directory(self) -> tuple[Path, bool]:
        """Return the folder, and whether a broker has lived in it before."""
        directory = self._given_directory
        try:
            if directory is None:
                parent = state_directory() / _BROKERS_FOLDER
                parent.mkdir(parents=True, exist_ok=True)
                return Path(tempfile.mkdtemp(prefix="broker-", dir=parent)), False
            directory = directory.absolute()
            (directory / "data").mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=directory) as probe:
                probe.write(b"\0" * 4096)
        except OSError as error:
            raise DirectoryUnfitError(
                f"The broker cannot write in {directory or state_directory()} ({error.strerror}); "
                "name another directory, or free this one."
            ) from error
        return directory, options.is_formatted(directory / "data")

    def _start_on_some_port(self) -> None:
        if self._given_port is not None:
            require_free(self._given_port)
        for tries_left in reversed(range(_PORT_TRIES)):
            port, controller_port = free_ports(2)
            self._ports = (self._given_port or port, controller_port)
            try:
                self._write_settings()
                self._format_once()
                self._serve()
            except PortBusyError:
                if self._given_port is not None or not tries_left:
                    raise
            else:
                return

    def _write_settings(self) -> None:
        port, controller_port = self._ports_in_use()
        properties = options.server_properties(
            port=port,
            controller_port=controller_port,
            data=self.directory / "data",
            extra=self._extra,
        )
        try:
            self._settings_file().write_text(options.properties_text(properties), encoding="utf-8")
        except OSError as error:
            raise DirectoryUnfitError(
                f"The settings of the broker could not be written to {self.directory} "
                f"({error.strerror}); free some space, or name another directory."
            ) from error

    def _format_once(self) -> None:
        if options.is_formatted(self.directory / "data"):
            return
        command = options.format_command(
            find_java().launcher,
            classpath=kafka_classpath(),
            settings=self._settings_file(),
            cluster_id=options.new_cluster_id(),
        )
        self._child = Child(command, name="The format tool of Kafka", log_file=self.log_file)
        if self._child.wait(within_seconds=self._ready_within_seconds) != 0:
            self._child.kill()
            raise self._explain_end()

    def _serve(self) -> None:
        command = options.serve_command(
            find_java().launcher, classpath=kafka_classpath(), settings=self._settings_file()
        )
        self._child = Child(command, name="The broker", log_file=self.log_file)
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
        address = (LOOPBACK, self._ports_in_use()[0])
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
        return bool(found.brokers)

    def _explain_end(self) -> Exception:
        child = self._running_child()
        shown = "\n".join(f"  {line}" for line in child.last_lines(_LINES_TO_SHOW))
        return diagnose(
            last_lines(self.log_file, count=_LINES_TO_DIAGNOSE),
            directory=self.directory,
            ports=self._ports_in_use(),
            otherwise=(
                f"{child.name} ended with {describe_exit(child.exit_code)}; "
                f"the end of {self.log_file}:\n{shown}"
            ),
        )

    def _end(self, *, keep: bool) -> None:
        self.stop()
        if keep or self._directory is None:
            return
        if self._given_directory is None:
            shutil.rmtree(self._directory, ignore_errors=True)
            return
        # The folder is the caller's: only what the broker wrote may go.
        shutil.rmtree(self._directory / "data", ignore_errors=True)
        self._settings_file().unlink(missing_ok=True)

    def _settings_file(self) -> Path:
        return self.directory / "server.properties"

    def _ports_in_use(self) -> tuple[int, int]:
        if self._ports is None:
            raise BrokerFailedError("The broker has no port yet; call start() first.")
        return self._ports

    def _running_child(self) -> Child:
        if self._child is None:
            raise BrokerFailedError("The broker has not been started; call start() first.")
        return self._child
