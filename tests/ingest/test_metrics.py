import re
from pathlib import Path

from ingest.counters import AgentCounters
from ingest.metrics import EXPOSITION, METRICS, reference_page, render
from ingest.telemetry.exposition import MetricKind
from tests.ingest.vital_signs import counters, healthy

PAGE = Path(__file__).parents[2] / "docs" / "edge" / "metrics.md"
LINE = re.compile(r'precede_agent_[a-z_]+(\{[a-z]+="[^"]*"\})? -?\d+(\.\d+)?')


def test_every_line_is_one_that_prometheus_reads() -> None:
    for line in render(healthy()).splitlines():
        assert re.match(r"# (HELP|TYPE) precede_agent_[a-z_]+ \S", line) or LINE.fullmatch(line)


def test_every_counter_of_the_agent_is_a_metric_with_its_value() -> None:
    text = render(healthy())
    values = set(re.findall(r" (\d+)$", text, re.MULTILINE))
    for name in AgentCounters.__slots__:
        count = getattr(counters(), name)
        for number in count.values() if isinstance(count, dict) else [count]:
            assert str(number) in values, name


def test_counters_are_named_as_counters_and_no_name_is_used_twice() -> None:
    names = [EXPOSITION.prefix + metric.name for metric in METRICS]
    assert len(set(names)) == len(names)
    for metric in METRICS:
        assert metric.name.endswith("_total") == (metric.kind is MetricKind.COUNTER)
        assert metric.help.endswith(".")


def test_what_is_counted_by_reason_has_a_line_for_each() -> None:
    text = render(healthy())
    assert 'precede_agent_malformed_total{reason="too_short"} 3\n' in text
    assert 'precede_agent_malformed_total{reason="not_ours"} 4\n' in text


def test_a_label_cannot_break_out_of_its_quotes() -> None:
    text = render(healthy(counters=counters(refused={'a"\n\\b': 1})))
    assert r'{reason="a\"\n\\b"} 1' in text


def test_states_are_numbers() -> None:
    text = render(healthy(is_kafka_away=True, maybe_disk_trouble="full"))
    assert "precede_agent_kafka_up 0\n" in text
    assert "precede_agent_spool_disk_up 0\n" in text
    assert "precede_agent_looked_before_seconds 0.25\n" in text


def test_the_page_is_the_one_that_the_code_makes() -> None:
    assert PAGE.read_text(encoding="utf-8") == reference_page()
