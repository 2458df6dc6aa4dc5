"""The chat page in Chromium when the connection is bad, against scripted answers: it comes back, or says why not."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.async_api import Browser, Locator, Page, expect

from tests.e2e.page_browser import IN_BROWSER, ask, new_page, shoot_everywhere
from tests.e2e.page_stub import ADDRESS, StubServer, finished, question, refused, restored, stream, text

pytestmark = IN_BROWSER

USER = {"id": "u1", "role": "user", "content": "which canteen?"}
WHOLE = [USER, {"id": "a1", "role": "assistant", "content": "North, it is nearly empty."}]
CUT = stream(*text("North, it is")[:2])
LEAVING = stream(*text("North, it is"), {"type": "RUN_ERROR", "message": "Restarting.", "code": "SHUTTING_DOWN"})


async def open_page(browser: Browser, server: StubServer) -> Page:
    page, _ = await new_page(browser)
    await page.clock.install()
    await server.install(page)
    await page.goto(ADDRESS)
    await expect(page.get_by_test_id("send")).to_be_visible()
    await expect(page.get_by_test_id("composer")).to_be_enabled()
    return page


async def pass_time_until(page: Page, seen: Locator) -> None:
    """Let the page's clock run, as fast as it goes."""
    while not await seen.is_visible():
        await page.clock.run_for(500)


async def whole(page: Page) -> None:
    await expect(page.get_by_test_id("message-assistant")).to_have_text(["North, it is nearly empty."])
    await expect(page.get_by_test_id("message-user")).to_have_text(["which canteen?"])
    await expect(page.get_by_test_id("send")).to_be_visible()
    await expect(page.get_by_test_id("error")).to_have_count(0)


@pytest.mark.parametrize("broken", [CUT, LEAVING], ids=["no terminal event", "the server restarts"])
async def test_a_broken_answer_is_fetched_again_and_nothing_is_doubled(
    browser: Browser, broken: dict[str, Any]
) -> None:
    server = StubServer(answers=[broken])
    page = await open_page(browser, server)
    server.connects.append(restored(WHOLE))
    await ask(page, "which canteen?")
    await whole(page)
    assert len(server.asked) == 1


async def test_a_run_that_is_still_going_is_tailed_after_the_break(browser: Browser) -> None:
    server = StubServer(answers=[CUT])
    page = await open_page(browser, server)
    snapshot = {"type": "MESSAGES_SNAPSHOT", "messages": [USER]}
    server.connects.append(stream(snapshot, *text("North, it is nearly empty."), finished()))
    await ask(page, "which canteen?")
    await whole(page)


async def test_a_run_that_fails_after_the_break_can_be_tried_again(browser: Browser) -> None:
    server = StubServer(answers=[CUT, stream(*text("North, it is nearly empty."), finished())])
    page = await open_page(browser, server)
    failed = {"type": "RUN_ERROR", "message": "No.", "code": "LLM_UNREACHABLE"}
    server.connects.append(stream({"type": "MESSAGES_SNAPSHOT", "messages": [USER]}, failed))
    await ask(page, "which canteen?")
    await page.get_by_test_id("error").get_by_role("button").click()
    await whole(page)
    assert server.asked[1]["forwardedProps"] == {"command": "regenerate"}


async def test_reasoning_and_text_of_a_run_that_is_tailed_stand_once(browser: Browser) -> None:
    thought = [
        {"type": "REASONING_START", "messageId": "r1"},
        {"type": "REASONING_MESSAGE_START", "messageId": "r1", "role": "reasoning"},
        {"type": "REASONING_MESSAGE_CONTENT", "messageId": "r1", "delta": "Two canteens."},
        {"type": "REASONING_MESSAGE_END", "messageId": "r1"},
        {"type": "REASONING_END", "messageId": "r1"},
    ]
    server = StubServer(answers=[stream(*thought, *text("North, it is")[:2])])
    page = await open_page(browser, server)
    snapshot = {"type": "MESSAGES_SNAPSHOT", "messages": [USER]}
    server.connects.append(stream(snapshot, *thought, *text("North, it is nearly empty."), finished()))
    await ask(page, "which canteen?")
    await whole(page)
    await expect(page.locator("details.reasoning")).to_have_count(1)
    await expect(page.locator("details.reasoning")).to_contain_text("Two canteens.")
    # A second copy of the same text inside the one line would be a doubled delta.
    assert (await page.locator("details.reasoning").text_content() or "").count("Two canteens.") == 1


async def test_a_question_asked_while_the_page_was_away_is_shown(browser: Browser) -> None:
    server = StubServer(answers=[CUT])
    page = await open_page(browser, server)
    server.connects.append(restored([USER], question("i1", {"type": "input", "message": "Which one?"})))
    await ask(page, "which canteen?")
    await expect(page.get_by_role("textbox", name="Which one?")).to_be_focused()


