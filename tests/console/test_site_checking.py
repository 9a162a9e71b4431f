"""A planted fault in a site is found."""

from __future__ import annotations

from pathlib import Path

import pytest

from console.site.checking import problems


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ('<a href="nowhere.html">', "is not there"),
        ('<a href="#nothing">', "no such heading"),
        ('<a href="b.html#nothing">', "no such heading"),
        ('<script src="https://example.org/x.js">', "another host"),
        ('<img src="gone.png">', "is not there"),
    ],
)
def test_a_planted_fault_is_told(tmp_path: Path, fault: str, said: str) -> None:
    (tmp_path / "b.html").write_text('<h1 id="here">b</h1>')
    page = tmp_path / "a.html"
    page.write_text('<a href="b.html#here">b</a> <a href="https://example.org">out</a>')
    assert problems(tmp_path) == []
    page.write_text(page.read_text() + fault)
    assert len(problems(tmp_path)) == 1
    assert said in problems(tmp_path)[0]
