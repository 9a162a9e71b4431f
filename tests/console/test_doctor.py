"""Laws of the doctor's checks: each finds the fault that is planted for it, and says the fix."""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path
from typing import Any

import pytest

from console import doctor
from console.doctor import CHECKS, Check, Finding, examine
from deploy.errors import PortBusyError
from deploy.local.sums import read_sums


def assert_fails(finding: Finding, *, found: str) -> None:
    assert not finding.is_ok
    assert found in finding.found
    assert finding.fix


def test_every_check_passes_on_a_machine_that_runs_the_tests() -> None:
    failed = [diagnosis for diagnosis in examine(CHECKS) if not diagnosis.finding.is_ok]
    assert failed == []


def test_every_check_has_a_name_of_its_own() -> None:
    assert len({check.name for check in CHECKS}) == len(CHECKS)


def test_a_check_that_cannot_look_has_failed_and_the_others_are_still_run() -> None:
    def broken() -> Finding:
        raise PortBusyError("no port is left")

    checks = [Check("ports", broken), Check("after", lambda: Finding(is_ok=True, found="fine"))]
    first, second = examine(checks)
    assert_fails(first.finding, found="no port is left")
    assert second.finding.is_ok


def test_an_old_python_is_found() -> None:
    assert_fails(doctor.check_python((3, 10, 4)), found="Python 3.10.4, needs 3.11")
    assert doctor.check_python((3, 11, 0)).is_ok
    assert doctor.check_python((4, 0, 0)).is_ok


def test_a_missing_java_is_found_with_what_to_install(tmp_path: Path) -> None:
    finding = doctor.check_java({"PATH": str(tmp_path)})
    assert_fails(finding, found="No Java was found")
    assert "apt install" in finding.fix


def test_an_old_java_is_found(tmp_path: Path) -> None:
    launcher = tmp_path / "bin" / "java"
    launcher.parent.mkdir()
    launcher.write_text("#!/bin/sh\necho 'java version \"1.8.0\"' >&2\n", encoding="utf-8")
    launcher.chmod(0o755)
    environment = {"JAVA_HOME": str(tmp_path), "PATH": os.defpath}
    assert_fails(doctor.check_java(environment), found="is Java 8; Spark and Kafka need 17 or 21")


def test_a_package_of_another_version_is_found_with_both_versions() -> None:
    installed = doctor.read_pins()["pyspark"]
    finding = doctor.check_packages({"pyspark": "9.9.9", "no-such-package": "1"})
    assert_fails(finding, found=f"pyspark is {installed}, must be 9.9.9")
    assert "no-such-package is missing" in finding.found


def test_the_pins_are_those_of_the_project() -> None:
    assert set(doctor.read_pins()) == set(doctor.PINNED_PACKAGES)


def test_without_a_project_the_jars_say_which_packages_fit(tmp_path: Path) -> None:
    pins = doctor.read_pins(tmp_path / "none")
    assert pins == {name: doctor.read_pins()[name] for name in ("pyspark", "delta-spark")}


def test_missing_jars_are_counted(tmp_path: Path) -> None:
    finding = doctor.check_jars(tmp_path)
    assert_fails(finding, found="52 of 52 are missing")
    assert "deploy.local.jars" in finding.fix


def test_an_altered_jar_is_named_and_not_deleted(tmp_path: Path) -> None:
    name = next(iter(read_sums()))
    altered = tmp_path / "jars" / name
    altered.parent.mkdir(parents=True)
    altered.write_bytes(b"evil")
    assert_fails(doctor.check_jars(tmp_path), found=name)
    assert altered.exists()


def test_a_machine_without_free_ports_is_found() -> None:
    def none_left(count: int) -> list[int]:
        raise PortBusyError(f"fewer than {count} are free; end what listens on them.")

    (diagnosis,) = examine([Check("ports", lambda: doctor.check_ports(none_left))])
    assert_fails(diagnosis.finding, found="fewer than 2 are free")


def test_an_interface_without_multicast_is_found() -> None:
    assert_fails(doctor.check_multicast("192.0.2.1"), found="192.0.2.1")


def test_a_datagram_that_does_not_arrive_is_found() -> None:
    def lose(*_arguments: Any, **_named: Any) -> None:
        """Stand for a network that swallows it."""

    finding = doctor.check_multicast(transmit=lose, within_seconds=0.05)
    assert_fails(finding, found="not heard within 0.05 s")


def test_a_datagram_of_somebody_else_does_not_count() -> None:
    def swap(sender: socket.socket, word: bytes, *, to: Any) -> None:
        sender.sendto(b"?" * len(word), to)

    assert_fails(doctor.check_multicast(transmit=swap), found="something else is multicast")


def test_too_little_memory_is_found_with_both_numbers() -> None:
    finding = doctor.check_memory(available_bytes=1_500_000_000)
    assert_fails(finding, found="1.5 GB available, needs 3.0 GB")


@pytest.mark.parametrize(
    ("limit", "used", "available"),
    [("max", "1", 8_192_000), ("2000000", "500000", 1_500_000), ("99999999", "0", 8_192_000)],
)
def test_memory_is_the_less_of_what_machine_and_container_have(
    tmp_path: Path, limit: str, used: str, available: int
) -> None:
    table = tmp_path / "meminfo"
    table.write_text("MemTotal: 9000 kB\nMemAvailable:    8000 kB\n", encoding="ascii")
    (tmp_path / "memory.max").write_text(limit, encoding="ascii")
    (tmp_path / "memory.current").write_text(used, encoding="ascii")
    assert doctor.available_memory_bytes(table, control_group=tmp_path) == available


def test_memory_without_a_table_of_the_kernel_is_what_the_machine_has(tmp_path: Path) -> None:
    assert doctor.available_memory_bytes(tmp_path / "none") > 0


def test_a_full_disk_is_found_with_both_numbers(tmp_path: Path) -> None:
    finding = doctor.check_disk(tmp_path, free_bytes=100_000_000)
    assert_fails(finding, found="0.1 GB free")
    assert "needs 2.0 GB" in finding.found


def test_a_state_directory_that_is_still_to_be_made_is_fine_and_is_not_made(tmp_path: Path) -> None:
    assert doctor.check_state_directory(tmp_path / "new" / "state").is_ok
    assert doctor.check_disk(tmp_path / "new" / "state").is_ok
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(sys.platform != "linux", reason="needs a folder that nobody may write")
def test_a_state_directory_that_cannot_be_written_is_found() -> None:
    finding = doctor.check_state_directory(Path("/proc/precede"))
    assert_fails(finding, found="/proc/precede")
    assert "PRECEDE_HOME" in finding.fix
