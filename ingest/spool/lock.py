"""One agent for one folder: a lock that the kernel takes back when its holder dies, however."""

import contextlib
import fcntl
import os
from pathlib import Path
from typing import Final

from ingest.errors import SpoolError, SpoolInUseError

FILE_NAME: Final = "lock"
_MOST_BYTES: Final = 32
_OWNER_ONLY: Final = 0o700


class DirectoryLock:
    """Holds a folder from the moment it is made until `release`."""

    def __init__(self, directory: Path) -> None:
        """Make the folder if need be and take it. Raises SpoolInUseError or SpoolError."""
        try:
            directory.mkdir(mode=_OWNER_ONLY, parents=True, exist_ok=True)
            self._file = os.open(directory / FILE_NAME, os.O_CREAT | os.O_RDWR, 0o600)
        except OSError as error:
            raise SpoolError(
                f"the spool's folder {directory} can't be used ({error.strerror});"
                " set spool.directory to a folder in which the agent may write"
            ) from None
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            holder = os.read(self._file, _MOST_BYTES).decode("ascii", "replace").strip()
            os.close(self._file)
            raise SpoolInUseError(
                f"another agent (process {holder or 'unknown'}) uses the spool's folder"
                f" {directory}; stop it, or give this agent a spool.directory of its own"
            ) from None
        # Only to tell others who has it: a full disk is no reason not to start.
        with contextlib.suppress(OSError):
            os.ftruncate(self._file, 0)
            os.write(self._file, b"%d\n" % os.getpid())

    def release(self) -> None:
        """Let others have the folder."""
        os.close(self._file)
