"""Every help shows an example; every example is a right command line; all are run."""

from __future__ import annotations

import ast
import shutil
import tarfile
from pathlib import Path

import pytest

from console.command import command_names
from deploy.local.broker import Broker
from ingest.wire.envelope import encode
from tests.console.help_examples import (
    RUN_ELSEWHERE,
    Example,
    examples,
    parse,
    parts,
    whole_app,
    without_example,
)
from tests.console.shop import SHOP, precede
from tests.ingest.capture_files import IPV4_GROUP, ip, pcapng, records, udp
from tests.ingest.envelopes import plain
from tests.sinks.ordered_topics import write_ordered
from tests.tidy.repository import ROOT
from tests.topic_tools import new_topics

ALL = list(examples())
FROM_FILES = ("completion", "config", "docs", "doctor", "gaps", "inspect", "keys", "pending",
              "replay", "simulate", "sql", "tail", "thread", "why")  # fmt: skip
"""Commands whose examples need files at most; those that read topics have a broker below."""
A_LINK_OF_RAW_IP = 101
FEW_SEEDS = "20"


def needs_broker(example: Example) -> bool:
    is_topic = "--source topics" in example.line or example.line.startswith("precede replay --")
    return is_topic or (example.command == "tail" and "--source tables" not in example.line)


@pytest.fixture
def shop_folder(shop: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder as the examples take it: what a job left where it does by default, and logs."""
    shutil.copytree(shop, tmp_path / ".precede" / "tables")
    with tarfile.open(ROOT / "tests" / "data" / "checkpoints" / "0.1.0.tar.gz") as kept:
        inside = [one for one in kept.getmembers() if one.name.startswith("checkpoint")]
        kept.extractall(tmp_path / ".precede", members=inside, filter="data")
    (tmp_path / "docs").mkdir()
    shutil.copy(SHOP, tmp_path / "docs" / "shop.jsonl")
    packets = [ip(udp(encode(plain(seq)), IPV4_GROUP), IPV4_GROUP) for seq in range(1, 4)]
    (tmp_path / "capture.pcapng").write_bytes(pcapng(records(packets), A_LINK_OF_RAW_IP))
    (tmp_path / "site.toml").touch()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def words_for(example: Example, folder: Path) -> list[str]:
    """What is typed: files of the machine are files of the folder, and a thousand worlds a few."""
    words = [word.replace("/etc/precede", str(folder)) for word in example.words]
    if "--seeds" in words and words[words.index("--seeds") + 1] != "1":
        words[words.index("--seeds") + 1] = FEW_SEEDS
    if example.command == "tail" and "--exit" not in words:
        words.append("--exit")  # it would wait for more, as it should
    return words


def test_every_command_shows_an_example() -> None:
    assert without_example() == []


def test_every_command_is_run_here_or_by_a_test_that_is_named() -> None:
    assert sorted([*FROM_FILES, *RUN_ELSEWHERE]) == command_names()
    for command, test in RUN_ELSEWHERE.items():
        file = Path(__file__).with_name(f"test_commands_{command}.py")
        tree = ast.parse(file.read_text(encoding="utf-8"))
        assert test in {one.name for one in tree.body if isinstance(one, ast.FunctionDef)}, test


@pytest.mark.parametrize("example", ALL, ids=lambda one: one.line)
def test_every_example_is_a_right_command_line(
    example: Example, shop_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (shop_folder / "precede.toml").touch()
    parse(whole_app(), example.words)
    assert capsys.readouterr().err == ""


def test_a_planted_wrong_example_is_seen() -> None:
    with pytest.raises(BaseException, match="No such option"):
        parse(whole_app(), ["tail", "--no-such-option"])


def test_no_help_shows_a_type_of_python() -> None:
    for path, command in parts():
        context = command.make_context(path, [], resilient_parsing=True)
        options = (one for one in command.params if one.param_type_name == "option")
        for shown in filter(None, (one.get_help_record(context) for one in options)):
            is_choice = "|" in shown[0]
            assert is_choice or "<" not in shown[0], f"precede {path}: {shown[0]} has no metavar"


@pytest.mark.parametrize(
    "example",
    [one for one in ALL if one.command.split()[0] in FROM_FILES and not needs_broker(one)],
    ids=lambda one: one.line,
)
def test_the_examples_that_need_files_at_most_run(
    example: Example, shop_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if example.command == "keys" and "new" not in example.words:
        assert precede(capsys, "keys", "new", "--file", "site.keys").code == 0
        settings = '[authentication]\nkeys_file = "site.keys"\n'
        (shop_folder / "precede.toml").write_text(settings)
    said = precede(capsys, *words_for(example, shop_folder))
    # What a machine lacks is the doctor's to say, not an example's.
    assert said.code == 0 or example.command == "doctor", said.progress
    assert said.out or said.progress


@pytest.mark.broker
def test_the_examples_that_read_topics_run(
    broker: Broker, shop_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kafka = new_topics(broker.bootstrap)
    write_ordered(kafka, range(1, 9), group="shop")
    (shop_folder / "precede.toml").write_text(
        f'[kafka]\nbootstrap = "{kafka.bootstrap}"\ntopic_prefix = "{kafka.topic_prefix}"\n'
    )
    reading = [one for one in ALL if one.command in FROM_FILES and needs_broker(one)]
    assert len(reading) >= 4
    for example in reading:
        said = precede(capsys, *words_for(example, shop_folder))
        assert said.code == 0, (example, said.progress)
