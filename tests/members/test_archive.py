"""The seam to the service: whatever fits it can be a member's archive."""

from members.archive import Archive
from members.kafka_archive import KafkaArchive
from members.simulated_archive import SimulatedService
from sinks.settings import KafkaSettings


def test_the_real_and_the_simulated_archive_fit_the_same_seam() -> None:
    archives: list[Archive] = [SimulatedService().archive(), KafkaArchive(KafkaSettings())]
    for archive in archives:
        archive.close()
        archive.close()
