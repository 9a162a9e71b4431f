"""A secret is shown nowhere."""

import copy
import logging

import pytest

from ingest.authentication.secret import Secret

VALUE = b"hunter2 hunter2 hunter2 hunter2!"


def test_no_text_of_a_secret_has_its_bytes(caplog: pytest.LogCaptureFixture) -> None:
    secret = Secret(VALUE)
    logging.getLogger("x").error("%s %r", secret, [secret])
    shown = f"{secret} {secret!r} {[secret]} {caplog.text} {secret.fingerprint()}"
    assert "hunter" not in shown
    assert VALUE.hex() not in shown


def test_a_secret_does_not_travel() -> None:
    with pytest.raises(TypeError, match="path of its file"):
        copy.copy(Secret(VALUE))


def test_fingerprints_tell_secrets_apart_and_equal_ones_together() -> None:
    assert Secret(VALUE) == Secret(bytes(VALUE))
    assert Secret(VALUE).fingerprint() == Secret(VALUE).fingerprint()
    assert Secret(VALUE) != Secret(VALUE[::-1])
    assert Secret(VALUE).fingerprint() != Secret(VALUE[::-1]).fingerprint()
    assert Secret(VALUE) != VALUE
    assert len({Secret(VALUE), Secret(VALUE)}) == 1
