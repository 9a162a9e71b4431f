"""Laws of the errors at the command line."""

from __future__ import annotations

from console.errors import (
    CannotConnectError,
    ConfigurationError,
    OperatorError,
    UsageError,
    describe,
)


class RoomsOwnError(Exception):
    """An operator's error of a room that knows nothing of the command line."""

    is_operator_error = True
    exit_code = 3


def test_an_operators_error_of_a_room_is_recognised_by_its_attributes() -> None:
    assert describe(RoomsOwnError("no broker at h:1")) == ("no broker at h:1", 3)


def test_any_other_error_is_ours() -> None:
    assert describe(ValueError("x")) is None


def test_an_error_with_only_one_of_the_attributes_is_ours() -> None:
    half = ValueError("x")
    half.exit_code = 3  # type: ignore[attr-defined]
    assert describe(half) is None


def test_an_error_without_words_is_named() -> None:
    assert describe(RoomsOwnError()) == ("RoomsOwnError", 3)


def test_each_error_has_its_exit_code() -> None:
    assert OperatorError("x").exit_code == 1
    assert UsageError("x").exit_code == 2
    assert CannotConnectError("x").exit_code == 3
    assert ConfigurationError(("x",)).exit_code == 4


def test_a_configuration_error_tells_every_problem() -> None:
    error = ConfigurationError(("one", "two"))
    assert error.problems == ("one", "two")
    assert str(error) == "one\ntwo"
