from __future__ import annotations

import asyncio
from typing import Any

import pytest

from supervisor.dispatch.port import DispatchResult
from tests.fakes.a2a_stub import CANCELS, Reply, StubAgent
from tests.unit.dispatch.world import World


async def stopped(leg: asyncio.Task[DispatchResult]) -> bool:
    leg.cancel()
    await asyncio.wait([leg])
    return leg.cancelled()


async def streaming_leg(world: World, canteen: StubAgent, gate: asyncio.Event) -> asyncio.Task[DispatchResult]:
    """A call whose agent has said something and then waits for `gate`."""
    said = asyncio.Event()
    world.tell = lambda _: said.set()
    canteen.replies.append(Reply(steps=["水煮", gate, "鱼"]))
    leg = asyncio.create_task(world.ask())
    await said.wait()
    return leg


@pytest.mark.parametrize("versions", [("1.0",), ("0.3",)])
@pytest.mark.requirement("A2A-07")
async def test_a2a_07_a_cancel_reaches_the_remote_task(versions: tuple[str, ...]) -> None:
    async with asyncio.timeout(5), World() as world:
        canteen, late = world.agent(versions=versions), asyncio.Event()
        canteen.cancel_state = "working"
        leg = await streaming_leg(world, canteen, late)
        assert await stopped(leg)
        assert canteen.cancelled == ["canteen-1"]
        late.set()
        canteen.replies.append(Reply("再来"))
        assert (await world.ask(key="key-2")).content == "再来"
    assert [request.method for request in canteen.requests].count(CANCELS[0 if versions == ("1.0",) else 1]) == 1


async def test_the_call_ends_when_the_agent_has_taken_note_of_the_cancel() -> None:
    async with asyncio.timeout(5), World() as world:
        canteen, canteen_answers = world.agent(), asyncio.Event()
        canteen.cancel_gate = canteen_answers
        leg = await streaming_leg(world, canteen, asyncio.Event())
        leg.cancel()
        await canteen.received(1, CANCELS)
        assert not leg.done()
        canteen_answers.set()
        await asyncio.wait([leg])
        assert (leg.cancelled(), canteen.cancelled) == (True, ["canteen-1"])


async def test_a_second_cancel_ends_the_call_and_the_agent_is_told_all_the_same() -> None:
    async with asyncio.timeout(5), World() as world:
        canteen, canteen_answers = world.agent(), asyncio.Event()
        canteen.cancel_gate = canteen_answers
        leg = await streaming_leg(world, canteen, asyncio.Event())
        leg.cancel()
        await canteen.received(1, CANCELS)
        assert await stopped(leg)
        canteen_answers.set()
        await world.dispatcher.aclose()
        assert canteen.cancelled == ["canteen-1"]


@pytest.mark.requirement("A2A-07")
async def test_a2a_07_without_a_task_id_the_request_is_given_up() -> None:
    async with asyncio.timeout(5), World() as world:
        canteen = world.agent(streaming=False)
        canteen.replies.append(Reply("late", gate=asyncio.Event()))
        leg = asyncio.create_task(world.ask())
        await canteen.received()
        assert await stopped(leg)
    assert canteen.cancelled == []


def task_of(message_id: str, task_id: str) -> dict[str, Any]:
    """An entry of `ListTasks`."""
    said = {"messageId": message_id, "role": "ROLE_USER", "parts": [{"text": "hi"}]}
    return {"id": task_id, "contextId": "ctx-1", "status": {"state": "TASK_STATE_WORKING"}, "history": [said]}


@pytest.mark.requirement("SB-A2A-01")
async def test_a_cancel_before_the_task_is_known_looks_for_it_among_those_of_the_conversation() -> None:
    async with asyncio.timeout(5), World() as world:
        canteen = world.agent(streaming=False)
        canteen.replies.append(Reply("late", gate=asyncio.Event()))
        leg = asyncio.create_task(world.ask())
        await canteen.received()
        canteen.listed = []
        leg.cancel()
        await canteen.received(1, ["ListTasks"])
        assert not leg.done()
        asked = canteen.sends[0].message["messageId"]
        canteen.listed = [task_of("another-leg", "T1"), task_of(asked, "T2")]
        await asyncio.wait([leg])
    assert (leg.cancelled(), canteen.cancelled) == (True, ["T2"])
    assert {r.params["contextId"] for r in canteen.requests if r.method == "ListTasks"} == {"ctx-1"}


