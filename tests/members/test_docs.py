"""The page for programs: what it shows runs, and prints what it says."""

import subprocess
import sys

from tests.tidy.discipline_docs import PROGRAM
from tests.tidy.repository import ROOT

PAGE = ROOT / "docs" / "members" / "README.md"


def test_the_program_of_the_page_prints_what_the_page_says() -> None:
    programs = PROGRAM.findall(PAGE.read_text(encoding="utf-8"))
    assert programs
    for source, prints in programs:
        done = subprocess.run(
            [sys.executable, "-c", source], capture_output=True, check=True, text=True, cwd=ROOT
        )
        assert done.stdout == prints


def test_every_call_and_every_event_of_the_page_exists() -> None:
    from members import events
    from members.host import MemberHost

    text = PAGE.read_text(encoding="utf-8")
    for name in ("create", "advertise", "refuse", "join", "send", "leave", "synchronise"):
        assert f"| `{name}(" in text
        assert hasattr(MemberHost, name)
    for name in events.MemberEvent.__args__:
        assert f"`{name.__name__}`" in text
