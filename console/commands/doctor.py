"""`precede doctor`: is everything here that Precede needs, and if not, what to do?"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import typer

from console.errors import ExitCode
from console.shared_options import TABLE, Output
from console.terminal import Colour, OutputFormat, Terminal, aligned, terminal_of_process

if TYPE_CHECKING:
    from console.doctor import Diagnosis

OK = "ok"
FAIL = "FAIL"


def register(app: typer.Typer) -> None:
    """Add `doctor`."""
    app.command("doctor", epilog="\b\nExamples:\n  precede doctor\n  precede doctor --output json")(
        doctor
    )


def doctor(
    output: Output = TABLE,
) -> None:
    """Check this machine: Java, jars, packages, ports, multicast, memory and disk.

    Each failure comes with its fix. Exit code 1 if anything fails. Nothing is changed or
    downloaded.
    """
    from console.doctor import CHECKS, examine

    terminal = terminal_of_process(os.environ)
    diagnoses = examine(CHECKS)
    is_well = all(diagnosis.finding.is_ok for diagnosis in diagnoses)
    if output is OutputFormat.JSON:
        terminal.emit_json(_as_json(diagnoses, is_well=is_well))
    else:
        _emit_table(terminal, diagnoses)
    if not is_well:
        raise typer.Exit(ExitCode.CHECK_FAILED)


def _as_json(diagnoses: list[Diagnosis], *, is_well: bool) -> dict[str, object]:
    checks = [
        {
            "name": name,
            "ok": finding.is_ok,
            "found": finding.found,
            "fix": None if finding.is_ok else finding.fix,
        }
        for name, finding in diagnoses
    ]
    return {"ok": is_well, "checks": checks}


def _emit_table(terminal: Terminal, diagnoses: list[Diagnosis]) -> None:
    rows = [[OK if finding.is_ok else FAIL, name, finding.found] for name, finding in diagnoses]
    indent = " " * aligned([[row[0], row[1], "."] for row in rows])[0].index(".")
    for line, (_, finding) in zip(aligned(rows), diagnoses, strict=True):
        if finding.is_ok:
            terminal.emit(terminal.paint(OK, Colour.GOOD) + line[len(OK) :])
            continue
        terminal.emit(terminal.paint(FAIL, Colour.BAD) + line[len(FAIL) :])
        terminal.emit(f"{indent}{terminal.paint('fix:', Colour.STRONG)} {finding.fix}")
    failed = sum(not finding.is_ok for _, finding in diagnoses)
    terminal.emit()
    if failed:
        terminal.emit(f"{failed} of {len(diagnoses)} checks failed; mend them and run this again")
    else:
        terminal.emit("everything is here; next: precede demo")
