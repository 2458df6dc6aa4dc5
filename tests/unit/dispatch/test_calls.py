from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from opentelemetry.sdk.trace import TracerProvider

from supervisor.dispatch.codecs import LEGACY, V03, V10
from supervisor.dispatch.discovery.card import LEGACY_MARKER
from supervisor.dispatch.port import UserContext
from supervisor.dispatch.tokens.static import StaticTokens
from tests.fakes.a2a_stub import CONTEXT, IDEMPOTENCY, Reply, card
from tests.unit.dispatch.test_reply import SHAPES
from tests.unit.dispatch.world import World

DISHES = card("dish_cards", {"items": [{"name": "水煮鱼", "price": "38.00"}]}, bubble="三道菜", category="recommend")


async def test_a_blocking_call_in_1_0_carries_everything_an_agent_needs() -> None:
    async with World(tokens=StaticTokens("agent-token")) as world:
        canteen = world.agent(streaming=False)
        canteen.replies.append(Reply("为你推荐三道菜", metadata=DISHES))
        outcome = await world.ask()

    sent = canteen.sends[0]
    assert (sent.method, sent.text) == ("SendMessage", "推荐几道辣的菜")
    assert sent.message["role"] == "ROLE_USER"
    assert sent.message["contextId"] == "ctx-1"
    assert "taskId" not in sent.message
    assert sent.message["metadata"] == {
        "user_context": {"user_id": "u1", "name": "Alice", "locale": "zh"},
        "currentLocation": {"lat": 22.5, "lng": 113.9},
        "locationPermission": "granted",
        "session_id": "ctx-1",
    }
    assert sent.headers["a2a-version"] == "1.0"
    assert sent.headers["authorization"] == "Bearer agent-token"
    assert sent.headers["idempotency-key"] == "key-1"
    assert sent.headers["content-type"] == "application/json"
    assert set(sent.headers["a2a-extensions"].split(", ")) >= {CONTEXT, IDEMPOTENCY}

    assert (outcome.agent, outcome.ok, outcome.status) == ("canteen", True, "completed")
    assert outcome.content == "为你推荐三道菜"
    assert (outcome.card_type, outcome.card_data) == ("dish_cards", DISHES["card_data_model"])
    assert (outcome.bubble_text, outcome.card_category) == ("三道菜", "recommend")
    assert (outcome.task_id, outcome.context_id, outcome.error) == ("canteen-1", "ctx-1", None)


async def test_what_is_not_known_of_the_user_is_left_out() -> None:
    async with World() as world:
        canteen = world.agent(streaming=False)
        canteen.replies.append(Reply("好"))
        await world.ask(user=UserContext("u2"))
    metadata = canteen.sends[0].message["metadata"]
    assert metadata == {"user_context": {"user_id": "u2"}, "session_id": "ctx-1"}
    assert "authorization" not in canteen.sends[0].headers


@pytest.mark.requirement("A2A-ISSUE-20")
async def test_a_users_own_token_never_reaches_an_agent() -> None:
    async with World() as world:
        canteen = world.agent()
        canteen.replies.append(Reply("好"))
        await world.ask()
    everything = [(request.headers, request.body) for request in canteen.requests], canteen.card_requests
    assert "alices-own-token" not in str(everything)


@pytest.mark.parametrize("streaming", [False, True])
@pytest.mark.requirement("A2A-ISSUE-15")
async def test_an_agent_of_0_3_is_asked_in_0_3_without_a_version_header(streaming: bool) -> None:
    async with World() as world:
        canteen = world.agent(versions=("0.3",), streaming=streaming)
        canteen.replies.append(Reply("好", metadata=DISHES))
        outcome = await world.ask()
    sent = canteen.sends[0]
    assert sent.method == ("message/stream" if streaming else "message/send")
    assert (sent.message["kind"], sent.message["role"]) == ("message", "user")
    assert sent.message["parts"] == [{"kind": "text", "text": "推荐几道辣的菜"}]
    assert "a2a-version" not in sent.headers
    assert (outcome.ok, outcome.content, outcome.card_type) == (True, "好", "dish_cards")


