from __future__ import annotations

import asyncio
import json
from typing import Any

import httpx
import pytest

from supervisor.dispatch.port import Progress
from tests.fakes.a2a_stub import GETS, IDEMPOTENCY, SENDS, Reply, Status, card
from tests.unit.dispatch.world import World

EVENT_STREAM = "text/event-stream"


def frame(**envelope: Any) -> bytes:
    return b"data: " + json.dumps({"jsonrpc": "2.0", "id": "1", **envelope}).encode() + b"\n\n"


@pytest.mark.parametrize("versions", [("1.0",), ("0.3",)])
async def test_chunks_and_statuses_arrive_while_the_agent_still_works(versions: tuple[str, ...]) -> None:
    async with World() as world:
        gate, said = asyncio.Event(), asyncio.Queue[Progress]()
        world.tell = said.put_nowait
        canteen = world.agent(versions=versions)
        steps = [Status("正在查菜单…"), "水煮", gate, "鱼"]
        canteen.replies.append(Reply(steps=steps, metadata=card("dish_cards", {"items": []})))
        async with asyncio.timeout(5), asyncio.TaskGroup() as group:
            leg = group.create_task(world.ask())
            early = [await said.get(), await said.get()]
            assert not leg.done()
            gate.set()
    outcome = leg.result()
    assert early == [Progress("status", "正在查菜单…"), Progress("text", "水煮")]
    assert said.get_nowait() == Progress("text", "鱼")
    assert (outcome.ok, outcome.content, outcome.card_type) == (True, "水煮鱼", "dish_cards")
    assert len(canteen.requests) == 1


async def test_an_agent_without_streaming_is_never_asked_to_stream() -> None:
    async with World() as world:
        canteen = world.agent(streaming=False)
        canteen.replies.append(Reply("好"))
        assert (await world.ask()).ok
    assert [request.method for request in canteen.requests] == ["SendMessage"]


async def test_pings_line_ends_and_cuts_in_the_stream_do_not_matter() -> None:
    text = json.dumps({"result": {"message": {"parts": [{"text": "辣"}]}}}, ensure_ascii=False).encode()
    whole = b": ping\r\n\r\ndata: " + text + b"\r\n\r\n"
    pieces: list[Any] = [whole[i : i + 1] for i in range(len(whole))]
    async with World() as world:
        outcome = await world.reply(Reply(steps=pieces, cut=True))
    assert (outcome.ok, outcome.content) == (True, "辣")


async def test_a_streaming_call_may_be_answered_with_one_json_document() -> None:
    body = json.dumps({"result": {"task": {"id": "t", "status": {"state": "TASK_STATE_WORKING"}}}}).encode()
    async with World() as world:
        canteen = world.agent()
        canteen.tasks["t"] = [Reply("好")]
        canteen.replies.append(Reply(raw=body))
        outcome = await world.ask()
    assert (outcome.ok, outcome.content, len(canteen.gets)) == (True, "好", 1)


@pytest.mark.parametrize("versions", [("1.0",), ("0.3",)])
@pytest.mark.requirement("A2A-ISSUE-11")
async def test_a_stream_that_ends_early_is_picked_up_by_its_task_id(versions: tuple[str, ...]) -> None:
    async with World() as world:
        canteen = world.agent(versions=versions)
        polls = [Reply(state="working"), Reply("水煮鱼")]
        canteen.replies.append(Reply(steps=["水煮"], cut=True, polls=polls))
        outcome = await world.ask()
    assert (outcome.ok, outcome.content) == (True, "水煮鱼")
    assert {request.params["id"] for request in canteen.gets} == {"canteen-1"}
    assert (len(canteen.sends), len(canteen.gets), len(world.pauses)) == (1, 2, 1)


def so_far(text: str) -> dict[str, Any]:
    """The task as it is while it works, in 1.0."""
    artifact = {"artifactId": "answer", "parts": [{"text": text}]}
    return {
        "task": {
            "id": "canteen-1",
            "contextId": "ctx-1",
            "status": {"state": "TASK_STATE_WORKING"},
            "artifacts": [artifact],
        }
    }


@pytest.mark.requirement("A2A-ISSUE-11", "SB-A2A-07")
@pytest.mark.parametrize("versions", [("1.0",), ("0.3",)])
async def test_a_stream_that_breaks_off_goes_on_where_the_agent_has_it_still(versions: tuple[str, ...]) -> None:
    async with World() as world:
        canteen = world.agent(versions=versions)
        canteen.replies.append(Reply(steps=["水", httpx.ReadError("reset")]))
        canteen.subscriptions += [Reply(steps=["煮", httpx.ReadError("reset")]), Reply(steps=[Status("快了"), "鱼"])]
        outcome = await world.ask()
    assert (outcome.ok, len(canteen.sends), len(canteen.gets)) == (True, 1, 0)
    assert [step.text for step in world.progress] == ["水", "煮", "快了", "鱼"]


