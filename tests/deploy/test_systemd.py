"""The laws of the systemd unit, read as systemd reads it."""

from collections import defaultdict
from pathlib import Path

from console.command import command_names
from console.configuration.loading import all_options
from console.errors import ExitCode
from ingest.settings import AgentSettings

UNIT = Path(__file__).parents[2] / "deploy" / "systemd" / "precede-agent.service"
HARDENED = [
    "NoNewPrivileges",
    "ProtectHome",
    "PrivateTmp",
    "PrivateDevices",
    "ProtectClock",
    "ProtectHostname",
    "ProtectKernelTunables",
    "ProtectKernelModules",
    "ProtectKernelLogs",
    "ProtectControlGroups",
    "RestrictNamespaces",
    "RestrictRealtime",
    "RestrictSUIDSGID",
    "LockPersonality",
]
MILLISECONDS_PER_SECOND = 1_000


def _read() -> dict[str, dict[str, list[str]]]:
    """Sections, keys and every value of a key: systemd lets a key stand several times."""
    sections: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    section = ""
    for line in UNIT.read_text(encoding="utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        if line.startswith("["):
            section = line.strip("[]")
            continue
        key, is_assigned, value = line.partition("=")
        assert is_assigned, line
        sections[section][key].append(value)
    return sections


UNIT_KEYS = _read()
SERVICE = UNIT_KEYS["Service"]


def test_the_agent_has_no_capability_and_cannot_get_one() -> None:
    assert SERVICE["CapabilityBoundingSet"] == [""]
    assert SERVICE["AmbientCapabilities"] == [""]
    assert SERVICE["User"] == ["precede"]
    for key in HARDENED:
        assert SERVICE[key] == ["yes"], key
    assert SERVICE["ProtectSystem"] == ["strict"]
    assert "@system-service" in SERVICE["SystemCallFilter"]


def test_only_the_families_of_sockets_that_it_uses_are_allowed() -> None:
    families = set(SERVICE["RestrictAddressFamilies"][0].split())
    assert families == {"AF_INET", "AF_INET6", "AF_NETLINK", "AF_UNIX"}


def test_it_starts_again_for_ever_but_not_with_a_configuration_that_cannot_be_used() -> None:
    assert SERVICE["Restart"] == ["always"]
    assert UNIT_KEYS["Unit"]["StartLimitIntervalSec"] == ["0"]
    assert SERVICE["RestartPreventExitStatus"] == [str(int(ExitCode.CONFIGURATION))]


def test_a_stop_leaves_time_to_drain() -> None:
    (seconds,) = SERVICE["TimeoutStopSec"]
    assert int(seconds) >= AgentSettings().drain_within_ms / MILLISECONDS_PER_SECOND + 10
    assert SERVICE["KillSignal"] == ["SIGTERM"]


def test_a_reload_is_the_signal_that_the_agent_knows() -> None:
    assert SERVICE["ExecReload"] == ["/bin/kill -HUP $MAINPID"]


def test_the_spool_is_in_the_state_directory_and_nobody_else_reads_it() -> None:
    variables = dict(value.split("=", 1) for value in SERVICE["Environment"])
    known = {option.variable for options in all_options().values() for option in options}
    assert set(variables) <= known
    (state,) = SERVICE["StateDirectory"]
    assert variables["PRECEDE__SPOOL__DIRECTORY"] == f"/var/lib/{state}/spool"
    assert SERVICE["StateDirectoryMode"] == ["0700"]
    assert SERVICE["UMask"] == ["0077"]


def test_the_command_is_one_that_exists_and_shows_no_secret() -> None:
    (command,) = SERVICE["ExecStart"]
    words = command.split()
    assert "agent" in words
    assert "agent" in command_names()
    assert "password" not in command


def test_limits_are_set() -> None:
    assert int(SERVICE["LimitNOFILE"][0]) >= 4_096
    assert SERVICE["MemoryMax"] == ["1G"]
    assert int(SERVICE["TasksMax"][0]) >= 64


def test_the_kernel_is_told_to_give_as_large_a_buffer_as_an_agent_asks_for() -> None:
    lines = (UNIT.parent / "90-precede-agent.conf").read_text(encoding="utf-8").splitlines()
    (line,) = [line for line in lines if not line.startswith("#")]
    name, _, value = (word.strip() for word in line.partition("="))
    assert name == "net.core.rmem_max"
    assert int(value) >= AgentSettings().receive_buffer_bytes