@pytest.mark.parametrize("marked_by", ["setting", "card"])
async def test_a_legacy_agent_gets_the_old_envelope(marked_by: str) -> None:
    by_setting = marked_by == "setting"
    async with World(legacy_agents=frozenset({"canteen"} if by_setting else ())) as world:
        canteen = world.agent(versions=("0.3",), extensions=() if by_setting else (LEGACY_MARKER,))
        canteen.replies.append(Reply("为你推荐三道菜", metadata=DISHES))
        outcome = await world.ask()
    sent = canteen.sends[0]
    assert sent.method == "message/send"
    assert set(sent.message) == {"role", "parts", "message_id", "context_id", "metadata"}
    assert sent.message["parts"] == [{"text": "推荐几道辣的菜"}]
    user = json.loads(sent.message["metadata"]["user_context"])
    assert (user["userId"], user["location"]) == ("u1", {"lat": 22.5, "lng": 113.9})
    assert sent.message["metadata"]["session_id"] == "ctx-1"
    assert "a2a-version" not in sent.headers
    assert (outcome.ok, outcome.content, outcome.card_type) == (True, "为你推荐三道菜", "dish_cards")


async def test_a_legacy_agent_may_lack_an_agent_card() -> None:
    async with World(legacy_agents=frozenset({"canteen"})) as world:
        canteen = world.agent()
        canteen.card_reply = Reply(http=404)
        canteen.replies.append(Reply("好"))
        assert (await world.ask()).ok
        info = world.dispatcher.agents()[0]
    assert (info.healthy, info.findings) == (True, ("serves no agent card",))


async def test_a_legacy_agent_may_fail_with_the_state_error() -> None:
    async with World(legacy_agents=frozenset({"canteen"})) as world:
        outcome = await world.reply(Reply("上游超时", state="error"))
    assert (outcome.ok, outcome.error, outcome.content) == (False, "a2a_state_error", "上游超时")


@pytest.mark.parametrize("result", SHAPES)
@pytest.mark.parametrize("streaming", [False, True])
@pytest.mark.requirement("A2A-01")
async def test_a2a_01_every_reply_shape_is_an_answer(result: dict[str, Any], streaming: bool) -> None:
    async with World() as world:
        outcome = await world.reply(Reply(result=result), streaming=streaming)
    assert (outcome.ok, outcome.content) == (True, "你好")


@pytest.mark.parametrize(("served", "claimed"), [("0.3", "1.0"), ("1.0", "0.3")])
@pytest.mark.parametrize("streaming", [False, True])
@pytest.mark.requirement("A2A-ISSUE-14")
async def test_a_card_that_names_the_wrong_version_costs_one_request_once(
    served: str, claimed: str, streaming: bool
) -> None:
    async with World() as world:
        canteen = world.agent(versions=(claimed,), streaming=streaming)
        canteen.versions = (served,)
        canteen.replies += [Reply("一"), Reply("二")]
        outcomes = [await world.ask(key="a"), await world.ask(key="b")]
    assert [outcome.content for outcome in outcomes] == ["一", "二"]
    first, second = ("SendMessage", "message/send") if claimed == "1.0" else ("message/send", "SendMessage")
    if streaming:
        first = first.replace("SendMessage", "SendStreamingMessage").replace("/send", "/stream")
        second = second.replace("SendMessage", "SendStreamingMessage").replace("/send", "/stream")
    assert [request.method for request in canteen.sends] == [first, second, second]
    assert canteen.sends[0].headers["idempotency-key"] == canteen.sends[1].headers["idempotency-key"]


async def test_what_was_learnt_about_a_version_is_dropped_when_the_card_changes() -> None:
    async with World() as world:
        canteen = world.agent(versions=("1.0",), streaming=False)
        canteen.versions = ("0.3",)
        canteen.replies += [Reply("一"), Reply("二")]
        await world.ask(key="a")
        canteen.versions = ("1.0",)
        canteen.card = {**canteen.card, "version": "2.0.0"}
        await world.discovery.refresh()
        await world.ask(key="b")
    assert [request.method for request in canteen.sends] == ["SendMessage", "message/send", "SendMessage"]


async def test_an_agent_that_speaks_neither_version_is_asked_twice_and_no_more() -> None:
    async with World() as world:
        canteen = world.agent(streaming=False)
        canteen.versions = ()
        outcome = await world.ask()
    assert (outcome.error, len(canteen.sends)) == ("rpc_-32601", 2)


