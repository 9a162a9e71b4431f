"""Make files part of a Delta table, in one commit that happens once.

The files were written by the job's workers (`table_files.py`); the commit is Delta's own, by the
calls that its own writer makes: it refuses to go on where another one has written meanwhile what it
depends on, writes checkpoints, and is seen whole or not at all. What depends on the insides of
Delta stands here and nowhere else.

Which batches a table has is told by the checksum that Delta writes with each version; without it
Delta would read the whole log, which takes as long as to write the batch.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from sinks.table_files import TableFile

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MS_PER_S: Final = 1_000
NO_BATCH: Final = -1


def commit_files(
    session: SparkSession, path: str, files: Sequence[TableFile], *, writer: str, batch: int
) -> bool:
    """Add files to the table at `path`, unless it has this batch of this writer already.

    Tells whether they were added. Raises what Delta raises if another program commits the same
    batch at the same moment.
    """
    jvm: Any = session._jvm
    delta = jvm.org.apache.spark.sql.delta
    transaction = delta.DeltaLog.forTable(session._jsparkSession, path).startTransaction()
    if _last_batch(transaction, writer) >= batch:
        return False
    now_ms = int(time.time() * MS_PER_S)
    actions = jvm.java.util.ArrayList()
    for action in (_batch_action(writer, batch, now_ms), *(_add(one, now_ms) for one in files)):
        actions.add(delta.actions.Action.fromJson(json.dumps(action)))
    operation = getattr(delta, "DeltaOperations$StreamingUpdate")(
        jvm.org.apache.spark.sql.streaming.OutputMode.Append(),
        writer,
        batch,
        jvm.scala.Option.empty(),
    )
    transaction.commit(
        jvm.scala.jdk.javaapi.CollectionConverters.asScala(actions).toSeq(), operation
    )
    return True


def _last_batch(transaction: Any, writer: str) -> int:
    """The last batch of the writer that the table has, and let the commit depend on it."""
    maybe_checksum = transaction.snapshot().checksumOpt()
    maybe_known = maybe_checksum.get().setTransactions() if maybe_checksum.isDefined() else None
    if maybe_known is None or not maybe_known.isDefined():
        return int(transaction.txnVersion(writer))
    transaction.readTxn().addOne(writer)
    each = maybe_known.get().iterator()
    while each.hasNext():
        known = each.next()
        if known.appId() == writer:
            return int(known.version())
    return NO_BATCH


def _batch_action(writer: str, batch: int, now_ms: int) -> dict[str, Any]:
    return {"txn": {"appId": writer, "version": batch, "lastUpdated": now_ms}}


def _add(file: TableFile, now_ms: int) -> dict[str, Any]:
    return {
        "add": {
            "path": file.name,
            "partitionValues": {},
            "size": file.size,
            "modificationTime": now_ms,
            "dataChange": True,
            "stats": file.bounds,
        }
    }