@pytest.mark.requirement("SB-A2A-07")
async def test_text_that_was_said_while_the_stream_was_broken_is_told_once() -> None:
    async with World() as world:
        canteen = world.agent()
        canteen.replies.append(Reply(steps=["水", httpx.ReadError("reset")]))
        more = {
            "artifactUpdate": {"taskId": "canteen-1", "artifact": so_far("鱼")["task"]["artifacts"][0], "append": True}
        }
        canteen.subscriptions.append(Reply(steps=[so_far("水煮"), more]))
        outcome = await world.ask()
    assert (outcome.content, [step.text for step in world.progress]) == ("水煮鱼", ["水", "煮", "鱼"])


async def test_a_connection_that_dies_in_the_stream_is_picked_up_and_nothing_is_sent_twice() -> None:
    async with World() as world:
        canteen = world.agent()
        canteen.replies.append(Reply(steps=["水煮", httpx.ReadError("reset")], polls=[Reply("水煮鱼")]))
        outcome = await world.ask()
    assert (outcome.ok, outcome.content, len(canteen.sends)) == (True, "水煮鱼", 1)


@pytest.mark.requirement("A2A-ISSUE-12")
async def test_a_silent_stream_is_picked_up_after_the_idle_deadline() -> None:
    async with World(idle_timeout=0.02) as world:
        never = asyncio.Event()
        canteen = world.agent()
        canteen.replies.append(Reply(steps=["水煮", never], polls=[Reply("水煮鱼")]))
        async with asyncio.timeout(5):
            outcome = await world.ask()
    assert (outcome.ok, outcome.content, len(canteen.sends)) == (True, "水煮鱼", 1)


@pytest.mark.requirement("A2A-ISSUE-09")
async def test_a_stream_that_never_begins_is_a_timeout() -> None:
    async with World(first_byte_timeout=0.2) as world:
        canteen = world.agent()
        canteen.replies.append(Reply(gate=asyncio.Event()))
        async with asyncio.timeout(5):
            outcome = await world.ask()
    assert (outcome.ok, outcome.status, outcome.error) == (False, "timed_out", "timeout")
    assert len(canteen.sends) == 1


BROKEN_OFF = (
    Reply(raw=b": ping\n\n", content_type=EVENT_STREAM),
    Reply(raw=b'data: {"jsonrpc":"2.0","id":"1","result":{"ta', content_type=EVENT_STREAM),
    Reply(fail=httpx.ReadError("reset")),
)


@pytest.mark.parametrize("reply", BROKEN_OFF, ids=["ping", "half an event", "reset"])
@pytest.mark.parametrize(("extensions", "sends"), [((IDEMPOTENCY,), 2), ((), 1)])
async def test_a_stream_that_dies_before_its_task_is_known_is_repeated_where_the_agent_can_tell(
    extensions: tuple[str, ...], sends: int, reply: Reply
) -> None:
    async with World() as world:
        canteen = world.agent(extensions=extensions)
        canteen.replies += [reply, Reply("好")]
        outcome = await world.ask()
    assert (outcome.ok, len(canteen.sends)) == (sends == 2, sends)
    assert len({request.headers["idempotency-key"] for request in canteen.sends}) == 1


async def test_an_unknown_state_in_a_stream_is_work_going_on() -> None:
    odd = {"statusUpdate": {"taskId": "canteen-1", "status": {"state": "TASK_STATE_DREAMING"}}}
    async with World() as world:
        outcome = await world.reply(Reply(steps=[odd, "好"]))
    assert (outcome.ok, outcome.content) == (True, "好")


async def test_a_state_that_stays_unknown_is_a_failure() -> None:
    async with World() as world:
        canteen = world.agent()
        canteen.replies.append(Reply(steps=["好"], cut=True, polls=[Reply(state="dreaming")]))
        outcome = await world.ask()
    assert (outcome.error, len(canteen.gets)) == ("a2a_state_unknown", 1)


async def test_an_error_in_the_stream_is_its_outcome() -> None:
    error = frame(error={"code": -32603, "message": "boom: secret=hunter2"})
    async with World() as world:
        outcome = await world.reply(Reply(steps=["水煮", error]))
    assert outcome.error == "rpc_-32603"
    assert "hunter2" not in repr(outcome)


async def test_a_version_error_after_the_task_began_is_no_reason_to_ask_again() -> None:
    async with World() as world:
        canteen = world.agent()
        canteen.replies += [Reply(steps=[frame(error={"code": -32601, "message": "x"})]), Reply("doppelt")]
        outcome = await world.ask()
    assert (outcome.error, len(canteen.sends)) == ("rpc_-32601", 1)