async def test_an_agent_that_does_not_stream_after_all_is_asked_to_block() -> None:
    async with World() as world:
        canteen = world.agent(streaming=True)
        canteen.replies += [Reply(error=-32004), Reply("一"), Reply("二")]
        assert (await world.ask(key="a")).content == "一"
        assert (await world.ask(key="b")).content == "二"
    assert [request.method for request in canteen.sends] == ["SendStreamingMessage", "SendMessage", "SendMessage"]


async def test_the_words_of_the_old_sdk_for_no_streaming_are_understood() -> None:
    words = b'{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"Streaming is not supported by the agent"}}'
    async with World() as world:
        canteen = world.agent(streaming=True, versions=("0.3",))
        canteen.replies += [Reply(raw=words), Reply("一"), Reply("二")]
        assert (await world.ask(key="a")).content == "一"
        assert (await world.ask(key="b")).content == "二"
    assert [request.method for request in canteen.sends] == ["message/stream", "message/send", "message/send"]


async def test_an_internal_error_of_a_stream_is_not_taken_for_a_lack_of_streaming() -> None:
    async with World() as world:
        canteen = world.agent(streaming=True, versions=("0.3",))
        canteen.replies.append(Reply(error=-32603))
        outcome = await world.ask()
    assert (outcome.error, len(canteen.sends)) == ("rpc_-32603", 1)


async def test_a_card_that_is_wrong_about_version_and_streaming_is_found_out_once() -> None:
    async with World() as world:
        canteen = world.agent(streaming=True, versions=("1.0",))
        canteen.versions = ("0.3",)
        canteen.replies += [Reply(error=-32004), Reply("一"), Reply("二")]
        assert (await world.ask(key="a")).content == "一"
        assert (await world.ask(key="b")).content == "二"
    methods = ["SendStreamingMessage", "message/stream", "message/send", "message/send"]
    assert [request.method for request in canteen.sends] == methods


async def test_an_agent_that_takes_an_unknown_method_for_an_invalid_request_is_asked_in_the_other_version() -> None:
    async with World() as world:
        canteen = world.agent(streaming=False, versions=("1.0",))
        canteen.versions = ("1.0", "0.3")
        canteen.replies += [Reply(error=-32600), Reply("一"), Reply("二")]
        assert (await world.ask(key="a")).content == "一"
        assert (await world.ask(key="b")).content == "二"
    assert [request.method for request in canteen.sends] == ["SendMessage", "message/send", "message/send"]


async def test_an_agent_that_lacks_the_method_of_streams_only_is_asked_to_block() -> None:
    async with World() as world:
        canteen = world.agent(streaming=True, versions=("1.0",))
        canteen.replies += [Reply(error=-32601), Reply("一"), Reply("二")]
        assert (await world.ask(key="a")).content == "一"
        assert (await world.ask(key="b")).content == "二"
    methods = ["SendStreamingMessage", "message/stream", "message/send", "SendMessage", "SendMessage"]
    assert [request.method for request in canteen.sends] == methods


async def test_the_tenant_of_the_interface_is_echoed() -> None:
    async with World() as world:
        canteen = world.agent(streaming=False, tenant="campus-1")
        canteen.replies.append(Reply(state="working", polls=[Reply("好")]))
        assert (await world.ask()).ok
    assert [request.params["tenant"] for request in canteen.requests] == ["campus-1", "campus-1"]


@pytest.mark.requirement("A2A-ISSUE-16")
async def test_the_trace_context_travels() -> None:
    tracer = TracerProvider().get_tracer("test")
    async with World() as world:
        canteen = world.agent()
        canteen.replies.append(Reply("好"))
        with tracer.start_as_current_span("turn") as span:
            await world.ask()
    context = span.get_span_context()
    assert canteen.sends[0].headers["traceparent"].split("-")[1] == f"{context.trace_id:032x}"


