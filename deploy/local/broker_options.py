"""Every word of Kafka's own that the local broker is configured with.

Called by `deploy.local.broker`; nothing else knows these names.
"""

import base64
import uuid
from collections.abc import Mapping
from pathlib import Path

from deploy.local.ports import LOOPBACK

LOG_SETTINGS_FILE = Path(__file__).with_name("log4j2.properties")
_HEAP = ("-Xms256m", "-Xmx768m")
# The tool runs for a second: no use in compiling it well.
_SHORT_LIVED = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
_NODE = 1
_FORMAT_MARK = "meta.properties"


def server_properties(
    *, port: int, controller_port: int, data: Path, extra: Mapping[str, str]
) -> dict[str, str]:
    """Return the settings of a single node that is broker and controller in one process.

    `extra` is laid over them. The voters are named here and not stored at format time, so that the
    same data can be opened again on other ports.
    """
    listeners = f"PLAINTEXT://{LOOPBACK}:{port},CONTROLLER://{LOOPBACK}:{controller_port}"
    return {
        "process.roles": "broker,controller",
        "node.id": str(_NODE),
        "controller.quorum.voters": f"{_NODE}@{LOOPBACK}:{controller_port}",
        "controller.listener.names": "CONTROLLER",
        "listeners": listeners,
        "advertised.listeners": listeners,
        "listener.security.protocol.map": "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT",
        "log.dirs": str(data),
        # Topics are made on purpose, with their settings, or a wrong name would go unnoticed.
        "auto.create.topics.enable": "false",
        # There is one node, so nothing can have a second copy.
        "offsets.topic.replication.factor": "1",
        "transaction.state.log.replication.factor": "1",
        "transaction.state.log.min.isr": "1",
        "share.coordinator.state.topic.replication.factor": "1",
        "share.coordinator.state.topic.min.isr": "1",
        # Fifty partitions each, the default, take seconds to make on the first use.
        "offsets.topic.num.partitions": "4",
        "transaction.state.log.num.partitions": "4",
        # A killed broker may register again only when its old session has run out: 9 s by default.
        "broker.session.timeout.ms": "3000",
        "broker.heartbeat.interval.ms": "500",
        # A lone consumer need not wait for others to join.
        "group.initial.rebalance.delay.ms": "0",
        **extra,
    }


def properties_text(properties: Mapping[str, str]) -> str:
    """Return the settings in the form of a Java properties file."""
    escaped = ((name, value.replace("\\", "\\\\")) for name, value in properties.items())
    return "".join(f"{name}={value}\n" for name, value in escaped)


def new_cluster_id() -> str:
    """Return a fresh cluster id as Kafka writes them: 16 random bytes in URL-safe base 64.

    A leading dash is avoided, since the format tool would take it for an option.
    """
    while True:
        cluster_id = base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")
        if not cluster_id.startswith("-"):
            return cluster_id


def format_command(java: Path, *, classpath: str, settings: Path, cluster_id: str) -> list[str]:
    """Return the command that prepares an empty data folder."""
    return [
        str(java), *_SHORT_LIVED, *_logging(), "-cp", classpath, "kafka.tools.StorageTool",
        "format", "--cluster-id", cluster_id, "--config", str(settings),
    ]  # fmt: skip


def serve_command(java: Path, *, classpath: str, settings: Path) -> list[str]:
    """Return the command that is the broker."""
    return [str(java), *_HEAP, *_logging(), "-cp", classpath, "kafka.Kafka", str(settings)]


def is_formatted(data: Path) -> bool:
    """Say whether a broker has lived in the data folder before."""
    return (data / _FORMAT_MARK).is_file()


def cluster_id_of(data: Path) -> str:
    """Return the id that the data was formatted with."""
    for line in (data / _FORMAT_MARK).read_text(encoding="utf-8").splitlines():
        name, _, value = line.partition("=")
        if name == "cluster.id":
            return value
    return ""


def _logging() -> list[str]:
    return [f"-Dlog4j2.configurationFile={LOG_SETTINGS_FILE}"]
