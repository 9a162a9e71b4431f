"""The page in a real Chromium: what a person sees, does and can rely on.

Every law keeps a screenshot in build/screenshots.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from deploy.local.broker import Broker
from deploy.local.browser import FLAGS, WHAT_TO_DO, find_browser
from ingest.wire.envelope import Kind, decode
from ingest.wire.multicast import GroupAddress, open_receiver
from tests.console.contrast import WEAKEST_CONTRAST
from tests.console.desk import Desk, said
from tests.console.pages import PageProcess
from tests.console.scrolling import A_HUNDRED_THOUSAND, ROWS_FILLED_BY_THREE_LINES
from tests.ingest.loopback import new_group

SHOTS = Path(__file__).parents[2] / "build" / "screenshots"
PATIENCE_MS = 120_000
MOST_LINES_DRAWN = 120

pytestmark = [
    pytest.mark.broker,
    pytest.mark.timeout(900),
    pytest.mark.skipif(find_browser() is None, reason=WHAT_TO_DO),
]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(
            executable_path=str(find_browser()), args=list(FLAGS), timeout=PATIENCE_MS
        )
        yield found
        found.close()


@pytest.fixture(scope="module")
def desk(broker: Broker) -> Desk:
    return Desk(broker.bootstrap)


@pytest.fixture(scope="module")
def members() -> GroupAddress:
    return new_group()


@pytest.fixture(scope="module")
def server(
    desk: Desk, members: GroupAddress, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[PageProcess]:
    tables = tmp_path_factory.mktemp("tables")
    desk.say(*(said("ann", number, group="old") for number in range(1, 31)))
    desk.say(said("ben", 1, ("ann", 7), group="old", text="Seven it is"))
    desk.keep(tables)
    process = PageProcess(desk, tables, member_address=f"{members.address}:{members.port}")
    yield process
    process.kill()


@pytest.fixture
def page(browser: Browser, server: PageProcess) -> Iterator[Page]:
    """A page of its own, which fails the test if the page complains or asks another host."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    complaints: list[str] = []
    asked: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(server.address)
    expect(page.locator("#link-state")).to_have_text("live", timeout=PATIENCE_MS)
    yield page
    context.close()
    own = server.address.partition("#")[0]
    assert complaints == []
    assert [url for url in asked if not url.startswith((own, "data:"))] == []


def open_talk(page: Page, group: str) -> None:
    page.evaluate("(hash) => { location.hash = hash; }", f"#/conversation/{group}")
    expect(page.locator("#view-conversation")).to_be_visible()


def shot(page: Page, name: str) -> None:
    SHOTS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=str(SHOTS / f"{name}.png"))


def expect_received(page: Page, count: int) -> None:
    tree = page.locator("#tree")
    expect(tree).to_have_attribute("data-received", str(count), timeout=PATIENCE_MS)
    expect(tree).to_have_attribute("data-duplicates", "0")
    expect(tree).to_have_attribute("data-skipped", "0")


def test_a_thousand_messages_arrive_live_each_once_and_only_those_in_sight_are_drawn(
    page: Page, desk: Desk
) -> None:
    open_talk(page, "live")
    rng = random.Random(1)
    messages = [said("a", 1, group="live")]
    for number in range(2, 1_001):
        answered = rng.randrange(max(1, number - 40), number)
        messages.append(said("a", number, ("a", answered), group="live"))
    order = sorted(range(1_000), key=lambda place: place + rng.random() * 60)
    for start in range(0, 1_000, 250):
        desk.say(*(messages[place] for place in order[start : start + 250]))
    expect_received(page, 1_000)
    assert page.locator("#tree .line").count() < MOST_LINES_DRAWN
    shot(page, "conversation-1000-live")
    page.keyboard.press("o")
    page.locator("#tree").focus()
    page.keyboard.press("End")
    expect(page.locator("#tree .line.chosen .position")).to_have_text("1000")


def test_a_held_chain_stands_in_grey_says_why_and_resolves(page: Page, desk: Desk) -> None:
    open_talk(page, "chain")
    desk.say(
        said("ann", 1, group="chain", text="Has the shipment left?"),
        said("dan", 1, ("cat", 1), group="chain", text="Then I call them"),
        said("cat", 1, ("ben", 1), group="chain", text="Let me look"),
        said("eve", 1, ("ann", 1), group="chain", text="No idea"),
    )
    desk.tick()
    tree = page.locator("#tree")
    expect(tree.locator(".line.held")).to_have_count(2, timeout=PATIENCE_MS)
    expect(tree.locator(".line.missing")).to_contain_text("ben#1:1")
    deepest = tree.locator('.line.held[data-id="dan#1:1"]')
    expect(deepest).to_contain_text("waits for cat#1:1")
    expect(deepest).to_contain_text("Then I call them", timeout=PATIENCE_MS)
    expect(deepest).to_have_attribute("aria-level", "3")
    deepest.click()
    chain = page.locator("#detail .chain li")
    expect(chain).to_have_count(3)
    expect(chain.nth(0)).to_contain_text("dan#1:1 waits for cat#1:1")
    expect(chain.nth(1)).to_contain_text("cat#1:1 waits for ben#1:1")
    expect(chain.nth(2)).to_contain_text("ben#1:1 is missing")
    shot(page, "conversation-held-chain")
    desk.say(said("ben", 1, ("ann", 1), group="chain", text="It should have"))
    expect(tree.locator(".line.held")).to_have_count(0, timeout=PATIENCE_MS)
    expect(tree.locator(".line.missing")).to_have_count(0)
    expect_received(page, 5)
    expect(tree.locator('.line[data-id="dan#1:1"]')).to_have_attribute("aria-level", "4")
    shot(page, "conversation-chain-resolved")


