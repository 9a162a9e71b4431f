"""The views: questions that people ask of the tables, as SQL.

`create_views` gives them names in a Spark session, for a notebook or a shell; the same texts serve
any engine that reads Delta and knows window functions. `docs/reference/tables.md` shows them.

    create_views(session, "/data/precede/tables")
    session.sql("SELECT waiting_for, since FROM pending WHERE id = 'bob#1:7'").show()
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sinks.tables import TABLES

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


class View(NamedTuple):
    """One question: its name, what it answers, and the SQL over tables and earlier views."""

    name: str
    meaning: str
    sql: str


PENDING = View(
    "pending",
    "every message that is held now: what it waits for, since when it is here, and how many wait "
    "for the same",
    """
SELECT `group`, id, waiting_for, measure, `by`, captured_at AS since, `at` AS told_at,
       count(*) OVER (PARTITION BY `group`, waiting_for, measure, `by`) AS waiting_for_the_same,
       raw_partition, raw_offset, raw_entry
FROM (
  SELECT *, row_number() OVER (
    PARTITION BY raw_partition, raw_offset, raw_entry ORDER BY ordinal DESC
  ) AS age
  FROM waits
) AS newest
WHERE age = 1 AND status = 'held'
""".strip(),
)

GAPS = View(
    "gaps",
    "what is missing: waited for and not itself held, by how many directly, and since when",
    """
SELECT `group`, waiting_for AS missing, measure, `by`, count(*) AS waiting, min(since) AS since
FROM pending
WHERE NOT EXISTS (
  SELECT 1 FROM pending AS held
  WHERE held.`group` = pending.`group` AND held.id = pending.waiting_for
)
GROUP BY `group`, waiting_for, measure, `by`
""".strip(),
)

GROUPS = View(
    "groups",
    "each group: how many messages were delivered and are held, who spoke, and when",
    """
SELECT `group`, sum(delivered) AS delivered, sum(held) AS held, max(members) AS members,
       min(first_at) AS first_at, max(last_at) AS last_at
FROM (
  SELECT `group`, count(*) AS delivered, 0 AS held, count(DISTINCT sender) AS members,
         min(captured_at) AS first_at, max(captured_at) AS last_at
  FROM deliveries GROUP BY `group`
  UNION ALL
  SELECT `group`, 0, count(*), 0, min(since), max(since) FROM pending GROUP BY `group`
) AS parts
GROUP BY `group`
""".strip(),
)

THREADS = View(
    "threads",
    "each delivered message that was answered: how many direct answers it has, and the last one",
    """
SELECT asked.`group`, asked.id, asked.position, asked.sender, count(*) AS answers,
       max(answer.position) AS last_answer_position, max(answer.captured_at) AS last_answer_at
FROM deliveries AS asked
JOIN deliveries AS answer ON answer.`group` = asked.`group` AND answer.parent = asked.id
GROUP BY asked.`group`, asked.id, asked.position, asked.sender
""".strip(),
)

CONVERSATION = View(
    "conversation",
    "each delivered message as people read it: its text, where what it answers stands, and until "
    "when it was held",
    """
SELECT said.`group`, said.position, said.id, said.sender, said.parent,
       asked.position AS parent_position, CAST(said.payload AS STRING) AS text, said.marks,
       said.captured_at, waited.until AS held_until
FROM deliveries AS said
LEFT JOIN deliveries AS asked ON asked.`group` = said.`group` AND asked.id = said.parent
LEFT JOIN (
  SELECT raw_partition, raw_offset, raw_entry, max(`at`) AS until
  FROM waits WHERE status <> 'held' GROUP BY raw_partition, raw_offset, raw_entry
) AS waited ON waited.raw_partition = said.raw_partition
  AND waited.raw_offset = said.raw_offset AND waited.raw_entry = said.raw_entry
""".strip(),
)

MEMBERS = View(
    "members",
    "who is in each group now, by what members told last; the highest incarnation of a name counts",
    """
SELECT `group`, sender, captured_at AS since, after_position
FROM (
  SELECT *, row_number() OVER (
    PARTITION BY `group`, regexp_replace(sender, '#[0-9]+$', '')
    ORDER BY CAST(regexp_extract(sender, '#([0-9]+)$', 1) AS BIGINT) DESC, ordinal DESC
  ) AS age
  FROM membership
  WHERE kind IN ('create', 'join', 'leave')
) AS newest
WHERE age = 1 AND kind <> 'leave'
""".strip(),
)

VIEWS = (PENDING, GAPS, GROUPS, THREADS, CONVERSATION, MEMBERS)


def statements(directory: str, *, is_permanent: bool = False) -> list[str]:
    """What gives the tables and the views their names in Spark, one statement each.

    Temporary names live as long as a session (`spark-sql -i`); permanent ones need a metastore.
    The names of tables are views too: `CREATE TABLE` would make an empty table where there is none
    yet, and the job would find a table that is not its own.
    """
    create = "CREATE OR REPLACE VIEW" if is_permanent else "CREATE OR REPLACE TEMPORARY VIEW"
    tables = [
        f"{create} {table.name} AS SELECT * FROM delta.`{table.path(directory).replace('`', '``')}`"
        for table in TABLES
    ]
    return tables + [f"{create} {view.name} AS\n{view.sql}" for view in VIEWS]


def create_views(session: SparkSession, directory: str) -> None:
    """Give the tables and the views their names in this session; the tables must exist."""
    for statement in statements(directory):
        session.sql(statement)
