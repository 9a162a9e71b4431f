import pytest

from ingest.wire.addresses import (
    GroupAddress,
    Subscription,
    parse_group_address,
    parse_subscription,
    written,
)
from ingest.wire.errors import MulticastError


def test_a_group_address_is_an_address_and_a_port() -> None:
    assert parse_group_address("239.255.80.1:5080") == GroupAddress("239.255.80.1", 5080)
    assert str(GroupAddress("239.255.80.1", 5080)) == "239.255.80.1:5080"


def test_an_ipv6_address_stands_in_brackets_and_has_one_spelling() -> None:
    group = parse_group_address("[FF15:0:0::0080]:5080")
    assert group == GroupAddress("ff15::80", 5080)
    assert group.is_ipv6
    assert str(group) == written("ff15::80", 5080) == "[ff15::80]:5080"


@pytest.mark.parametrize(
    "text",
    ["", "239.1.1.1", "239.1.1.1:", "239.1.1.1:0", "239.1.1.1:65536", "239.1.1.1:x", "10.0.0.1:5",
     "239.1.1.256:5", "host:5", "239.1.1.1:-5", "239.1.1.1:\N{ARABIC-INDIC DIGIT ONE}", ":5",
     "[239.1.1.1]:5", "ff15::80:5", "[ff15::80]", "[ff15::80]:0", "[2001:db8::1]:5", "[ff15::80:5",
     "[ff15::80%eth0]:5", "[]:5"],
)  # fmt: skip
def test_what_is_no_group_address_is_refused_with_what_to_write(text: str) -> None:
    with pytest.raises(MulticastError, match=r"239\.255\.80\.1:5080|1 to 65535"):
        parse_group_address(text)


@pytest.mark.parametrize(
    ("text", "subscription"),
    [
        ("239.1.1.1:5", Subscription(GroupAddress("239.1.1.1", 5))),
        ("239.1.1.1:5%eth0", Subscription(GroupAddress("239.1.1.1", 5), None, "eth0")),
        ("239.1.1.1:5%10.0.0.1", Subscription(GroupAddress("239.1.1.1", 5), None, "10.0.0.1")),
        ("239.1.1.1:5%fe80::1", Subscription(GroupAddress("239.1.1.1", 5), None, "fe80::1")),
        ("10.0.0.7@232.1.1.1:5", Subscription(GroupAddress("232.1.1.1", 5), "10.0.0.7")),
        (
            "2001:db8::7@[ff35::1]:5%eth1",
            Subscription(GroupAddress("ff35::1", 5), "2001:db8::7", "eth1"),
        ),
    ],
)
def test_a_subscription_is_read_and_written_in_one_form(
    text: str, subscription: Subscription
) -> None:
    assert parse_subscription(text) == subscription
    assert str(subscription) == text


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("239.1.1.1:5%", r"239\.255\.80\.1:5080%eth0"),
        ("[ff15::80%eth0]:5", r"\[ff15::80\]:5080%eth0"),
        ("@239.1.1.1:5", r"10\.0\.0\.7@232\.1\.1\.1:5080"),
        ("host@239.1.1.1:5", r"10\.0\.0\.7@232\.1\.1\.1:5080"),
        ("239.1.1.2@239.1.1.1:5", r"10\.0\.0\.7@232\.1\.1\.1:5080"),
        ("0.0.0.0@239.1.1.1:5", r"10\.0\.0\.7@232\.1\.1\.1:5080"),
        ("10.0.0.7:4@239.1.1.1:5", r"without port"),
        ("10.0.0.7@[ff35::1]:5", "own kind"),
        ("2001:db8::7@239.1.1.1:5", "own kind"),
        ("10.0.0.7@10.0.0.8:5", r"239\.255\.80\.1:5080"),
    ],
)
def test_what_is_no_subscription_is_refused_with_what_to_write(text: str, advice: str) -> None:
    with pytest.raises(MulticastError, match=advice):
        parse_subscription(text)
