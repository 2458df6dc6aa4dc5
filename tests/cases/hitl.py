"""What the cases about questions share: open questions, answers, and a host with tools that ask."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import httpx

from chat_models import Turn
from tests.cases.case import Event, checked, of_type
from tests.fakes.agui import run_input
from tests.fakes.house import House


def asks(tool: str = "ask_input", **arguments: Any) -> Turn:
    """A model turn that asks the user one question."""
    return Turn(calls=[(tool, arguments or {"message": "几个人？"})])


def interrupts(found: Sequence[Event]) -> list[Event]:
    """The open questions with which a stream ends."""
    assert found[-1]["outcome"]["type"] == "interrupt", found[-1]
    return found[-1]["outcome"]["interrupts"]


def resolved(interrupt: Event | str, payload: Any) -> Event:
    """An answer."""
    name = interrupt if isinstance(interrupt, str) else interrupt["id"]
    return {"interruptId": name, "status": "resolved", "payload": payload}


def declined(interrupt: Event) -> Event:
    """No answer."""
    return {"interruptId": interrupt["id"], "status": "cancelled"}


async def ask(house: House, question: str = "订座", message: str = "u1", **more: Any) -> list[Event]:
    """The checked events of a run that a new message starts."""
    return checked(await house.post("/agui", run_input(question, message=message, **more)))


async def answer(house: House, *entries: Event, run: str = "r2", **more: Any) -> httpx.Response:
    """The response to answers."""
    return await house.post("/agui", run_input(None, run=run, resume=list(entries), **more))


async def answered(house: House, *entries: Event, run: str = "r2", **more: Any) -> list[Event]:
    """The checked events of a run that answers start."""
    return checked(await answer(house, *entries, run=run, **more), resumed=True)


async def still_open(house: House) -> list[Event]:
    """The questions that a refresh shows; [] when there is none."""
    found = checked(await house.post("/agui/connect", run_input(None, run="look")))
    return found[-1]["outcome"].get("interrupts", [])


def refusal(response: httpx.Response) -> tuple[int, str, str | None]:
    """Status, code and reason of a refused request."""
    problem = response.json()
    return response.status_code, problem["code"], problem.get("reason")


def results(found: Sequence[Event]) -> dict[str, Any]:
    """The parsed content of every TOOL_CALL_RESULT by its call."""
    return {e["toolCallId"]: json.loads(e["content"]) for e in of_type(found, "TOOL_CALL_RESULT")}
