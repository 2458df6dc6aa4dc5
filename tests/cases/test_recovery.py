"""Cases of a process that goes away in the middle of a run: what readers see, and how the next process goes on."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from chat_models import Turn
from tests.cases.case import Case, Event, assert_known_shapes, checked, dispatch, of_type
from tests.cases.hitl import answered, asks, interrupts, resolved
from tests.fakes.a2a_stub import Reply
from tests.fakes.agui import TERMINAL, parse, run_input, text_of

requirement = pytest.mark.requirement

EVENTS = "/agui/threads/t/events"


@asynccontextmanager
async def left_in_the_middle(case: Case, body: Any) -> AsyncIterator[asyncio.Task[httpx.Response]]:
    """A process that stops while the canteen is being asked. Gives the response that its reader got."""
    case.canteen.replies.append(Reply("never", gate=asyncio.Event()))
    async with case.open(drain_seconds=0) as house:
        run = asyncio.create_task(house.post("/agui", body))
        await case.canteen.received()
    yield run


async def recovered(case: Case) -> tuple[bytes, list[Event]]:
    """The journal of the thread after the next process has gone on, and the messages of a refresh."""
    async with case.open() as house:
        run = house.app.state.runs.active("t")
        if run is not None:
            await run.wait()
        return (await house.client.get(EVENTS)).content, await house.snapshot()


@requirement("SB-DUR-04", "SB-RUN-03")
async def test_a_reader_of_a_run_that_the_process_leaves_is_told_so_outside_the_journal(tmp_path: Path) -> None:
    case = Case(dispatch(("canteen", "x"), text="我查"), "完", tmp_path=tmp_path)
    async with left_in_the_middle(case, run_input("x")) as run:
        frames = parse((await run).content)
    assert (frames[-1].event["type"], frames[-1].event["code"], frames[-1].seq) == ("RUN_ERROR", "SHUTTING_DOWN", None)
    assert all(frame.seq is not None for frame in frames[:-1])
    journal, _ = await recovered(case)
    assert b"SHUTTING_DOWN" not in journal


@requirement("SB-DUR-05")
async def test_the_next_process_goes_on_in_the_same_record_to_one_end(tmp_path: Path) -> None:
    case = Case(dispatch(("canteen", "x"), text="我查"), "完", tmp_path=tmp_path)
    async with left_in_the_middle(case, run_input("x")) as run:
        before = parse((await run).content)[:-1]
    journal, messages = await recovered(case)
    frames = parse(journal)
    found = [frame.event for frame in frames]
    assert [frame.seq for frame in frames] == list(range(1, len(frames) + 1))
    assert b"".join(f.raw for f in before) == b"".join(f.raw for f in frames[: len(before)])
    assert_known_shapes(found)
    kinds = [event["type"] for event in found]
    assert kinds.count("RUN_STARTED") == 1
    assert [kind for kind in kinds if kind in TERMINAL] == ["RUN_FINISHED"] == kinds[-1:]
    assert "MESSAGES_SNAPSHOT" in kinds
    assert found[-1]["outcome"] == {"type": "success"}
    assert [m["role"] for m in messages] == ["user", "assistant", "tool", "assistant"]
    assert messages[-1]["content"] == "完"


@requirement("SB-DUR-06")
async def test_an_agent_that_was_being_asked_is_asked_again_under_the_same_key(tmp_path: Path) -> None:
    case = Case(dispatch(("canteen", "x")), "完", tmp_path=tmp_path)
    async with left_in_the_middle(case, run_input("x")) as run:
        await run
    assert not case.canteen.cancelled
    await recovered(case)
    first, second = case.canteen.sends
    assert first.headers["idempotency-key"] == second.headers["idempotency-key"]
    assert first.message["messageId"] == second.message["messageId"]


@requirement("SB-DUR-07")
async def test_what_an_agent_answered_before_the_process_went_is_not_asked_again(tmp_path: Path) -> None:
    case = Case(dispatch(("transport", "y"), ("canteen", "x")), "完", tmp_path=tmp_path)
    case.transport.replies.append(Reply("10:20"))
    async with left_in_the_middle(case, run_input("x")) as run:
        await run
    _, messages = await recovered(case)
    assert [m["role"] for m in messages] == ["user", "assistant", "tool", "tool", "assistant"]
    assert "10:20" in messages[2]["content"]
    assert len(case.transport.sends) == 1


@requirement("SB-DUR-08")
async def test_the_model_is_not_asked_again_for_what_it_had_said(tmp_path: Path) -> None:
    case = Case(dispatch(("canteen", "x"), text="我查"), "完", tmp_path=tmp_path)
    async with left_in_the_middle(case, run_input("x")) as run:
        await run
    _, messages = await recovered(case)
    assert len(case.saw) == 2
    assert messages[1]["content"] == "我查"


@requirement("SB-DUR-09")
async def test_the_same_message_sent_again_after_the_restart_gets_the_whole_run(tmp_path: Path) -> None:
    case = Case(dispatch(("canteen", "x")), "完", tmp_path=tmp_path)
    async with left_in_the_middle(case, run_input("x")) as run:
        await run
    async with case.open() as house:
        again = await house.post("/agui", run_input("x", run="r2"))
        assert text_of([frame.event for frame in parse(again.content)]).endswith("完")
        assert (await house.client.get(EVENTS)).content == again.content
    assert len(case.saw) == 2


@requirement("SB-DUR-09")
async def test_a_cursor_from_before_the_restart_continues_with_what_came_after(tmp_path: Path) -> None:
    case = Case(dispatch(("canteen", "x")), "完", tmp_path=tmp_path)
    async with left_in_the_middle(case, run_input("x")) as run:
        seen = [frame for frame in parse((await run).content) if frame.seq is not None]
    async with case.open() as house:
        rest = await house.post("/agui", run_input("x"), last_event_id=str(seen[-1].seq))
        journal = (await house.client.get(EVENTS)).content
        assert b"".join(f.raw for f in seen) + rest.content == journal


@requirement("SB-DUR-10")
async def test_connecting_while_a_run_is_being_recovered_gives_the_conversation_once(tmp_path: Path) -> None:
    gate = asyncio.Event()
    case = Case("你好", dispatch(("canteen", "x"), text="我查"), "完", tmp_path=tmp_path)
    async with case.open() as house:
        checked(await house.post("/agui", run_input("hi", message="u0", run="r0")))
    async with left_in_the_middle(case, run_input("x")) as run:
        await run
    case.canteen.replies.append(Reply("三道菜", gate=gate))
    async with case.open() as house:
        await case.canteen.received(2)
        joined = asyncio.create_task(house.post("/agui/connect", run_input(None, run="c")))
        await asyncio.sleep(0)
        gate.set()
        found = [frame.event for frame in parse((await joined).content)]
        assert found[-1]["outcome"] == {"type": "success"}
        assert _held(found) == [(m["id"], m.get("content")) for m in await house.snapshot()]


def _held(found: list[Event]) -> list[tuple[str, Any]]:
    """A client's reading of a stream: texts by message, in order, snapshots as AG-UI reconciles them."""
    texts: dict[str, Any] = {}
    for event in found:
        if event["type"] == "MESSAGES_SNAPSHOT":
            fresh = {m["id"]: m.get("content") for m in event["messages"]}
            texts = {**{k: fresh[k] for k in texts if k in fresh}, **fresh}
        elif event["type"] == "TEXT_MESSAGE_START":
            texts.setdefault(event["messageId"], "")
        elif event["type"] == "TEXT_MESSAGE_CONTENT":
            texts[event["messageId"]] = (texts[event["messageId"]] or "") + event["delta"]
        elif event["type"] == "TOOL_CALL_START":
            texts.setdefault(event["parentMessageId"], None)
        elif event["type"] == "TOOL_CALL_RESULT":
            texts[event["messageId"]] = event["content"]
    return list(texts.items())