@pytest.mark.parametrize("codec", [V10, V03, LEGACY], ids=lambda codec: codec.version)
@pytest.mark.requirement("A2A-04")
async def test_a2a_04_an_answer_to_a_question_continues_the_same_task(codec: Any) -> None:
    legacy = codec is LEGACY
    async with World(legacy_agents=frozenset({"canteen"} if legacy else ())) as world:
        canteen = world.agent(versions=("1.0",) if codec is V10 else ("0.3",), streaming=False)
        canteen.replies += [Reply("哪个数？", state="input-required"), Reply("7 是质数")]
        question = await world.ask("质数？", key="leg-1/round-1")
        answer = await world.ask("7", key="leg-1/round-2", task=question.task_id)
    assert (question.status, question.ok, question.content) == ("suspended", False, "哪个数？")
    assert question.error == "a2a_state_input_required"
    assert (answer.ok, answer.content) == (True, "7 是质数")
    first, second = canteen.sends
    names = ("task_id", "context_id", "message_id") if legacy else ("taskId", "contextId", "messageId")
    assert second.message[names[0]] == question.task_id
    assert second.message[names[1]] == "ctx-1" == question.context_id
    assert second.message[names[2]] != first.message[names[2]]
    assert second.text == "7"
    assert first.headers["idempotency-key"] != second.headers["idempotency-key"]


async def test_the_question_of_a_suspended_task_keeps_its_structured_part() -> None:
    result = {
        "task": {
            "id": "t",
            "status": {
                "state": "TASK_STATE_INPUT_REQUIRED",
                "message": {"parts": [{"text": "哪天？"}, {"data": {"kind": "choice", "options": ["mon"]}}]},
            },
        }
    }
    async with World() as world:
        outcome = await world.reply(Reply(result=result))
    assert (outcome.status, outcome.content) == ("suspended", "哪天？")
    assert outcome.data == {"kind": "choice", "options": ["mon"]}


async def test_half_surrogate_pairs_in_a_question_do_not_break_the_call() -> None:
    async with World() as world:
        canteen = world.agent()
        canteen.replies.append(Reply("好"))
        outcome = await world.ask("菜\ud83d 辣")
    assert (outcome.ok, canteen.sends[0].text) == (True, "菜? 辣")


@pytest.mark.parametrize("key", ["键", "a\r\nX-Evil: 1"])
async def test_a_key_that_cannot_be_a_header_is_replaced_by_one_as_stable(key: str) -> None:
    async with World() as world:
        canteen = world.agent()
        canteen.always = Reply("好")
        for each in (key, key, "other" + key):
            assert (await world.ask(key=each)).ok
    sent = [request.headers["idempotency-key"] for request in canteen.sends]
    assert sent[0] == sent[1] != sent[2]
    assert "x-evil" not in canteen.sends[0].headers


async def test_cookies_of_an_agent_are_not_sent_back() -> None:
    async with World() as world:
        canteen = world.agent(streaming=False)
        body = json.dumps({"result": SHAPES[3]}).encode()
        cookie = {"set-cookie": "session=alice; Path=/"}
        canteen.replies += [Reply(http=200, raw=body, headers=cookie), Reply("二")]
        assert (await world.ask(key="a")).ok
        assert (await world.ask(key="b")).ok
    assert "cookie" not in canteen.sends[1].headers


async def test_calls_to_several_agents_run_at_the_same_time() -> None:
    async with World() as world:
        gates = {name: asyncio.Event() for name in ("canteen", "transport")}
        for name, gate in gates.items():
            world.agent(name, streaming=False).replies.append(Reply(f"来自 {name}", gate=gate))
        async with asyncio.timeout(5), asyncio.TaskGroup() as group:
            legs = [group.create_task(world.ask(agent=name, key=name)) for name in gates]
            await world.stub.agents["canteen"].received()
            await world.stub.agents["transport"].received()
            for gate in gates.values():
                gate.set()
    assert [leg.result().content for leg in legs] == ["来自 canteen", "来自 transport"]


async def test_calls_beyond_the_slots_of_an_agent_wait_for_one() -> None:
    async with World(max_in_flight=1) as world:
        gate = asyncio.Event()
        canteen = world.agent(streaming=False)
        canteen.replies += [Reply("一", gate=gate), Reply("二")]
        async with asyncio.timeout(5), asyncio.TaskGroup() as group:
            first = group.create_task(world.ask(key="a"))
            await canteen.received(1)
            second = group.create_task(world.ask(key="b"))
            for _ in range(20):
                await asyncio.sleep(0)
            assert len(canteen.sends) == 1
            gate.set()
    assert [first.result().content, second.result().content] == ["一", "二"]
