"""Laws of the list of sums: nothing missing and nothing altered goes unnoticed."""

import hashlib
from pathlib import Path

from deploy.local.sums import read_sums, sum_of, take_inventory, write_sums


def jars_in(folder: Path) -> Path:
    for name in ("spark/a-1.jar", "kafka/b-2.jar", "kafka/c-3.jar"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(name.encode())
    return folder


def test_what_is_recorded_is_read_back(tmp_path: Path) -> None:
    folder = jars_in(tmp_path / "jars")
    assert write_sums(folder, file=tmp_path / "sums") == 3
    sums = read_sums(tmp_path / "sums")
    assert list(sums) == ["kafka/b-2.jar", "kafka/c-3.jar", "spark/a-1.jar"]
    assert sums["spark/a-1.jar"] == hashlib.sha256(b"spark/a-1.jar").hexdigest()


def test_a_folder_as_recorded_is_complete(tmp_path: Path) -> None:
    folder = jars_in(tmp_path / "jars")
    write_sums(folder, file=tmp_path / "sums")
    assert take_inventory(folder, sums=read_sums(tmp_path / "sums")).is_complete


def test_a_missing_jar_and_an_altered_one_are_told_apart(tmp_path: Path) -> None:
    folder = jars_in(tmp_path / "jars")
    write_sums(folder, file=tmp_path / "sums")
    sums = read_sums(tmp_path / "sums")
    (folder / "kafka/b-2.jar").unlink()
    (folder / "spark/a-1.jar").write_bytes(b"something else")
    inventory = take_inventory(folder, sums=sums)
    assert not inventory.is_complete
    assert inventory.missing == ("kafka/b-2.jar",)
    (altered,) = inventory.altered
    assert altered.name == "spark/a-1.jar"
    assert altered.recorded == sums["spark/a-1.jar"]
    assert altered.found == sum_of(folder / "spark/a-1.jar")


def test_only_the_names_that_are_asked_for_are_looked_at(tmp_path: Path) -> None:
    folder = jars_in(tmp_path / "jars")
    write_sums(folder, file=tmp_path / "sums")
    (folder / "kafka/b-2.jar").unlink()
    sums = read_sums(tmp_path / "sums")
    assert take_inventory(folder, sums=sums, names=["spark/a-1.jar"]).is_complete


def test_the_checked_in_list_has_both_class_paths() -> None:
    sums = read_sums()
    assert {name.split("/")[0] for name in sums} == {"spark", "kafka"}
    assert all(len(recorded) == 64 for recorded in sums.values())
    assert sum(name.startswith("spark/") for name in sums) == 6
