"""Cases of a client that comes in the middle of a run that answers: what it is shown, and what it holds in the end."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator

import pytest

from chat_models import Turn
from supervisor.runs.connect import connect
from tests.cases.case import Case, Event, checked, dispatch
from tests.cases.hitl import answer, ask, interrupts, resolved
from tests.cases.test_client_tools import MAP, SHOW, output
from tests.fakes.a2a_stub import Reply, card
from tests.fakes.agui import parse, run_input
from tests.fakes.house import House
from tests.interaction.schedules.conversation import Conversation, spine

requirement = pytest.mark.requirement

CARD = Reply("三道菜", metadata=card("message-card", {"title": "三食堂", "text": "三道菜", "items": []}))
HELD = dispatch(("transport", "y"))


async def joined(house: House) -> AsyncIterator[Event]:
    """The events of a refresh, one by one."""
    async for piece in connect(house.app.state.runs, "t", "look"):
        for frame in parse(piece):
            yield frame.event


async def shown_in_the_middle(case: Case, house: House, gate: asyncio.Event) -> Conversation:
    """What a client holds that refreshes while the transport agent is being asked, when the run is over."""
    await case.transport.received()
    held = Conversation()
    events = joined(house)
    async for event in events:
        held.apply(event)
        if event["type"] == "MESSAGES_SNAPSHOT":
            break
    gate.set()
    async for event in events:
        held.apply(event)
    return held


async def assert_holds_the_thread(house: House, held: Conversation) -> None:
    assert spine(held.messages) == spine(await house.snapshot())
    results = [m["toolCallId"] for m in held.messages if m["role"] == "tool"]
    assert len(results) == len(set(results))


@requirement("SB-CONNECT-05")
async def test_who_comes_while_an_answer_is_worked_on_is_shown_its_result_once() -> None:
    gate = asyncio.Event()
    turn = Turn(calls=[("ask_input", {"message": "几人？"}), *dispatch(("canteen", "x")).calls])
    case = Case(turn, HELD, "完")
    case.canteen.replies.append(CARD)
    case.transport.replies.append(Reply("10:20", gate=gate))
    async with case.open() as house:
        (question,) = interrupts(await ask(house))
        run = asyncio.create_task(answer(house, resolved(question, {"value": "2"})))
        held = await shown_in_the_middle(case, house, gate)
        checked(await run, resumed=True)
        await assert_holds_the_thread(house, held)


@requirement("SB-CONNECT-05")
async def test_who_comes_while_a_clients_result_is_worked_on_is_shown_it_too() -> None:
    gate = asyncio.Event()
    case = Case(Turn(calls=[*dispatch(("canteen", "x")).calls, *SHOW.calls]), HELD, "完")
    case.canteen.replies.append(CARD)
    case.transport.replies.append(Reply("10:20", gate=gate))
    async with case.open() as house:
        found = checked(await house.post("/agui", run_input("x", tools=[MAP])))
        given = output(found[-1]["outcome"]["pendingToolCallIds"][0])
        body = run_input(None, run="r2", messages=[given], tools=[MAP])
        run = asyncio.create_task(house.post("/agui", body))
        held = await shown_in_the_middle(case, house, gate)
        checked(await run, resumed=True)
        assert "o1" in [m["id"] for m in held.messages]
        await assert_holds_the_thread(house, held)


@requirement("SB-CONNECT-06")
async def test_a_run_that_ends_while_somebody_refreshes_is_shown_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    gate = asyncio.Event()
    case = Case(HELD, "完")
    case.transport.replies.append(Reply("10:20", gate=gate))
    async with case.open() as house:
        run = asyncio.create_task(ask(house))
        await case.transport.received()
        runs = house.app.state.runs
        view = runs.view

        async def slow_view(thread_id: str) -> object:
            found = await view(thread_id)
            gate.set()
            await run
            return found

        monkeypatch.setattr(runs, "view", slow_view)
        held = Conversation()
        async for event in joined(house):
            held.apply(event)
        monkeypatch.undo()
        assert held.outcome == {"type": "success"}
        await assert_holds_the_thread(house, held)
        assert json.dumps("完", ensure_ascii=False) in json.dumps(held.messages[-1], ensure_ascii=False)