async def test_while_it_is_away_the_page_says_so_quietly_and_goes_on_trying(browser: Browser) -> None:
    server = StubServer(answers=[CUT])
    page = await open_page(browser, server)
    tries: list[str] = []
    page.on("request", lambda request: tries.append(request.url) if request.url.endswith("/connect") else None)
    server.connects += [{"status": 502, "body": "bad gateway"}] * 6
    server.connects.append(restored(WHOLE))
    await ask(page, "which canteen?")
    await expect(page.get_by_test_id("reconnecting")).to_be_visible()
    await expect(page.get_by_test_id("message-assistant")).to_have_text("North, it is")
    await expect(page.get_by_test_id("stop")).to_be_visible()
    await expect(page.get_by_test_id("error")).to_have_count(0)
    await shoot_everywhere(page, "reconnecting")
    await pass_time_until(page, page.get_by_test_id("send"))
    await whole(page)
    await expect(page.get_by_test_id("reconnecting")).to_have_count(0)
    assert len(tries) == 7


async def test_it_gives_up_after_a_while_and_tries_again_when_the_browser_is_back_on_line(browser: Browser) -> None:
    server = StubServer(answers=[CUT])
    page = await open_page(browser, server)
    server.connects += [{"status": 502, "body": "bad gateway"}] * 15
    await ask(page, "which canteen?")
    await pass_time_until(page, page.get_by_test_id("error"))
    await expect(page.get_by_test_id("reconnecting")).to_have_count(0)
    server.connects.append(restored(WHOLE))
    await page.evaluate("window.dispatchEvent(new Event('online'))")
    await whole(page)


async def test_back_on_line_ends_the_pause_at_once(browser: Browser) -> None:
    server = StubServer(answers=[CUT])
    page = await open_page(browser, server)
    server.connects += [{"status": 503, "body": "restarting"}, restored(WHOLE)]
    await ask(page, "which canteen?")
    await expect(page.get_by_test_id("reconnecting")).to_be_visible()
    await page.evaluate("window.dispatchEvent(new Event('online'))")
    await whole(page)


async def test_a_server_that_refuses_the_thread_is_not_asked_again_and_again(browser: Browser) -> None:
    server = StubServer(answers=[CUT])
    page = await open_page(browser, server)
    server.connects.append(refused(404, "thread_not_found", "There is no such thread for this user."))
    await ask(page, "which canteen?")
    await expect(page.get_by_test_id("error")).to_contain_text("There is no such thread for this user.")
    await expect(page.get_by_test_id("send")).to_be_visible()


async def test_stop_ends_the_waiting_when_the_server_cannot_be_reached(browser: Browser) -> None:
    server = StubServer(answers=[CUT])
    page = await open_page(browser, server)
    server.connects.append({"status": 502, "body": "bad gateway"})
    await ask(page, "which canteen?")
    await expect(page.get_by_test_id("reconnecting")).to_be_visible()
    await page.route("**/agui/command", lambda route: route.abort())
    await page.get_by_test_id("stop").click()
    await expect(page.get_by_test_id("send")).to_be_visible()
    await expect(page.get_by_test_id("reconnecting")).to_have_count(0)
    await expect(page.get_by_test_id("error")).to_have_count(0)


async def test_a_thread_that_is_busy_elsewhere_is_followed_and_the_question_kept(browser: Browser) -> None:
    server = StubServer(answers=[refused(409, "thread_busy", "A run is going on.", runId="r9")])
    page = await open_page(browser, server)
    server.connects.append(restored(WHOLE))
    await page.get_by_test_id("composer").fill("and a bus?")
    await page.keyboard.press("Enter")
    await whole(page)
    await expect(page.get_by_test_id("composer")).to_have_value("and a bus?")


async def test_a_refused_question_goes_back_to_the_composer_with_the_servers_words(browser: Browser) -> None:
    server = StubServer(answers=[refused(422, "invalid_input", "Say it in other words.")])
    page = await open_page(browser, server)
    await page.get_by_test_id("composer").fill("which canteen?")
    await page.keyboard.press("Enter")
    await expect(page.get_by_test_id("error")).to_contain_text("Say it in other words.")
    await expect(page.get_by_test_id("composer")).to_have_value("which canteen?")
    await expect(page.get_by_test_id("message-user")).to_have_count(0)


async def test_a_page_opened_without_a_connection_can_be_retried(browser: Browser) -> None:
    page, _ = await new_page(browser)
    server = StubServer()
    await server.install(page)
    await page.route("**/agui/connect", lambda route: route.abort(), times=1)
    await page.goto(ADDRESS)
    await expect(page.get_by_test_id("error")).to_contain_text("cannot be reached")
    server.connects.append(restored(WHOLE))
    await page.get_by_test_id("error").get_by_role("button").click()
    await whole(page)


async def test_double_clicks_on_send_and_on_retry_send_once(browser: Browser) -> None:
    server = StubServer(answers=[stream(*text("North, it is nearly empty."), finished())])
    page = await open_page(browser, server)
    await page.route("**/agui", lambda route: route.abort(), times=1)
    await page.get_by_test_id("composer").fill("which canteen?")
    await page.get_by_test_id("send").dblclick()
    await expect(page.get_by_test_id("error")).to_be_visible()
    await expect(page.get_by_test_id("message-user")).to_have_count(1)
    await page.get_by_test_id("error").get_by_role("button").dblclick()
    await whole(page)
    assert len(server.asked) == 1
