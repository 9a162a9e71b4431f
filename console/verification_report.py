"""What a verification found: counts, a few examples of each anomaly, the line that people read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from typing import NamedTuple

ANOMALIES = ("lost", "duplicated", "out_of_order", "unseen", "payload_mismatch")

# Examples kept for each anomaly: enough to start looking, few enough to print.
MAXIMUM_EXAMPLES = 5


class Report(NamedTuple):
    """The result; `ok` if and only if every anomaly is 0."""

    anomalies: dict[str, int]
    examples: dict[str, list[str]]
    counts: dict[str, int]

    @property
    def ok(self) -> bool:
        """Is there no anomaly at all?"""
        return not any(self.anomalies.values())

    def line(self) -> str:
        """The one line that ends every demo."""
        return "  ".join(f"{name} {count}" for name, count in self.anomalies.items())


def together(reports: Sequence[Report], *, groups: Mapping[str, Set[str]]) -> Report:
    """One report for several raw topics, each of which was judged by itself.

    `groups` are those of each topic. A group lives in one: a name that two topics have is two
    sequences under one name, which is counted as `duplicated`.
    """
    findings = Findings()
    counts: Counter[str] = Counter()
    homes: dict[str, str] = {}
    for topic, names in groups.items():
        for name in sorted(names):
            home = homes.setdefault(name, topic)
            if home != topic:
                findings.add(
                    "duplicated",
                    f"group {name} is in {home} and in {topic}: two sequences under one name; "
                    "give it another name in one of them",
                )
    for report in reports:
        findings.take(report)
        counts.update(report.counts)
    return findings.report(dict(counts))


class Findings:
    """Counts anomalies while a verification goes on."""

    def __init__(self) -> None:
        self._examples: dict[str, list[str]] = {name: [] for name in ANOMALIES}
        self._anomalies = dict.fromkeys(ANOMALIES, 0)

    def add(self, anomaly: str, example: str) -> None:
        """Count an anomaly, and keep the example if there are few."""
        self._anomalies[anomaly] += 1
        if len(self._examples[anomaly]) < MAXIMUM_EXAMPLES:
            self._examples[anomaly].append(example)

    def take(self, report: Report) -> None:
        """Count what another report has found."""
        for anomaly, count in report.anomalies.items():
            self._anomalies[anomaly] += count
            kept = self._examples[anomaly]
            kept += report.examples[anomaly][: MAXIMUM_EXAMPLES - len(kept)]

    def report(self, counts: dict[str, int]) -> Report:
        """Close the account."""
        return Report(self._anomalies, self._examples, counts)
