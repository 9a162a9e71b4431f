"""Laws of the places where a value can be written."""

from __future__ import annotations

from pathlib import Path

import pytest

from console.configuration.sources import (
    FILE_NAME,
    MOST_FILE_BYTES,
    Flag,
    display_name,
    find_file,
    read_assignments,
    read_environment,
    read_file,
    read_flags,
)
from console.errors import ConfigurationError


def write(folder: Path, text: str) -> Path:
    path = folder / FILE_NAME
    path.write_text(text, encoding="utf-8")
    return path


def problem_of(path: Path) -> str:
    with pytest.raises(ConfigurationError) as caught:
        read_file(path)
    (problem,) = caught.value.problems
    return problem


def test_a_value_of_the_file_knows_its_line_and_that_of_its_section(tmp_path: Path) -> None:
    (given,) = read_file(write(tmp_path, "\n[kafka]\n\npartitions = 4\n"))
    assert (given.section, given.key, given.raw, given.is_text) == ("kafka", "partitions", 4, False)
    assert given.origin.text.endswith("precede.toml:4")
    assert given.section_origin.text.endswith("precede.toml:2")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a = " + "[" * 5_000, 1),
        ("[kafka\na = 1", 1),
        ("a = 1\n\nb = x y", 3),
        ("a = 1\na = 2\n\n", 2),
        ("a = [1,\n2\n", 2),
    ],
)
def test_what_is_no_toml_is_told_with_its_line(tmp_path: Path, text: str, line: int) -> None:
    assert f"{FILE_NAME}:{line}: not valid TOML (" in problem_of(write(tmp_path, text))


def test_what_is_no_text_is_told(tmp_path: Path) -> None:
    path = tmp_path / FILE_NAME
    path.write_bytes(b"a = '\xff'")
    assert "is not UTF-8 text (byte 5)" in problem_of(path)


def test_a_huge_file_is_some_other_file(tmp_path: Path) -> None:
    path = write(tmp_path, "#" * (MOST_FILE_BYTES + 1))
    assert f"has {MOST_FILE_BYTES + 1} bytes, more than {MOST_FILE_BYTES}" in problem_of(path)


def test_a_folder_in_the_place_of_the_file_is_told(tmp_path: Path) -> None:
    assert "cannot be read (is a directory)" in problem_of(tmp_path)


def test_the_flag_wins_over_the_variable_and_the_variable_over_the_folder(tmp_path: Path) -> None:
    for name in (FILE_NAME, "variable.toml", "flag.toml"):
        (tmp_path / name).touch()
    environ = {"PRECEDE_CONFIG": "variable.toml"}
    assert find_file(Path("flag.toml"), environ, tmp_path) == tmp_path / "flag.toml"
    assert find_file(None, environ, tmp_path) == tmp_path / "variable.toml"
    assert find_file(None, {}, tmp_path) == tmp_path / FILE_NAME


def test_no_file_is_needed(tmp_path: Path) -> None:
    assert find_file(None, {}, tmp_path) is None


@pytest.mark.parametrize(
    ("flag", "environ", "named_by"),
    [(Path("x.toml"), {}, "--config"), (None, {"PRECEDE_CONFIG": "x.toml"}, "PRECEDE_CONFIG")],
)
def test_a_named_file_that_is_not_there_is_a_problem(
    tmp_path: Path, flag: Path | None, environ: dict[str, str], named_by: str
) -> None:
    with pytest.raises(ConfigurationError, match=f"{named_by}: x.toml is no file"):
        find_file(flag, environ, tmp_path)


def test_variables_of_others_are_left_alone() -> None:
    environ = {"HOME": "h", "PRECEDE_DEBUG": "1", "PRECEDE__KAFKA__PARTITIONS": "4"}
    (given,) = read_environment(environ)
    assert (given.section, given.key, given.raw, given.is_text) == (
        "kafka",
        "partitions",
        "4",
        True,
    )
    assert given.origin.text == "PRECEDE__KAFKA__PARTITIONS"


def test_only_flags_that_were_used_count() -> None:
    flags = [
        Flag("--bootstrap", "kafka.bootstrap", None),
        Flag("--seconds", "demo.seconds", 3),
        Flag("--ca", "kafka.ca_file", Path("x")),
    ]
    seconds, authority = read_flags(flags)
    assert (seconds.key, seconds.raw, seconds.is_text, seconds.origin.text) == (
        "seconds",
        3,
        False,
        "--seconds",
    )
    assert (authority.raw, authority.is_text) == ("x", True)


def test_an_assignment_has_one_form() -> None:
    (given,) = read_assignments(["kafka.bootstrap=a=b"])
    assert (given.section, given.key, given.raw) == ("kafka", "bootstrap", "a=b")
    for wrong in ("kafka", "kafka.bootstrap", "bootstrap=x", ".x=1", "x.=1"):
        with pytest.raises(ConfigurationError, match=r"has not the form section\.key=value"):
            read_assignments([wrong])


def test_a_file_below_the_current_folder_is_named_shortly(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert display_name(tmp_path / "a" / "b.toml") == "a/b.toml"
    assert display_name(Path("/elsewhere/b.toml")) == "/elsewhere/b.toml"
