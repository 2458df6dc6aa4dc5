"""The CopilotKit chat in Chromium over the real server: agents, cards and clicks, questions, refresh, stop.

Screenshots go to `var/screenshots`.
"""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import pytest
from playwright.async_api import Browser, Page, expect

from tests.e2e.copilotkit_page import INPUT, SEND, ask, asked, heard, idle, open_chat, said, shoot_everywhere
from tests.e2e.page_browser import IN_BROWSER, PHONE, card, press, shoot
from tests.e2e.page_server import FIRST_HALF, WHOLE, Server, fill
from tests.e2e.processes import ROOT, clean_environment, free_port, running

pytestmark = IN_BROWSER

SPANNING = "which canteen is least crowded now and when is the next shuttle to the library?"


@pytest.fixture(scope="module")
def campus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The demo: both agents and the supervisor with the offline model."""
    port = free_port()
    env = clean_environment(DATABASE="memory", CAMPUS_NOW="2026-12-01T11:30", OFFLINE_DELAY_MS="4")
    command = [sys.executable, "-m", "supervisor.cli", "demo", "--port", str(port)]
    with running(command, tmp_path_factory.mktemp("campus") / "log", cwd=ROOT, env=env) as process:
        process.until(lambda: "ready " in process.output() or None)
        yield f"http://127.0.0.1:{port}"


def bodies(page: Page, path: str = "/agui") -> list[Any]:
    """What the page posts to `path` from now on."""
    found: list[Any] = []
    page.on("request", lambda r: found.append(r.post_data_json) if r.url.endswith(path) else None)
    return found


async def test_a_question_for_two_agents_shows_both_at_work_and_a_card_from_each(campus: str, browser: Browser) -> None:
    page, complaints = await open_chat(browser, campus)
    sent = bodies(page)
    await ask(page, SPANNING)
    await expect(page.locator("[data-testid=subagent][data-status=running]")).to_have_count(2)
    await shoot_everywhere(page, "copilotkit-two-agents-working")
    await idle(page)
    await expect(page.locator("[data-testid=subagent][data-status=done]")).to_have_count(2)
    await expect(page.locator("[data-card-type=canteen_cards]")).to_contain_text("Halal Dining Hall")
    await expect(page.locator("[data-card-type=shuttle_cards]")).to_contain_text("Library Loop")
    await expect(said(page).last).to_contain_text("next shuttle to the Library")
    await shoot_everywhere(page, "copilotkit-two-agents")
    assert complaints == []
    (body,) = sent
    assert "protocolVersion" not in body
    assert len(body["context"]) == 1, "the catalogue's id is told, its 50 kB of schemas are not"


async def test_a_click_in_a_card_is_posted_as_a_user_action_without_a_message(campus: str, browser: Browser) -> None:
    page, complaints = await open_chat(browser, campus)
    await ask(page, "recommend some spicy dishes")
    await idle(page)
    dishes = page.locator("[data-card-type=dish_cards]")
    sent = bodies(page)
    await dishes.locator("button.borderless").first.click()
    await idle(page)
    (body,) = sent
    action = body["forwardedProps"]["a2uiAction"]["userAction"]
    assert action["name"] == "open_dish"
    assert action["surfaceId"].startswith("dish_cards-")
    assert set(action["context"]) >= {"id"}
    assert body["messages"][-1]["role"] != "user"
    await expect(asked(page)).to_have_count(1)
    await expect(page.get_by_test_id("card")).to_have_count(2)
    name = await dishes.locator("button.borderless .a2-text").first.inner_text()
    await expect(page.get_by_test_id("card").last).to_contain_text(name)
    assert complaints == []


async def test_the_next_page_of_a_list_replaces_the_card_that_was_clicked(campus: str, browser: Browser) -> None:
    page, complaints = await open_chat(browser, campus)
    await ask(page, "recommend some spicy dishes")
    await idle(page)
    dishes = page.locator("[data-card-type=dish_cards]")
    first = await dishes.locator("button.borderless .a2-text").first.inner_text()
    await dishes.get_by_role("button", name="Next").click()
    await expect(dishes.locator("button.borderless .a2-text").first).not_to_have_text(first)
    await idle(page)
    await expect(page.get_by_test_id("card")).to_have_count(1)
    assert complaints == []


async def test_a_reload_restores_the_conversation_and_its_cards_with_their_buttons(
    campus: str, browser: Browser
) -> None:
    page, complaints = await open_chat(browser, campus)
    await ask(page, "recommend some spicy dishes")
    await idle(page)
    before = await said(page).last.inner_text()
    await page.reload()
    await expect(page.locator("[data-card-type=dish_cards]")).to_be_visible()
    await expect(said(page)).to_have_text([before])
    await expect(asked(page)).to_have_count(1)
    sent = bodies(page)
    await page.locator("[data-card-type=dish_cards] button.borderless").first.click()
    await idle(page)
    assert [body["forwardedProps"]["a2uiAction"]["userAction"]["name"] for body in sent] == ["open_dish"]
    assert complaints == []


async def test_on_a_phone_in_chinese_and_in_the_dark(campus: str, browser: Browser) -> None:
    page, complaints = await open_chat(browser, campus, **PHONE)
    await shoot(page, "copilotkit-phone-welcome")
    await page.get_by_test_id("copilot-suggestion").first.click()
    await idle(page)
    await expect(page.locator("[data-card-type=dish_cards]")).to_be_visible()
    await shoot(page, "copilotkit-phone")
    assert await page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    await page.get_by_role("button", name="English").click()
    await expect(page.get_by_role("heading", level=1)).to_have_text("Campus assistant")
    await expect(page.locator("[data-card-type=dish_cards]")).to_be_visible()
    assert complaints == []


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


QUESTIONS: dict[str, tuple[Callable[[Page], Awaitable[None]], str]] = {
    "input": (fill, '"value":"4"'),
    "select": (choose, '"value":"Fried rice"'),
    "multiSelect": (tick, '"values":["Mapo tofu","Noodles"]'),
    "modal": (act, '"action":"Not yet"'),
    "approval": (reject, "not paid: too dear"),
    "unlock": (unlock, "B-204 is open"),
}


@pytest.mark.parametrize("kind", QUESTIONS)
async def test_every_question_is_answered_and_its_answer_reaches_the_model(
    server: Server, browser: Browser, kind: str
) -> None:
    answer, words = QUESTIONS[kind]
    page, complaints = await open_chat(browser, server.url)
    await ask(page, f"ask {kind}")
    await expect(page.locator(f"form.question[data-type={kind}]")).to_be_visible()
    await expect(page.get_by_test_id(INPUT)).to_be_disabled()
    await shoot_everywhere(page, f"copilotkit-{kind}")
    await answer(page)
    await heard(page, words)
    await expect(page.get_by_test_id("answered")).to_have_count(1)
    assert complaints == []


async def test_two_questions_at_once_are_answered_in_one_request(server: Server, browser: Browser) -> None:
    page, complaints = await open_chat(browser, server.url)
    await ask(page, "ask two")
    await expect(page.get_by_test_id("question")).to_have_count(2)
    sent = bodies(page)
    await fill(page)
    await shoot_everywhere(page, "copilotkit-two-questions")
    await press(page, "Change").click()
    await expect(card(page, "How many people?").get_by_role("textbox")).to_have_value("4")
    await fill(page)
    assert sent == []
    await press(page, "Approve").click()
    await heard(page, "paid 24.50")
    (body,) = sent
    assert [entry["status"] for entry in body["resume"]] == ["resolved", "resolved"]
    assert [entry["payload"] for entry in body["resume"]] == [{"value": "4"}, {"approved": True}]
    assert complaints == []


async def test_a_cancelled_question_is_told_to_the_model(server: Server, browser: Browser) -> None:
    page, _ = await open_chat(browser, server.url)
    await ask(page, "ask approval")
    await page.get_by_test_id("cancel").click()
    await heard(page, "not paid: None")
    await expect(page.get_by_test_id("answered")).to_contain_text("Cancelled")


async def test_an_expired_question_can_only_be_cancelled(server: Server, browser: Browser) -> None:
    page, _ = await open_chat(browser, server.url)
    await ask(page, "ask late")
    await expect(page.get_by_test_id("expired")).to_be_visible()
    await expect(press(page, "Answer")).to_have_count(0)
    await page.get_by_test_id("cancel").click()
    await heard(page, "no answer")


async def test_a_reload_keeps_an_open_question_and_its_answer_is_taken(server: Server, browser: Browser) -> None:
    page, complaints = await open_chat(browser, server.url)
    await ask(page, "ask select")
    await expect(page.get_by_test_id("question")).to_be_visible()
    await page.reload()
    await expect(page.get_by_test_id("question")).to_be_visible()
    await expect(page.get_by_test_id(INPUT)).to_be_disabled()
    await choose(page)
    await heard(page, '"value":"Fried rice"')
    await page.reload()
    await expect(page.get_by_test_id("answered")).to_contain_text("Fried rice")
    assert complaints == []


async def test_an_answer_that_the_server_refuses_opens_its_card_again(server: Server, browser: Browser) -> None:
    page, _ = await open_chat(browser, server.url)
    other, _ = await open_chat(browser, page.url)
    await ask(page, "ask two")
    await expect(page.get_by_test_id("question")).to_have_count(2)
    await other.reload()
    await fill(other)
    await press(other, "Approve").click()
    await heard(other, "paid 24.50")
    await fill(page)
    await press(page, "Reject").click()
    await expect(page.get_by_test_id("error").or_(page.get_by_test_id("refusal"))).to_be_visible()
    await page.reload()
    await expect(said(page).last).to_contain_text("paid 24.50")
    await expect(page.get_by_test_id("question")).to_have_count(0)


async def holding(page: Page) -> None:
    """The first half of the answer is there, the model waits."""
    await ask(page, "hold")
    await expect(said(page)).to_have_text([FIRST_HALF])


async def test_stop_ends_the_run_at_the_server_and_is_no_error(server: Server, browser: Browser) -> None:
    page, complaints = await open_chat(browser, server.url)
    commands = bodies(page, "/agui/command")
    await holding(page)
    await page.get_by_test_id(SEND).click()
    await expect(page.get_by_test_id("stopped")).to_have_text("Stopped")
    await expect(page.get_by_test_id("error")).to_have_count(0)
    await expect(said(page)).to_have_text([FIRST_HALF, "(stopped)"])
    await shoot(page, "copilotkit-stopped")
    assert [body["command"] for body in commands] == ["cancel"]
    await ask(page, "count")
    await expect(said(page).last).to_have_text("One, two, three.")
    await expect(page.get_by_test_id("stopped")).to_have_count(0)
    assert complaints == []


async def test_a_reload_in_mid_answer_goes_on_where_it_was(server: Server, browser: Browser) -> None:
    page, complaints = await open_chat(browser, server.url)
    await holding(page)
    await page.reload()
    await expect(said(page)).to_have_text([FIRST_HALF])
    server.gate.touch()
    await expect(said(page)).to_have_text([WHOLE])
    await expect(asked(page)).to_have_text(["hold"])
    await idle(page)
    assert complaints == []


async def test_enter_while_an_answer_is_on_its_way_neither_stops_it_nor_asks(server: Server, browser: Browser) -> None:
    page, _ = await open_chat(browser, server.url)
    await holding(page)
    await page.get_by_test_id(INPUT).fill("next")
    await page.keyboard.press("Enter")
    await expect(page.get_by_test_id(INPUT)).to_have_value("next")
    server.gate.touch()
    await expect(said(page)).to_have_text([WHOLE])
    await idle(page)
    await page.keyboard.press("Enter")
    await expect(said(page).last).to_have_text("You said: next")


async def test_a_question_that_the_server_refuses_comes_back_into_the_input(server: Server, browser: Browser) -> None:
    page, _ = await open_chat(browser, server.url)
    other, _ = await open_chat(browser, page.url)
    await holding(other)
    await page.get_by_test_id(INPUT).fill("count")
    await page.keyboard.press("Enter")
    await expect(page.get_by_test_id("error")).to_contain_text("still being answered")
    await expect(page.get_by_test_id(INPUT)).to_have_value("count")
    await expect(asked(page)).to_have_count(0)
    await shoot(page, "copilotkit-refused")
    await press(page, "Try again").click()
    await expect(said(page)).to_have_text([FIRST_HALF])
    server.gate.touch()
    await expect(said(page)).to_have_text([WHOLE])


async def test_a_lost_server_is_told_in_words_and_the_question_is_sent_again(server: Server, browser: Browser) -> None:
    page, _ = await open_chat(browser, server.url)
    await page.route("**/agui", lambda route: route.abort())
    await ask(page, "count")
    await expect(page.get_by_test_id("error")).to_contain_text("cannot be reached")
    await page.unroute("**/agui")
    await press(page, "Try again").click()
    await expect(said(page)).to_have_text(["One, two, three."])
    await expect(asked(page)).to_have_text(["count"])
    await expect(page.get_by_test_id("error")).to_have_count(0)


async def test_a_run_that_failed_is_tried_again(server: Server, browser: Browser) -> None:
    page, _ = await open_chat(browser, server.url)
    await ask(page, "fail")
    await expect(page.get_by_test_id("error")).to_be_visible()
    server.gate.touch()
    await press(page, "Try again").click()
    await expect(said(page)).to_have_text(["Back again."])
    await expect(asked(page)).to_have_text(["fail"])
