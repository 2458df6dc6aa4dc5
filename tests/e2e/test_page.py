"""The chat page in Chromium over the running demo: what a person sees, on a desk and on a phone.

Screenshots go to `var/screenshots`.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest
from playwright.async_api import Browser, expect

from supervisor.commands.demo import free_port
from tests.e2e.page_browser import ANSWER_MS, IN_BROWSER, PHONE, answered, ask, shoot, visit
from tests.e2e.processes import ROOT

pytestmark = IN_BROWSER

SPANNING = "which canteen is least crowded now and when is the next shuttle to the library?"


@pytest.fixture(scope="module")
def demo() -> Iterator[str]:
    port = free_port()
    settings = {"DATABASE": "memory", "CAMPUS_NOW": "2026-12-01T11:30", "OFFLINE_DELAY_MS": "4"}
    command = [sys.executable, "-m", "supervisor.cli", "demo", "--port", str(port)]
    process = subprocess.Popen(command, cwd=ROOT, env={**os.environ, **settings}, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    lines = iter(process.stdout.readline, "")
    assert any(line.startswith("ready ") for line in lines), "the demo did not start"
    yield f"http://127.0.0.1:{port}"
    process.send_signal(signal.SIGINT)
    assert process.wait(30) == 0


async def test_a_question_for_two_agents_shows_both_at_work_and_a_card_from_each(demo: str, browser: Browser) -> None:
    page, complaints = await visit(browser, demo)
    await ask(page, SPANNING)
    await expect(page.locator("[data-testid=subagent][data-status=running]")).to_have_count(2)
    await shoot(page, "two-agents-working")
    await answered(page)
    await expect(page.locator("[data-testid=subagent][data-status=done]")).to_have_count(2)
    await expect(page.locator("[data-card-type=canteen_cards]")).to_be_visible()
    await expect(page.locator("[data-card-type=shuttle_cards]")).to_be_visible()
    await expect(page.get_by_test_id("message-assistant").last).to_contain_text("next shuttle to the Library")
    await shoot(page, "two-agents")
    assert complaints == []


async def test_spicy_dishes_on_a_phone_in_the_dark(demo: str, browser: Browser) -> None:
    page, complaints = await visit(browser, demo, **PHONE)
    await page.get_by_test_id("example").first.click()
    await answered(page)
    card = page.locator("[data-card-type=dish_cards]")
    await expect(card).to_be_visible()
    await expect(card.get_by_text("🌶🌶").first).to_be_visible()
    await shoot(page, "spicy-phone")
    assert await page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert complaints == []


async def test_a_reload_restores_the_conversation_and_its_cards(demo: str, browser: Browser) -> None:
    page, _ = await visit(browser, demo)
    await ask(page, "show a heat map of the canteens")
    await answered(page)
    before = await page.get_by_test_id("message-assistant").last.inner_text()
    await expect(page.get_by_test_id("heatmap")).to_be_visible()
    await page.reload()
    await expect(page.get_by_test_id("heatmap")).to_be_visible(timeout=ANSWER_MS)
    assert await page.get_by_test_id("message-assistant").last.inner_text() == before
    await expect(page.get_by_test_id("message-user")).to_have_count(1)
    await shoot(page, "heatmap-after-reload")


async def test_a_reload_in_mid_answer_goes_on_where_it_was(demo: str, browser: Browser) -> None:
    page, _ = await visit(browser, demo)
    await ask(page, SPANNING)
    await expect(page.get_by_test_id("subagent").first).to_be_visible()
    await page.reload()
    await answered(page)
    await expect(page.get_by_test_id("message-assistant")).to_have_count(1)
    await expect(page.get_by_test_id("message-assistant")).to_contain_text("next shuttle to the Library")


async def test_stop_ends_the_answer_and_the_next_question_works(demo: str, browser: Browser) -> None:
    page, _ = await visit(browser, demo)
    await ask(page, SPANNING)
    await expect(page.get_by_test_id("subagent").first).to_be_visible()
    await page.get_by_test_id("stop").click()
    await expect(page.get_by_test_id("send")).to_be_visible(timeout=ANSWER_MS)
    await expect(page.get_by_test_id("error")).to_have_count(0)
    await ask(page, "recommend some spicy dishes")
    await answered(page)
    await expect(page.locator("[data-card-type=dish_cards]")).to_be_visible()


async def test_another_answer_brings_one_card_and_not_two(demo: str, browser: Browser) -> None:
    page, complaints = await visit(browser, demo)
    await ask(page, "recommend some spicy dishes")
    await answered(page)
    surface = page.locator("a2ui-surface")
    before = await surface.get_attribute("data-surface-id")
    await page.get_by_test_id("regenerate").click()
    await expect(surface).not_to_have_attribute("data-surface-id", str(before), timeout=ANSWER_MS)
    await answered(page)
    await expect(surface).to_have_count(1)
    await expect(page.get_by_test_id("message-user")).to_have_count(1)
    assert complaints == []


async def test_a_lost_server_is_told_in_words_and_can_be_retried(demo: str, browser: Browser) -> None:
    page, _ = await visit(browser, demo)
    await page.route("**/agui", lambda route: route.abort())
    await ask(page, "recommend some spicy dishes")
    await expect(page.get_by_test_id("error")).to_contain_text("cannot be reached")
    await expect(page.get_by_test_id("edit")).to_have_count(0)
    await expect(page.get_by_test_id("regenerate")).to_have_count(0)
    await shoot(page, "server-lost")
    await page.unroute("**/agui")
    await page.get_by_test_id("error").get_by_role("button").click()
    await answered(page)
    await expect(page.locator("[data-card-type=dish_cards]")).to_be_visible()
    await expect(page.get_by_test_id("message-user")).to_have_count(1)


async def test_the_language_can_be_switched(demo: str, browser: Browser) -> None:
    page, _ = await visit(browser, demo)
    await expect(page.get_by_role("heading")).to_have_text("Campus assistant")
    await page.get_by_role("button", name="中文").click()
    await expect(page.get_by_role("heading")).to_have_text("校园助手")


async def test_input_method_enter_does_not_send(demo: str, browser: Browser) -> None:
    page, _ = await visit(browser, demo)
    await page.get_by_test_id("composer").fill("ni hao")
    await page.get_by_test_id("composer").dispatch_event("keydown", {"key": "Enter", "isComposing": True})
    await expect(page.get_by_test_id("message-user")).to_have_count(0)
