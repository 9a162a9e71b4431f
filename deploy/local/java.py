"""Find the Java that Spark and the local broker will run on, and refuse one that they do not.

Called before any JVM is started, so that a machine without Java gives one sentence that says what
to install and not the stack trace of a failed start.
"""

import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from deploy.errors import JavaUnfitError

FIT_VERSIONS = (17, 21)
_HOME_VARIABLE = "JAVA_HOME"
_ANSWERS_WITHIN_SECONDS = 30
# `version "17.0.15"`, `version "21-ea"`, and `version "1.8.0_292"` of the old way of counting.
_VERSION = re.compile(r'version "(?:1\.)?(\d+)')

HOW_TO_INSTALL = (
    "Install Java 17 or 21: `apt install openjdk-17-jre-headless` (Ubuntu, Debian 12; on Debian 13 "
    "openjdk-21-jre-headless), `dnf install java-21-openjdk-headless` (Fedora) or "
    f"`brew install openjdk@21` (macOS); or point {_HOME_VARIABLE} at one."
)


class Java(NamedTuple):
    """A Java that is fit: where its launcher is, and its feature version."""

    launcher: Path
    version: int


def find_java(environment: Mapping[str, str] = os.environ) -> Java:
    """Return the Java to use, or raise `JavaUnfitError` with what to install.

    1. If JAVA_HOME is set, it alone is asked: Spark obeys it too, and the two must agree.
    2. Else the `java` on PATH.
    """
    launcher = _launcher(environment)
    said = _ask_version(launcher, environment)
    version = parse_version(said)
    if version is None:
        raise JavaUnfitError(f"{launcher} did not tell its version. {HOW_TO_INSTALL}")
    if version not in FIT_VERSIONS:
        fit = " or ".join(map(str, FIT_VERSIONS))
        raise JavaUnfitError(
            f"{launcher} is Java {version}; Spark and Kafka need {fit}. {HOW_TO_INSTALL}"
        )
    return Java(launcher=launcher, version=version)


def parse_version(said: str) -> int | None:
    """Return the feature version in what `java -version` printed, None if there is none."""
    found = _VERSION.search(said)
    return int(found.group(1)) if found else None


def _launcher(environment: Mapping[str, str]) -> Path:
    home = environment.get(_HOME_VARIABLE)
    if home:
        launcher = Path(home) / "bin" / "java"
        if not os.access(launcher, os.X_OK):
            raise JavaUnfitError(
                f"{_HOME_VARIABLE} is {home}, but there is no bin/java in it. {HOW_TO_INSTALL}"
            )
        return launcher
    found = shutil.which("java", path=environment.get("PATH", os.defpath))
    if found is None:
        raise JavaUnfitError(f"No Java was found. {HOW_TO_INSTALL}")
    return Path(found)


def _ask_version(launcher: Path, environment: Mapping[str, str]) -> str:
    try:
        answer = subprocess.run(
            [str(launcher), "-version"],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_ANSWERS_WITHIN_SECONDS,
            env=dict(environment),
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise JavaUnfitError(f"{launcher} does not run ({error}). {HOW_TO_INSTALL}") from error
    return answer.stderr + answer.stdout
