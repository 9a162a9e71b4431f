"""`precede broker`: a real Kafka broker for this machine, in the foreground."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from console.configuration.invocation import load_for
from console.terminal import Terminal, terminal_of_process

if TYPE_CHECKING:
    from deploy.local.broker import Broker
    from sinks.settings import KafkaSettings

# The port of the default of kafka.bootstrap, so that the next command needs no address.
DEFAULT_PORT = 9092
ANY_FREE_PORT = 0
DEFAULT_FOLDER = Path("brokers") / "local"
LOOK_EVERY_SECONDS = 0.5


def register(app: typer.Typer) -> None:
    """Add `broker`."""
    app.command(
        "broker",
        epilog=(
            "\b\nExamples:\n  precede broker\n  precede broker --port 0 --directory /tmp/broker"
        ),
    )(broker)


def broker(
    context: typer.Context,
    port: Annotated[
        int,
        typer.Option(
            metavar="PORT",
            min=ANY_FREE_PORT,
            max=65_535,
            help="Where it listens on 127.0.0.1; 0 takes a free one.",
        ),
    ] = DEFAULT_PORT,
    directory: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Where its data and log are kept; else .precede/brokers/local.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Run a Kafka broker on this machine, with the topics of Precede, until Ctrl-C.

    Standard output has its address, and nothing else. The data is kept: the next start goes on with
    it. For trying things out, not for production: there is one copy of everything.
    """
    terminal = terminal_of_process(os.environ)
    kafka = load_for(context).configuration.kafka
    with _until_told_to_stop():
        _serve(kafka, terminal, maybe_port=port or None, maybe_directory=directory)
    terminal.say("stopped; the data is kept")


def _serve(
    kafka: KafkaSettings,
    terminal: Terminal,
    *,
    maybe_port: int | None,
    maybe_directory: Path | None,
) -> NoReturn:
    """Run it until the signal's exception, or the error of a broker that ended, comes through."""
    from deploy.local.broker import Broker
    from deploy.local.jars import ensure_jars
    from deploy.local.place import state_directory
    from deploy.local.topics import create_topics, precede_topics

    ensure_jars()
    directory = maybe_directory or state_directory() / DEFAULT_FOLDER
    running = Broker(directory, port=maybe_port, keep=True)
    try:
        with terminal.step("starting the broker"):
            running.start()
            specs = precede_topics(
                prefix=kafka.topic_prefix,
                partitions=kafka.partitions,
                raw_topics=kafka.shards.topics,
            )
            create_topics(running.bootstrap, specs)
        _tell(terminal, running, expected=kafka.bootstrap)
        while True:
            time.sleep(LOOK_EVERY_SECONDS)
            running.require_running()
    finally:
        running.close()


def _tell(terminal: Terminal, running: Broker, *, expected: str) -> None:
    terminal.emit(running.bootstrap)
    elsewhere = (
        "" if running.bootstrap == expected else f" --set kafka.bootstrap={running.bootstrap}"
    )
    terminal.say(f"data and log in {running.directory}; Ctrl-C stops it")
    terminal.say(f"next, in another terminal: precede run{elsewhere}")


@contextmanager
def _until_told_to_stop() -> Iterator[None]:
    """Leave the block, without an error, when SIGINT or SIGTERM comes: it is how one ends this.

    A second signal is ignored, so that the orderly stop of the first is not cut short.
    """
    signals = (signal.SIGINT, signal.SIGTERM)

    def leave(_number: int, _frame: FrameType | None) -> None:
        for each in signals:
            signal.signal(each, signal.SIG_IGN)
        raise _ToldToStop

    before = {each: signal.signal(each, leave) for each in signals}
    try:
        yield
    except _ToldToStop:
        pass
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


class _ToldToStop(BaseException):
    """Raised by the signal handler alone; not an error, so nothing on the way catches it."""
