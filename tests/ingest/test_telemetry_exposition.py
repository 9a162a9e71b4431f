"""What is measured is written as Prometheus reads it."""

from __future__ import annotations

import math

from ingest.telemetry.exposition import Distribution, Exposition, Metric, MetricKind

BY_KIND = Distribution((0.5, 1.0))
for value in (0.1, 0.5, 0.7, 9.0):
    BY_KIND.add(value)

EXPOSITION: Exposition[int] = Exposition(
    "x_",
    (
        Metric("plain", MetricKind.GAUGE, "A number.", lambda n: n / 2),
        Metric("both", MetricKind.COUNTER, "By two.", lambda n: {("a", "b"): n}, ("one", "two")),
        Metric("took", MetricKind.HISTOGRAM, "How long.", lambda _: {"k": BY_KIND}, ("kind",)),
    ),
)


def test_a_number_has_a_line_and_labels_name_their_values() -> None:
    text = EXPOSITION.render(3)
    assert "# HELP x_plain A number.\n# TYPE x_plain gauge\nx_plain 1.5\n" in text
    assert 'x_both{one="a",two="b"} 3\n' in text


def test_a_distribution_counts_up_to_each_bound() -> None:
    lines = EXPOSITION.render(3).splitlines()
    assert [line for line in lines if line.startswith("x_took")] == [
        'x_took_bucket{kind="k",le="0.5"} 2',
        'x_took_bucket{kind="k",le="1"} 3',
        'x_took_bucket{kind="k",le="+Inf"} 4',
        f'x_took_sum{{kind="k"}} {BY_KIND.total!r}',
        'x_took_count{kind="k"} 4',
    ]


def test_a_quantile_is_the_bound_below_which_the_share_lies() -> None:
    assert BY_KIND.quantile(0.5) == 0.5
    assert BY_KIND.quantile(0.75) == 1.0
    assert math.isinf(BY_KIND.quantile(0.99))
    assert Distribution((1.0,)).quantile(0.5) == 0.0


def test_the_table_has_a_row_for_each() -> None:
    table = EXPOSITION.table()
    assert "| `x_both` | counter | one, two | By two. |" in table
    assert table.count("\n") == 5
