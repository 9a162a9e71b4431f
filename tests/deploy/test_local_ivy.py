"""Laws of running Ivy: nothing outside its folders, the proxies of the machine, one complaint."""

import xml.etree.ElementTree
from collections.abc import Mapping
from pathlib import Path

import pytest

from deploy.errors import JarsUnavailableError
from deploy.local import ivy


def command(environment: Mapping[str, str], *, folder: Path) -> list[str]:
    return ivy.ivy_command(
        folder / "jars", cache=folder / "cache", home=folder / "home", environment=environment
    )


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    launcher = tmp_path / "java" / "bin" / "java"
    launcher.parent.mkdir(parents=True)
    launcher.write_text("#!/bin/sh\necho 'openjdk version \"17.0.1\"'\n", encoding="utf-8")
    launcher.chmod(0o755)
    return {"JAVA_HOME": str(tmp_path / "java"), "PATH": "/usr/bin:/bin"}


def test_ivy_never_writes_to_the_home_of_the_user(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    words = command(environment, folder=tmp_path)
    assert f"-Divy.home={tmp_path / 'home'}" in words
    assert f"-Duser.home={tmp_path / 'home'}" in words
    assert words[words.index("-cache") + 1] == str(tmp_path / "cache")


def test_no_registry_is_named_unless_the_site_names_one(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    assert "-settings" not in command(environment, folder=tmp_path)
    named = {**environment, ivy.SETTINGS_VARIABLE: "/etc/site-ivy.xml"}
    words = command(named, folder=tmp_path)
    assert words[words.index("-settings") + 1] == "/etc/site-ivy.xml"


def test_the_proxy_variables_of_the_environment_reach_the_jvm() -> None:
    options = ivy.proxy_options(
        {
            "https_proxy": "http://gate.example:3128",
            "HTTP_PROXY": "gate.example:8080",
            "NO_PROXY": "localhost, .inside.example",
        }
    )
    assert options == [
        "-Dhttp.proxyHost=gate.example",
        "-Dhttp.proxyPort=8080",
        "-Dhttps.proxyHost=gate.example",
        "-Dhttps.proxyPort=3128",
        "-Dhttp.nonProxyHosts=localhost|*.inside.example",
    ]


def test_without_proxy_variables_the_jvm_is_told_nothing() -> None:
    assert ivy.proxy_options({"NO_PROXY": "localhost", "HTTPS_PROXY": ""}) == []


def test_every_version_in_the_module_file_is_a_property() -> None:
    properties = {
        line.split("=")[0].strip()
        for line in ivy.VERSIONS_FILE.read_text(encoding="utf-8").splitlines()
        if "=" in line and not line.startswith("#")
    }
    dependencies = xml.etree.ElementTree.parse(ivy.MODULE_FILE).iter("dependency")
    for dependency in dependencies:
        revision = dependency.attrib["rev"]
        assert revision.startswith("${"), dependency.attrib["name"]
        assert revision.strip("${}") in properties


def test_the_first_cause_is_the_one_that_is_told() -> None:
    transcript = """
        ::::::::::::::::
        ::          UNRESOLVED DEPENDENCIES         ::
        :: org.example#thing;1: not found
        Server access error at url https://registry.example/thing (refused)
    """
    assert ivy.complaint(transcript).startswith("Server access error")
    assert (
        ivy.complaint(":: org.example#thing;1: not found\n") == ":: org.example#thing;1: not found"
    )
    assert ivy.complaint("") == "nothing"


def test_a_registry_out_of_reach_is_one_clear_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.delenv(ivy.SETTINGS_VARIABLE, raising=False)
    with pytest.raises(JarsUnavailableError, match="could not be downloaded; check the network"):
        ivy.resolve(
            tmp_path / "jars",
            cache=tmp_path / "cache",
            home=tmp_path,
            on_progress=lambda _count: None,
        )
