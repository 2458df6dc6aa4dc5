"""The chat page in Chromium: agents that are asked by agents stand below them, and wait with them for an answer."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.async_api import Locator, Page, expect

from tests.e2e.page_browser import IN_BROWSER, ask, shoot
from tests.e2e.page_stub import ADDRESS, StubServer, finished, question, stream, text

pytestmark = IN_BROWSER

CALL = [
    {"type": "TOOL_CALL_START", "toolCallId": "c1", "toolCallName": "orchestrate_parallel", "parentMessageId": "m1"},
    {"type": "TOOL_CALL_ARGS", "toolCallId": "c1", "delta": "{}"},
    {"type": "TOOL_CALL_END", "toolCallId": "c1"},
]


def started(found: str, name: str, parent: str | None = None) -> dict[str, Any]:
    ids = {"parentSubagentRunId": parent} if parent else {"parentToolCallId": "c1"}
    return {"type": "SUBAGENT_STARTED", "subagentRunId": found, "name": name, "description": name, **ids}


def ended(found: str, outcome: str = "success") -> dict[str, Any]:
    return {"type": "SUBAGENT_FINISHED", "subagentRunId": found, "outcome": {"type": outcome}}


LANES = [
    started("a", "campus"),
    started("b", "transport"),
    started("a.c", "canteen", "a"),
    started("a.k", "kitchen", "a.c"),
]


async def shown(page: Page, *events: dict[str, Any]) -> list[Locator]:
    """The lines of the agents after a run with these events."""
    await StubServer(answers=[stream(*CALL, *LANES, *events)]).install(page)
    await page.goto(ADDRESS)
    await ask(page, "hungry")
    lines = page.get_by_test_id("subagent")
    await expect(lines).to_have_count(4)
    return await lines.all()


@pytest.mark.requirement("SB-NEST-02")
async def test_agents_below_an_agent_stand_under_it(page: Page) -> None:
    ends = [ended(found) for found in ("a.k", "a.c", "b", "a")]
    lines = await shown(page, *ends, *text("ok"), finished())
    names = [(await line.locator("b").inner_text(), await line.get_attribute("data-depth")) for line in lines]
    assert names == [("campus", "0"), ("canteen", "1"), ("kitchen", "2"), ("transport", "0")]
    lefts = [box["x"] for line in lines if (box := await line.locator("b").bounding_box())]
    assert lefts[0] == lefts[3] < lefts[1] < lefts[2]
    await shoot(page, "nested-agents")


@pytest.mark.requirement("SB-NEST-07")
async def test_agents_on_the_way_to_a_question_wait_and_others_do_not(page: Page) -> None:
    asking = question("q1", {"type": "input", "message": "When?"}, toolCallId="c1", subagentRunId="a")
    ends = [ended("a.k"), ended("a.c", "suspended"), ended("b"), ended("a", "suspended")]
    lines = await shown(page, *ends, finished(asking))
    await expect(page.get_by_test_id("question")).to_have_count(1)
    assert [await line.get_attribute("data-status") for line in lines] == ["waiting", "waiting", "done", "done"]
