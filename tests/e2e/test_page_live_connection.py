"""The chat page in Chromium over the real server when the connection, or the server, goes away in mid-answer."""

from __future__ import annotations

from pathlib import Path

from playwright.async_api import Browser, expect

from tests.e2e.page_browser import IN_BROWSER, ask, shoot_everywhere, visit
from tests.e2e.page_server import FIRST_HALF, Server, fill, heard, holding, serving, whole
from tests.e2e.page_wire import wire_to
from tests.e2e.processes import free_port

pytestmark = IN_BROWSER


async def test_a_reload_in_mid_answer_goes_on_where_it_was(server: Server, browser: Browser) -> None:
    page, _ = await visit(browser, server.url)
    await holding(page)
    await page.reload()
    await expect(page.get_by_test_id("message-assistant")).to_have_text(FIRST_HALF)
    await expect(page.get_by_test_id("stop")).to_be_visible()
    server.gate.touch()
    await whole(page)


async def test_off_line_in_mid_answer_and_back(server: Server, browser: Browser) -> None:
    page, _ = await visit(browser, server.url)
    await holding(page)
    await page.context.set_offline(True)
    await expect(page.get_by_test_id("reconnecting")).to_be_visible()
    await shoot_everywhere(page, "live-reconnecting")
    async with page.expect_request("**/agui/connect"):
        await page.context.set_offline(False)
    await expect(page.get_by_test_id("reconnecting")).to_have_count(0)
    await expect(page.get_by_test_id("message-assistant")).to_have_text(FIRST_HALF)
    server.gate.touch()
    await whole(page)


async def test_a_stream_that_is_cut_is_taken_up_again_while_the_run_goes_on(server: Server, browser: Browser) -> None:
    async with wire_to(server.port) as wire:
        page, _ = await visit(browser, wire.url)
        await holding(page)
        wire.cut()
        await expect(page.get_by_test_id("reconnecting")).to_be_visible()
        await expect(page.get_by_test_id("message-assistant")).to_have_text(FIRST_HALF)
        wire.mend()
        await expect(page.get_by_test_id("reconnecting")).to_have_count(0)
        await expect(page.get_by_test_id("message-assistant")).to_have_text(FIRST_HALF)
        server.gate.touch()
        await whole(page)


async def test_a_stream_that_is_cut_is_made_up_for_after_the_run_has_ended(server: Server, browser: Browser) -> None:
    async with wire_to(server.port) as wire:
        page, _ = await visit(browser, wire.url)
        await holding(page)
        wire.cut()
        await expect(page.get_by_test_id("reconnecting")).to_be_visible()
        server.gate.touch()
        elsewhere, _ = await visit(browser, server.url + "/#" + page.url.partition("#")[2])
        await whole(elsewhere)
        wire.mend()
        await whole(page)


async def test_an_answer_to_a_card_is_not_lost_when_the_stream_is_cut_after_it(
    server: Server, browser: Browser
) -> None:
    async with wire_to(server.port) as wire:
        page, _ = await visit(browser, wire.url)
        await ask(page, "ask slowly")
        await fill(page)
        await expect(page.get_by_test_id("message-assistant")).to_have_text("Heard")
        wire.cut()
        await expect(page.get_by_test_id("reconnecting")).to_be_visible()
        wire.mend()
        await expect(page.get_by_test_id("reconnecting")).to_have_count(0)
        await expect(page.get_by_test_id("question")).to_have_count(0)
        server.gate.touch()
        await heard(page, '"value":"4"')
        await expect(page.get_by_test_id("answered")).to_have_text(["How many people? 4"])


async def test_a_stream_that_goes_silent_is_left_for_a_new_one(server: Server, browser: Browser) -> None:
    page, _ = await visit(browser, server.url)
    await page.clock.install()
    await page.reload()
    await holding(page)
    async with page.expect_request("**/agui/connect"):
        await page.clock.fast_forward(46_000)
    await expect(page.get_by_test_id("reconnecting")).to_have_count(0)
    server.gate.touch()
    await whole(page)


async def test_stop_ends_the_answer(server: Server, browser: Browser) -> None:
    page, _ = await visit(browser, server.url)
    await holding(page)
    await page.get_by_test_id("stop").click()
    await expect(page.get_by_test_id("send")).to_be_visible()
    await expect(page.get_by_test_id("message-assistant")).to_have_text([FIRST_HALF, "(stopped)"])
    await expect(page.get_by_test_id("error")).to_have_count(0)


async def test_stop_works_after_the_page_has_come_back(server: Server, browser: Browser) -> None:
    page, _ = await visit(browser, server.url)
    await holding(page)
    await page.context.set_offline(True)
    await expect(page.get_by_test_id("reconnecting")).to_be_visible()
    await page.context.set_offline(False)
    await expect(page.get_by_test_id("reconnecting")).to_have_count(0)
    await page.get_by_test_id("stop").dblclick()
    await expect(page.get_by_test_id("send")).to_be_visible()
    await ask(page, "count")
    await expect(page.get_by_test_id("message-assistant").last).to_have_text("One, two, three.")


async def test_a_restart_of_the_server_in_mid_answer_is_bridged(browser: Browser, tmp_path: Path) -> None:
    port = free_port()
    with serving(tmp_path, port) as first:
        page, _ = await visit(browser, first.url)
        await holding(page)
        assert first.process.end() == 0
    await expect(page.get_by_test_id("reconnecting")).to_be_visible()
    with serving(tmp_path, port) as second:
        second.gate.touch()
        await page.evaluate("window.dispatchEvent(new Event('online'))")
        await whole(page)
