"""What a person does on the chat page, as functions over a Chromium page. Waits for what is seen, never for time.

Screenshots go to `var/screenshots`.
"""

from __future__ import annotations

import shutil
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser, ConsoleMessage, Locator, Page, async_playwright, expect

IN_BROWSER = [pytest.mark.e2e, pytest.mark.asyncio(loop_scope="session")]
"""`pytestmark` of tests with a browser: it lives in one event loop for all of them."""

SHOTS = Path(__file__).parents[2] / "var" / "screenshots"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
ANSWER_MS = 30_000
SEEN_MS = 15_000
"""How long `expect` waits; a busy machine paints late."""
DESK: dict[str, Any] = {"viewport": {"width": 1200, "height": 900}, "locale": "en-US"}
PHONE: dict[str, Any] = {"viewport": {"width": 360, "height": 740}, "locale": "zh-CN", "color_scheme": "dark"}


expect.set_options(timeout=SEEN_MS)


@asynccontextmanager
async def chromium() -> AsyncGenerator[Browser]:
    """The installed Chromium, headless."""
    program = shutil.which("chromium") or shutil.which("google-chrome")
    assert program, "Chromium is missing; run tests/e2e/setup.sh"
    async with async_playwright() as playwright:
        opened = await playwright.chromium.launch(executable_path=program, args=FLAGS)
        yield opened
        await opened.close()


async def new_page(browser: Browser, **options: Any) -> tuple[Page, list[str]]:
    """A page of its own, and the list of what it will complain about."""
    context = await browser.new_context(**{**DESK, **options})
    page = await context.new_page()
    complaints: list[str] = []

    def note(message: ConsoleMessage) -> None:
        if message.type == "error":
            complaints.append(message.text)

    page.on("console", note)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    return page, complaints


async def visit(browser: Browser, url: str, **options: Any) -> tuple[Page, list[str]]:
    """`new_page` at `url`, ready for a question."""
    page, complaints = await new_page(browser, **options)
    await page.goto(url)
    await expect(page.get_by_test_id("send")).to_be_visible()
    return page, complaints


async def ask(page: Page, question: str) -> None:
    """Type and send, once the page is ready to."""
    await expect(page.get_by_test_id("send")).to_be_enabled()
    await page.get_by_test_id("composer").fill(question)
    await page.keyboard.press("Enter")
    await expect(page.get_by_test_id("message-user").last).to_have_text(question)


def card(page: Page, name: str) -> Locator:
    """An open question by what a screen reader calls it."""
    return page.get_by_role("form", name=name)


def press(page: Page, name: str) -> Locator:
    """A button by the whole of its name."""
    return page.get_by_role("button", name=name, exact=True)


async def answered(page: Page) -> None:
    """Wait until an answer stands and nothing is going on."""
    await expect(page.get_by_test_id("message-assistant").last).to_be_visible(timeout=ANSWER_MS)
    await expect(page.get_by_test_id("send")).to_be_visible(timeout=ANSWER_MS)


async def shoot(page: Page, name: str) -> None:
    """A screenshot for people."""
    SHOTS.mkdir(parents=True, exist_ok=True)
    await page.screenshot(path=SHOTS / f"{name}.png")


async def shoot_everywhere(page: Page, name: str) -> None:
    """Screenshots at 1200 and 360 px, in the light and in the dark; nothing may stick out at the side."""
    before = page.viewport_size
    for width, height in ((1200, 900), (360, 740)):
        await page.set_viewport_size({"width": width, "height": height})
        for scheme in ("light", "dark"):
            await page.emulate_media(color_scheme=scheme)
            await shoot(page, f"{name}-{width}-{scheme}")
        assert await page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), f"too wide at {width}"
        assert await page.evaluate("(c => c.scrollWidth <= c.clientWidth)(document.querySelector('.transcript'))")
    await page.emulate_media(color_scheme="light")
    if before is not None:
        await page.set_viewport_size(before)
