"""The real agents behind the real supervisor, offline and in process: what they show can be clicked."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.cases.case import checked, of_type
from tests.fakes.agui import run_input, text_of
from tests.fakes.campus import campus
from tests.fakes.house import House
from tests.unit.agents_kit.cards import card_type, clicks


@pytest.fixture
async def house() -> AsyncIterator[House]:
    async with campus() as opened:
        yield opened


class Page:
    """A page that asks, and clicks in the card that it was shown last."""

    def __init__(self, house: House) -> None:
        self._house = house
        self.surface = self.type = ""
        self.data: dict[str, Any] = {}
        self.text = ""

    async def ask(self, question: str) -> Page:
        return await self._play(run_input(question, message=uuid.uuid4().hex, run=uuid.uuid4().hex))

    async def click(self, name: str, *, at: int = 0, **context: Any) -> Page:
        """The button of this action number `at`, with some values of its context replaced."""
        sent = [found for action, found in clicks(card_type(self.type), self.data) if action == name][at]
        action = {
            "name": name,
            "surfaceId": self.surface,
            "sourceComponentId": "b",
            "context": {**sent, **context},
            "timestamp": uuid.uuid4().hex,
        }
        return await self._play(
            run_input(None, run=uuid.uuid4().hex, forwardedProps={"a2uiAction": {"userAction": action}})
        )

    async def _play(self, body: Any) -> Page:
        found = checked(await self._house.post("/agui", body))
        assert found[-1]["type"] == "RUN_FINISHED"
        assert not [event for event in of_type(found, "CUSTOM") if event["name"] == "card-fallback"]
        self.text = text_of(found)
        for shown in of_type(found, "ACTIVITY_SNAPSHOT"):
            operations = shown["content"].get("a2ui_operations")
            if operations:
                self.surface = operations[0]["createSurface"]["surfaceId"]
                self.type = self.surface.rpartition("-")[0]
                self.data = operations[-1]["updateDataModel"]["value"]
        return self


async def test_dishes_are_paged_in_place_and_one_is_opened(house: House) -> None:
    page = await Page(house).ask("推荐几道辣的菜")
    first, names = page.surface, [item["name"] for item in page.data["items"]]
    await page.click("next_page")
    assert page.surface == first
    assert not {item["name"] for item in page.data["items"]} & set(names)
    wanted = page.data["items"][0]["name"]
    await page.click("open_dish")
    assert page.surface != first
    assert (page.type, page.data["title"]) == ("message-card", wanted)


async def test_stalls_are_filtered_in_place(house: House) -> None:
    page = await Page(house).ask("which stalls are there?")
    first = page.surface
    at = next(index for index, button in enumerate(page.data["filter"]) if button["label"] == "Canteen Three")
    await page.click("filter", at=at)
    assert page.surface == first
    assert {item["canteen"] for item in page.data["items"]} == {"Canteen Three"}


async def test_a_meal_is_booked_once_by_two_clicks(house: House) -> None:
    page = await Page(house).ask("帮我订餐")
    form, data = page.surface, page.data
    assert page.type == "form-card"
    values = {"canteen": "c2", "date": "2026-12-02", "time": "12:00", "people": 4, "diets": ["halal"], "note": "靠窗"}
    await page.click("submit_form", values=values)
    assert (page.type, page.data["title"]) == ("message-card", "订餐成功")
    assert "M0001" in page.text
    page.surface, page.type, page.data = form, "form-card", data
    await page.click("submit_form", values=values)
    assert page.data["title"] == "已经订过了"
    assert "M0001" in page.text


async def test_identity_is_confirmed_and_a_way_started(house: House) -> None:
    page = await Page(house).ask("what is the balance of my meal card?")
    await page.click("confirm_identity", values={"number": "20230121", "phone_end": "4821"})
    assert (page.type, page.text) == (
        "message-card",
        "The balance of the meal card is ¥86.40; ¥14.50 were spent today.",
    )
    page = await Page(house).ask("how do I get to the library?")
    assert page.type == "route_card"
    await page.click("start_navigation")
    way = page.surface
    assert page.type == "navigation-card"
    await page.click("start_navigation")
    assert (page.surface, page.data["note"]) == (way, "Navigation has started")
