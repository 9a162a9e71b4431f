"""The bounds of authentication fit each other and what they promise."""

from ingest.authentication import bounds
from ingest.authentication.settings import AuthenticationSettings
from ingest.wire import bounds as wire_bounds

PROMISED_BYTES = 140_000_000


def test_a_tag_fits_its_place_in_the_envelope() -> None:
    assert bounds.TAG_BYTES <= wire_bounds.TAG_BYTES


def test_all_windows_together_stay_within_what_is_promised() -> None:
    window_bytes = AuthenticationSettings().replay_window // 8
    assert bounds.REPLAY_SENDERS * bounds.INCARNATIONS * window_bytes < PROMISED_BYTES


def test_a_rotation_needs_two_live_keys() -> None:
    assert bounds.LIVE_KEYS == 2