def test_a_page_that_outlives_the_server_goes_on_without_a_gap_or_a_duplicate(
    page: Page, desk: Desk, server: PageProcess
) -> None:
    open_talk(page, "restart")
    desk.say(*(said("a", number, group="restart") for number in range(1, 301)))
    expect_received(page, 300)
    server.kill()
    expect(page.locator("#link-state")).to_have_text("reconnecting", timeout=PATIENCE_MS)
    shot(page, "reconnecting")
    desk.say(*(said("a", number, group="restart") for number in range(301, 401)))
    desk.repeat(50)
    server.start()
    expect_received(page, 400)
    expect(page.locator("#link-state")).to_have_text("live", timeout=PATIENCE_MS)
    positions = page.evaluate("talk.byPosition.map((node) => node.message.position)")
    assert positions == list(range(1, 401))


def test_a_message_of_script_tags_is_shown_as_text(page: Page, desk: Desk) -> None:
    open_talk(page, "hostile")
    text = '<script>window.hit=1</script><img src=x onerror="window.hit=2"><b>bold</b>'
    desk.say(
        said("mallory", 1, group="hostile", text=text),
        said("<i>eve</i>", 1, ("mallory", 1), group="hostile", text="&lt;b&gt; ‮ javascript:"),
    )
    line = page.locator('#tree .line[data-id="mallory#1:1"]')
    expect(line).to_contain_text(text, timeout=PATIENCE_MS)
    line.click()
    expect(page.locator("#detail .said")).to_have_text(text)
    assert page.evaluate("window.hit") is None
    assert page.locator("#main script, #main img, #main i, #main b").count() == 0
    shot(page, "script-tags-as-text")
    for view in ("space-time/hostile", "history/hostile", "groups"):
        page.evaluate("(hash) => { location.hash = hash; }", f"#/{view}")
    expect(page.locator("#groups-body")).to_contain_text("hostile")
    assert page.evaluate("window.hit") is None


def test_a_hundred_thousand_messages_scroll_with_a_few_lines_drawn(page: Page) -> None:
    open_talk(page, "large")
    expect_received(page, 0)
    page.evaluate(A_HUNDRED_THOUSAND)
    tree = page.locator("#tree")
    expect(tree).to_have_attribute("aria-description", "100000 lines")
    for share in (0.25, 0.5, 0.99):
        page.evaluate("(share) => { tree.box.scrollTop = tree.box.scrollHeight * share; }", share)
        place = int(100_000 * share)
        shown = tree.locator(".line:not([hidden]) .position")
        expect(shown.filter(has_text=re.compile(rf"^{place + 1}$"))).to_have_count(1)
        assert tree.locator(".line").count() < MOST_LINES_DRAWN
    shot(page, "conversation-100000")
    assert page.evaluate(ROWS_FILLED_BY_THREE_LINES) == 3


def test_a_person_answers_and_it_goes_out_as_a_real_message(
    page: Page, desk: Desk, members: GroupAddress
) -> None:
    open_talk(page, "ask")
    desk.say(said("ann", 1, group="ask", text="Who can help?"))
    receiver = open_receiver(
        members, interface="127.0.0.1", buffer_bytes=1 << 20, wait_at_most_s=60.0
    ).socket
    try:
        page.locator('#tree .line[data-id="ann#1:1"]').click()
        page.keyboard.press("r")
        page.keyboard.type("I can <b>now</b>")
        page.keyboard.press("Control+Enter")
        expect(page.locator("#detail .answer [role=status]")).to_contain_text("sent as page#")
        datagram = receiver.recv(65_536)
        while decode(datagram).kind is not Kind.MESSAGE:
            datagram = receiver.recv(65_536)
    finally:
        receiver.close()
    desk.say(datagram)
    answer = page.locator("#tree .line", has_text="I can <b>now</b>")
    expect(answer).to_have_attribute("aria-level", "2", timeout=PATIENCE_MS)
    expect(page.locator("#announcer")).to_have_text("Your answer was delivered at position 2.")
    shot(page, "answered")


