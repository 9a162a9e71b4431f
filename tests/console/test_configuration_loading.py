"""Laws of the whole configuration."""

from __future__ import annotations

import contextlib
import dataclasses
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from console.configuration.loading import Loaded, load
from console.configuration.sources import Flag, OriginKind
from console.errors import ConfigurationError, ExitCode
from sinks.settings import KafkaSettings
from streaming.settings import JobSettings

WORDS = (
    *("[kafka]", "[job]", "kafka", "partitions", "ca_file", "groups", " = ", ".", "\n", "[", "]"),
    *('"', "1", "-1", "1e999", "9" * 5_000, "nan", "{", "}", "~x", "\\u0000", "\x1b", "true"),
)


def loaded(
    folder: Path,
    *,
    text: str | None = None,
    environ: dict[str, str] | None = None,
    flags: list[Flag] | None = None,
    assignments: list[str] | None = None,
) -> Loaded:
    if text is not None:
        (folder / "precede.toml").write_text(text, encoding="utf-8")
    return load(
        folder=folder, environ=environ or {}, flags=flags or [], assignments=assignments or []
    )


def problems(folder: Path, text: str, **environ: str) -> tuple[str, ...]:
    with pytest.raises(ConfigurationError) as caught:
        loaded(folder, text=text, environ=environ)
    assert caught.value.exit_code == ExitCode.CONFIGURATION
    return caught.value.problems


def partitions(result: Loaded) -> tuple[int, OriginKind]:
    (setting,) = (s for s in result.settings if s.option.path == "kafka.partitions")
    assert setting.value == result.configuration.kafka.partitions
    return setting.value, setting.origin.kind


def test_without_any_source_everything_is_a_default(tmp_path: Path) -> None:
    result = loaded(tmp_path)
    assert result.configuration.kafka == KafkaSettings()
    assert result.configuration.job == JobSettings()
    assert {setting.origin.kind for setting in result.settings} == {OriginKind.DEFAULT}
    assert result.maybe_file is None


def test_the_stronger_source_wins(tmp_path: Path) -> None:
    text = "[kafka]\npartitions = 4\n"
    environ = {"PRECEDE__KAFKA__PARTITIONS": "5"}
    flags = [Flag("--partitions", "kafka.partitions", 6)]
    assert partitions(loaded(tmp_path)) == (2, OriginKind.DEFAULT)
    assert partitions(loaded(tmp_path, text=text)) == (4, OriginKind.FILE)
    assert partitions(loaded(tmp_path, environ=environ)) == (5, OriginKind.ENVIRONMENT)
    assert partitions(loaded(tmp_path, environ=environ, flags=flags)) == (6, OriginKind.FLAG)
    assigned = loaded(tmp_path, environ=environ, assignments=["kafka.partitions=7"])
    assert partitions(assigned) == (7, OriginKind.FLAG)


def test_all_problems_are_told_at_once_each_with_its_place(tmp_path: Path) -> None:
    text = '[kafka]\npartitions = 0\nbootstap = "h:1"\n[job]\ngive_up = "drop"\n[demmo]\n'
    found = problems(tmp_path, text, PRECEDE__JOB__TASKS="many", PRECEDE_JOB_TASKS="1")
    places = [problem.removeprefix(f"{tmp_path}/").split(": ")[0] for problem in found]
    assert sorted(places) == [
        "PRECEDE_JOB_TASKS",
        "PRECEDE__JOB__TASKS",
        "precede.toml:2",
        "precede.toml:3",
        "precede.toml:5",
        "precede.toml:6",
    ]


def test_a_file_that_cannot_be_read_hides_no_other_problem(tmp_path: Path) -> None:
    found = problems(tmp_path, "[kafka", PRECEDE__JOB__TASKS="many")
    assert len(found) == 2


def test_a_wrong_value_is_told_even_if_a_stronger_source_covers_it(tmp_path: Path) -> None:
    (problem,) = problems(tmp_path, "[kafka]\npartitions = 0\n", PRECEDE__KAFKA__PARTITIONS="4")
    assert "kafka.partitions is 0" in problem


def test_an_unknown_section_is_told_once_however_many_keys_it_has(tmp_path: Path) -> None:
    (problem,) = problems(tmp_path, "[jobs]\ntasks = 1\nlog_level = 'info'\n")
    assert problem.endswith("precede.toml:1: jobs is not a known section; did you mean [job]?")


def test_a_section_that_is_given_a_value_is_told(tmp_path: Path) -> None:
    (problem,) = problems(tmp_path, "kafka = 3\n")
    assert "kafka is a section and not a value" in problem


def test_an_empty_section_is_fine(tmp_path: Path) -> None:
    assert loaded(tmp_path, text="[kafka]\n[job]\n").configuration.kafka == KafkaSettings()


def test_values_that_do_not_fit_together_are_told_with_their_places(tmp_path: Path) -> None:
    (problem,) = problems(tmp_path, '[kafka]\n\nsecurity_protocol = "sasl_ssl"\n')
    assert problem.startswith("[kafka] security_protocol is sasl_ssl, which needs username")
    assert problem.endswith("precede.toml:3)")


def test_a_secret_never_appears_in_what_is_told(tmp_path: Path) -> None:
    told = problems(
        tmp_path,
        '[kafka]\npassword = "hunter2"\n[kafak]\npassword = "hunter2"\n',
        PRECEDE__KAFKA__PASSWORD="hunter2",
    )
    assert len(told) == 3
    assert "hunter2" not in " ".join(told)


def test_the_configuration_never_changes(tmp_path: Path) -> None:
    configuration = loaded(tmp_path).configuration
    with pytest.raises(dataclasses.FrozenInstanceError):
        configuration.kafka = KafkaSettings()  # type: ignore[misc]


def test_a_file_named_by_a_variable_is_read(tmp_path: Path) -> None:
    (tmp_path / "site.toml").write_text("[kafka]\npartitions = 9\n", encoding="utf-8")
    result = loaded(tmp_path, environ={"PRECEDE_CONFIG": "site.toml"})
    assert partitions(result) == (9, OriginKind.FILE)
    assert result.maybe_file == tmp_path / "site.toml"


@given(st.lists(st.sampled_from(WORDS) | st.text(max_size=5), max_size=30).map("".join))
def test_whatever_the_file_holds_the_outcome_is_a_configuration_or_problems(text: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "precede.toml"
        path.write_bytes(text.encode("utf-8", errors="surrogatepass"))
        with contextlib.suppress(ConfigurationError):
            load(folder=Path(folder), environ={})


@given(
    name=st.sampled_from(
        ["KAFKA__PARTITIONS", "AGENT__GROUPS", "KAFKA__CA_FILE", "DEMO__LOSS", "X"]
    ),
    value=st.text(max_size=10) | st.sampled_from(["1e999", "~nobody-here/x", "nan", "9" * 5_000]),
)
def test_whatever_a_variable_holds_the_outcome_is_a_configuration_or_problems(
    name: str, value: str
) -> None:
    with tempfile.TemporaryDirectory() as folder, contextlib.suppress(ConfigurationError):
        load(folder=Path(folder), environ={f"PRECEDE__{name}": value})
