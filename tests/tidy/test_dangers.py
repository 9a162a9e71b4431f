"""Law: nothing from outside is ever unpickled or evaluated."""

from __future__ import annotations

import pytest

from tests.tidy.dangers import dangers
from tests.tidy.repository import SourceFile, must_be_none, python_files, repository


def test_nothing_is_unpickled_or_evaluated() -> None:
    must_be_none(dangers(python_files(repository())))


@pytest.mark.parametrize(
    "text",
    [
        "import pickle",
        "from pickle import loads",
        "def f():\n    from pyspark import cloudpickle",
        "import marshal as quick",
        "eval(text)",
        "exec(text)",
        "import builtins\nbuiltins.eval(text)",
        "import os\nos.system(text)",
        "import importlib\nimportlib.import_module('pickle')",
    ],
)
def test_a_planted_danger_is_found(text: str) -> None:
    assert len(dangers([SourceFile("a.py", text)])) == 1


@pytest.mark.parametrize(
    "text", ["import re\nre.compile('x')", "model.eval()", "evaluate(x)", "'import pickle'"]
)
def test_what_only_looks_alike_is_let_be(text: str) -> None:
    assert dangers([SourceFile("a.py", text)]) == []
