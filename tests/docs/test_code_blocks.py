"""Every block of code on every page says what it is, and is run, asked, parsed or checked."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from console.answers.sql import query_duckdb
from console.configuration.loading import load
from tests.console.help_examples import parse, whole_app
from tests.console.shop import precede
from tests.docs.code_blocks import LANGUAGES, Block, blocks, blocks_of
from tests.tidy.repository import ROOT

ALL = list(blocks())

RUN_ELSEWHERE = {
    "docs/disciplines/": "tests/tidy/test_discipline_docs.py",
    "docs/members/README.md": "tests/members/test_docs.py",
    "docs/consumer.md": "tests/sinks/test_consumer_programs.py",
    "docs/job.md": "tests/docs/test_programs_of_spark.py",
}
"""Pages whose programs need something of their own (a broker, Spark, what they print)."""

KNOWN_PROGRAMS = ("pip", "source", "sysctl", "systemctl", "sudo", "ip", "git", "cp", "curl",
                  "tcpdump", "export", "spark-sql", "spark-submit", "cd", "kcat")  # fmt: skip
"""Programs of others that pages name; ours are parsed, modules and targets looked up."""


def of(*languages: str) -> list[Block]:
    return [block for block in ALL if block.language in languages]


def is_elsewhere(block: Block) -> bool:
    is_consumer = "OrderedConsumer(" in block.text
    is_spark = re.search(r"^session\.|\(session,", block.text, re.MULTILINE) is not None
    return is_consumer or is_spark or any(block.page.startswith(page) for page in RUN_ELSEWHERE)


def test_every_block_says_what_it_is() -> None:
    assert [block.place for block in ALL if block.language not in LANGUAGES] == []
    assert len(ALL) > 80


def test_what_is_run_elsewhere_is() -> None:
    for test in RUN_ELSEWHERE.values():
        assert (ROOT / test).is_file()


def test_every_command_of_every_page_is_a_right_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("capture.pcapng", "precede.toml"):
        (tmp_path / name).touch()
    app = whole_app()
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    wrong = []
    for block in (one for one in ALL if one.is_commands):
        for line in block.commands():
            maybe_problem = problem_of(line, app, makefile)
            if maybe_problem is not None:
                wrong.append(f"{block.place}: {line}: {maybe_problem}")
    assert wrong == []


def problem_of(line: str, app: object, makefile: str) -> str | None:
    """What is wrong with a command line; None if nothing is."""
    line = re.split(r"\s[>|&]+(\s|$)", line)[0]
    words = shlex.split(line)
    words = [word for word in words if not re.fullmatch(r"[A-Z_]+=.*", word)] or words
    program = words[0].removeprefix(".venv/bin/")
    if program == "precede":
        try:
            parse(app, words[1:])
        except SystemExit:
            return None
        except Exception as error:
            return str(error) or type(error).__name__
        return None
    if program == "make":
        targets = [word for word in words[1:] if "=" not in word and not word.startswith("-")]
        missing = [target for target in targets if f"\n{target}:" not in makefile]
        return f"there is no target {missing[0]}" if missing else None
    if words[:2] == ["python", "-m"]:
        is_there = importlib.util.find_spec(words[2]) is not None
        return None if is_there else f"there is no module {words[2]}"
    return None if program in KNOWN_PROGRAMS else "not a program that a test knows"


def test_a_planted_wrong_command_is_seen() -> None:
    app, makefile = whole_app(), "\ntest:\n"
    assert problem_of("precede tale", app, makefile) is not None
    assert problem_of("precede tail --nothing", app, makefile) is not None
    assert problem_of("make coffee", app, makefile) == "there is no target coffee"
    assert problem_of("rm -rf x", app, makefile) is not None
    assert problem_of("python -m tests.nothing", app, makefile) is not None
    assert problem_of("precede tail > x", app, makefile) is None
    (block,) = blocks_of("x.md", "```sh\nprecede tail \\\n  --exit  # all\n```\n")
    assert block.commands() == ["precede tail --exit"]
    (block,) = blocks_of("x.md", "```sh\n# two\nprecede sql 'a\n b'\n```\n")
    assert block.commands() == ["precede sql 'a\n b'"]
    (block,) = blocks_of("x.md", "```\nwhat am I?\n```\n")
    assert block.language not in LANGUAGES


@pytest.mark.parametrize(
    "block",
    [one for one in of("console") if one.page != "docs/tutorial.md"],
    ids=lambda one: one.place,
)
def test_every_command_that_is_shown_with_its_output_prints_it(
    block: Block, capsys: pytest.CaptureFixture[str]
) -> None:
    for command, expected in block.printed():
        said = precede(capsys, *shlex.split(command)[1:])
        assert said.code == 0, said.progress
        pattern = ".*".join(re.escape(part) for part in "\n".join(expected).split("…"))
        assert re.fullmatch(pattern, said.out.strip()), said.out


@pytest.mark.parametrize("block", of("toml"), ids=lambda one: one.place)
def test_every_configuration_can_be_used(block: Block, tmp_path: Path) -> None:
    # Files that a configuration names are made, so that only what it says is judged.
    text = re.sub(r'"(/etc/[^"]*)"', lambda found: f'"{_made(tmp_path, found[1])}"', block.text)
    file = tmp_path / "precede.toml"
    file.write_text(text, encoding="utf-8")
    load(config_file=file, assignments=(), flags=())


def _made(folder: Path, path: str) -> str:
    made = folder / Path(path).name
    made.write_text("0" * 64, encoding="ascii")
    made.chmod(0o600)
    return str(made)


@pytest.mark.parametrize("block", of("json"), ids=lambda one: one.place)
def test_every_json_is_json(block: Block) -> None:
    try:
        json.loads(block.text)
    except ValueError:
        for line in block.text.strip().splitlines():
            json.loads(line)


@pytest.mark.parametrize(
    "block", [one for one in of("sql") if one.page != "docs/cookbook.md"], ids=lambda one: one.place
)
def test_every_question_can_be_asked(block: Block, shop: str) -> None:
    text = re.sub(r"delta\.`[^`]*/(\w+)`", r"\1", block.text)
    text = re.sub(r"decode\((\w+), 'UTF-8'\)", r"decode(\1)", text)
    query_duckdb(shop, text)


@pytest.mark.parametrize(
    "block", [one for one in of("python") if not is_elsewhere(one)], ids=lambda one: one.place
)
def test_every_program_runs_and_prints_what_stands_below_it(
    block: Block, shop: str, tmp_path: Path
) -> None:
    shutil.copytree(shop, tmp_path / ".precede" / "tables")
    done = subprocess.run(
        [sys.executable, "-c", block.text],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    text = (ROOT / block.page).read_text(encoding="utf-8")
    below = text[text.index(block.text) + len(block.text) :]
    found = re.match(r"```\nprints[^\n]*\n```\w*\n(.*?)```", below, re.DOTALL)
    if found is not None:
        assert done.stdout == found[1]
