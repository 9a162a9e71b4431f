import os
import subprocess
import sys
from pathlib import Path

import pytest

from ingest.errors import SpoolError, SpoolInUseError
from ingest.spool.lock import DirectoryLock

HOLD = """
import sys
from pathlib import Path
from ingest.spool.lock import DirectoryLock
lock = DirectoryLock(Path(sys.argv[1]))
print("held", flush=True)
sys.stdin.read()
"""


def test_a_second_agent_is_told_who_has_the_folder(tmp_path: Path) -> None:
    lock = DirectoryLock(tmp_path / "spool")
    with pytest.raises(SpoolInUseError, match=rf"process {os.getpid()}\).*spool\.directory"):
        DirectoryLock(tmp_path / "spool")
    lock.release()
    DirectoryLock(tmp_path / "spool").release()


def test_a_holder_that_is_killed_leaves_the_folder_free(tmp_path: Path) -> None:
    command = [sys.executable, "-c", HOLD, str(tmp_path)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(SpoolInUseError, match=f"process {holder.pid}"):
            DirectoryLock(tmp_path)
        holder.kill()
    DirectoryLock(tmp_path).release()


def test_a_folder_that_cannot_be_made_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(SpoolError, match=r"can't be used .*set spool\.directory"):
        DirectoryLock(tmp_path / "file" / "spool")
