"""Is everything here that Precede needs? Small checks, each with the fix for what it finds.

Called by `precede doctor`, and by nothing that runs in production. A check looks at one thing and
tells what it found; it changes nothing but what it removes again, and it never downloads. To add
one, write a function that returns a `Finding` and put it into `CHECKS`.
"""

from __future__ import annotations

import importlib.metadata
import os
import secrets
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from deploy.errors import LocalError
from deploy.local.ivy import VERSIONS_FILE
from deploy.local.jars import JARS_FOLDER
from deploy.local.java import find_java
from deploy.local.place import STATE_VARIABLE, state_directory
from deploy.local.ports import free_ports
from deploy.local.sums import read_sums, take_inventory
from ingest.settings import DEFAULT_GROUP_ADDRESS
from ingest.wire.errors import MulticastError
from ingest.wire.multicast import (
    LOOPBACK_INTERFACE,
    GroupAddress,
    open_receiver,
    open_sender,
    parse_group_address,
    send,
)

OLDEST_PYTHON = (3, 11)
# A broker with its 0.8 GB heap, a Spark driver of 1 to 1.5 GB, and some Python processes.
MEMORY_NEEDED_BYTES = 3_000_000_000
# Jars and their cache take 0.13 GB; the rest is for topics, tables and checkpoints.
DISK_NEEDED_BYTES = 2_000_000_000
# Broker and controller; the demo asks for no others.
PORTS_NEEDED = 2
MULTICAST_WITHIN_SECONDS = 2.0
MULTICAST_BUFFER_BYTES = 65_536
PINS_FILE = Path(__file__).resolve().parent.parent / "constraints.txt"
# These must fit each other, the jars and the broker; of the others any recent version will do.
PINNED_PACKAGES = ("pyspark", "delta-spark", "confluent-kafka", "pandas")

FETCH_JARS = ".venv/bin/python -m deploy.local.jars"
_GIGABYTE = 1_000_000_000
_MEMORY_TABLE = Path("/proc/meminfo")
_CONTROL_GROUP = Path("/sys/fs/cgroup")


class Finding(NamedTuple):
    """What a check saw, and what to do about it if it is not well."""

    is_ok: bool
    found: str
    fix: str = ""


class Check(NamedTuple):
    """One thing to look at, under the name that the operator reads."""

    name: str
    look: Callable[[], Finding]


class Diagnosis(NamedTuple):
    """A check's name with its finding."""

    name: str
    finding: Finding


def examine(checks: Iterable[Check]) -> list[Diagnosis]:
    """Run every check, also after one has failed. One that cannot even look has failed."""
    diagnoses: list[Diagnosis] = []
    for check in checks:
        try:
            finding = check.look()
        except (LocalError, MulticastError, OSError) as error:
            finding = Finding(is_ok=False, found=str(error), fix="see what was found")
        diagnoses.append(Diagnosis(check.name, finding))
    return diagnoses


def check_python(version: tuple[int, ...] = tuple(sys.version_info[:3])) -> Finding:
    """The interpreter that runs this."""
    shown = ".".join(map(str, version))
    oldest = ".".join(map(str, OLDEST_PYTHON))
    return Finding(
        is_ok=version[: len(OLDEST_PYTHON)] >= OLDEST_PYTHON,
        found=f"Python {shown}, needs {oldest} or newer",
        fix=f"make clean, then make setup PYTHON=python{oldest}",
    )


def check_java(environment: Mapping[str, str] = os.environ) -> Finding:
    """The Java that Spark and the broker will use."""
    try:
        java = find_java(environment)
    except LocalError as error:
        found, _, fix = str(error).partition(". ")
        return Finding(is_ok=False, found=found, fix=fix)
    return Finding(is_ok=True, found=f"Java {java.version} at {java.launcher}")


def check_packages(pins: Mapping[str, str] | None = None) -> Finding:
    """The Python packages whose versions must fit each other and the jars."""
    wanted = read_pins() if pins is None else pins
    wrong: list[str] = []
    for name, version in wanted.items():
        try:
            installed = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            installed = "missing"
        if installed != version:
            wrong.append(f"{name} is {installed}, must be {version}")
    if wrong:
        return Finding(is_ok=False, found="; ".join(wrong), fix="make clean, then make setup")
    return Finding(is_ok=True, found=", ".join(f"{name} {wanted[name]}" for name in wanted))


def read_pins(file: Path = PINS_FILE, *, versions: Path = VERSIONS_FILE) -> dict[str, str]:
    """Return the versions that the project pins, or those of the jars where there is no project."""
    if file.is_file():
        lines = file.read_text(encoding="utf-8").splitlines()
        pairs = (line.split("==") for line in lines if "==" in line and not line.startswith("#"))
        pins = {name.strip().lower().replace("_", "-"): version for name, version in pairs}
        return {name: pins[name] for name in PINNED_PACKAGES if name in pins}
    lines = versions.read_text(encoding="utf-8").splitlines()
    jars = dict(
        line.replace(" ", "").split("=") for line in lines if "=" in line and line[0] != "#"
    )
    return {"pyspark": jars["spark.version"], "delta-spark": jars["delta.version"]}


