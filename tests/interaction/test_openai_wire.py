"""The real OpenAI client against a scripted server: the same events as the scripted model, and failures with a code."""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest

from chat_models import Turn, resolve_model
from tests.fakes.a2a_stub import A2AStub, card
from tests.fakes.a2a_stub import Reply as AgentReply
from tests.fakes.agui import assert_well_formed, text_of
from tests.fakes.graph import Desk, arguments, model, of_type
from tests.fakes.house import House, open_house
from tests.fakes.openai_wire import PROVIDER_TEXT, USAGE, OpenAIWire, Reply, nobody_listens, serve

KEY = "sk-wire-secret"
CANTEEN = '{"agent":"canteen","query":"推荐🌶️辣菜"}'
TRANSPORT = '{"agent":"transport","query":"校车几点"}'
UNICODE = "推荐：麻婆豆腐🌶️👨‍👩‍👧 ¥12.50\u2028第二行"
DISHES = {"title": "辣味", "items": [{"id": "d1", "name": "水煮鱼", "price": "22.00"}]}


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


def call(index: int | None, call_id: str | None, args: str, *, opening: bool = True) -> dict[str, Any]:
    """A literal piece of a tool call."""
    return {"tc": [index, call_id, "call_domain_agent" if opening else None, args]}


@asynccontextmanager
async def campus(*replies: Reply) -> AsyncGenerator[tuple[House, OpenAIWire, A2AStub]]:
    """The whole supervisor with `MODEL=openai:m` at the scripted server, and a canteen."""
    stub = A2AStub()
    stub.agent("canteen", card_types=("dish_cards",))
    agents = ",".join(f"{name}={url}" for name, url in stub.addresses().items())
    async with (
        serve(*replies) as wire,
        open_house(stub, agents=agents, model="openai:m", model_base_url=wire.base_url, model_api_key=KEY) as house,
    ):
        yield house, wire, stub


def events(frames: Any) -> list[dict[str, Any]]:
    """The events of a run, checked for the rules of every stream."""
    found = [frame.event for frame in frames]
    assert_well_formed(found)
    return found


SCRIPTS = {
    "text": [Turn(UNICODE)],
    "text before calls": [Turn("我来查", calls=[("call_domain_agent", json.loads(CANTEEN))]), Turn("完")],
    "interleaved": [
        Turn(
            chunks=[
                call(0, "c1", CANTEEN[:9]),
                call(1, "c2", TRANSPORT[:9]),
                call(0, None, CANTEEN[9:], opening=False),
                call(1, None, TRANSPORT[9:], opening=False),
            ]
        ),
        Turn("好"),
    ],
    "name and arguments in one chunk": [Turn(chunks=[call(0, "c1", CANTEEN)]), Turn("好")],
    "both calls in one chunk": [Turn(chunks=[[call(0, "c1", CANTEEN), call(1, "c2", TRANSPORT)]]), Turn("好")],
    "calls without index": [Turn(chunks=[call(None, "c1", CANTEEN), call(None, "c2", TRANSPORT)]), Turn("好")],
    "text around a call": [Turn(chunks=[{"text": "我来查"}, call(0, "c1", CANTEEN), {"text": "，稍等"}]), Turn("好")],
    "a parallel call": [
        Turn(calls=[("orchestrate_parallel", {"calls": [json.loads(CANTEEN), json.loads(TRANSPORT)]})]),
        Turn("好"),
    ],
}


