import re

import pytest

from ingest.settings import AgentSettings
from ingest.wire.errors import MulticastError
from ingest.wire.multicast import GroupAddress


def test_the_defaults_listen_to_one_group_on_this_machine_only() -> None:
    settings = AgentSettings()
    assert settings.group_addresses() == (GroupAddress("239.255.80.1", 5080),)
    assert settings.interface == "127.0.0.1"


def test_the_form_of_a_group_fits_the_default_and_no_plain_address() -> None:
    field = AgentSettings.__dataclass_fields__["groups"]
    for text in AgentSettings().groups:
        assert re.fullmatch(field.metadata["pattern"], text)
    assert not re.fullmatch(field.metadata["pattern"], "192.168.1.1:5080")


def test_every_field_says_what_it_is_for() -> None:
    for field in AgentSettings.__dataclass_fields__.values():
        assert field.metadata["help"].endswith(".")


def test_an_agent_that_would_hear_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="groups is empty"):
        AgentSettings(groups=())


def test_an_agent_that_would_hear_everything_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="twice"):
        AgentSettings(groups=("239.1.1.1:5", "239.1.1.1:05"))


def test_an_address_that_is_no_multicast_address_is_refused() -> None:
    with pytest.raises(MulticastError, match=r"224\.0\.0\.0"):
        AgentSettings(groups=("10.0.0.1:5080",))
