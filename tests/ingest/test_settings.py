import pytest

from ingest.settings import AgentSettings
from ingest.wire.addresses import GroupAddress, Subscription
from ingest.wire.errors import MulticastError


def test_the_defaults_listen_to_one_group_on_this_machine_only() -> None:
    settings = AgentSettings()
    assert settings.subscriptions() == (Subscription(GroupAddress("239.255.80.1", 5080)),)
    assert settings.interface == "127.0.0.1"


def test_every_field_says_what_it_is_for() -> None:
    for field in AgentSettings.__dataclass_fields__.values():
        assert field.metadata["help"].endswith(".")


def test_an_agent_that_would_hear_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="groups is empty"):
        AgentSettings(groups=())


def test_an_agent_that_would_hear_everything_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="twice"):
        AgentSettings(groups=("239.1.1.1:5", "239.1.1.1:05"))


def test_one_group_may_be_heard_on_two_interfaces_and_from_two_senders() -> None:
    texts = ("239.1.1.1:5%eth0", "239.1.1.1:5%eth1", "10.0.0.1@239.1.1.1:5", "[ff15::1]:5")
    settings = AgentSettings(groups=texts)
    assert tuple(str(subscription) for subscription in settings.subscriptions()) == texts


def test_an_address_that_is_no_multicast_address_is_refused() -> None:
    with pytest.raises(MulticastError, match=r"224\.0\.0\.0"):
        AgentSettings(groups=("10.0.0.1:5080",))