def check_jars(root: Path | None = None) -> Finding:
    """The jars, against their recorded sums; nothing is downloaded or deleted."""
    folder = (root or state_directory()) / JARS_FOLDER
    sums = read_sums()
    inventory = take_inventory(folder, sums=sums)
    if inventory.is_complete:
        return Finding(is_ok=True, found=f"{len(sums)} of {len(sums)}, every SHA-256 sum right")
    if inventory.altered:
        named = ", ".join(altered.name for altered in inventory.altered)
        return Finding(
            is_ok=False,
            found=f"not as recorded in jars.sha256: {named}",
            fix=f"rm -r {folder}, then {FETCH_JARS}",
        )
    return Finding(
        is_ok=False,
        found=f"{len(inventory.missing)} of {len(sums)} are missing in {folder}",
        fix=f"{FETCH_JARS} (downloads 65 MB)",
    )


def check_ports(find: Callable[[int], list[int]] = free_ports) -> Finding:
    """Ports for a local broker."""
    ports = find(PORTS_NEEDED)
    return Finding(is_ok=True, found=f"free, for example {' and '.join(map(str, ports))}")


def check_multicast(
    interface: str = LOOPBACK_INTERFACE,
    *,
    transmit: Callable[..., None] = send,
    within_seconds: float = MULTICAST_WITHIN_SECONDS,
) -> Finding:
    """Send a datagram to a group on the loopback interface and wait until it is back."""
    group = GroupAddress(parse_group_address(DEFAULT_GROUP_ADDRESS).address, free_ports(1)[0])
    fix = "allow multicast on the loopback interface: sudo ip link set lo multicast on"
    word = secrets.token_bytes(16)
    try:
        receiver = open_receiver(
            group,
            interface=interface,
            buffer_bytes=MULTICAST_BUFFER_BYTES,
            wait_at_most_s=within_seconds,
        ).socket
        with receiver, open_sender(interface=interface) as sender:
            transmit(sender, word, to=group)
            heard = receiver.recv(len(word))
    except BlockingIOError:
        lost = f"sent to {group.address} on {interface}, not heard within {within_seconds:g} s"
        return Finding(is_ok=False, found=lost, fix=fix)
    except MulticastError as error:
        return Finding(is_ok=False, found=str(error), fix=fix)
    if heard != word:
        other = f"something else is multicast to {group} on {interface}"
        return Finding(is_ok=False, found=other, fix="end it, or run this again: the port changes")
    return Finding(is_ok=True, found=f"{group.address} heard on {interface}")


def check_memory(available_bytes: int | None = None) -> Finding:
    """Memory that is free or can be freed."""
    available = available_memory_bytes() if available_bytes is None else available_bytes
    return Finding(
        is_ok=available >= MEMORY_NEEDED_BYTES,
        found=f"{_gigabytes(available)} available, needs {_gigabytes(MEMORY_NEEDED_BYTES)}",
        fix="end other programs, or give the machine or the container more memory",
    )


def available_memory_bytes(
    table: Path = _MEMORY_TABLE, *, control_group: Path = _CONTROL_GROUP
) -> int:
    """Return what new programs can have: the kernel's estimate, or less if a container says so."""
    if not table.is_file():  # not Linux: all the memory that there is, as nothing better is known
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    fields = dict(line.split(":") for line in table.read_text(encoding="ascii").splitlines())
    available = int(fields["MemAvailable"].split()[0]) * 1024
    try:
        limit = int((control_group / "memory.max").read_text(encoding="ascii"))
        used = int((control_group / "memory.current").read_text(encoding="ascii"))
    except (OSError, ValueError):  # no container, or one without a limit ("max")
        return available
    return min(available, limit - used)


def check_disk(root: Path | None = None, *, free_bytes: int | None = None) -> Finding:
    """Room on the disk that holds the state directory."""
    place = _nearest_existing(root or state_directory())
    free = shutil.disk_usage(place).free if free_bytes is None else free_bytes
    return Finding(
        is_ok=free >= DISK_NEEDED_BYTES,
        found=f"{_gigabytes(free)} free at {place}, needs {_gigabytes(DISK_NEEDED_BYTES)}",
        fix=f"free some space, or name a folder on another disk in {STATE_VARIABLE}",
    )


def check_state_directory(root: Path | None = None) -> Finding:
    """The folder for everything that Precede keeps on this machine."""
    place = root or state_directory()
    fix = f"change its owner, or name another folder in {STATE_VARIABLE}"
    try:
        with tempfile.TemporaryFile(dir=_nearest_existing(place)) as probe:
            probe.write(b"\0")
            probe.flush()
    except OSError as error:
        return Finding(is_ok=False, found=f"{place} ({error.strerror})", fix=fix)
    return Finding(is_ok=True, found=f"{place} can be written")


def _nearest_existing(place: Path) -> Path:
    """The folder itself or, if it is still to be made, the one in which that would happen."""
    return next((folder for folder in (place, *place.parents) if folder.exists()), place)


def _gigabytes(count: int) -> str:
    return f"{count / _GIGABYTE:.1f} GB"


CHECKS = (
    Check("python", check_python),
    Check("java", check_java),
    Check("packages", check_packages),
    Check("state directory", check_state_directory),
    Check("jars", check_jars),
    Check("ports", check_ports),
    Check("multicast", check_multicast),
    Check("memory", check_memory),
    Check("disk", check_disk),
)
