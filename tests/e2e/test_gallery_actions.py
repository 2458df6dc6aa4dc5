"""What a click in a card sends, and how forms, maps and lists behave under a person's hands."""

from __future__ import annotations

import itertools
import re
from typing import Any

import pytest
from playwright.async_api import Browser, Locator, Page, expect

from tests.e2e.gallery import CATALOGUE, activity, many, show
from tests.e2e.page_browser import IN_BROWSER, new_page
from tests.e2e.page_stub import ADDRESS, StubServer, finished, restored, stream, text

pytestmark = IN_BROWSER

Json = dict[str, Any]


async def card_of(browser: Browser, card_type: str, data: Json | None = None) -> tuple[Page, Locator, StubServer]:
    """The page with one card, by default the example, and a server that answers one click."""
    data = CATALOGUE.cards[card_type].example if data is None else data
    page, complaints, server = await show(browser, [activity(card_type, data)])
    server.answers = [stream(*text("好的"), finished()) for _ in range(3)]
    assert complaints == []
    return page, page.get_by_test_id("card"), server


async def sent(page: Page, server: StubServer) -> Json:
    """The action of the last request, which asks nothing new."""
    await expect(page.get_by_test_id("message-assistant").last).to_have_text("好的")
    asked = server.asked[-1]
    assert [message for message in asked["messages"] if message["role"] == "user"] == []
    return asked["forwardedProps"]["a2uiAction"]["userAction"]


CLICKS = [
    ("dish_cards", "水煮鱼", "open_dish", {"id": "d-102", "name": "水煮鱼"}),
    ("dish_cards", "下一页", "next_page", {"cursor": "dishes:spicy:2"}),
    ("dish_cards", "不超过 15 元", "filter", {"value": "max_price=15"}),
    ("canteen_menu", "牛肉拉面", "open_dish", {"id": "d-121", "name": "牛肉拉面"}),
    ("stall_detail_card", "看评价", "show_reviews", {"id": "s-21", "name": "渝味鱼庄"}),
    ("identify-card", "不是我", "confirm_identity", {"token": "id-7f3a", "confirmed": False}),
    ("navigation-card", "开始导航", "start_navigation", {"id": "c2", "name": "第二食堂"}),
]


@pytest.mark.parametrize(("card_type", "words", "name", "context"), CLICKS, ids=lambda value: str(value)[:20])
async def test_a_click_sends_the_action_with_the_context_of_its_place(
    browser: Browser, card_type: str, words: str, name: str, context: Json
) -> None:
    page, card, server = await card_of(browser, card_type)
    await card.get_by_role("button").filter(has_text=words).click()
    action = await sent(page, server)
    assert (action["name"], action["context"]) == (name, context)
    assert action["surfaceId"].startswith(card_type)


async def test_a_row_without_an_id_cannot_be_clicked(browser: Browser) -> None:
    _, card, server = await card_of(browser, "dish_cards", {"items": [{"name": "麻婆豆腐"}], "title": "菜"})
    await expect(card.get_by_role("button", name=re.compile("麻婆豆腐"))).to_be_disabled()
    assert server.asked == []


async def test_the_form_sends_what_was_typed_and_what_stood_there(browser: Browser) -> None:
    page, card, server = await card_of(browser, "form-card")
    await card.get_by_label("人数").fill("6")
    await card.get_by_text("17:30（晚餐）").click()
    await card.get_by_text("素食").click()
    await card.get_by_text("坚果过敏").click()
    await card.get_by_label("备注").fill("靠窗 <b>")
    await card.get_by_label("提前 30 分钟提醒我").uncheck()
    await card.get_by_role("button", name="提交预订").click()
    action = await sent(page, server)
    assert action["name"] == "submit_form"
    assert action["context"] == {
        "form_id": "meal-booking:c2",
        "values": {
            "date": "2026-12-02",
            "time": "17:30",
            "people": 6,
            "diet": ["vegetarian", "nuts"],
            "note": "靠窗 <b>",
            "remind": False,
        },
    }


@pytest.mark.parametrize("wrong", ["", "1", "21"])
async def test_a_form_that_is_not_complete_or_out_of_range_sends_nothing(browser: Browser, wrong: str) -> None:
    page, card, server = await card_of(browser, "form-card")
    await card.get_by_label("人数").fill(wrong)
    await card.get_by_role("button", name="提交预订").click()
    assert await card.get_by_label("人数").evaluate("(input) => !input.validity.valid && input.matches(':focus')")
    assert server.asked == []
    await card.get_by_label("人数").fill("2")
    await card.get_by_role("button", name="提交预订").click()
    assert (await sent(page, server))["context"]["values"]["people"] == 2


async def test_an_identity_is_confirmed_with_what_was_typed(browser: Browser) -> None:
    page, card, server = await card_of(browser, "identify-card")
    await card.get_by_role("button", name="是我", exact=True).click()
    assert server.asked == []
    await card.get_by_label("手机号后四位").fill("0421")
    await card.get_by_role("button", name="是我", exact=True).click()
    assert (await sent(page, server))["context"] == {"token": "id-7f3a", "confirmed": True, "values": {"last4": "0421"}}


