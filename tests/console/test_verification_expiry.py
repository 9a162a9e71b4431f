"""A row that upkeep has deleted for its age is not missed, and any other is."""

from __future__ import annotations

from console.verification_expiry import US_PER_DAY, Expiry
from tests.console.test_verification import System


def test_what_is_older_than_its_tables_retention_may_be_gone() -> None:
    expiry = Expiry({"quarantine": 2}, now=10 * US_PER_DAY)
    expiry.note("quarantine", (0, 1), captured_at=7 * US_PER_DAY)
    expiry.note("quarantine", (0, 2), captured_at=9 * US_PER_DAY)
    expiry.note("waits", (0, 1), captured_at=0)
    assert expiry.is_expired("quarantine", (0, 1))
    assert not expiry.is_expired("quarantine", (0, 2))
    assert not expiry.is_expired("waits", (0, 1))


def test_expired_rows_are_counted_and_are_no_anomaly() -> None:
    system = System()
    system.deliveries.pop(0)
    system.quarantine_rows = []
    assert system.verify().anomalies["unseen"] == 2
    system.expiry = Expiry({"deliveries": 1, "quarantine": 1}, now=10 * US_PER_DAY)
    report = system.verify()
    assert report.ok
    assert report.counts["expired"] == 2
