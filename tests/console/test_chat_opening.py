"""Laws of opening: what was chosen becomes a member, and what can't be used one sentence."""

from __future__ import annotations

import getpass
from pathlib import Path

import pytest

from console.chat.opening import WITH_SERVICE, login_name, open_member
from console.configuration.chat import ChatSettings
from console.errors import OperatorError
from ingest.authentication.settings import AuthenticationSettings
from ingest.wire.errors import MulticastError
from members.kafka_archive import KafkaArchive
from sinks.settings import KafkaSettings

OPEN = AuthenticationSettings()
KAFKA = KafkaSettings()


def test_without_the_service_there_is_no_archive() -> None:
    opened = open_member(ChatSettings(name="alice"), kafka=KAFKA, authentication=OPEN)
    assert opened.manager.name == "alice"
    assert opened.maybe_archive is None


def test_with_the_service_it_is_asked_soon() -> None:
    chat = ChatSettings(name="alice", service=True)
    opened = open_member(chat, kafka=KAFKA, authentication=OPEN)
    assert isinstance(opened.maybe_archive, KafkaArchive)
    assert opened.manager._pace == WITH_SERVICE


def test_a_later_start_is_a_later_incarnation() -> None:
    opened = open_member(ChatSettings(name="alice"), kafka=KAFKA, authentication=OPEN)
    assert opened.manager.incarnation > 1_000


def test_without_a_name_it_is_the_login_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(getpass, "getuser", lambda: "carol")
    assert open_member(ChatSettings(), kafka=KAFKA, authentication=OPEN).manager.name == "carol"

    def nobody() -> str:
        raise OSError

    monkeypatch.setattr(getpass, "getuser", nobody)
    assert login_name() == "somebody"


@pytest.mark.parametrize(
    ("chat", "error"),
    [
        (ChatSettings(name="a" * 300), OperatorError),
        (ChatSettings(name="alice", address="10.0.0.1:5080"), MulticastError),
        (ChatSettings(name="alice", listen="10.0.0.1:5080"), MulticastError),
    ],
)
def test_what_can_not_be_used_is_one_sentence(chat: ChatSettings, error: type[Exception]) -> None:
    with pytest.raises(error) as caught:
        open_member(chat, kafka=KAFKA, authentication=OPEN)
    assert "\n" not in str(caught.value)


def test_keys_that_are_not_there_are_told(tmp_path: Path) -> None:
    authentication = AuthenticationSettings(keys_file=tmp_path / "none", groups=("dev=mac",))
    with pytest.raises(Exception, match="none"):
        open_member(ChatSettings(name="alice"), kafka=KAFKA, authentication=authentication)
