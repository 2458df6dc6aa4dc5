"""The chat page in Chromium over the real server: questions answered, questions rewritten, answers given again."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.async_api import Browser, Page, Route, expect

from tests.e2e.page_browser import IN_BROWSER, PHONE, ask, card, press, shoot, shoot_everywhere, visit
from tests.e2e.page_server import FIRST_HALF, Server, fill, heard, whole

pytestmark = IN_BROWSER


async def choose(page: Page) -> None:
    await page.get_by_role("radio", name="Fried rice").click()
    await press(page, "Answer").click()


async def tick(page: Page) -> None:
    await page.get_by_role("checkbox", name="Noodles").click()
    await page.get_by_role("checkbox", name="Mapo tofu").click()
    await press(page, "Answer").click()


async def act(page: Page) -> None:
    await press(page, "Not yet").click()


async def reject(page: Page) -> None:
    await page.get_by_role("textbox", name="Reason (optional)").fill("too dear")
    await press(page, "Reject").click()


async def unlock(page: Page) -> None:
    await press(page, "It is unlocked, go on").click()


CARDS = {
    "input": (fill, '"value":"4"'),
    "select": (choose, '"value":"Fried rice"'),
    "multiSelect": (tick, '"values":["Mapo tofu","Noodles"]'),
    "modal": (act, '"action":"Not yet"'),
    "approval": (reject, "not paid: too dear"),
    "unlock": (unlock, "B-204 is open"),
}


@pytest.mark.parametrize("kind", CARDS)
async def test_every_card_is_answered_and_its_answer_reaches_the_model(
    server: Server, browser: Browser, kind: str
) -> None:
    answer, words = CARDS[kind]
    page, complaints = await visit(browser, server.url)
    await ask(page, f"ask {kind}")
    await expect(page.locator(f"form.question[data-type={kind}]")).to_be_visible()
    await shoot_everywhere(page, f"live-{kind}")
    await answer(page)
    await heard(page, words)
    await expect(page.get_by_test_id("answered")).to_have_count(1)
    assert complaints == []


async def test_two_questions_at_once_are_answered_in_one_request(server: Server, browser: Browser) -> None:
    page, complaints = await visit(browser, server.url)
    sent: list[Any] = []
    page.on("request", lambda r: sent.append(r.post_data_json) if r.url.endswith("/agui") else None)
    await ask(page, "ask two")
    await expect(page.get_by_test_id("question")).to_have_count(2)
    await shoot_everywhere(page, "live-two")
    await press(page, "Approve").click()
    await expect(page.get_by_test_id("question")).to_have_count(1)
    await fill(page)
    await heard(page, "paid 24.50")
    await expect(page.get_by_test_id("message-assistant").last).to_contain_text('"value":"4"')
    assert [len(body.get("resume", [])) for body in sent] == [0, 2]
    assert complaints == []


async def test_one_of_two_questions_is_cancelled_on_a_phone(server: Server, browser: Browser) -> None:
    page, _ = await visit(browser, server.url, **PHONE)
    await ask(page, "ask two")
    await fill(page)
    await shoot(page, "live-two-phone")
    await card(page, "Pay the canteen?").get_by_test_id("cancel").click()
    await heard(page, "not paid: None")
    await shoot_everywhere(page, "live-two-answered")


async def test_a_reload_shows_the_open_question_again_and_it_can_be_answered(server: Server, browser: Browser) -> None:
    page, _ = await visit(browser, server.url)
    await ask(page, "ask two")
    await expect(page.get_by_test_id("question")).to_have_count(2)
    await page.reload()
    await expect(page.get_by_test_id("question")).to_have_count(2)
    await expect(page.get_by_test_id("composer")).to_be_disabled()
    await press(page, "Approve").click()
    await fill(page)
    await heard(page, "paid 24.50")
    await expect(page.get_by_test_id("message-user")).to_have_count(1)
    await page.reload()
    await heard(page, "paid 24.50")
    await expect(page.get_by_test_id("answered")).to_have_text(["How many people? 4"])


async def test_a_question_answered_in_another_tab_is_refused_here_and_the_page_catches_up(
    server: Server, browser: Browser
) -> None:
    page, _ = await visit(browser, server.url)
    await ask(page, "ask input")
    await expect(page.get_by_test_id("question")).to_have_count(1)
    other, _ = await visit(browser, page.url)
    await fill(other)
    await heard(other, '"value":"4"')
    await card(page, "How many people?").get_by_role("textbox").fill("5")
    await page.keyboard.press("Enter")
    await heard(page, '"value":"4"')
    await expect(page.get_by_test_id("error")).to_be_visible()


async def test_a_wrong_answer_is_refused_and_can_be_corrected(server: Server, browser: Browser) -> None:
    page, _ = await visit(browser, server.url)
    await ask(page, "ask select")

    async def spoil(route: Route) -> None:
        body = (route.request.post_data or "").replace('"value":"Fried rice"', '"value":"Pizza"')
        await route.continue_(post_data=body)

    await page.route("**/agui", spoil, times=1)
    await choose(page)
    await expect(page.get_by_test_id("refusal")).to_be_visible()
    await expect(page.get_by_role("radio", name="Fried rice")).to_be_checked()
    await shoot_everywhere(page, "live-refused")
    await press(page, "Answer").click()
    await heard(page, '"value":"Fried rice"')


async def test_an_expired_question_is_cancelled(server: Server, browser: Browser) -> None:
    page, _ = await visit(browser, server.url)
    await ask(page, "ask late")
    await expect(page.get_by_test_id("expired")).to_be_visible()
    await page.get_by_test_id("cancel").click()
    await heard(page, "no answer")


async def test_a_question_in_a_hosts_own_form_is_readable_and_answered(server: Server, browser: Browser) -> None:
    page, _ = await visit(browser, server.url)
    await ask(page, "ask foreign")
    await card(page, "Where do you sit?").get_by_role("textbox").fill("by the window")
    await page.keyboard.press("Enter")
    await heard(page, "by the window")


async def test_the_last_question_is_rewritten(server: Server, browser: Browser) -> None:
    page, complaints = await visit(browser, server.url)
    await ask(page, "hello")
    await expect(page.get_by_test_id("message-assistant")).to_have_text("You said: hello")
    await ask(page, "good night")
    await expect(page.get_by_test_id("message-assistant").last).to_have_text("You said: good night")
    await page.get_by_test_id("edit").click()
    await page.get_by_role("textbox", name="Edit the question").fill("good morning")
    await page.get_by_test_id("save").click()
    said = ["You said: hello", "You said: good morning"]
    await expect(page.get_by_test_id("message-assistant")).to_have_text(said)
    await expect(page.get_by_test_id("message-user")).to_have_text(["hello", "good morning"])
    await page.reload()
    await expect(page.get_by_test_id("message-assistant")).to_have_text(said)
    await expect(page.get_by_test_id("message-user")).to_have_text(["hello", "good morning"])
    assert complaints == []


async def test_the_last_answer_is_given_again(server: Server, browser: Browser) -> None:
    page, complaints = await visit(browser, server.url)
    server.gate.touch()
    await ask(page, "hold")
    await whole(page)
    server.gate.unlink()
    await page.get_by_test_id("regenerate").click()
    await expect(page.get_by_test_id("message-assistant")).to_have_text(FIRST_HALF)
    server.gate.touch()
    await whole(page)
    await page.reload()
    await whole(page)
    assert complaints == []


async def test_a_question_that_was_answered_is_asked_again_with_the_answer(server: Server, browser: Browser) -> None:
    page, _ = await visit(browser, server.url)
    await ask(page, "ask approval")
    await press(page, "Approve").click()
    await heard(page, "paid 24.50")
    await page.get_by_test_id("regenerate").click()
    await expect(card(page, "Pay the canteen?")).to_be_visible()
    await expect(page.get_by_test_id("answered")).to_have_count(0)
    await reject(page)
    await heard(page, "not paid: too dear")


async def test_trying_again_after_a_failure_answers_the_same_question(server: Server, browser: Browser) -> None:
    page, _ = await visit(browser, server.url)
    await ask(page, "fail")
    await expect(page.get_by_test_id("error")).to_be_visible()
    server.gate.touch()
    await page.get_by_test_id("error").get_by_role("button").click()
    await expect(page.get_by_test_id("message-assistant")).to_have_text("Back again.")
    await expect(page.get_by_test_id("message-user")).to_have_text(["fail"])