@pytest.mark.parametrize("payload", [b"data: {oops\n\n", b"data: [1]\n\n", frame(result=7), frame()])
async def test_nonsense_in_the_stream_is_a_bad_response(payload: bytes) -> None:
    async with World() as world:
        canteen = world.agent()
        canteen.replies.append(Reply(steps=[payload]))
        outcome = await world.ask()
        await world.dispatcher.aclose()
    assert (outcome.error, canteen.cancelled) == ("bad_response", ["canteen-1"])


async def test_a_stream_may_not_grow_beyond_the_cap() -> None:
    async with World(max_response_bytes=4096) as world:
        canteen = world.agent()
        canteen.replies.append(Reply(steps=["菜" * 50] * 100))
        outcome = await world.ask()
        await world.dispatcher.aclose()
    assert (outcome.error, canteen.cancelled) == ("too_large", ["canteen-1"])


async def test_a_server_that_keeps_the_stream_open_after_the_end_does_not_hold_us() -> None:
    done = frame(result={"statusUpdate": {"taskId": "canteen-1", "status": {"state": "TASK_STATE_COMPLETED"}}})
    async with World() as world:
        async with asyncio.timeout(5):
            outcome = await world.reply(Reply(steps=["好", done, asyncio.Event()]))
    assert (outcome.ok, outcome.content) == (True, "好")


async def test_an_interrupted_state_ends_the_stream() -> None:
    async with World() as world:
        outcome = await world.reply(Reply("哪天？", state="input-required"))
    assert (outcome.status, outcome.content, outcome.task_id) == ("suspended", "哪天？", "canteen-1")


@pytest.mark.parametrize("versions", [("1.0",), ("0.3",)])
@pytest.mark.requirement("A2A-03")
async def test_a2a_03_a_task_that_is_only_submitted_is_polled_to_its_end(versions: tuple[str, ...]) -> None:
    async with World() as world:
        canteen = world.agent(versions=versions, streaming=False)
        working = Reply(state="working", status_text="正在查…")
        canteen.replies.append(Reply(state="submitted", polls=[working, working, Reply("结果来了")]))
        outcome = await world.ask()
    assert (outcome.ok, outcome.content) == (True, "结果来了")
    assert (len(canteen.sends), len(canteen.gets)) == (1, 3)
    assert {request.params["id"] for request in canteen.gets} == {outcome.task_id}
    assert world.pauses == pytest.approx([0.3, 0.48, 0.768])
    assert world.progress == [Progress("status", "正在查…")]


@pytest.mark.requirement("A2A-03")
async def test_a2a_03_a_task_that_never_completes_is_given_up_and_cancelled_once() -> None:
    async with World(total_timeout=0.3) as world:
        canteen = world.agent(streaming=False)
        canteen.replies.append(Reply(state="submitted", polls=[Reply(state="working")]))
        async with asyncio.timeout(5):
            outcome = await world.ask()
            await world.dispatcher.aclose()
    assert (outcome.status, outcome.error) == ("timed_out", "timeout")
    assert canteen.cancelled == [outcome.task_id]


async def test_a_poll_that_gets_lost_is_tried_again() -> None:
    async with World() as world:
        canteen = world.agent(streaming=False, extensions=())
        polls = [Reply(fail=httpx.ReadError("reset")), Reply(http=503), Reply("好")]
        canteen.replies.append(Reply(state="working", polls=polls))
        outcome = await world.ask()
    assert (outcome.ok, len(canteen.gets), len(canteen.sends)) == (True, 3, 1)


@pytest.mark.requirement("SB-A2A-09")
@pytest.mark.parametrize(("gone", "found"), [(4, True), (12, False)])
async def test_an_agent_that_restarts_while_it_works_is_waited_for_a_few_seconds(gone: int, found: bool) -> None:
    async with World() as world:
        canteen = world.agent()
        polls = [*(Reply(fail=httpx.ConnectError("refused")) for _ in range(gone)), Reply("好")]
        canteen.replies.append(Reply(steps=["水", httpx.ReadError("reset")], polls=polls))
        outcome = await world.ask()
    assert (outcome.ok, outcome.error) == (found, None if found else "unreachable")
    assert sum(world.pauses) <= 5.0 + 2.0
    assert len(canteen.sends) == 1


async def test_polls_end_when_the_agent_has_lost_the_task() -> None:
    async with World() as world:
        canteen = world.agent(streaming=False)
        canteen.replies.append(Reply(state="working", polls=[Reply(error=-32001)]))
        outcome = await world.ask()
    assert (outcome.error, len(canteen.gets)) == ("rpc_-32001", 1)
    assert {request.method for request in canteen.requests} <= {*SENDS, *GETS, "CancelTask"}
