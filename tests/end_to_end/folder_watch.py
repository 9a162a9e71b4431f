"""Learn of a new file within microseconds, as the kernel tells it: what a kill must be aimed by."""

from __future__ import annotations

import ctypes
import os
import select
import struct
from collections.abc import Iterator
from pathlib import Path

_CREATE, _MOVED_TO = 0x100, 0x80
_HEAD = struct.Struct("iIII")
_library = ctypes.CDLL(None, use_errno=True)


class FolderWatch:
    """Names of files that begin to exist in some folders, made there or renamed into them."""

    def __init__(self) -> None:
        self._descriptor = _library.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        if self._descriptor < 0:
            raise OSError(ctypes.get_errno(), "inotify")
        self._folders: dict[int, Path] = {}

    def add(self, folder: Path) -> bool:
        """Watch one more folder; False if it does not exist yet."""
        if folder in self._folders.values():
            return True
        mask = ctypes.c_uint32(_CREATE | _MOVED_TO)
        number = _library.inotify_add_watch(self._descriptor, os.fsencode(folder), mask)
        if number < 0:
            return False
        self._folders[number] = folder
        return True

    def wait(self, *, within_seconds: float) -> Iterator[Path]:
        """Give what came into being, as soon as it does; nothing if the time passes first."""
        ready, _, _ = select.select([self._descriptor], [], [], within_seconds)
        if not ready:
            return
        data = os.read(self._descriptor, 1 << 16)
        while data:
            number, _, _, length = _HEAD.unpack_from(data)
            name = data[_HEAD.size : _HEAD.size + length].rstrip(b"\0")
            data = data[_HEAD.size + length :]
            if number in self._folders:
                yield self._folders[number] / os.fsdecode(name)

    def close(self) -> None:
        """Watch no more."""
        os.close(self._descriptor)