def nameless(events: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The events with every id replaced by the order of its first appearance, and without token counts."""
    known: dict[str, str] = {}

    def walk(value: Any, key: str = "") -> Any:
        if isinstance(value, dict):
            return {k: walk(v, k) for k, v in value.items() if k != "usage"}
        if isinstance(value, list):
            return [walk(item) for item in value]
        return known.setdefault(value, f"#{len(known)}") if key.endswith("Id") else value

    return [walk(event) for event in events]


def desk(wire: OpenAIWire) -> Desk:
    """The graph over the real client."""
    return Desk(resolve_model("openai:m", offline=lambda: model("no"), base_url=wire.base_url, api_key=KEY))


@pytest.mark.parametrize("bytewise", [False, True], ids=["whole", "bytewise"])
@pytest.mark.parametrize("turns", SCRIPTS.values(), ids=SCRIPTS.keys())
@pytest.mark.requirement("UNI-01", "SB-STREAM-01")
async def test_uni_01_the_wire_gives_the_events_that_the_scripted_model_gives(
    turns: list[Turn], bytewise: bool
) -> None:
    expected = await Desk(model(*turns)).ask("查")
    async with serve(*(Reply(turn, bytewise=bytewise) for turn in turns)) as wire:
        real = desk(wire)
        found = await real.ask("查")
        messages = (await real.graph.view("t")).messages
    assert nameless(found) == nameless(expected)
    held = [c for m in messages for c in m.get("toolCalls", [])]
    assert {c["id"]: json.loads(c["function"]["arguments"]) for c in held} == {
        call_id: json.loads(streamed) for call_id, streamed in arguments(found).items()
    }
    streamed = {e["messageId"] for e in found if e["type"] in ("TEXT_MESSAGE_START", "TOOL_CALL_RESULT")}
    streamed |= {e["parentMessageId"] for e in of_type(found, "TOOL_CALL_START")}
    assert streamed == {m["id"] for m in messages[1:]}
    usage = found[-1]["usage"][0]
    assert usage["inputTokens"] == USAGE["prompt_tokens"] * len(turns)
    assert usage["outputTokens"] == USAGE["completion_tokens"] * len(turns)


@pytest.mark.parametrize("bytewise", [False, True], ids=["whole", "bytewise"])
@pytest.mark.requirement("UNI-01")
async def test_uni_01_chinese_and_emoji_reach_the_agent_and_the_browser_whole(bytewise: bool) -> None:
    asks = Turn("查🌶️", calls=[("call_domain_agent", json.loads(CANTEEN))])
    async with campus(Reply(asks, bytewise=bytewise), Reply(Turn(UNICODE), bytewise=bytewise)) as (house, wire, stub):
        stub.agents["canteen"].replies.append(AgentReply("三道", metadata=card("dish_cards", DISHES)))
        found = events(await house.turn("辣🌶️"))
        assert text_of(found) == "查🌶️" + UNICODE
        assert stub.agents["canteen"].sends[0].text == "推荐🌶️辣菜"
        assert [e["content"]["card_type"] for e in found if e["type"] == "ACTIVITY_SNAPSHOT"] == ["dish_cards"]
        restored = await house.snapshot()
    assert [m["role"] for m in restored] == ["user", "assistant", "tool", "activity", "assistant"]
    assert restored[-1]["content"] == UNICODE
    assert restored[-1]["id"] == of_type(found, "TEXT_MESSAGE_START")[-1]["messageId"]
    assert [m["role"] for m in wire.requests[1].body["messages"]] == ["system", "user", "assistant", "tool"]
    assert "a2ui_operations" not in json.dumps(wire.requests[1].body["messages"])


async def test_the_request_carries_the_key_the_conversation_and_the_agents() -> None:
    async with campus(Reply(Turn("好"))) as (house, wire, _):
        await house.turn("一", message="u1", run="r1")
        await house.turn("二", message="u2", run="r2")
    request = wire.requests[-1]
    assert request.path == "/v1/chat/completions"
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert [m["content"] for m in request.body["messages"][1:]] == ["一", "好", "二"]
    names = [t["function"]["name"] for t in request.body["tools"]]
    assert names == ["call_domain_agent", "orchestrate_parallel", *(f"ask_{what}" for what in ASKS)]
    assert '"agent": "canteen"' in request.body["tools"][0]["function"]["description"]


ASKS = ("input", "choice", "multi_choice", "confirm")
HALF_CALL = Turn(chunks=[call(0, "c1", CANTEEN[:20])], finish_reason="length")
NO_OBJECT = Turn(chunks=[call(0, "c1", '"canteen"')])
AT_ONCE = {"retry-after-ms": "1"}


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        pytest.param(Reply(HALF_CALL), "LLM_TRUNCATED", id="cut arguments"),
        pytest.param(Reply(NO_OBJECT), "LLM_TRUNCATED", id="arguments that are no object"),
        pytest.param(Reply(Turn("半截"), end="silent"), "LLM_TRUNCATED", id="no finish reason"),
        pytest.param(
            Reply(Turn(chunks=[call(0, "c1", CANTEEN)]), end="silent"), "LLM_TRUNCATED", id="no finish reason in a call"
        ),
        pytest.param(Reply(Turn("半截"), end="reset"), "LLM_UNREACHABLE", id="broken connection"),
        pytest.param(Reply(Turn("半截"), end="error"), "LLM_UNREACHABLE", id="error object in mid-stream"),
        pytest.param(Reply(status=401), "LLM_AUTH_FAILED", id="401"),
        pytest.param(Reply(status=403), "LLM_AUTH_FAILED", id="403"),
        pytest.param(Reply(status=400), "AGENT_INTERNAL", id="400"),
        pytest.param(Reply(status=429, headers=AT_ONCE), "LLM_RATE_LIMITED", id="429"),
        pytest.param(Reply(status=500, headers=AT_ONCE), "LLM_UNREACHABLE", id="500"),
    ],
)
@pytest.mark.requirement("SB-ERR-01")
async def test_a_failing_provider_is_one_run_error_and_the_thread_goes_on(
    reply: Reply, code: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    async with campus(reply) as (house, wire, stub):
        frames = await house.turn("推荐辣菜")
        found = events(frames)
        assert [e["code"] for e in found if e["type"] == "RUN_ERROR"] == [code]
        assert not stub.agents["canteen"].sends
        told = b"".join(frame.raw for frame in frames).decode() + caplog.text
        assert PROVIDER_TEXT not in told
        assert KEY not in told
        wire.replies = [Reply(Turn("好了"))]
        assert text_of(events(await house.turn("再来", message="u2", run="r2"))) == "好了"
        await _conversation_is_sound(house, wire)


async def _conversation_is_sound(house: House, wire: OpenAIWire) -> None:
    """What the provider got in the last request: every tool call is answered, and no half answer is repeated."""
    sent = wire.requests[-1].body["messages"]
    asked = [c["id"] for m in sent for c in m.get("tool_calls") or ()]
    assert asked == [m["tool_call_id"] for m in sent if m["role"] == "tool"]
    assert "半截" not in json.dumps(sent, ensure_ascii=False)
    assert (await house.snapshot())[-1]["content"] == "好了"


async def test_a_model_that_keeps_writing_broken_arguments_ends_soon_and_is_paired() -> None:
    broken = Turn(chunks=[call(0, "c1", '{"agent" = canteen')])
    async with campus(Reply(broken)) as (house, wire, stub):
        found = events(await house.turn("推荐辣菜"))
        assert found[-1]["type"] == "RUN_FINISHED"
        assert text_of(found)
        assert len(wire.requests) <= 6
        assert not stub.agents["canteen"].sends


async def test_a_refused_connection_is_a_run_error_and_the_next_turn_is_tried_again() -> None:
    async with open_house(model="openai:m", model_base_url=nobody_listens(), model_api_key=KEY) as house:
        for number in ("1", "2"):
            found = events(await house.turn("hi", message=f"u{number}", run=f"r{number}"))
            assert [e["code"] for e in found if e["type"] == "RUN_ERROR"] == ["LLM_UNREACHABLE"]
        assert [m["role"] for m in await house.snapshot()] == ["user", "user"]


async def test_a_rate_limit_that_passes_at_the_second_try_is_never_seen() -> None:
    async with campus(Reply(status=429, headers=AT_ONCE), Reply(Turn("好"))) as (house, wire, _):
        assert text_of(events(await house.turn("hi"))) == "好"
        assert len(wire.requests) == 2


async def test_an_error_object_that_names_a_rate_limit_is_one() -> None:
    error = {"message": PROVIDER_TEXT, "code": "rate_limit_exceeded"}
    async with campus(Reply(Turn("半"), end="error", error=error)) as (house, _, _):
        found = events(await house.turn("hi"))
    assert [e["code"] for e in found if e["type"] == "RUN_ERROR"] == ["LLM_RATE_LIMITED"]


@pytest.mark.requirement("SB-ERR-03")
async def test_a_failure_after_an_answer_of_an_agent_keeps_that_answer_in_the_thread() -> None:
    asks = Turn(calls=[("call_domain_agent", json.loads(CANTEEN))])
    async with campus(Reply(asks), Reply(status=401)) as (house, wire, stub):
        stub.agents["canteen"].replies.append(AgentReply("三道", metadata=card("dish_cards", DISHES)))
        found = events(await house.turn("辣"))
        kinds = [e["type"] for e in found]
        assert kinds.index("TOOL_CALL_RESULT") < kinds.index("ACTIVITY_SNAPSHOT") < kinds.index("RUN_ERROR")
        wire.replies = [Reply(Turn("好了"))]
        events(await house.turn("再来", message="u2", run="r2"))
        roles = [m["role"] for m in await house.snapshot()]
    assert roles == ["user", "assistant", "tool", "activity", "user", "assistant"]
    assert len(stub.agents["canteen"].sends) == 1


@pytest.mark.requirement("SB-UNI-02")
async def test_uni_03_an_emoji_cut_in_half_by_the_model_server_is_whole_for_agent_provider_and_history() -> None:
    chunks = [call(0, "c1", '{"agent":"canteen","query":"辣\ud83c'), call(0, None, '\udf36"}', opening=False)]
    async with campus(Reply(Turn(chunks=chunks)), Reply(Turn(chunks=[{"text": "好\ud83c"}, {"text": "\udf36"}]))) as (
        house,
        wire,
        stub,
    ):
        stub.agents["canteen"].replies.append(AgentReply("三道"))
        found = events(await house.turn("辣"))
        assert found[-1]["type"] == "RUN_FINISHED"
        assert stub.agents["canteen"].sends[0].text == "辣\U0001f336"
        assert (await house.snapshot())[-1]["content"] == "好\U0001f336"
        wire.replies = [Reply(Turn("再见"))]
        assert text_of(events(await house.turn("再", message="u2", run="r2"))) == "再见"
    assert (
        "辣\U0001f336"
        in json.loads(wire.requests[-1].body["messages"][2]["tool_calls"][0]["function"]["arguments"])["query"]
    )


@pytest.mark.requirement("AGUI-USAGE-01")
async def test_the_usage_names_provider_and_model() -> None:
    async with campus(Reply(Turn("好"))) as (house, _, _):
        finished = events(await house.turn("hi"))[-1]
    row = {"provider": "openai", "model": "m", "inputTokens": 7, "outputTokens": 3, "totalTokens": 10}
    assert finished["usage"] == [row]
