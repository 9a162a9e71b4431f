"""The folder of a local broker: its data, settings and log, and the right to use them.

    DIRECTORY/
    ├── data/               what Kafka writes; kept data can be opened again
    ├── server.properties   written anew at each start
    ├── broker.log          what the broker said, all starts of it
    └── in-use              locked while a broker of ours runs here

Called by `deploy.local.broker` alone. A full or read-only disk, or a second broker in the same
folder, is found here, before any JVM is started.
"""

import fcntl
import shutil
import tempfile
from pathlib import Path

from deploy.errors import DirectoryUnfitError
from deploy.local import broker_options as options
from deploy.local.place import state_directory

# Enough to start and to make the topics of a demo; below it Kafka dies of it sooner or later.
LEAST_FREE_MEGABYTES = 64
_MEGABYTE = 1_000_000
_BROKERS_FOLDER = "brokers"
_ELSEWHERE = "free some space, or name another directory"


class BrokerDirectory:
    """One folder, held from when this is made until `release`."""

    def __init__(self, given: Path | None) -> None:
        """Make the folder and take hold of it; without a `given` one, a new one of our own.

        Raises `DirectoryUnfitError`.
        """
        self._is_ours = given is None
        try:
            self.path = _new_folder() if given is None else given.absolute()
            self.data = self.path / "data"
            self.data.mkdir(parents=True, exist_ok=True)
            self._lock = (self.path / "in-use").open("w")
        except OSError as error:
            named = state_directory() if given is None else given
            raise DirectoryUnfitError(
                f"The broker cannot write in {named} ({error.strerror}); "
                "change its owner, or name another directory."
            ) from error
        self._take_hold()
        self.had_data = options.is_formatted(self.data)
        self._require_space()

    @property
    def settings_file(self) -> Path:
        """Kafka's own settings."""
        return self.path / "server.properties"

    @property
    def log_file(self) -> Path:
        """What the broker says; each start adds to it."""
        return self.path / "broker.log"

    def write_settings(self, text: str) -> None:
        """Write the settings of this start."""
        try:
            self.settings_file.write_text(text, encoding="utf-8")
        except OSError as error:
            raise DirectoryUnfitError(
                f"The broker's settings cannot be written to {self.path} ({error.strerror}); "
                f"{_ELSEWHERE}."
            ) from error

    def release(self, *, keep: bool) -> None:
        """Let go of the folder and, unless it is kept, remove what the broker wrote in it.

        Data that was there before is never removed, nor is a folder that somebody else made.
        """
        self._lock.close()
        if keep or self.had_data:
            return
        if self._is_ours:
            shutil.rmtree(self.path, ignore_errors=True)
            return
        shutil.rmtree(self.data, ignore_errors=True)
        for name in (self.settings_file.name, self.log_file.name, "in-use"):
            (self.path / name).unlink(missing_ok=True)

    def _take_hold(self) -> None:
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            self._lock.close()
            raise DirectoryUnfitError(
                f"Another broker runs in {self.path}; stop it, or name another directory."
            ) from error

    def _require_space(self) -> None:
        free = shutil.disk_usage(self.data).free // _MEGABYTE
        if free < LEAST_FREE_MEGABYTES:
            self.release(keep=False)
            raise DirectoryUnfitError(
                f"The disk that holds {self.path} has {free} MB free and the broker needs "
                f"{LEAST_FREE_MEGABYTES} MB; {_ELSEWHERE}."
            )


def _new_folder() -> Path:
    parent = state_directory() / _BROKERS_FOLDER
    parent.mkdir(parents=True, exist_ok=True)
    return Path(tempfile.mkdtemp(prefix="broker-", dir=parent))
