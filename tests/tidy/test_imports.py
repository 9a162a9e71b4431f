"""Law: the rooms import each other only as the table says."""

from __future__ import annotations

import pytest

from tests.tidy.imports import (
    ALL,
    MAY_IMPORT,
    documented_table,
    forbidden_imports,
    foreign_imports,
    heavy_packages,
    impure_imports,
    module_of,
    room_of,
)
from tests.tidy.repository import ROOMS, ROOT, SourceFile, must_be_none, repository, room_files


def planted(path: str, text: str) -> list[SourceFile]:
    return [SourceFile(path, text)]


def test_the_rooms_import_each_other_only_as_the_table_says() -> None:
    must_be_none(forbidden_imports(room_files(repository())))


def test_pure_rooms_use_no_package_of_others() -> None:
    must_be_none(foreign_imports(room_files(repository())))


def test_the_engine_has_no_clock_no_random_and_no_files() -> None:
    must_be_none(impure_imports(room_files(repository())))


def test_light_packages_stay_light() -> None:
    must_be_none(heavy_packages(room_files(repository())))


def test_the_table_names_every_room_once() -> None:
    assert {room.split(".")[0] for room in MAY_IMPORT} == set(ROOMS)
    assert set(ALL) == set(MAY_IMPORT)
    for room, allowed in MAY_IMPORT.items():
        assert all(room_of(name) for name in allowed), room


def test_the_table_is_the_one_that_people_read() -> None:
    page = (ROOT / "docs/ARCHITECTURE.md").read_text(encoding="utf-8")
    documented = {room: set(allowed) for room, allowed in documented_table(page).items()}
    assert documented == {room: set(allowed) for room, allowed in MAY_IMPORT.items()}


def test_no_two_rooms_need_each_other() -> None:
    """Rooms that may import all are at the end of the data's way and are left out."""
    inner = {
        room: {room_of(name) for name in allowed}
        for room, allowed in MAY_IMPORT.items()
        if allowed is not ALL
    }
    done: set[str] = set()
    while len(done) < len(inner):
        ready = {room for room, needed in inner.items() if needed <= done} - done
        assert ready, f"these go round in a circle: {sorted(set(inner) - done)}"
        done |= ready


def test_a_module_belongs_to_the_longest_room_that_fits() -> None:
    assert room_of("ingest.wire.envelope") == "ingest.wire"
    assert room_of("ingest.wired") == "ingest"
    assert room_of("orderings") is None
    assert module_of(SourceFile("ingest/wire/__init__.py", "")) == "ingest.wire"


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("ordering/x.py", "import console.command"),
        ("ordering/x.py", "def f() -> None:\n    from ingest.wire import envelope"),
        ("sinks/x.py", "from ingest import capture"),
        ("sinks/x.py", "import importlib\nimportlib.import_module('streaming.job')"),
        ("ingest/x.py", "from members.member import Member"),
        ("ingest/x.py", "from sinks.records import Origin, Counters"),
        ("ingest/x.py", "from sinks import records"),
        ("ingest/wire/x.py", "from .. import capture"),
        ("ingest/wire/x.py", "from ..capture import Capture"),
        ("streaming/x.py", "from tests.messages import message"),
        ("console/x.py", "import tests"),
        ("simulation/x.py", "from streaming.settings import JobSettings"),
    ],
)
def test_a_planted_import_is_found(path: str, text: str) -> None:
    assert len(forbidden_imports(planted(path, text))) == 1


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("sinks/x.py", "from ingest import wire\nfrom ingest.wire.envelope import decode"),
        ("ingest/x.py", "from sinks.settings import KafkaSettings\nfrom ingest.wire import bounds"),
        ("ingest/x.py", "from sinks import settings"),
        ("ingest/wire/x.py", "from .envelope import decode\nfrom . import envelope"),
        ("ingest/wire/__init__.py", "from . import envelope"),
        ("console/x.py", "import streaming.job, benchmarks"),
        ("tests/x.py", "import console"),
    ],
)
def test_an_allowed_import_is_let_be(path: str, text: str) -> None:
    assert forbidden_imports(planted(path, text)) == []


def test_a_planted_package_of_others_is_found() -> None:
    assert foreign_imports(planted("ordering/x.py", "import msgspec")) == [
        "ordering/x.py:1: imports msgspec; ordering may use the standard library only"
    ]
    assert len(foreign_imports(planted("ingest/wire/x.py", "import numpy"))) == 1
    assert foreign_imports(planted("ingest/wire/x.py", "import msgspec, struct")) == []
    assert foreign_imports(planted("sinks/x.py", "import pandas")) == []


def test_a_planted_clock_is_found() -> None:
    assert len(impure_imports(planted("ordering/x.py", "from time import time"))) == 1
    assert impure_imports(planted("sinks/x.py", "import time")) == []


def test_a_planted_import_in_a_light_package_is_found() -> None:
    assert len(heavy_packages(planted("ingest/__init__.py", "import json"))) == 1
    assert heavy_packages(planted("ingest/x.py", "import json")) == []
