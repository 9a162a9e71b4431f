"""Two machines for tests: network namespaces joined by two veth cables, IPv4 and IPv6 on each.

    near: near0 10.80.0.1 fd80::1 ──────── far0 10.80.0.2 fd80::2 :far
          near1 10.81.0.1 fd81::1 ──────── far1 10.81.0.2 fd81::2

Needs root and iproute2. Where they are missing `two_machines` gives None, and says why: the laws
then hold on loopback as far as loopback can show them.
"""

import ctypes
import os
import shutil
import subprocess
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple

from tests.ingest.loopback import wait_until

_CLONE_NEWNET = 0x40000000
_setns = ctypes.CDLL(None, use_errno=True).setns
CABLES = (0, 1)


class Machine(NamedTuple):
    """One side: the namespace, and the names and addresses of its ends of the cables."""

    namespace: str
    interfaces: tuple[str, str]
    ipv4: tuple[str, str]
    ipv6: tuple[str, str]

    @contextmanager
    def inside(self) -> Iterator[None]:
        """Let this thread, and those that it starts, live on this machine."""
        home = Path(f"/proc/self/task/{threading.get_native_id()}/ns/net")
        here = os.open(home, os.O_RDONLY)
        there = os.open(f"/run/netns/{self.namespace}", os.O_RDONLY)
        try:
            _enter(there)
            yield
        finally:
            _enter(here)
            os.close(there)
            os.close(here)


class Machines(NamedTuple):
    near: Machine
    far: Machine


@contextmanager
def two_machines() -> Iterator[Machines | None]:
    """Make both, joined and up; None, with a warning that says why, where that is not allowed."""
    pair = Machines(_machine("near", 1), _machine("far", 2))
    try:
        _build(pair)
    except (OSError, subprocess.CalledProcessError) as error:
        said = getattr(error, "stderr", None) or str(error)
        warnings.warn(f"no network namespaces here, loopback instead: {said}", stacklevel=2)
        yield None
        return
    try:
        yield pair
    finally:
        for machine in pair:
            _ip("netns", "delete", machine.namespace)


def _machine(side: str, number: int) -> Machine:
    return Machine(
        f"precede-{side}-{os.getpid()}",
        (f"{side}0", f"{side}1"),
        (f"10.80.0.{number}", f"10.81.0.{number}"),
        (f"fd80::{number}", f"fd81::{number}"),
    )


def _build(pair: Machines) -> None:
    for machine in pair:
        _ip("netns", "add", machine.namespace)
    near, far = pair
    for cable in CABLES:
        _ip(
            "link", "add", near.interfaces[cable], "netns", near.namespace, "type", "veth",
            "peer", "name", far.interfaces[cable], "netns", far.namespace,
        )  # fmt: skip
        for machine in pair:
            interface = machine.interfaces[cable]
            there = ("-n", machine.namespace)
            _ip(*there, "address", "add", f"{machine.ipv4[cable]}/24", "dev", interface)
            _ip(*there, "address", "add", f"{machine.ipv6[cable]}/64", "dev", interface, "nodad")
            _ip(*there, "link", "set", interface, "up")
    for machine in pair:
        for interface in machine.interfaces:
            wait_until(partial(_is_ready, machine, interface))


def _is_ready(machine: Machine, interface: str) -> bool:
    """Whether multicast finds its way: the kernel sets the routes of a new cable after a while."""
    try:
        _ip("-n", machine.namespace, "-6", "route", "get", "ff15::1", "oif", interface)
    except subprocess.CalledProcessError:
        return False
    return True


def _ip(*arguments: str) -> None:
    tool = shutil.which("ip")
    if tool is None:
        raise FileNotFoundError("the tool ip (iproute2) is not installed")
    subprocess.run([tool, *arguments], check=True, capture_output=True, text=True)


def _enter(namespace: int) -> None:
    if _setns(namespace, _CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "can't enter the namespace")
