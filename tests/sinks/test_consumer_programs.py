"""The programs that the pages show for the consumer run, against the real broker."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from deploy.local.broker import Broker
from sinks.settings import KafkaSettings
from tests.sinks.ordered_topics import write_ordered, write_table
from tests.tidy.repository import ROOT
from tests.topic_tools import new_topics

pytestmark = pytest.mark.broker


def program_of(page: str) -> str:
    blocks: list[str] = re.findall(
        r"```python\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL
    )
    (found,) = [block for block in blocks if "OrderedConsumer(" in block]
    return found


def run(program: str, kafka: KafkaSettings, folder: Path) -> list[str]:
    """Run a program as it stands, at another broker and with another prefix."""
    here = f'"{kafka.bootstrap}", topic_prefix="{kafka.topic_prefix}"'
    assert '"127.0.0.1:9092"' in program
    done = subprocess.run(
        [sys.executable, "-c", program.replace('"127.0.0.1:9092"', here)],
        capture_output=True,
        text=True,
        cwd=folder,
        check=False,
        timeout=120,
        env={"PYTHONPATH": str(ROOT)},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_the_program_of_the_readme_goes_on_where_it_ended(broker: Broker, tmp_path: Path) -> None:
    kafka = new_topics(broker.bootstrap)
    write_ordered(kafka, [1, 2, 2, 3], group="rust")
    write_table(str(tmp_path / ".precede" / "tables"), [1, 2], group="rust")
    program = program_of("README.md")
    assert run(program, kafka, tmp_path) == [f"rust {n} a#1 rust {n}" for n in (1, 2, 3)]
    write_ordered(kafka, [3, 4], group="rust")
    assert run(program, kafka, tmp_path) == ["rust 4 a#1 rust 4"]


def test_the_program_of_the_page_prints_messages_and_counts(broker: Broker, tmp_path: Path) -> None:
    kafka = new_topics(broker.bootstrap)
    write_ordered(kafka, [1, 1, 2], group="rust")
    write_table(str(tmp_path / ".precede" / "tables"), [1], group="rust")
    assert run(program_of("docs/consumer.md"), kafka, tmp_path) == [
        "1 a#1:1 None rust 1",
        "2 a#1:2 None rust 2",
        "Counts(given=2, repeats=1, lost=0, foreign=0)",
    ]
