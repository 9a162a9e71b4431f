"""Laws of the `[chat]` section."""

from __future__ import annotations

import pytest

from console.configuration.chat import ChatSettings
from console.configuration.loading import load
from console.errors import ConfigurationError


def test_the_chat_works_without_any_setting_and_without_a_service() -> None:
    assert not ChatSettings().service
    assert ChatSettings().interface == "127.0.0.1"


@pytest.mark.parametrize(
    "assignment", ["chat.name=a b", "chat.name=a#1", "chat.address=somewhere", "chat.service=maybe"]
)
def test_what_can_not_be_used_is_refused_before_the_screen_opens(assignment: str) -> None:
    with pytest.raises(ConfigurationError):
        load(config_file=None, assignments=(assignment,), flags=())