@pytest.mark.requirement("SB-A2A-01")
async def test_a_cancel_before_a_stream_has_begun_waits_for_the_task_it_tells() -> None:
    async with asyncio.timeout(5), World() as world:
        canteen, begins = world.agent(versions=("0.3",)), asyncio.Event()
        canteen.replies.append(Reply("late", steps=[asyncio.Event()], gate=begins))
        leg = asyncio.create_task(world.ask())
        await canteen.received()
        leg.cancel()
        begins.set()
        await asyncio.wait([leg])
    assert (leg.cancelled(), canteen.cancelled) == (True, ["canteen-1"])


@pytest.mark.requirement("SB-A2A-01")
async def test_a_call_that_ran_out_of_time_before_its_task_was_known_is_stopped_too() -> None:
    async with asyncio.timeout(5), World(total_timeout=0.05) as world:
        canteen = world.agent(streaming=False)
        canteen.replies.append(Reply("late", gate=asyncio.Event()))
        leg = asyncio.create_task(world.ask())
        await canteen.received()
        canteen.listed = [task_of(canteen.sends[0].message["messageId"], "T2")]
        assert (await leg).error == "timeout"
        await world.dispatcher.aclose()
    assert canteen.cancelled == ["T2"]


async def test_what_an_agent_says_after_the_cancel_is_not_shown() -> None:
    async with asyncio.timeout(5), World() as world:
        canteen, more = world.agent(), asyncio.Event()
        canteen.cancel_gate = asyncio.Event()
        leg = await streaming_leg(world, canteen, more)
        world.tell = world.progress.append
        leg.cancel()
        await canteen.received(1, CANCELS)
        more.set()
        canteen.cancel_gate.set()
        await asyncio.wait([leg])
    assert world.progress == []


async def test_a_cancel_while_polling_reaches_the_task() -> None:
    async with asyncio.timeout(5), World() as world:
        canteen = world.agent(streaming=False)
        canteen.replies.append(Reply(state="working", polls=[Reply(gate=asyncio.Event())]))
        leg = asyncio.create_task(world.ask())
        await canteen.received(1, ["GetTask"])
        assert await stopped(leg)
    assert canteen.cancelled == ["canteen-1"]


async def test_a_cancel_while_answering_a_question_reaches_the_task_of_the_question() -> None:
    async with asyncio.timeout(5), World() as world:
        canteen = world.agent(streaming=False)
        canteen.replies.append(Reply(gate=asyncio.Event()))
        leg = asyncio.create_task(world.ask(task="T1"))
        await canteen.received()
        assert await stopped(leg)
    assert canteen.cancelled == ["T1"]


async def test_an_agent_that_does_not_answer_the_cancel_does_not_hold_us() -> None:
    async with asyncio.timeout(5), World(cancel_timeout=0.02) as world:
        canteen = world.agent()
        leg = await streaming_leg(world, canteen, asyncio.Event())
        canteen.cancel_gate = asyncio.Event()
        assert await stopped(leg)


async def test_a_cancel_stays_a_cancel_when_the_client_is_closed_already() -> None:
    async with asyncio.timeout(5), World() as world:
        canteen = world.agent()
        leg = await streaming_leg(world, canteen, asyncio.Event())
        await world.client.aclose()
        assert await stopped(leg)


async def test_a_cancelled_call_says_nothing_about_the_agents_health() -> None:
    async with asyncio.timeout(5), World(breaker_failures=1) as world:
        canteen = world.agent()
        leg = await streaming_leg(world, canteen, asyncio.Event())
        assert await stopped(leg)
        canteen.replies.append(Reply("好"))
        assert (await world.ask(key="key-2")).ok


async def test_a_cancelled_probe_leaves_the_place_to_the_next_call() -> None:
    async with asyncio.timeout(5), World(breaker_failures=1, breaker_seconds=10) as world:
        canteen = world.agent()
        canteen.replies.append(Reply(http=500))
        await world.ask()
        world.now += 10
        leg = await streaming_leg(world, canteen, asyncio.Event())
        assert (await world.ask(key="key-2")).error == "circuit_open"
        assert await stopped(leg)
        canteen.replies.append(Reply("好"))
        assert (await world.ask(key="key-3")).ok


async def test_a_call_that_waits_for_a_slot_can_be_cancelled() -> None:
    async with asyncio.timeout(5), World(max_in_flight=1) as world:
        canteen, gate = world.agent(), asyncio.Event()
        first = await streaming_leg(world, canteen, gate)
        second = asyncio.create_task(world.ask(key="key-2"))
        await asyncio.sleep(0)
        assert await stopped(second)
        gate.set()
        assert (await first).content == "水煮鱼"
    assert len(canteen.sends) == 1
