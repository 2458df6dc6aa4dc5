"""Guards, directory, stream reader and history on their own."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, cast

import pytest
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, HumanMessage, ToolMessage
from langchain_core.messages.tool import tool_call_chunk
from langgraph.checkpoint.memory import InMemorySaver

from chat_models import ScriptedChatModel, ToolSpec, Turn
from supervisor.dispatch.port import AgentInfo, AgentSkill, UserContext
from supervisor.errors import RunFailure
from supervisor.events import internal as ev
from supervisor.graph import port
from supervisor.graph.history import agui_messages
from supervisor.graph.middleware.chain import Guard, GuardChain
from supervisor.graph.middleware.directory import read_directory
from supervisor.graph.source import MessageReader
from tests.fakes.dispatcher import FakeDispatcher
from tests.fakes.graph import Desk, NoCards, calls, model

WEATHER = AgentInfo("weather", "天气", (AgentSkill("f", "f", "", ("天气",)),), "http://weather.test")
MODEL: dict[str, Any] = {"langgraph_node": "model", "ls_provider": "p", "ls_model_name": "m"}


class CountingDispatcher(FakeDispatcher):
    """Counts how often the directory is read."""

    looks = 0

    def agents(self) -> Sequence[AgentInfo]:
        self.looks += 1
        return super().agents()


class Recorder:
    """A policy that answers at once and keeps the tools it was given."""

    def __init__(self) -> None:
        self.tools: list[list[ToolSpec]] = []

    def __call__(self, messages: Sequence[BaseMessage], tools: Sequence[ToolSpec]) -> Turn:
        self.tools.append(list(tools))
        return Turn("好")

    @property
    def agents(self) -> list[str]:
        """Names in the last directory."""
        return [agent["agent"] for tool in self.tools[-1] for agent in read_directory(tool.description)]


async def test_the_directory_is_read_once_per_version_of_the_registry() -> None:
    dispatcher, policy = CountingDispatcher(), Recorder()
    desk = Desk(ScriptedChatModel(policy=policy), dispatcher)
    for _ in range(3):
        await desk.ask()
    assert dispatcher.looks == 1
    assert policy.agents == ["canteen", "transport"]
    dispatcher.register(WEATHER)
    for _ in range(2):
        await desk.ask()
    assert dispatcher.looks == 2
    assert policy.agents == ["canteen", "transport", "weather"]


async def test_the_directory_is_in_one_tool_and_both_tools_keep_their_schemas() -> None:
    policy = Recorder()
    await Desk(ScriptedChatModel(policy=policy)).ask()
    single, parallel, *_ = policy.tools[0]
    assert (single.name, parallel.name) == ("call_domain_agent", "orchestrate_parallel")
    assert set(single.parameters["properties"]) == {"agent", "query"}
    assert set(parallel.parameters["properties"]) == {"calls"}
    assert read_directory(parallel.description) == []
    skills = read_directory(single.description)[0]["skills"]
    assert skills[0]["examples"] == ["推荐几道辣的菜"]


async def test_identity_place_and_token_are_nowhere_in_the_checkpoint() -> None:
    saver = InMemorySaver()
    desk = Desk(model(calls(("canteen", "x"), ("transport", "y")), "完"), checkpointer=saver)
    user = UserContext("alice-7", "Alice Liddell", "zh-TW", {"lat": 31.2304}, "granted", "bearer-secret")
    turn = port.Turn("t", "r", (port.UserMessage("u1", "问题"),), user)
    async for _ in desk.graph.stream(turn):
        pass
    stored = repr([dict(saver.storage), dict(saver.writes), dict(saver.blobs)])
    assert "call_domain_agent" in stored
    for secret in ("alice-7", "Liddell", "zh-TW", "31.2304", "bearer-secret"):
        assert secret not in stored, secret


class Noted(Guard):
    """Notes when it is entered and left."""

    def __init__(self, name: str, log: list[str]) -> None:
        self.name, self.log = name, log

    async def model(self, request: Any, handler: Any) -> Any:
        self.log.append(f"+{self.name}")
        found = await handler(f"{request}{self.name}")
        self.log.append(f"-{self.name}")
        return found

    async def tool(self, request: Any, handler: Any) -> Any:
        return f"{self.name}({await handler(request)})"


class Silent(Guard):
    """Wraps nothing."""


async def test_the_first_guard_is_the_outermost_for_model_and_tool_calls() -> None:
    log: list[str] = []
    chain: Any = GuardChain([Noted("a", log), Silent(), Noted("b", log)])

    async def innermost(request: str) -> str:
        log.append(request)
        return "done"

    assert await chain.awrap_model_call("", innermost) == "done"
    assert log == ["+a", "+b", "ab", "-b", "-a"]
    assert await chain.awrap_tool_call("", innermost) == "a(b(done))"


async def test_a_chain_without_guards_is_the_call_itself() -> None:
    chain: Any = GuardChain([Silent()])

    async def innermost(request: str) -> str:
        return request

    assert await chain.awrap_model_call("x", innermost) == "x"


def test_a_message_that_broke_off_is_ended_by_the_next_one() -> None:
    reader = MessageReader()
    first = reader.read(AIMessageChunk(content="半", id="m1"), MODEL)
    opening = tool_call_chunk(name="call_domain_agent", args='{"a', id="c1", index=0)
    first += reader.read(AIMessageChunk(content="", id="m1", tool_call_chunks=[opening]), MODEL)
    second = reader.read(AIMessageChunk(content="全", id="m2"), MODEL)
    last = reader.read(AIMessageChunk(content="", id="m2", chunk_position="last"), MODEL)
    assert first == [ev.TextDelta("m1", "半"), ev.ToolCallDelta("m1", 0, "c1", "call_domain_agent", '{"a')]
    assert second == [ev.MessageDone("m1"), ev.TextDelta("m2", "全")]
    assert last == [ev.MessageDone("m2")]


def test_a_message_that_was_streamed_is_not_told_again_but_a_new_one_is() -> None:
    reader = MessageReader()
    reader.read(AIMessageChunk(content="一", id="m1", chunk_position="last"), MODEL)
    assert reader.read(AIMessage("一", id="m1"), MODEL) == []
    made = AIMessage("二", id="m2", tool_calls=[{"id": "c1", "name": "t", "args": {"x": "辣"}}])
    assert reader.read(made, MODEL) == [
        ev.TextDelta("m2", "二"),
        ev.ToolCallDelta("m2", 0, "c1", "t", '{"x": "辣"}'),
        ev.MessageDone("m2"),
    ]


def test_messages_of_other_nodes_and_of_people_are_not_the_supervisors_words() -> None:
    reader = MessageReader()
    inner = {"langgraph_node": "tools"}
    assert reader.read(AIMessageChunk(content="内部", id="x"), inner) == []
    assert reader.read(AIMessage("内部", id="x"), inner) == []
    assert reader.read(HumanMessage("问", id="u"), MODEL) == []


def test_blocks_and_bare_strings_are_text_and_reasoning() -> None:
    blocks: Any = ["一", {"type": "reasoning", "reasoning": "想"}, {"type": "text", "text": "二"}, {"type": "image"}]
    found = MessageReader().read(AIMessageChunk(content=blocks, id="m1"), MODEL)
    assert found == [ev.TextDelta("m1", "一"), ev.ReasoningDelta("m1", "想"), ev.TextDelta("m1", "二")]


def test_the_cards_of_a_step_come_after_all_its_tool_messages() -> None:
    class OneCard(NoCards):
        def activities(self, call_id: str, artifact: dict[str, Any]) -> list[dict[str, Any]]:
            return [{"id": f"a2ui-surface-{call_id}", "role": "activity", "content": artifact["cards"]}]

    cards = OneCard()

    def step(number: int) -> list[BaseMessage]:
        ids = [f"c{number}a", f"c{number}b"]
        asks = AIMessage("", id=f"m{number}", tool_calls=[{"id": i, "name": "t", "args": {}} for i in ids])
        found = [ToolMessage("r", id=f"t{i}", tool_call_id=i, artifact={"cards": [i]}) for i in ids]
        return [asks, *found]

    messages = [HumanMessage("问", id="u1"), *step(1), *step(2), AIMessage("答", id="m3"), AIMessage("", id="m4")]
    found = agui_messages(messages, cards)
    assert [m["id"] for m in found] == [
        *("u1", "m1", "tc1a", "tc1b", "a2ui-surface-c1a", "a2ui-surface-c1b"),
        *("m2", "tc2a", "tc2b", "a2ui-surface-c2a", "a2ui-surface-c2b", "m3"),
    ]
    assert found[4]["content"] == ["c1a"]
    ended_early = agui_messages(messages[:3], cards)
    assert [m["role"] for m in ended_early] == ["user", "assistant", "tool", "activity"]


async def test_a_tool_call_that_keeps_failing_in_the_tool_is_made_twice_and_no_more() -> None:
    tries: list[str] = []

    def explode(call: Any) -> Any:
        tries.append(call.query)
        raise RuntimeError("no")

    desk = Desk(model(calls(("canteen", "x"))), FakeDispatcher(explode))
    events = await desk.ask()
    assert tries == ["x", "x"]
    assert events[-1]["type"] == "RUN_FINISHED"


@pytest.mark.parametrize("arguments", ['"text"', "[1]"])
async def test_a_call_without_usable_arguments_is_a_broken_answer(arguments: str) -> None:
    desk = Desk(model(Turn(chunks=[{"tc": [0, "c1", "call_domain_agent", arguments]}])))
    with pytest.raises(RunFailure) as failure:
        await desk.ask()
    assert failure.value.row.code == "LLM_TRUNCATED"


async def test_lone_surrogates_of_a_model_never_reach_an_agent_or_the_next_request() -> None:
    seen: list[str] = []

    def policy(messages: Sequence[BaseMessage], tools: Sequence[ToolSpec]) -> Turn:
        seen.append(json.dumps([cast("AIMessage", m).tool_calls for m in messages if m.type == "ai"]))
        args = '{"agent":"canteen","query":"辣\\ud83c\\udf36\ud83d"}'
        return (
            Turn("好") if messages[-1].type == "tool" else Turn(chunks=[{"tc": [0, "c1", "call_domain_agent", args]}])
        )

    desk = Desk(ScriptedChatModel(policy=policy))
    await desk.ask()
    assert [c.query for c in desk.dispatcher.calls] == ["辣\U0001f336\ufffd"]  # type: ignore[attr-defined]
    assert "\\ufffd" in seen[-1]
