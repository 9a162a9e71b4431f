"""The report of a crash: everything that is needed to find a fault of ours, in one file.

The file has the stack trace without the values of variables, and the command line without what
looks like a secret, so that the file can be sent to somebody.
"""

from __future__ import annotations

import os
import platform
import re
import sys
import tempfile
import time
import traceback
from collections.abc import Sequence
from pathlib import Path

SECRET_ARGUMENT = re.compile(r"(?i)^([^=]*(?:password|secret|token)[^=]*=).+")
REPORT_FOLDER = Path(".precede") / "crashes"


def write_crash_report(
    error: BaseException, *, arguments: Sequence[str], version: str, folder: Path = REPORT_FOLDER
) -> Path | None:
    """Write the report below the current folder, or where temporary files go if that fails.

    Called by `console.command` when a command ends in an error that is not the operator's. None
    says that neither place could be written.
    """
    text = "\n".join(
        (
            f"precede {version}",
            f"python {platform.python_version()} on {platform.platform()}",
            f"at {time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime())}, process {os.getpid()}",
            f"command line: {' '.join(['precede', *map(_without_secret, arguments)])}",
            "",
            "".join(traceback.format_exception(error)),
        )
    )
    name = f"crash-{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}-{os.getpid()}.txt"
    for place in (folder, Path(tempfile.gettempdir())):
        try:
            place.mkdir(parents=True, exist_ok=True)
            path = place / name
            path.write_text(text, encoding=sys.getdefaultencoding(), errors="backslashreplace")
        except OSError:
            continue
        return path
    return None


def _without_secret(argument: str) -> str:
    """A secret is never a flag, but somebody may have tried."""
    return SECRET_ARGUMENT.sub(r"\1**********", argument)
