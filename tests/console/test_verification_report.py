"""A report counts everything and shows a few."""

from __future__ import annotations

from console.verification_report import ANOMALIES, MAXIMUM_EXAMPLES, Findings, together


def test_a_report_without_findings_is_right() -> None:
    report = Findings().report({"captured": 3})
    assert report.ok
    assert report.anomalies == dict.fromkeys(ANOMALIES, 0)
    assert report.counts == {"captured": 3}


def test_every_anomaly_is_counted_and_the_first_are_shown() -> None:
    findings = Findings()
    for number in range(MAXIMUM_EXAMPLES + 3):
        findings.add("lost", f"number {number}")
    report = findings.report({})
    assert not report.ok
    assert report.anomalies["lost"] == MAXIMUM_EXAMPLES + 3
    assert report.examples["lost"] == [f"number {n}" for n in range(MAXIMUM_EXAMPLES)]
    assert report.line().startswith("lost 8  duplicated 0")


def test_reports_of_several_raw_topics_are_summed_up() -> None:
    first, second = Findings(), Findings()
    first.add("lost", "a")
    for number in range(MAXIMUM_EXAMPLES):
        second.add("lost", f"{number}")
    reports = [first.report({"captured": 3}), second.report({"captured": 4})]
    whole = together(reports, groups={"north": {"n"}, "south": {"s"}})
    assert whole.anomalies == dict.fromkeys(ANOMALIES, 0) | {"lost": 6}
    assert whole.examples["lost"] == ["a", "0", "1", "2", "3"]
    assert whole.counts == {"captured": 7}


def test_a_group_of_two_raw_topics_is_two_under_one_name() -> None:
    right = Findings().report({})
    assert together([right, right], groups={"north": {"n"}, "south": {"s"}}).ok
    whole = together([right, right], groups={"north": {"n", "x"}, "south": {"s", "x"}})
    assert whole.anomalies["duplicated"] == 1
    assert "group x is in north and in south" in whole.examples["duplicated"][0]
