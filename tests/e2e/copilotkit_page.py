"""What a person does in the CopilotKit chat. Transcript and input are its own, and so are their test ids."""

from __future__ import annotations

import re
from typing import Any

from playwright.async_api import Browser, Locator, Page, expect

from tests.e2e.page_browser import ANSWER_MS, new_page, shoot

INPUT = "copilot-chat-textarea"
SEND = "copilot-send-button"


async def open_chat(browser: Browser, url: str, **options: Any) -> tuple[Page, list[str]]:
    """A new conversation at `url`, or the one in its fragment, and the list of what the page will complain about."""
    page, complaints = await new_page(browser, **options)
    await page.goto(f"{url.partition('#')[0].removesuffix('/copilotkit')}/copilotkit#{url.partition('#')[2]}")
    await expect(page.get_by_test_id(INPUT)).to_be_visible()
    await idle(page)
    return page, complaints


async def ask(page: Page, question: str) -> None:
    """Type and send."""
    await page.get_by_test_id(INPUT).fill(question)
    await page.keyboard.press("Enter")
    await expect(asked(page).last).to_have_text(question)


def asked(page: Page) -> Locator:
    """The questions in the transcript."""
    return page.get_by_test_id("copilot-user-message")


def said(page: Page) -> Locator:
    """The answers in the transcript, without messages that only call tools."""
    return page.get_by_test_id("copilot-assistant-message").filter(has=page.locator("p"))


async def idle(page: Page) -> None:
    """Wait until nothing is going on."""
    await expect(page.get_by_test_id("copilot-chat")).to_have_attribute(
        "data-copilot-running", "false", timeout=ANSWER_MS
    )


async def heard(page: Page, words: str) -> None:
    """The run has gone on and the model repeats what its tools were told."""
    await expect(said(page).last).to_have_text(re.compile(f"^Heard: .*{re.escape(words)}"))
    await idle(page)
    await expect(page.get_by_test_id("question")).to_have_count(0)
    await expect(page.get_by_test_id(INPUT)).to_be_enabled()


OURS = ":is(.card, .question, .subagent, .answered, .error)"


async def shoot_everywhere(page: Page, name: str) -> None:
    """Screenshots at 1200 and 360 px, in the light and in the dark; nothing of ours may stick out at the side."""
    before = page.viewport_size
    for width, height in ((1200, 900), (360, 740)):
        await page.set_viewport_size({"width": width, "height": height})
        for scheme in ("light", "dark"):
            await page.emulate_media(color_scheme=scheme)
            await shoot(page, f"{name}-{width}-{scheme}")
        assert await page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), f"too wide at {width}"
        wide = "all => all.filter(one => one.scrollWidth > one.clientWidth + 1).map(one => one.className)"
        assert await page.locator(OURS).evaluate_all(wide) == [], f"too wide at {width}"
    await page.emulate_media(color_scheme="light")
    if before is not None:
        await page.set_viewport_size(before)
