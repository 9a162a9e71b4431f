"""Laws of the way from what was written to a typed value."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from console.configuration.conversion import ConversionError, convert
from console.configuration.options import Option
from sinks.settings import SecurityProtocol


def option(
    scalar: type, *, is_list: bool = False, optional: bool = False, **metadata: Any
) -> Option:
    return Option(
        section="s",
        name="k",
        scalar=scalar,
        is_list=is_list,
        is_optional=optional,
        is_required=False,
        default=None,
        metadata=metadata,
    )


def from_file(subject: Option, raw: object) -> Any:
    return convert(subject, raw, is_text=False)


def from_text(subject: Option, raw: str) -> Any:
    return convert(subject, raw, is_text=True)


def refusal(subject: Option, raw: object, *, is_text: bool = False) -> str:
    with pytest.raises(ConversionError) as caught:
        convert(subject, raw, is_text=is_text)
    return str(caught.value)


def test_a_file_has_types_of_its_own() -> None:
    assert from_file(option(int), 3) == 3
    assert from_file(option(float), 3) == 3.0
    assert from_file(option(bool), True) is True
    assert from_file(option(str), "x") == "x"
    assert from_file(option(Path), "a/b") == Path("a/b")
    assert from_file(option(int, is_list=True), [1, 2]) == (1, 2)


def test_text_is_read_as_the_type_of_the_option() -> None:
    assert from_text(option(int), "3") == 3
    assert from_text(option(float), "0.5") == 0.5
    assert from_text(option(str, is_list=True), "a, b,") == ("a", "b")
    assert from_text(option(str, is_list=True), "") == ()


@pytest.mark.parametrize("word", ["true", "YES", "on", "1"])
def test_true_has_several_words_in_text(word: str) -> None:
    assert from_text(option(bool), word) is True


@pytest.mark.parametrize("word", ["false", "No", "off", "0"])
def test_false_has_several_words_in_text(word: str) -> None:
    assert from_text(option(bool), word) is False


def test_a_number_in_quotes_is_refused_in_a_file() -> None:
    assert refusal(option(int), "3") == (
        's.k is "3", which is not a whole number; give a whole number, without quotes'
    )


def test_text_without_quotes_is_refused_in_a_file() -> None:
    assert refusal(option(str), 3) == "s.k is 3, which is not text; give text, in quotes"


def test_true_is_no_number_and_one_is_not_true_in_a_file() -> None:
    assert "is not a whole number" in refusal(option(int), True)
    assert "neither true nor false" in refusal(option(bool), 1)


def test_a_broken_number_is_refused() -> None:
    assert "is not a whole number" in refusal(option(int), "1.5", is_text=True)
    assert "is not a whole number" in refusal(option(int), 1.5)
    assert "is not a number" in refusal(option(float), "x", is_text=True)


@pytest.mark.parametrize("number", ["nan", "inf", "-inf"])
def test_only_finite_numbers_are_allowed(number: str) -> None:
    assert "not a finite number" in refusal(option(float), number, is_text=True)


def test_a_range_holds_at_both_ends() -> None:
    ranged = option(int, minimum=1, maximum=9000)
    assert [from_file(ranged, 1), from_file(ranged, 9000)] == [1, 9000]
    assert refusal(ranged, 0) == (
        "s.k is 0, which is below the least allowed, 1; give a whole number from 1 to 9,000"
    )
    assert "is above the most allowed, 9,000" in refusal(ranged, 9001)


def test_a_word_of_an_enum_may_be_written_in_capitals() -> None:
    assert from_file(option(SecurityProtocol), "SASL_SSL") is SecurityProtocol.SASL_SSL


def test_an_unknown_word_is_answered_with_the_known_ones() -> None:
    assert refusal(option(SecurityProtocol), "tls") == (
        's.k is "tls", which is not known; give one of plaintext, ssl, sasl_ssl'
    )
    assert "give one of a, b" in refusal(option(str, choices=("a", "b")), "c")


def test_a_pattern_holds_for_the_whole_text() -> None:
    assert "of the form digits" in refusal(option(str, pattern=r"\d+", form="digits"), "1x")


def test_a_pattern_can_hold_for_each_item_of_a_text() -> None:
    subject = option(str, pattern=r"\w+:\d+", pattern_per_item=True, form="host:port")
    assert from_file(subject, "a:1, b:2") == "a:1, b:2"
    assert "host:port" in refusal(subject, "a:1,b")


def test_a_list_must_be_a_list_in_a_file() -> None:
    assert "is not a list; give a list, each item text" in refusal(option(str, is_list=True), "a")


def test_empty_text_unsets_what_may_be_absent() -> None:
    assert from_text(option(Path, optional=True), "") is None
    assert "is empty" in refusal(option(Path), "", is_text=True)


def test_home_is_understood_in_paths(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/somewhere")
    assert from_text(option(Path), "~/ca.pem") == Path("/somewhere/ca.pem")


def test_a_home_of_nobody_is_refused() -> None:
    message = refusal(option(Path), "~nobody-by-this-name/x")
    assert "names a home that does not exist" in message


def test_a_number_too_large_for_its_type_is_refused() -> None:
    assert "too large" in refusal(option(float), 10**400)
    assert "not a whole number" in refusal(option(int), "9" * 5_000, is_text=True)


def test_a_long_value_is_shown_by_its_beginning() -> None:
    message = refusal(option(int), "x" * 1_000, is_text=True)
    assert "xxx... (1002 characters)" in message
    assert len(message) < 300


def test_a_file_that_is_missing_empty_or_closed_is_said_at_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    subject = option(Path, readable_file=True)
    path = tmp_path / "password"
    assert "is no file; create it" in refusal(subject, str(path))
    path.touch()
    assert "is empty; fill it" in refusal(subject, str(path))
    path.write_text("x", encoding="utf-8")
    assert from_file(subject, str(path)) == path
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert "may not read" in refusal(subject, str(path))


def test_a_file_with_a_secret_must_be_closed_to_others(tmp_path: Path) -> None:
    path = tmp_path / "token"
    path.write_text("x", encoding="utf-8")
    path.chmod(0o644)
    assert from_file(option(Path, readable_file=True), str(path)) == path
    subject = option(Path, readable_file=True, secret_file="token")
    assert f"has the permissions 0644, so that others may use it; close it: chmod 600 {path}" in (
        refusal(subject, str(path))
    )
    path.chmod(0o600)
    assert from_file(subject, str(path)) == path


def test_a_secret_is_never_repeated_in_a_refusal() -> None:
    assert "hunter2" not in refusal(option(str, secret=True, choices=("a",)), "hunter2")