def test_the_token_leaves_the_address_at_once(page: Page) -> None:
    assert "token" not in page.url
    assert page.evaluate("state.token.length") > 16


def test_history_travels_searches_threads_and_newcomers(page: Page) -> None:
    page.evaluate("() => { location.hash = '#/history/old'; }")
    summary = page.locator("#history-summary")
    expect(summary).to_contain_text("31 messages")
    page.fill("#as-of-position", "5")
    page.press("#as-of-position", "Enter")
    expect(summary).to_contain_text("as of position 5: 5 messages")
    expect(page.locator("#history-tree .line:not([hidden])")).to_have_count(5)
    page.get_by_text("Search", exact=True).first.click()
    page.fill("#search-text", "SEVEN")
    page.press("#search-text", "Enter")
    expect(summary).to_contain_text("found: 1 message")
    page.get_by_text("Thread", exact=True).click()
    page.fill("#thread-id", "ben#1:1")
    page.press("#thread-id", "Enter")
    expect(summary).to_contain_text("thread of ben#1:1: 2 messages")
    shot(page, "history-thread")
    page.get_by_text("Newcomer", exact=True).click()
    page.select_option("#join-policy", "last")
    page.fill("#join-count", "3")
    page.press("#join-count", "Enter")
    expect(summary).to_contain_text("a newcomer who wants last: 3 messages")


def test_health_has_no_violation_in_large(page: Page, desk: Desk, server: PageProcess) -> None:
    del desk, server
    page.keyboard.press("5")
    expect(page.locator("#view-health")).to_be_visible()
    expect(page.locator("#totals")).to_contain_text("captured")
    expect(page.locator("#violations-count")).to_have_text("0", timeout=PATIENCE_MS)
    size = page.locator("#violations-count").evaluate("(one) => getComputedStyle(one).fontSize")
    assert float(size.removesuffix("px")) >= 48
    shot(page, "health")


def test_the_keyboard_reaches_everything_and_roles_say_what_things_are(page: Page) -> None:
    page.keyboard.press("2")
    page.select_option("#conversation-group", "old")
    tree = page.locator("#tree")
    expect(tree).to_have_attribute("role", "tree")
    expect_received(page, 31)
    expect(tree.locator(".line").first).to_be_visible()
    tree.focus()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowDown")
    chosen = page.locator('#tree [role=treeitem][aria-selected="true"]')
    expect(chosen).to_contain_text("ann says 2")
    active = tree.get_attribute("aria-activedescendant")
    assert active == chosen.get_attribute("id")
    page.keyboard.press("PageDown")
    page.keyboard.press("Home")
    for _ in range(6):
        page.keyboard.press("j")
    expect(chosen).to_contain_text("ann says 7")
    expect(chosen).to_have_attribute("aria-expanded", "true")
    page.keyboard.press("ArrowLeft")
    expect(chosen).to_have_attribute("aria-expanded", "false")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(chosen).to_contain_text("Seven it is")
    page.keyboard.press("?")
    expect(page.locator("#help")).to_be_visible()
    page.keyboard.press("Escape")
    for key, view in (("1", "groups"), ("3", "space-time"), ("4", "history"), ("5", "health")):
        page.keyboard.press(key)
        expect(page.locator(f"#view-{view}")).to_be_visible()
        expect(page.locator(f'nav [data-view="{view}"]')).to_have_attribute("aria-current", "page")
    page.keyboard.press("/")
    expect(page.locator("#search-text")).to_be_focused()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_both_themes_have_text_that_can_be_read(page: Page, theme: str) -> None:
    page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    open_talk(page, "old")
    expect_received(page, 31)
    page.locator("#tree .line").nth(3).click()
    weakest = page.evaluate(WEAKEST_CONTRAST)
    assert weakest["ratio"] >= 4.5, weakest
    shot(page, f"conversation-{theme}")
    page.keyboard.press("t")
    other = "light" if theme == "dark" else "dark"
    assert page.evaluate("document.documentElement.dataset.theme") == other
    page.evaluate("() => { location.hash = '#/space-time/old'; }")
    expect(page.locator("#space-scroll svg").first).to_be_visible()
    shot(page, f"space-time-{other}")


def test_on_a_phone_nothing_is_wider_than_the_screen(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    for view in ("groups", "conversation/old", "space-time/old", "history/old", "health"):
        page.evaluate("(hash) => { location.hash = hash; }", f"#/{view}")
        name = view.partition("/")[0]
        expect(page.locator(f"#view-{name}")).to_be_visible()
        if name == "conversation":
            expect(page.locator("#tree .line").first).to_be_visible(timeout=PATIENCE_MS)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, view
        last = page.locator(".tabs a").last
        box = last.bounding_box()
        assert box is not None
        assert box["x"] + box["width"] <= 390
        shot(page, f"phone-{name}")
