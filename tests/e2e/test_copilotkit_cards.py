"""Every card type of the catalogue as the CopilotKit page paints it, and what it does with cards that it cannot paint.

Screenshots go to `var/screenshots`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from playwright.async_api import Browser, Page, Route, expect

from a2ui_schemas.loader import load_catalogue
from supervisor.cards.artifact import Issued, activity_messages, build
from supervisor.cards.render import CardRenderer
from supervisor.http.page import COPILOTKIT
from tests.e2e.copilotkit_page import INPUT, idle, said
from tests.e2e.page_browser import DESK, IN_BROWSER, PHONE, SHOTS, new_page
from tests.e2e.page_stub import ADDRESS, finished, restored, stream, text

pytestmark = IN_BROWSER

CATALOGUE = load_catalogue()
TYPES = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".woff2": "font/woff2"}
INPUT_AREA = ":is([data-testid=copilot-input-overlay], [data-testid=copilot-scroll-to-bottom])"
BROKEN = ("Unknown component", "A2UI render error", "Building interface")


def activity(card_type: str, data: Any, bubble: str | None = None) -> dict[str, Any]:
    """A card as the supervisor sends it."""
    card = CardRenderer(CATALOGUE).render(card_type, data, bubble_text=bubble)
    (message,) = activity_messages(f"call-{card.surface_id}", build([Issued(card)]))
    return message


async def restore(browser: Browser, messages: Sequence[dict[str, Any]], **options: Any) -> tuple[Page, list[str]]:
    """The page over a server that never was, with a conversation that holds `messages`. Runs end as they start."""

    async def answer(route: Route) -> None:
        path = route.request.url.removeprefix(ADDRESS).partition("#")[0].removeprefix("copilotkit").lstrip("/")
        if path == "agui/connect":
            await route.fulfill(**restored(messages))
        elif path == "agui":
            await route.fulfill(**stream(finished()))
        elif route.request.url.startswith(ADDRESS):
            file = COPILOTKIT / (path or "index.html")
            await route.fulfill(body=file.read_bytes(), content_type=TYPES[file.suffix])
        else:
            await route.abort()

    page, complaints = await new_page(browser, **options)
    await page.route("**/*", answer)
    await page.goto(f"{ADDRESS}copilotkit#t")
    await expect(page.get_by_test_id(INPUT)).to_be_visible()
    await idle(page)
    return page, complaints


@pytest.mark.parametrize("options", [DESK, PHONE], ids=["desk", "phone"])
async def test_every_card_type_is_painted_with_its_example(browser: Browser, options: dict[str, Any]) -> None:
    examples = [activity(card.type, card.example) for card in CATALOGUE.cards.values()]
    page, complaints = await restore(browser, examples, **options)
    await expect(page.get_by_test_id("card")).to_have_count(len(examples))
    await page.add_style_tag(content=f"{INPUT_AREA} {{ display: none }}")
    SHOTS.mkdir(parents=True, exist_ok=True)
    for one, card in zip(await page.get_by_test_id("card").all(), CATALOGUE.cards.values(), strict=True):
        await expect(one).to_have_attribute("data-card-type", card.type)
        await expect(one.locator(".a2-card").first).to_be_visible()
        words = await one.inner_text()
        assert words.strip(), card.type
        assert not [sign for sign in BROKEN if sign in words], card.type
        assert await one.evaluate("card => card.scrollWidth <= card.clientWidth"), card.type
        await one.screenshot(path=SHOTS / f"copilotkit-card-{card.type}-{options['viewport']['width']}.png")
    assert [words for words in complaints if "ERR_FAILED" not in words] == [], "pictures of elsewhere are not fetched"


async def test_two_hundred_rows_are_one_card_that_scrolls_in_a_box(browser: Browser) -> None:
    (dish, *_) = CATALOGUE.cards["dish_cards"].example["items"]
    rows = [{**dish, "image_url": "", "id": f"d{n}", "name": f"Dish {n}"} for n in range(200)]
    page, _ = await restore(browser, [activity("dish_cards", {"title": "All", "items": rows})])
    card = page.get_by_test_id("card")
    await expect(card.get_by_text("Dish 199", exact=True)).to_be_attached()
    assert await card.evaluate("card => card.clientHeight") < 900


async def test_what_cannot_be_painted_is_read_as_words(browser: Browser) -> None:
    unknown = activity("hologram", {"x": 1}, bubble="A hologram of the canteen.")
    strange = {"id": "s", "role": "activity", "activityType": "acme-chart", "content": {"bubble_text": "Sales rose."}}
    empty = {"id": "e", "role": "activity", "activityType": "a2ui-surface", "content": {"a2ui_operations": []}}
    page, _ = await restore(browser, [unknown, strange, empty])
    await expect(page.get_by_test_id("card")).to_have_text(
        ["💬A hologram of the canteen.", "Sales rose. (acme-chart)", "This card cannot be shown here (a2ui-surface)"]
    )


async def test_a_form_is_posted_with_what_was_typed_and_chosen(browser: Browser) -> None:
    page, complaints = await restore(browser, [activity("form-card", CATALOGUE.cards["form-card"].example)])
    form = page.get_by_test_id("form")
    await form.get_by_label("人数").fill("")
    await form.get_by_role("button").click()
    assert await form.get_by_label("人数").evaluate("input => input.validity.valueMissing")
    await form.get_by_label("人数").fill("6")
    await form.get_by_label("11:30").check()
    await form.get_by_label("素食").check()
    await form.get_by_label("备注").fill("靠窗")
    async with page.expect_request("**/agui") as posted:
        await form.get_by_role("button").click()
    body: Any = (await posted.value).post_data_json
    action = body["forwardedProps"]["a2uiAction"]["userAction"]
    assert action["name"] == "submit_form"
    typed = {"date": "2026-12-02", "time": "11:30", "people": 6, "diet": ["vegetarian"], "note": "靠窗", "remind": True}
    assert action["context"] == {"form_id": "meal-booking:c2", "values": typed}
    assert complaints == []


async def test_a_click_while_an_answer_is_on_its_way_does_not_cut_it_off(browser: Browser) -> None:
    page, _ = await restore(browser, [activity("dish_cards", CATALOGUE.cards["dish_cards"].example)])
    posted: asyncio.Queue[Route] = asyncio.Queue()

    async def hold(route: Route) -> None:
        await posted.put(route)

    await page.route("**/agui", hold)
    await page.locator("button.borderless").first.click()
    held = await posted.get()
    await page.locator("button.borderless").last.click()
    await held.fulfill(**stream(*text("The dish is spicy."), finished()))
    await expect(said(page)).to_have_text(["The dish is spicy."])
    await idle(page)
    assert posted.empty()
