"""Who brings the jars."""

from __future__ import annotations

import pytest

from console.local_jars import jars_for


@pytest.mark.parametrize("master", ["spark://host:7077", "yarn", "k8s://https://host"])
def test_a_cluster_brings_its_own_jars(master: str) -> None:
    assert jars_for(master) == []


def test_spark_on_this_machine_gets_ours() -> None:
    names = [jar.name for jar in jars_for("local[2]")]
    assert any(name.startswith("delta-spark") for name in names)
    assert any(name.startswith("spark-sql-kafka") for name in names)