@requirement("SB-DUR-11")
async def test_a_half_sentence_of_the_old_process_is_closed_and_said_anew(tmp_path: Path) -> None:
    case = Case("半句话", "整句话", tmp_path=tmp_path)
    case.hold_after = 2
    async with case.open(drain_seconds=0) as house:
        run = asyncio.create_task(house.post("/agui", run_input("x")))
        await case.held.wait()
    assert parse((await run).content)[-1].event["code"] == "SHUTTING_DOWN"
    case.hold_after = None
    journal, messages = await recovered(case)
    found = [frame.event for frame in parse(journal)]
    starts = [e["messageId"] for e in of_type(found, "TEXT_MESSAGE_START")]
    ends = [e["messageId"] for e in of_type(found, "TEXT_MESSAGE_END")]
    assert starts == ends
    assert len(starts) == len(set(starts)) == 2
    assert [m.get("content") for m in messages] == ["x", "整句话"]
    assert _held(found)[-1] == (messages[-1]["id"], "整句话")


@requirement("SB-DUR-12")
async def test_a_resumed_run_that_was_left_is_recovered_with_its_answer(tmp_path: Path) -> None:
    case = Case(asks(), dispatch(("canteen", "x")), "完", tmp_path=tmp_path)
    async with case.open() as house:
        (question,) = interrupts(checked(await house.post("/agui", run_input("x"))))
    entry = resolved(question, {"value": "2"})
    async with left_in_the_middle(case, run_input(None, run="r2", resume=[entry])) as run:
        await run
    _, messages = await recovered(case)
    assert [m["role"] for m in messages] == ["user", "assistant", "tool", "assistant", "tool", "assistant"]
    assert '"2"' in messages[2]["content"]
    assert len(case.saw) == 3


