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
from typing import IO

from deploy.errors import DirectoryUnfitError
from deploy.local import broker_options as options
from deploy.local.place import state_directory

# Enough to start and to make the topics of a demo; below it Kafka dies of it sooner or later.
LEAST_FREE_MEGABYTES = 64
_MEGABYTE = 1_000_000
_BROKERS_FOLDER = "brokers"
_PREFIX = "broker-"
_HOLD_FILE = "in-use"
_ELSEWHERE = "free some space, or name another directory"


class BrokerDirectory:
    """One folder, held from when this is made until `release`."""

    def __init__(self, given: Path | None) -> None:
        """Make the folder and take hold of it; without a `given` one, a new one of our own.

        Raises `DirectoryUnfitError`.
        """
        self._is_ours = given is None
        try:
            if given is None:
                self._take_new_folder(state_directory() / _BROKERS_FOLDER)
            else:
                self._take(given.absolute())
        except OSError as error:
            named = state_directory() if given is None else given
            raise DirectoryUnfitError(
                f"The broker cannot write in {named} ({error.strerror}); "
                "change its owner, or name another directory."
            ) from error
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
        if not keep and not self.had_data:
            self._remove()
        (self.path / _HOLD_FILE).unlink(missing_ok=True)
        if self._hold is not None:
            self._hold.close()

    def _remove(self) -> None:
        if self._is_ours:
            shutil.rmtree(self.path, ignore_errors=True)
            return
        shutil.rmtree(self.data, ignore_errors=True)
        for file in (self.settings_file, self.log_file):
            file.unlink(missing_ok=True)

    def _take_new_folder(self, parent: Path) -> None:
        """Make a folder and hold it; the parent's lock keeps others from sweeping it in between."""
        parent.mkdir(parents=True, exist_ok=True)
        with (parent / "making").open("w") as making:
            fcntl.flock(making, fcntl.LOCK_EX)
            _sweep_abandoned(parent)
            self._take(Path(tempfile.mkdtemp(prefix=_PREFIX, dir=parent)))

    def _take(self, path: Path) -> None:
        self.path = path
        self.data = path / "data"
        self.data.mkdir(parents=True, exist_ok=True)
        self._hold = _hold(path)
        if self._hold is None:
            raise DirectoryUnfitError(
                f"Another broker runs in {path}; stop it, or name another directory."
            )

    def _require_space(self) -> None:
        free = shutil.disk_usage(self.data).free // _MEGABYTE
        if free < LEAST_FREE_MEGABYTES:
            self.release(keep=False)
            raise DirectoryUnfitError(
                f"The disk that holds {self.path} has {free} MB free and the broker needs "
                f"{LEAST_FREE_MEGABYTES} MB; {_ELSEWHERE}."
            )


def _hold(path: Path) -> IO[str] | None:
    """Lock the folder and return the lock, None if somebody else holds it.

    The kernel frees a lock when its holder ends, however that is.
    """
    opened = (path / _HOLD_FILE).open("w")
    try:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        opened.close()
        return None
    return opened


def _sweep_abandoned(parent: Path) -> None:
    """Remove the folders whose owner was killed: they have a lock that nobody holds.

    A folder that was let go of in order, and kept, has none.
    """
    for mark in parent.glob(f"{_PREFIX}*/{_HOLD_FILE}"):
        maybe_hold = _hold(mark.parent)
        if maybe_hold is not None:
            maybe_hold.close()
            shutil.rmtree(mark.parent, ignore_errors=True)
