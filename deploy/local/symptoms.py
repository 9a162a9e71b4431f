"""Tell from a broker's log whose fault its end was, so that the operator reads one sentence.

Called by `deploy.local.broker` when the JVM has ended before it should. The table is the whole of
what we know; an end that it does not explain is shown with the last lines of the log.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from deploy.errors import (
    BrokerFailedError,
    DirectoryUnfitError,
    LocalError,
    MemoryShortError,
    PortBusyError,
)


class Symptom(NamedTuple):
    """Words in the log, the error that they mean, and the advice, with places to fill."""

    words: str
    error: type[LocalError]
    advice: str


SYMPTOMS = (
    Symptom(
        words="No space left on device",
        error=DirectoryUnfitError,
        advice="The disk that holds {directory} is full; free some space, or name another one.",
    ),
    Symptom(
        words="Failed to acquire lock on file",
        error=DirectoryUnfitError,
        advice="Another broker runs in {directory}; stop it, or name another directory.",
    ),
    Symptom(
        words="Permission denied",
        error=DirectoryUnfitError,
        advice="The broker may not write in {directory}; change its owner, or name another one.",
    ),
    Symptom(
        words="Address already in use",
        error=PortBusyError,
        advice="Port {ports} was taken by another process; end that one, or choose another port.",
    ),
    Symptom(
        words="Could not reserve enough space for object heap",
        error=MemoryShortError,
        advice="There is not enough free memory for the broker, which needs 768 MB; free some.",
    ),
)


def without_frames(lines: Iterable[str]) -> list[str]:
    """Leave out the frames of Java's stack traces, which tell an operator nothing."""
    return [line for line in lines if not line.startswith(("\tat ", "\t... "))]


def diagnose(
    lines: Iterable[str], *, directory: Path, ports: Iterable[int], otherwise: str
) -> LocalError:
    """Return the error that the lines mean, or a `BrokerFailedError` that says `otherwise`."""
    log = "\n".join(lines)
    for symptom in SYMPTOMS:
        if symptom.words in log:
            named = " or ".join(map(str, ports))
            return symptom.error(symptom.advice.format(directory=directory, ports=named))
    return BrokerFailedError(otherwise)
