"""Cases of runs that are stopped or fail: what they leave in the thread, and that their readers hold the same."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from chat_models import Turn
from supervisor.dispatch.port import UserContext
from supervisor.http.requests import Limits, parse_turn
from tests.cases.case import Case, Event, checked, dispatch, of_type
from tests.cases.hitl import asks, interrupts, still_open
from tests.cases.test_history import talk, user
from tests.cases.test_refresh import joined
from tests.cases.test_rewrite import again, edit
from tests.fakes.a2a_stub import Reply
from tests.fakes.agui import events, parse, run_input
from tests.fakes.house import House
from tests.interaction.schedules.conversation import Conversation, spine

requirement = pytest.mark.requirement

STOP = {"threadId": "t", "command": "cancel"}


async def stopped_at_once(house: House, body: Any) -> list[Event]:
    """The events of a run that is stopped before the graph has seen anything of it."""
    runs = house.app.state.runs
    frames = await runs.submit(parse_turn(body, UserContext("local"), Limits(10**6, 10**4)))
    runs.active("t").cancel()
    return [frame.event async for piece in frames for frame in parse(piece)]


def holds(*streams: list[Event]) -> Conversation:
    """What a client holds that has read these streams."""
    held = Conversation()
    for event in (event for stream in streams for event in stream):
        held.apply(event)
    return held


async def refreshed(house: House) -> Conversation:
    return holds(events((await house.post("/agui/connect", run_input(None, run="look"))).content))


@requirement("SB-CANCEL-05")
async def test_a_question_that_is_stopped_at_once_is_in_the_thread_and_in_its_place() -> None:
    async with Case("一", "三").open() as house:
        checked(await house.post("/agui", run_input("1")))
        found = await stopped_at_once(house, run_input("2", message="u2", run="r2"))
        assert found[-1]["outcome"] == {"type": "cancelled"}
        checked(await house.post("/agui", run_input("3", message="u3", run="r3")))
        assert talk(await house.snapshot()) == [
            ("user", "1"), ("assistant", "一"), ("user", "2"), ("assistant", "(stopped)"), ("user", "3"),
            ("assistant", "三"),
        ]  # fmt: skip


@requirement("SB-CANCEL-05")
@pytest.mark.parametrize("new_id", ["u2", "u3"], ids=["same id", "new id"])
async def test_an_edit_that_is_stopped_at_once_has_replaced_the_old_question(new_id: str) -> None:
    async with Case("一", "二").open() as house:
        first = checked(await house.post("/agui", run_input("1")))
        second = checked(await house.post("/agui", run_input("2", message="u2", run="r2")))
        found = await stopped_at_once(house, edit("u2", user(new_id, "2!")))
        now = await refreshed(house)
        assert talk(now.messages) == [
            ("user", "1"), ("assistant", "一"), ("user", "2!"), ("assistant", "(stopped)"),
        ]  # fmt: skip
        assert set(_ids(holds(first, second, found))) == set(_ids(now))


def _ids(held: Conversation) -> list[str]:
    return [message["id"] for message in held.messages]


@requirement("SB-CANCEL-05")
async def test_a_second_try_under_a_question_that_is_stopped_at_once_leaves_the_users_message_alone() -> None:
    async with Case(asks(), "好").open() as house:
        first = checked(await house.post("/agui", run_input("1")))
        interrupts(first)
        found = await stopped_at_once(house, again())
        assert not await still_open(house)
        now = await refreshed(house)
        assert talk(now.messages) == [("user", "1"), ("assistant", "(stopped)")]
        assert spine(holds(first, found).messages) == spine(now.messages)


@requirement("SB-CANCEL-06")
async def test_what_a_tool_has_done_before_the_stop_stays_done() -> None:
    """A tool that has written shared state, beside an agent that still works."""
    steps = ("plan", {"steps": ["吃饭"]})
    case = Case(Turn(calls=[steps, *dispatch(("canteen", "x")).calls]), "完")
    case.canteen.replies.append(Reply("late", gate=asyncio.Event()))
    async with case.open(extensions="tests.cases.host:extensions") as house:
        run = asyncio.create_task(house.post("/agui", run_input("x")))
        await case.canteen.received()
        async for event in joined(house):
            if event["type"] == "TOOL_CALL_RESULT":
                break
        await house.post("/agui/command", STOP)
        found = checked(await run)
        now = await refreshed(house)
        assert now.state == {"plan": {"steps": ["吃饭"]}}
        held = holds(found)
        assert held.state == now.state
        assert next(m["content"] for m in now.messages if m["role"] == "tool") == "planned"
        assert spine(held.messages) == spine(now.messages[1:])


@requirement("SB-CANCEL-06")
async def test_a_call_that_a_failure_leaves_open_is_closed_on_the_screen_too() -> None:
    case = Case(dispatch(("canteen", "x"), text="我查"), "完")
    async with case.open(recursion_limit=1) as house:
        found = checked(await house.post("/agui", run_input("x")))
        assert found[-1]["code"] == "GRAPH_STEP_LIMIT"
        (result,) = of_type(found, "TOOL_CALL_RESULT")
        now = await refreshed(house)
        assert result["messageId"] in _ids(now)
        assert spine(holds(found).messages) == spine(now.messages[1:])
