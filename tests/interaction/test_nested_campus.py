"""The real agents behind a supervisor behind a supervisor: nothing is lost on the way out or in."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack
from typing import Any

import pytest

from tests.fakes.agui import events, run_input, text_of
from tests.fakes.campus import campus
from tests.fakes.house import House
from tests.fakes.nest import Nest
from tests.interaction.test_nested_questions import answered
from tests.interaction.test_nested_streams import asked, lanes

BOTH = "which canteen is least crowded now and when is the next shuttle to the library?"


@pytest.fixture
async def outer() -> AsyncGenerator[House]:
    nest = Nest()
    async with AsyncExitStack() as stack:
        nest.houses["campus"] = await stack.enter_async_context(campus())
        yield await nest.open(stack, "outer", "campus")


def cards(found: list[dict[str, Any]]) -> list[str]:
    return [e["content"]["card_type"] for e in found if e["type"] == "ACTIVITY_SNAPSHOT"]


@pytest.mark.requirement("SB-NEST-01", "SB-NEST-02", "SB-NEST-03")
async def test_agents_their_tools_and_every_card_are_seen_through_a_supervisor(outer: House) -> None:
    found = await asked(outer, BOTH)
    started = [line.removeprefix("started ") for line in lanes(found) if line.startswith("started ")]
    assert started[0] == "campus"
    assert sorted(started[1:]) == ["canteen", "transport"]
    assert [line for line in lanes(found) if line.endswith(("started in canteen", "started in transport"))]
    assert sorted(cards(found)) == ["canteen_cards", "shuttle_cards"]
    assert len({e["messageId"] for e in found if e["type"] == "ACTIVITY_SNAPSHOT"}) == 2
    held = await outer.snapshot()
    assert [m["content"]["card_type"] for m in held if m["role"] == "activity"] == cards(found)


@pytest.mark.requirement("SB-NEST-07")
async def test_a_meal_is_booked_through_a_supervisor_with_refreshes_in_between(outer: House) -> None:
    first = await asked(outer, "订二食堂的午餐")
    (when,) = first[-1]["outcome"]["interrupts"]
    second = await answered(outer, await refreshed(outer), {"value": when["metadata"]["options"][0]["value"]})
    assert second[-1]["outcome"]["interrupts"][0]["metadata"]["type"] == "approval"
    third = await answered(outer, await refreshed(outer), {"approved": True})
    assert third[-1]["outcome"] == {"type": "success"}
    assert "M0001" in text_of(third)
    assert cards(third) == ["message-card"]


async def refreshed(house: House) -> list[dict[str, Any]]:
    return events((await house.post("/agui/connect", run_input(None, run="again"))).content)
