"""The jars of Spark and the local broker: downloaded once, checked each time they are handed out.

    python -m deploy.local.jars            download what is missing; `make setup` does this
    python -m deploy.local.jars --record   write jars.sha256 anew, after a change of version

How `ensure_jars` stays right when several processes call it at once:

 1. Check every jar against its recorded sum. All there and unaltered: done, no lock taken.
 2. Take the lock file and check again: most often whoever held it before has done the work.
 3. An altered jar is deleted, also from Ivy's cache, and named in one error.
 4. Resolve into a folder of our own, and check every sum there.
 5. Rename each missing jar into its place. A rename is all or nothing and touches no jar that is
    right already, so a broker that runs from the folder is not disturbed.

        process A   check, missing ──> lock ──> resolve, check, rename ──> unlock
        process B   check, missing ──> ....waits......................... lock, check, all there
"""

import argparse
import fcntl
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from deploy.errors import DirectoryUnfitError, JarAlteredError, JarsUnavailableError, LocalError
from deploy.local import ivy
from deploy.local.java import find_java
from deploy.local.place import state_directory
from deploy.local.progress import Progress
from deploy.local.sums import Inventory, read_sums, take_inventory, write_sums

JARS_FOLDER = "jars"
SPARK_PREFIX = "spark/"
KAFKA_PREFIX = "kafka/"
_LOCK_FILE = "jars.lock"
_WORKING_SUFFIX = ".partial"


def spark_jars(root: Path | None = None) -> list[Path]:
    """Return the jars to name in `spark.jars`; download them first if any is missing.

    `root` is the state directory, by default the one of `deploy.local.place`.
    """
    return _jars(root, prefix=SPARK_PREFIX)


def kafka_classpath(root: Path | None = None) -> str:
    """Return the class path of the local broker; download it first if any jar is missing."""
    return os.pathsep.join(map(str, _jars(root, prefix=KAFKA_PREFIX)))


def ensure_jars(root: Path | None = None) -> Path:
    """See to it that every listed jar is there and unaltered; return the jars folder.

    Raises `JarAlteredError`, `JarsUnavailableError`, `JavaUnfitError` or `DirectoryUnfitError`,
    each with one sentence.
    """
    state = root or state_directory()
    folder = state / JARS_FOLDER
    if not take_inventory(folder, sums=read_sums()).is_complete:
        with _lock(state):
            inventory = take_inventory(folder, sums=read_sums())
            _refuse_altered(inventory, folder=folder, state=state)
            if inventory.missing:
                _download(inventory.missing, folder=folder, state=state)
    return folder


def record(root: Path | None = None) -> int:
    """Resolve from nothing and write jars.sha256 anew; return how many jars it lists.

    Only for whoever changes a version: the diff of the list is what a reviewer reads.
    """
    state = root or state_directory()
    with _lock(state), _working_folder(state) as work:
        _resolve(work, state=state, expected=len(read_sums()))
        return write_sums(work / JARS_FOLDER)


def _jars(root: Path | None, *, prefix: str) -> list[Path]:
    folder = ensure_jars(root)
    return [folder / name for name in read_sums() if name.startswith(prefix)]


def _refuse_altered(inventory: Inventory, *, folder: Path, state: Path) -> None:
    if not inventory.altered:
        return
    for altered in inventory.altered:
        (folder / altered.name).unlink(missing_ok=True)
        for copy in (state / ivy.CACHE_FOLDER).rglob(Path(altered.name).name):
            copy.unlink(missing_ok=True)
    named = "; ".join(
        f"{altered.name} has the SHA-256 sum {altered.found} and must have {altered.recorded}"
        for altered in inventory.altered
    )
    raise JarAlteredError(
        f"{named}. It was deleted: run the same command again to download it anew, and if it "
        "differs again, do not trust the registry that it comes from."
    )


def _download(missing: tuple[str, ...], *, folder: Path, state: Path) -> None:
    with _working_folder(state) as work:
        _resolve(work, state=state, expected=len(read_sums()))
        fresh = work / JARS_FOLDER
        inventory = take_inventory(fresh, sums=read_sums(), names=missing)
        _refuse_altered(inventory, folder=fresh, state=state)
        if inventory.missing:
            raise JarsUnavailableError(
                f"jars.sha256 lists {', '.join(inventory.missing)}, which versions.properties no "
                "longer asks for; run `python -m deploy.local.jars --record` after a change there."
            )
        for name in missing:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (fresh / name).replace(folder / name)


def _resolve(work: Path, *, state: Path, expected: int) -> None:
    find_java()  # complains before anything is announced
    with Progress(f"Downloading {expected} jars, once, to {state / JARS_FOLDER}") as progress:
        ivy.resolve(
            work / JARS_FOLDER,
            cache=state / ivy.CACHE_FOLDER,
            home=work,
            on_progress=lambda count: progress.show(f"{min(count, expected)} of {expected}"),
        )


@contextmanager
def _lock(state: Path) -> Iterator[None]:
    """Hold the lock of the jars folder; the kernel frees it when its holder ends."""
    try:
        state.mkdir(parents=True, exist_ok=True)
        opened = (state / _LOCK_FILE).open("w")
    except OSError as error:
        raise DirectoryUnfitError(
            f"{state} cannot be written ({error.strerror}); "
            "free it, or name another folder in PRECEDE_HOME."
        ) from error
    with opened:
        try:
            fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            with Progress("Waiting for another process that downloads the jars"):
                fcntl.flock(opened, fcntl.LOCK_EX)
        yield


@contextmanager
def _working_folder(state: Path) -> Iterator[Path]:
    """A folder on the same file system as the jars, so that a rename is atomic; gone afterwards.

    The lock is held, so any other such folder is what a killed process left.
    """
    for abandoned in state.glob(f"{JARS_FOLDER}-*{_WORKING_SUFFIX}"):
        shutil.rmtree(abandoned, ignore_errors=True)
    work = state / f"{JARS_FOLDER}-{os.getpid()}{_WORKING_SUFFIX}"
    try:
        work.mkdir()
        yield work
    except OSError as error:
        raise DirectoryUnfitError(
            f"The jars could not be written to {state} ({error.strerror}); "
            "they need about 200 MB there."
        ) from error
    finally:
        shutil.rmtree(work, ignore_errors=True)


def main(arguments: list[str] | None = None) -> int:
    """Called by `make setup`; prints one line and returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m deploy.local.jars", description=__doc__.split("\n")[0]
    )
    parser.add_argument("--record", action="store_true", help="write jars.sha256 anew")
    chosen = parser.parse_args(arguments)
    try:
        if chosen.record:
            print(f"jars.sha256 lists {record()} jars; read its diff before you commit it.")
        else:
            folder = ensure_jars()
            print(f"{len(read_sums())} jars in {folder}, every SHA-256 sum as recorded.")
    except LocalError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
