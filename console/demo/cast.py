"""Who takes part in the demo: the configuration that all share, and each process's command line.

members ─> one multicast group ─> relay ─> another group ─> agent ─> Kafka ─> job
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import NamedTuple

from console.configuration.demo import DemoSettings
from console.demo.scene import Scene
from members.script import Script

MEMBERS_ADDRESS = "239.255.80.1"
AGENT_ADDRESS = "239.255.80.2"
TOPIC_PREFIX = "demo"
PARTITIONS = 2
# A trigger as soon as the last batch is done: a demo is watched.
TRIGGER_INTERVAL_MS = 100


class Place(NamedTuple):
    """Where this run keeps its things, and the ports it took."""

    directory: Path
    bootstrap: str
    members_port: int
    agent_port: int
    page_port: int

    @property
    def token_file(self) -> Path:
        """The token of the page, readable by this user alone."""
        return self.directory / "page-token"

    @property
    def page_address(self) -> str:
        """Where the page is served."""
        return f"http://127.0.0.1:{self.page_port}/"

    @property
    def configuration_file(self) -> Path:
        """The file that every process of the demo reads."""
        return self.directory / "precede.toml"

    @property
    def tables(self) -> Path:
        """The Delta tables of this run."""
        return self.directory / "tables"


def configuration_text(place: Place, scene: Scene) -> str:
    """The demo's precede.toml; with --keep it serves all other commands afterwards."""

    def quoted(value: object) -> str:
        return json.dumps(str(value), ensure_ascii=False)

    return "\n".join(
        [
            "# The configuration of a demo; kept so that other commands can look at what it left.",
            "[kafka]",
            f"bootstrap = {quoted(place.bootstrap)}",
            f"topic_prefix = {quoted(TOPIC_PREFIX)}",
            f"partitions = {PARTITIONS}",
            "",
            "[agent]",
            f"groups = [{quoted(f'{AGENT_ADDRESS}:{place.agent_port}')}]",
            'log_format = "text"',
            'status_address = "off"',
            "",
            "[spool]",
            f"directory = {quoted(place.directory / 'spool')}",
            "",
            "[job]",
            f"checkpoint_directory = {quoted(place.directory / 'checkpoint')}",
            f"tables_directory = {quoted(place.tables)}",
            f"scratch_directory = {quoted(place.directory / 'spark')}",
            f"trigger_interval_ms = {TRIGGER_INTERVAL_MS}",
            f"groups = [{', '.join(quoted(rule) for rule in scene.rules)}]",
            'status_address = "off"',
            'log_format = "text"',
            "",
            "[web]",
            f"address = {quoted(f'127.0.0.1:{place.page_port}')}",
            f"token_file = {quoted(place.token_file)}",
            f"member_address = {quoted(f'{MEMBERS_ADDRESS}:{place.members_port}')}",
            "",
        ]
    )


def job_command(place: Place) -> list[str]:
    """The Spark job."""
    return _precede("--config", str(place.configuration_file), "run")


def agent_command(place: Place) -> list[str]:
    """The edge agent."""
    return _precede("--config", str(place.configuration_file), "agent", "--output", "json")


def page_command(place: Place) -> list[str]:
    """The web page."""
    return _precede("--config", str(place.configuration_file), "web")


def relay_command(place: Place, demo: DemoSettings) -> list[str]:
    """The network that misbehaves."""
    return _precede(
        "relay",
        "--from", f"{MEMBERS_ADDRESS}:{place.members_port}",
        "--to", f"{AGENT_ADDRESS}:{place.agent_port}",
        "--seed", str(demo.seed),
        "--loss", str(demo.loss),
        "--dup", str(demo.dup),
        "--jitter-ms", str(demo.jitter_ms),
        "--output", "json",
    )  # fmt: skip


def member_command(
    place: Place, scene: Scene, script: Script, *, member: str, start_at: int, seconds: int
) -> list[str]:
    """One member; the script's own time is stretched or squeezed to `seconds`."""
    speed = max(script.duration_us, 1) / (seconds * 1_000_000)
    lost = [part for seq in scene.lost_by(member) for part in ("--lose", str(seq))]
    return [
        sys.executable, "-m", "members.speaker",
        "--script", str(scene.script_file),
        "--member", member,
        "--group-address", MEMBERS_ADDRESS,
        "--port", str(place.members_port),
        "--start-at", str(start_at),
        "--speed", repr(speed),
        *lost,
    ]  # fmt: skip


def _precede(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "console", *arguments]
