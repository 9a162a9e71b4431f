"""Laws of finding Java: a fit one is found, and an unfit one is refused with what to install."""

import os
from pathlib import Path

import pytest

from deploy.errors import JavaUnfitError
from deploy.local.java import find_java, parse_version


def planted(folder: Path, *, says: str, exit_code: int = 0) -> Path:
    """Put a `java` that says what we want into folder/bin, and return the folder."""
    launcher = folder / "bin" / "java"
    launcher.parent.mkdir(parents=True)
    launcher.write_text(f"#!/bin/sh\necho '{says}' >&2\nexit {exit_code}\n", encoding="utf-8")
    launcher.chmod(0o755)
    return folder


@pytest.mark.parametrize(
    ("said", "version"),
    [
        ('openjdk version "17.0.15" 2025-04-15', 17),
        ('openjdk version "21" 2023-09-19 LTS', 21),
        ('openjdk version "25-ea" 2025-09-16', 25),
        ('java version "1.8.0_292"', 8),
        ('Picked up JAVA_TOOL_OPTIONS: -Xshare:off\nopenjdk version "11.0.2"', 11),
        ("The operation couldn't be completed. Unable to locate a Java Runtime.", None),
        ("", None),
    ],
)
def test_the_version_is_read_from_what_java_prints(said: str, version: int | None) -> None:
    assert parse_version(said) == version


def test_the_java_of_this_machine_is_fit() -> None:
    assert find_java().version in (17, 21)


def test_java_home_wins_over_the_path_as_it_does_for_spark(tmp_path: Path) -> None:
    home = planted(tmp_path / "home", says='openjdk version "21.0.1"')
    other = planted(tmp_path / "other", says='openjdk version "17.0.1"')
    environment = {"JAVA_HOME": str(home), "PATH": f"{other / 'bin'}{os.pathsep}{os.defpath}"}
    assert find_java(environment) == (home / "bin" / "java", 21)


def test_without_java_the_message_says_what_to_install(tmp_path: Path) -> None:
    with pytest.raises(JavaUnfitError, match="No Java was found") as raised:
        find_java({"PATH": str(tmp_path)})
    for word in ("apt install", "dnf install", "brew install"):
        assert word in str(raised.value)


def test_a_java_home_without_java_is_named(tmp_path: Path) -> None:
    with pytest.raises(JavaUnfitError, match=f"JAVA_HOME is {tmp_path}"):
        find_java({"JAVA_HOME": str(tmp_path), "PATH": os.environ["PATH"]})


@pytest.mark.parametrize("version", ["1.8.0_292", "11.0.2", "25"])
def test_a_java_of_another_version_is_refused_with_both_numbers(
    tmp_path: Path, version: str
) -> None:
    home = planted(tmp_path, says=f'openjdk version "{version}"')
    with pytest.raises(JavaUnfitError, match=r"is Java \d+; Spark and Kafka need 17 or 21"):
        find_java({"JAVA_HOME": str(home), "PATH": os.defpath})


def test_a_launcher_that_only_pretends_is_refused(tmp_path: Path) -> None:
    home = planted(tmp_path, says="Unable to locate a Java Runtime.", exit_code=1)
    with pytest.raises(JavaUnfitError, match="did not tell its version"):
        find_java({"JAVA_HOME": str(home), "PATH": os.defpath})


def test_a_launcher_that_cannot_run_is_refused(tmp_path: Path) -> None:
    home = planted(tmp_path, says="")
    (home / "bin" / "java").write_bytes(b"\x00not a program")
    with pytest.raises(JavaUnfitError, match="does not run"):
        find_java({"JAVA_HOME": str(home), "PATH": os.defpath})
