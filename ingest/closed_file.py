"""Is a file that holds a secret closed to others?

Asked before a key, a password or a token is used. The rule is the one that PostgreSQL has for its
server key: the owner alone may read it, or root owns it and its group may (so that a secret mounted
into a container works).
"""

import os
import stat
from pathlib import Path
from typing import Final

_OTHERS: Final = 0o077
_OTHERS_OF_ROOT: Final = 0o037
"""What nobody may have on a file of root's: its group may read."""

_ROOT: Final = 0


def why_open(path: Path, status: os.stat_result) -> str | None:
    """Say what is wrong and what to do, as the end of a sentence that begins with the file's name.

    `status` is that of the file which is read, so that no other can be put in its place meanwhile.
    None if the file is closed.
    """
    if not stat.S_ISREG(status.st_mode):
        return "is not a file; name the file itself"
    if status.st_uid not in (os.geteuid(), _ROOT):
        return (
            f"belongs to user {status.st_uid} and this is user {os.geteuid()}; "
            f"give it to this user: chown {os.geteuid()} {path}"
        )
    mode = stat.S_IMODE(status.st_mode)
    is_of_root = status.st_uid == _ROOT and os.geteuid() != _ROOT
    if mode & (_OTHERS_OF_ROOT if is_of_root else _OTHERS):
        return (
            f"has the permissions {mode:04o}, so that others may use it; close it: "
            f"chmod 600 {path}, and change the secret in it if others have seen it"
        )
    return None
