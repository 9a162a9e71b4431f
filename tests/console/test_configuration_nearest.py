"""Laws of the answer to a name that nobody knows."""

from __future__ import annotations

from typing import Any

import pytest

from console.configuration.loading import all_options
from console.configuration.nearest import (
    misspelt_variable_problems,
    nearest,
    unknown_key_problem,
    unknown_section_problem,
)
from console.configuration.sources import Given, Origin, OriginKind


def given(section: str, key: str, *, raw: Any = 1, kind: OriginKind = OriginKind.FILE) -> Given:
    origin = Origin(kind, "here")
    return Given(section, key, raw, False, origin, Origin(kind, "there"))


def test_the_most_alike_name_is_nearest_and_nothing_alike_is_none() -> None:
    assert nearest("bootstap", ["bootstrap", "topic_prefix"]) == "bootstrap"
    assert nearest("zzz", ["bootstrap"]) is None


def test_a_misspelt_key_is_answered_with_the_nearest() -> None:
    problem = unknown_key_problem(given("kafka", "partiton"), all_options())
    assert problem == "here: kafka.partiton is not a known key; did you mean kafka.partitions?"


def test_a_misspelt_variable_is_answered_with_a_variable() -> None:
    item = given("kafka", "partiton", kind=OriginKind.ENVIRONMENT)
    assert "did you mean PRECEDE__KAFKA__PARTITIONS?" in unknown_key_problem(item, all_options())
    item = given("kafak", "partitions", kind=OriginKind.ENVIRONMENT)
    problem = unknown_section_problem(item, all_options())
    assert "did you mean PRECEDE__KAFKA__PARTITIONS?" in problem


def test_a_key_in_the_wrong_section_is_sent_to_the_right_one() -> None:
    problem = unknown_key_problem(given("job", "bootstrap"), all_options())
    assert problem.endswith("did you mean kafka.bootstrap?")


def test_a_key_like_no_other_is_answered_with_all_keys() -> None:
    problem = unknown_key_problem(given("demo", "xyzzy"), all_options())
    assert "[demo] has the keys seconds, seed" in problem


def test_a_secret_in_plain_sight_is_sent_to_its_file_and_not_repeated() -> None:
    problem = unknown_key_problem(given("kafka", "password", raw="hunter2"), all_options())
    assert "name that file in kafka.password_file" in problem
    assert "hunter2" not in problem


def test_a_misspelt_section_is_told_once_where_it_begins() -> None:
    problem = unknown_section_problem(given("kafak", "bootstrap"), all_options())
    assert problem == "there: kafak is not a known section; did you mean [kafka]?"


def test_a_section_like_no_other_is_answered_with_all_sections() -> None:
    problem = unknown_section_problem(given("xyzzy", "", raw={}), all_options())
    assert f"known sections: {', '.join(all_options())}" in problem


@pytest.mark.parametrize("name", ["partitions", "partitons"])
def test_a_key_above_all_sections_is_sent_to_its_own(name: str) -> None:
    problem = unknown_section_problem(given(name, ""), all_options())
    assert problem == f"here: {name} stands outside a section; put partitions below [kafka]"


def test_any_other_key_above_all_sections_is_told() -> None:
    problem = unknown_section_problem(given("xyzzy", ""), all_options())
    assert "xyzzy stands outside a section; keys stand below" in problem


def test_a_variable_without_a_key_is_told_its_form() -> None:
    item = given("bootstrap", "", raw="x", kind=OriginKind.ENVIRONMENT)
    assert "PRECEDE__SECTION__KEY" in unknown_section_problem(item, all_options())


def test_one_underscore_too_few_is_never_passed_over() -> None:
    environ = {"PRECEDE_KAFKA_BOOTSTRAP": "x", "PRECEDE_DEBUG": "1", "PRECEDE_CONFIG": "y"}
    (problem,) = misspelt_variable_problems(environ, all_options())
    assert "did you mean PRECEDE__KAFKA__BOOTSTRAP" in problem
