"""`precede web`: the token, the address, and a clean stop."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from console.commands.web import TOKEN_MARK, token_from
from console.errors import ExitCode, OperatorError
from deploy.local.broker import Broker
from tests.console.desk import Desk
from tests.console.pages import Client, PageProcess


def test_a_new_token_cannot_be_guessed_and_is_never_the_same() -> None:
    tokens = {token_from(None) for _ in range(10)}
    assert len(tokens) == 10
    assert all(len(token) >= 32 for token in tokens)


def test_a_token_of_a_file_is_taken_without_the_line_break(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("sixteen-or-more-letters\n")
    assert token_from(file) == "sixteen-or-more-letters"


@pytest.mark.parametrize("text", ["", "short", "größer-als-sechzehn", "sixteen or more\nlines"])
def test_a_token_that_could_be_guessed_or_mistyped_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "token"
    file.write_text(text)
    with pytest.raises(OperatorError) as error:
        token_from(file)
    assert error.value.exit_code == ExitCode.CONFIGURATION
    assert text.strip() == "" or text not in str(error.value)


@pytest.mark.broker
def test_the_address_is_printed_once_with_the_token_and_sigterm_ends_it_well(
    broker: Broker, tmp_path: Path
) -> None:
    desk = Desk(broker.bootstrap)
    process = PageProcess(desk, tmp_path)
    address, mark, token = process.address.partition(TOKEN_MARK)
    assert mark
    client = Client(address)
    assert client.ask("/livez").json == {"ok": True}
    assert client.write("/api/verify", {}, token=token).status == 200
    code, said = process.stop()
    assert code == ExitCode.OK
    assert token not in said
    assert "Traceback" not in said


@pytest.mark.broker
def test_a_token_of_a_file_is_never_printed(broker: Broker, tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("a-token-that-nobody-sees")
    file.chmod(stat.S_IRUSR | stat.S_IWUSR)
    process = PageProcess(Desk(broker.bootstrap), tmp_path, token_file=str(file))
    assert TOKEN_MARK not in process.address
    client = Client(process.address)
    assert client.write("/api/verify", {}, token="a-token-that-nobody-sees").status == 200
    code, said = process.stop()
    assert code == ExitCode.OK
    assert "nobody-sees" not in said
