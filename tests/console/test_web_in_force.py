"""A group is shown with the policy by which it is ordered now."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.sync_api import expect, sync_playwright

from console.web.in_force import PoliciesInForce
from deploy.local.broker import Broker
from deploy.local.browser import FLAGS, WHAT_TO_DO, find_browser
from ordering.policy import GroupPolicy
from ordering_udfs.group_policies import GroupPolicies, parse_rule
from ordering_udfs.shard_state import ShardState
from streaming.manifest import FILE_NAME, new_manifest
from tests.console.desk import Desk, said
from tests.console.pages import PageProcess, wait_for
from tests.console.test_answers_changelog import changelog

PATIENCE_MS = 120_000
DEFAULT = GroupPolicy(after_us=1)
POLICIES = GroupPolicies(DEFAULT, (parse_rule("floor.*=causal", default=DEFAULT),))


def commit(folder: Path, batch: int, policies: dict[str, str]) -> None:
    """Leave a checkpoint as the job does after a batch: its state says who was changed."""
    manifest = new_manifest(raw_topics={"p.raw": 1}, tasks=1, policies="semantic")
    (folder / FILE_NAME).write_text(json.dumps(manifest._asdict()))
    task, commits = folder / "ordering/state/0/0", folder / "ordering/commits"
    for made in (task, commits):
        made.mkdir(parents=True, exist_ok=True)
    state = ShardState(0, through_offset=batch, policies=policies)
    (task / f"{batch + 1}.delta").write_bytes(changelog(state))
    (commits / str(batch)).write_text("v1\n{}")


def test_a_change_overrules_the_configuration_from_its_batch_on(tmp_path: Path) -> None:
    found = PoliciesInForce(POLICIES, checkpoint_directory=str(tmp_path))
    commit(tmp_path, 0, {})
    found.look()
    assert (found.of("floor.7").discipline, found.change_of("floor.7")) == ("causal", None)
    commit(tmp_path, 1, {"floor.7": "fifo,release,5000"})
    found.look()
    assert found.of("floor.7").discipline == "fifo"
    assert found.change_of("floor.7") == "fifo,release,5000"
    assert (found.of("floor.8").discipline, found.of("chat").discipline) == ("causal", "semantic")


def test_the_thread_waits_for_a_checkpoint_that_is_not_there_yet(tmp_path: Path) -> None:
    found = PoliciesInForce(POLICIES, checkpoint_directory=str(tmp_path / "later"))
    found.start()
    try:
        assert found.of("chat").discipline == "semantic"
        (tmp_path / "later").mkdir()
        commit(tmp_path / "later", 0, {"chat": "fifo"})
        wait_for(lambda: found.of("chat").discipline == "fifo", "the change")
    finally:
        found.stop()


@pytest.mark.broker
@pytest.mark.timeout(900)
@pytest.mark.skipif(find_browser() is None, reason=WHAT_TO_DO)
def test_the_page_shows_the_discipline_in_force_and_that_it_was_changed(
    broker: Broker, tmp_path: Path
) -> None:
    desk = Desk(broker.bootstrap)
    desk.say(said("ann", 1), said("ben", 1, group="chat"))
    tables = tmp_path / "tables"
    (tmp_path / "tables.checkpoint").mkdir()
    commit(tmp_path / "tables.checkpoint", 0, {"dev": "fifo,release,5000"})
    process = PageProcess(desk, tables)
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=str(find_browser()), args=list(FLAGS), timeout=PATIENCE_MS
            )
            page = browser.new_page()
            page.set_default_timeout(PATIENCE_MS)
            page.goto(process.address)
            page.keyboard.press("1")
            changed = page.locator("#groups-body tr", has_text="dev").locator("td").first
            expect(changed).to_have_text("fifo, release · changed", timeout=PATIENCE_MS)
            title = "Changed by precede policy: fifo,release,5000"
            expect(changed).to_have_attribute("title", title)
            other = page.locator("#groups-body tr", has_text="chat").locator("td").first
            expect(other).to_have_text("semantic")
            browser.close()
    finally:
        process.kill()
