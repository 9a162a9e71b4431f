"""Laws of the jars: complete and unaltered when handed out, however many ask at once."""

import hashlib
import multiprocessing
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from deploy.errors import DirectoryUnfitError, JarAlteredError, JarsUnavailableError
from deploy.local import ivy, jars
from deploy.local.place import state_directory
from deploy.local.sums import read_sums

LISTED = {"spark/one-1.jar": b"one", "kafka/two-2.jar": b"two", "kafka/three-3.jar": b"three"}


class Registry:
    """Stands where Ivy stands; counts how often it is asked, and may hold other bytes."""

    def __init__(self, folder: Path) -> None:
        self.holds = dict(LISTED)
        self.seconds = 0.0
        self._asked = folder / "asked"

    def resolve(
        self, destination: Path, *, cache: Path, home: Path, on_progress: Callable[[int], None]
    ) -> None:
        with self._asked.open("a") as opened:
            opened.write("x")
        assert home.is_dir()
        for count, (name, content) in enumerate(self.holds.items(), start=1):
            cached = cache / "org" / "name" / "jars" / Path(name).name
            cached.parent.mkdir(parents=True, exist_ok=True)
            cached.write_bytes(content)
            (destination / name).parent.mkdir(parents=True, exist_ok=True)
            (destination / name).write_bytes(content)
            time.sleep(self.seconds)
            on_progress(count)

    @property
    def times_asked(self) -> int:
        return len(self._asked.read_text()) if self._asked.exists() else 0


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Registry:
    made = Registry(tmp_path)
    sums = {name: hashlib.sha256(content).hexdigest() for name, content in LISTED.items()}
    monkeypatch.setattr(ivy, "resolve", made.resolve)
    monkeypatch.setattr(jars, "read_sums", lambda: sums)
    return made


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "state"


def test_each_class_path_has_its_own_jars_and_no_other(registry: Registry, root: Path) -> None:
    assert registry.times_asked == 0
    assert jars.spark_jars(root) == [root / "jars" / "spark" / "one-1.jar"]
    kafka = root / "jars" / "kafka"
    assert jars.kafka_classpath(root) == f"{kafka / 'two-2.jar'}:{kafka / 'three-3.jar'}"


def test_the_registry_is_asked_only_when_something_is_missing(
    registry: Registry, root: Path
) -> None:
    folder = jars.ensure_jars(root)
    jars.ensure_jars(root)
    assert registry.times_asked == 1
    (folder / "kafka/two-2.jar").unlink()
    jars.ensure_jars(root)
    assert registry.times_asked == 2
    assert (folder / "kafka/two-2.jar").read_bytes() == b"two"


def test_a_jar_that_is_right_is_not_touched_when_another_is_fetched(
    registry: Registry, root: Path
) -> None:
    folder = jars.ensure_jars(root)
    before = (folder / "spark/one-1.jar").stat().st_ino
    (folder / "kafka/two-2.jar").unlink()
    jars.ensure_jars(root)
    assert registry.times_asked == 2
    assert (folder / "spark/one-1.jar").stat().st_ino == before


def test_an_altered_jar_is_deleted_and_named_with_both_sums(registry: Registry, root: Path) -> None:
    folder = jars.ensure_jars(root)
    (folder / "spark/one-1.jar").write_bytes(b"evil")
    with pytest.raises(JarAlteredError) as raised:
        jars.ensure_jars(root)
    for words in (
        "spark/one-1.jar",
        hashlib.sha256(b"evil").hexdigest(),
        hashlib.sha256(b"one").hexdigest(),
    ):
        assert words in str(raised.value)
    assert not (folder / "spark/one-1.jar").exists()
    jars.ensure_jars(root)
    assert (folder / "spark/one-1.jar").read_bytes() == b"one"
    assert registry.times_asked == 2


def test_a_registry_that_serves_other_bytes_never_reaches_the_jars_folder_or_the_cache(
    registry: Registry, root: Path
) -> None:
    registry.holds["kafka/two-2.jar"] = b"evil"
    with pytest.raises(JarAlteredError, match=r"kafka/two-2\.jar has the SHA-256 sum"):
        jars.ensure_jars(root)
    assert not list((root / "jars").rglob("*.jar"))
    assert not list((root / ivy.CACHE_FOLDER).rglob("two-2.jar"))


def test_a_list_that_does_not_fit_the_versions_says_how_to_renew_it(
    registry: Registry, root: Path
) -> None:
    registry.holds = {"spark/one-2.jar": b"newer", **registry.holds}
    del registry.holds["spark/one-1.jar"]
    with pytest.raises(JarsUnavailableError, match=r"lists spark/one-1\.jar.*--record"):
        jars.ensure_jars(root)


def test_what_a_killed_process_left_is_swept_away(registry: Registry, root: Path) -> None:
    left = root / "jars-1.partial"
    left.mkdir(parents=True)
    jars.ensure_jars(root)
    assert registry.times_asked == 1
    assert sorted(path.name for path in root.iterdir()) == ["ivy-cache", "jars", "jars.lock"]


def test_processes_that_ask_at_once_download_once_and_all_see_whole_jars(
    registry: Registry, root: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    registry.seconds = 0.1
    fork = multiprocessing.get_context("fork")
    asking = [fork.Process(target=jars.ensure_jars, args=(root,)) for _ in range(4)]
    for process in asking:
        process.start()
    for process in asking:
        process.join()
    assert [process.exitcode for process in asking] == [0, 0, 0, 0]
    assert "Waiting for another process that downloads the jars" in capfd.readouterr().err
    assert registry.times_asked == 1
    assert {name: (root / "jars" / name).read_bytes() for name in LISTED} == LISTED


def test_a_folder_that_cannot_be_made_is_one_clear_error(
    registry: Registry, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(DirectoryUnfitError, match=r"cannot be written .* PRECEDE_HOME"):
        jars.ensure_jars(tmp_path / "file" / "state")
    assert registry.times_asked == 0


def test_a_disk_that_is_full_is_one_clear_error(
    registry: Registry, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_arguments: object, **_named: object) -> None:
        raise OSError(28, "No space left on device")

    assert registry.times_asked == 0
    monkeypatch.setattr(ivy, "resolve", full)
    with pytest.raises(DirectoryUnfitError, match=r"No space left on device.*200 MB"):
        jars.ensure_jars(root)


def test_the_module_ends_with_a_sentence_and_not_with_a_trace(
    registry: Registry,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("PRECEDE_HOME", str(tmp_path / "state"))
    assert jars.main([]) == 0
    assert "3 jars in" in capsys.readouterr().out
    registry.holds["kafka/two-2.jar"] = b"evil"
    (tmp_path / "state/jars/kafka/two-2.jar").unlink()
    assert jars.main([]) == 4
    said = capsys.readouterr().err
    assert "error: kafka/two-2.jar has" in said
    assert "Traceback" not in said


@pytest.mark.broker
def test_ivy_yields_exactly_the_jars_of_the_checked_in_list(tmp_path: Path) -> None:
    cache = state_directory() / ivy.CACHE_FOLDER
    jars.ensure_jars()
    (tmp_path / ivy.CACHE_FOLDER).symlink_to(cache)
    folder = jars.ensure_jars(tmp_path)
    found = {path.relative_to(folder).as_posix() for path in folder.rglob("*.jar")}
    assert found == set(read_sums())
