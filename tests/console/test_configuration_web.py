"""Laws of the `[web]` section."""

from __future__ import annotations

import dataclasses
import ipaddress

from console.configuration.web import WebSettings


def test_every_field_says_what_it_is() -> None:
    for field in dataclasses.fields(WebSettings):
        assert field.metadata["help"].endswith("."), field.name


def test_the_page_is_for_this_machine_alone_and_only_reads_unless_told_otherwise() -> None:
    settings = WebSettings()
    assert ipaddress.ip_address(settings.address.rpartition(":")[0]).is_loopback
    assert settings.member_address == ""
    assert settings.hosts == ()


def test_the_token_is_a_file_and_never_a_value() -> None:
    names = {field.name for field in dataclasses.fields(WebSettings)}
    assert "token_file" in names
    assert "token" not in names
