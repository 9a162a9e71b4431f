"""Laws of the broker's settings: one node, only on loopback, extra settings on top."""

import base64
from pathlib import Path

from deploy.local import broker_options as options


def properties(**extra: str) -> dict[str, str]:
    renamed = {name.replace("_", "."): value for name, value in extra.items()}
    return options.server_properties(
        port=9092, controller_port=9093, data=Path("/data"), extra=renamed
    )


def test_the_broker_listens_on_loopback_alone() -> None:
    for listener in properties()["listeners"].split(","):
        assert "//127.0.0.1:" in listener


def test_no_topic_appears_because_of_a_wrong_name() -> None:
    assert properties()["auto.create.topics.enable"] == "false"


def test_extra_settings_win() -> None:
    assert properties(message_max_bytes="1000", node_id="7")["message.max.bytes"] == "1000"
    assert properties(node_id="7")["node.id"] == "7"


def test_a_backslash_survives_the_properties_file() -> None:
    assert options.properties_text({"log.dirs": "a\\b"}) == "log.dirs=a\\\\b\n"


def test_a_cluster_id_is_sixteen_bytes_and_never_looks_like_an_option() -> None:
    for _ in range(500):
        cluster_id = options.new_cluster_id()
        assert not cluster_id.startswith("-")
        assert len(base64.urlsafe_b64decode(cluster_id + "==")) == 16


def test_the_heap_of_the_broker_is_bounded() -> None:
    command = options.serve_command(Path("java"), classpath="a:b", settings=Path("s"))
    assert "-Xmx768m" in command
    assert "-Xms256m" in command


def test_the_log_settings_are_shipped() -> None:
    command = options.format_command(
        Path("java"), classpath="a", settings=Path("s"), cluster_id="x"
    )
    assert f"-Dlog4j2.configurationFile={options.LOG_SETTINGS_FILE}" in command
    assert options.LOG_SETTINGS_FILE.is_file()


def test_data_is_formatted_once_its_mark_is_there(tmp_path: Path) -> None:
    assert not options.is_formatted(tmp_path)
    (tmp_path / "meta.properties").touch()
    assert options.is_formatted(tmp_path)


def test_the_cluster_id_of_data_is_the_one_it_was_formatted_with(tmp_path: Path) -> None:
    (tmp_path / "meta.properties").write_text("#\nversion=1\ncluster.id=abc-_=\n", encoding="utf-8")
    assert options.cluster_id_of(tmp_path) == "abc-_="
    (tmp_path / "meta.properties").write_text("version=1\n", encoding="utf-8")
    assert options.cluster_id_of(tmp_path) == ""