@requirement("SB-DUR-13")
async def test_a_run_that_was_stopped_just_before_the_end_is_not_recovered(tmp_path: Path) -> None:
    case = Case(dispatch(("canteen", "x")), "完", tmp_path=tmp_path)
    case.canteen.replies.append(Reply("never", gate=asyncio.Event()))
    async with case.open(drain_seconds=0) as house:
        run = asyncio.create_task(house.post("/agui", run_input("x")))
        await case.canteen.received()
        await house.post("/agui/command", {"threadId": "t", "command": "cancel"})
        await run
    async with case.open() as house:
        assert house.app.state.runs.active("t") is None
        assert text_of(checked(await house.post("/agui", run_input("y", message="u2", run="r2")))) == "完"
    assert len(case.canteen.sends) == 1


@requirement("SB-DUR-14")
async def test_an_interrupt_that_was_left_with_its_run_is_asked_once_more(tmp_path: Path) -> None:
    """A question beside an agent that still worked when the process went."""
    turn = Turn(calls=[("ask_input", {"message": "几人？"}), *dispatch(("canteen", "x")).calls])
    case = Case(turn, "完", tmp_path=tmp_path)
    async with left_in_the_middle(case, run_input("x")) as run:
        await run
    async with case.open() as house:
        left = house.app.state.runs.active("t")
        if left is not None:
            await left.wait()
        (question,) = interrupts(checked(await house.post("/agui/connect", run_input(None, run="c"))))
        assert text_of(await answered(house, resolved(question, {"value": "2"}), run="r2")) == "完"
    assert len(case.saw) == 2


@requirement("SB-DUR-05")
async def test_a_run_whose_input_cannot_be_read_ends_as_an_error_and_frees_its_thread(tmp_path: Path) -> None:
    case = Case(dispatch(("canteen", "x"), text="我查"), "完", tmp_path=tmp_path)
    async with left_in_the_middle(case, run_input("x")) as run:
        await run
    with sqlite3.connect(tmp_path / "case.db") as connection:
        connection.execute('UPDATE runs SET turn = \'{"from": "another version"}\'')
    journal, _ = await recovered(case)
    assert parse(journal)[-1].event["code"] == "AGENT_INTERNAL"
    async with case.open() as house:
        done = checked(await house.post("/agui", run_input("再来", message="u2", run="r2")))
        assert done[-1]["outcome"] == {"type": "success"}