async def test_the_route_is_drawn_to_scale_with_walks_dotted_and_a_colour_for_every_line(browser: Browser) -> None:
    stops: list[Json] = CATALOGUE.cards["route_card"].example["items"]
    _, card, _ = await card_of(browser, "route_card")
    drawing = card.get_by_test_id("route-drawing")
    await expect(drawing.locator("circle.stop")).to_have_count(len(stops))
    legs = drawing.locator("line.way")
    assert await legs.evaluate_all("(all) => all.map((leg) => leg.classList[1])") == ["shuttle"] * 3 + ["walk"]
    first, second, third, walk = await legs.evaluate_all("(all) => all.map((leg) => getComputedStyle(leg).stroke)")
    assert first == second
    assert len({first, third, walk}) == 3
    assert await legs.last.evaluate("(leg) => getComputedStyle(leg).strokeDasharray") != "none"
    places = await drawing.locator("circle.stop").evaluate_all(
        "(all) => all.map((c) => [c.cx.baseVal.value, c.cy.baseVal.value])"
    )
    east, north = (stops[4][k] - stops[0][k] for k in ("lng", "lat"))
    drawn = (places[4][0] - places[0][0]) / (places[0][1] - places[4][1])
    # A degree of longitude is shorter than one of latitude: by the cosine of 31 degrees.
    assert drawn == pytest.approx(east * 0.857 / north, rel=0.01)
    names = [stop["name"] for stop in stops]
    assert await card.get_by_test_id("routemap").locator(".name").all_text_contents() == names


async def test_a_route_without_places_has_its_stops_and_no_map(browser: Browser) -> None:
    stops = [{"name": "A", "lat": 31.0, "lng": 121.0}, {"name": "B"}]
    _, card, _ = await card_of(browser, "route_card", {"items": stops})
    await expect(card.get_by_test_id("routemap").locator("li")).to_have_count(2)
    await expect(card.get_by_test_id("route-drawing")).to_have_count(0)


async def test_two_hundred_rows_are_all_there_and_scroll_in_their_own_box(browser: Browser) -> None:
    page, card, server = await card_of(browser, "dish_cards", many(CATALOGUE.cards["dish_cards"]))
    await expect(card.get_by_text("#199")).to_have_count(1)
    box = await card.bounding_box()
    assert box is not None
    assert box["height"] < 900
    await card.get_by_role("button").filter(has_text="#199").click()
    assert (await sent(page, server))["context"]["name"].endswith("#199")


COUNT_ROWS = """
window.counts = [];
const count = () => {
  const surface = document.querySelector("a2ui-surface")?.shadowRoot;
  const rows = surface?.querySelectorAll(".long > campus-column").length ?? 0;
  if (rows && rows !== window.counts.at(-1)) window.counts.push(rows);
  requestAnimationFrame(count);
};
count();
"""


async def test_a_long_list_comes_in_pieces_so_that_the_page_stays_quick(browser: Browser) -> None:
    page, _ = await new_page(browser)
    await page.add_init_script(COUNT_ROWS)
    await StubServer(connects=[restored([activity("dish_cards", many(CATALOGUE.cards["dish_cards"]))])]).install(page)
    await page.goto(f"{ADDRESS}#long")
    await expect(page.get_by_test_id("card").get_by_text("#199")).to_have_count(1)
    await page.wait_for_function("window.counts.at(-1) === 200")
    counts: list[int] = await page.evaluate("window.counts")
    steps = [after - before for before, after in itertools.pairwise([0, *counts])]
    assert all(0 < step <= 48 for step in steps), counts


async def test_a_picture_that_cannot_be_shown_becomes_the_first_letter(browser: Browser) -> None:
    rows = [{"name": "麻婆豆腐", "image_url": "data:image/png;base64,AAAA"}, {"name": "水煮鱼"}]
    _, card, _ = await card_of(browser, "dish_cards", {"items": rows})
    await expect(card.get_by_text("麻", exact=True)).to_be_visible()
    await expect(card.get_by_text("水", exact=True)).to_be_visible()
    await expect(card.locator("img")).to_have_count(0)


async def test_markup_in_data_is_read_and_not_run(browser: Browser) -> None:
    words = "<img src=x onerror=alert(1)> **fett** [x](javascript:alert(1))"
    rows = [{"name": words, "detail": words, "value": words[:80], "note": words}]
    page, card, _ = await card_of(browser, "list-card", {"title": words, "items": rows})
    await expect(card.get_by_text(words, exact=True)).to_have_count(5)
    assert await page.evaluate("document.querySelectorAll('img').length") == 0


@pytest.mark.parametrize("broken", ["component", "root", "catalogue"])
async def test_operations_that_this_page_cannot_paint_show_the_bubble_text(browser: Browser, broken: str) -> None:
    message = activity("dish_cards", CATALOGUE.cards["dish_cards"].example)
    create, components, _ = message["content"]["a2ui_operations"] = [*message["content"]["a2ui_operations"]]
    template = [*components["updateComponents"]["components"]]
    if broken == "component":
        template = [{**part, "component": "Hologram"} if part["id"] == "list" else part for part in template]
    if broken == "root":
        template = template[1:]
    components["updateComponents"]["components"] = template
    if broken == "catalogue":
        create["createSurface"]["catalogId"] = "https://elsewhere.example/catalog.json"
    message["content"]["bubble_text"] = "三道菜"
    page, _, _ = await show(browser, [message])
    await expect(page.get_by_test_id("card")).to_contain_text("三道菜")
