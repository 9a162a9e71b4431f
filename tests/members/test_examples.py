"""The example programs run, and print what they are meant to."""

import subprocess
import sys

import pytest

from tests.tidy.repository import ROOT

EXAMPLES = {
    "objects_ucast": "stock says three\nbank was asked 0 times\n",
    "objects_mcast": (
        "1 datagram for 2 printers\n1 datagram for 2 printers\n"
        "left#1: page 1, page 2\nright#1: page 1, page 2\n"
    ),
    "objects_pcast": "hotel#1: one room\nairline#1: two seats\n",
    "objects_srec": "'I think so' completes it: False\nthe judge: it is so\n",
    "objects_crec": "complete after one: False\ncomplete with: north agrees, south agrees\n",
    "objects_drec": "took the file, from near\nthe other one counts: False\n",
    "objects_shop": "answered: charged, reserved\nshipped: a book\n",
    "significant_counter": (
        "add 5 - follows nothing\nadd 7 - follows an earlier one\nlook - follows nothing\n"
    ),
}


SHARED = {"__init__", "stage"}


def test_every_example_is_run() -> None:
    found = {path.stem for path in (ROOT / "examples").glob("*.py")} - SHARED
    assert found == set(EXAMPLES)


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_prints_what_it_should(name: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", f"examples.{name}"],
        capture_output=True,
        check=True,
        text=True,
        cwd=ROOT,
    )
    assert done.stdout == EXAMPLES[name]
