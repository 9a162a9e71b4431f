"""The program in the README runs and prints what the README says."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

README = Path(__file__).parent.parent.parent / "README.md"


def test_the_program_prints_what_stands_below_it() -> None:
    found = re.search(
        r"```python\n(.*?)```\nprints\n```text\n(.*?)```", README.read_text(), re.DOTALL
    )
    assert found is not None
    program, expected = found.groups()
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.stdout == expected, done.stderr


def test_every_command_in_the_readme_exists() -> None:
    from console.command import command_names

    text = README.read_text()
    assert set(re.findall(r"precede ([a-z]+)", text)) <= set(command_names())
    makefile = (README.parent / "Makefile").read_text()
    for target in re.findall(r"make ([a-z]+)", text):
        assert f"\n{target}:" in makefile
