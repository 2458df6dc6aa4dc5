"""The agent's own graph: a model that calls the tools of the agent's MCP server. Says nothing about A2A."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Any

from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware
from langchain.agents.middleware.types import ToolCallRequest
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, SystemMessage, ToolCall, ToolMessage
from langchain_core.tools import BaseTool
from langgraph.types import Command

from agents.kit.asking import CURRENT, Call, ask_in
from agents.kit.clicks import Clicks
from agents.kit.clock import Clock
from agents.kit.conversation import answers_in_chinese, conversation_of, question_message
from agents.kit.history import History, MemoryHistory
from agents.kit.open_turn import OpenTurn, asking
from agents.kit.spec import AgentSpec
from agents.kit.turn import Answer, Asked, Done, Event, Question, Status, Text
from chat_models import ScriptedChatModel, ToolSpec, Turn, resolve_model

_STEPS = 24
_TURN = "switchboard_turn"
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


class EmptyAnswer(RuntimeError):
    """The model ended its turn without a word."""


def model_of(
    spec: AgentSpec, setting: str, *, base_url: str | None = None, api_key: str | None = None, delay_ms: float = 0
) -> BaseChatModel:
    """The chat model that `MODEL` names; `offline` is the agent's own policy. Raises ValueError for a wrong one."""

    def offline() -> BaseChatModel:
        return ScriptedChatModel(policy=_offline_policy(spec), delay_ms=delay_ms)

    return resolve_model(setting, offline=offline, base_url=base_url, api_key=api_key)


def _offline_policy(spec: AgentSpec) -> Any:
    def decide(messages: Sequence[BaseMessage], _: Sequence[ToolSpec]) -> Turn:
        return spec.answer_offline(conversation_of(messages))

    return decide


class AgentGraph:
    """One compiled graph for all turns of a process; finished turns go to the history, nothing is kept per run."""

    def __init__(
        self,
        spec: AgentSpec,
        model: BaseChatModel,
        tools: Sequence[BaseTool],
        clock: Clock,
        history: History | None = None,
    ) -> None:
        self._spec = spec
        self._clock = clock
        self._history: History = history or MemoryHistory()
        self._clicks = Clicks(spec, tools, self._history)
        self._tools = {tool.name: tool for tool in tools}
        offered = [tool for tool in tools if tool.name not in spec.action_tools]
        self._graph: Any = create_agent(model, offered, name=spec.name, middleware=[_CallIds()])

    def run(self, question: Question) -> AsyncIterator[Event]:
        """Answer one question or click. Ends with one `Answer` or `Asked`, or raises whatever the model raised."""
        if question.action is not None and self._spec.act is not None:
            return self._clicks.run(question, question.action, self._spec.act)
        return self._go_on(question, [question_message(question.text, question.asker)], "")

    async def resume(self, question: Question, turn: OpenTurn, answer: Mapping[str, Any]) -> AsyncIterator[Event]:
        """Go on with a turn whose first question was answered. `question` is who answers; what was asked stays."""
        ask = turn.asks[0]
        if "value" in answer and ask.name in _parameters(self._tools[turn.call()["name"]]):
            turn = turn.with_argument(ask.name, answer["value"])
        call = turn.call()
        question = replace(question, text=turn.messages[0].text, asker=conversation_of(turn.messages).asker)
        given = {**turn.answers.get(ask.call_id, {}), ask.name: answer}
        shown = f"{ask.call_id}-{len(given)}"
        yield self._status(call["name"], call["args"], question, shown)
        result = await self._call(question, call, given)
        yield Done(shown, result.status != "error")
        again = ask_in(ask.call_id, result.artifact)
        messages = [*turn.messages, *(() if again else (result,))]
        asks = [*((again,) if again else ()), *turn.asks[1:]]
        if asks:
            yield Asked(OpenTurn(messages, asks, {**turn.answers, ask.call_id: given}, turn.text))
            return
        async for event in self._go_on(question, messages, turn.text):
            yield event

    async def _go_on(self, question: Question, turn: Sequence[BaseMessage], text: str) -> AsyncIterator[Event]:
        said: list[BaseMessage] = [*await self._history.messages(question.owner, question.context_id), *turn]
        start = len(said) - len(turn)
        pieces = [text] if text else []
        async with aclosing(self._steps(question, said)) as parts:
            async for part in parts:
                if part["type"] == "messages":
                    text = _spoken(part["data"][0])
                else:
                    new = _new_messages(part["data"])
                    said.extend(new)
                    told = self._told(new, question)
                    for event in told:
                        yield event
                    # What a model says before it calls tools is part of the answer, in a paragraph of its own.
                    text = "\n\n" if pieces and any(isinstance(event, Status) for event in told) else ""
                if text:
                    pieces.append(text)
                    yield Text(text)
                if part["type"] == "updates" and (waiting := asking(said[start:], "".join(pieces))):
                    yield Asked(waiting)
                    return
        text = "".join(pieces).strip()
        if not text:
            raise EmptyAnswer
        await self._history.remember(question.owner, question.context_id, said[start:])
        yield Answer(text, self._spec.build_card(conversation_of(said), text))

    def _steps(self, question: Question, said: Sequence[BaseMessage]) -> AsyncGenerator[Any]:
        chinese = answers_in_chinese(question.text, question.asker)
        return self._graph.astream(
            {"messages": [SystemMessage(self._prompt(question)), *said]},
            {"recursion_limit": _STEPS, "configurable": {_TURN: (question.task_id, chinese)}},
            stream_mode=["messages", "updates"],
            version="v2",
        )

    async def _call(self, question: Question, call: ToolCall, answers: Mapping[str, Any]) -> ToolMessage:
        chinese = answers_in_chinese(question.text, question.asker)
        token = CURRENT.set(Call(f"{question.task_id}:{call['id']}", chinese, answers))
        try:
            return await self._tools[call["name"]].ainvoke({**call, "type": "tool_call"})
        finally:
            CURRENT.reset(token)

    def _told(self, messages: Sequence[BaseMessage], question: Question) -> list[Status | Done]:
        told: list[Status | Done] = []
        for message in messages:
            if isinstance(message, AIMessage):
                told += [
                    self._status(call["name"], call["args"], question, call["id"] or "") for call in message.tool_calls
                ]
            elif isinstance(message, ToolMessage):
                told.append(Done(message.tool_call_id, message.status != "error"))
        return told

    def _status(self, tool: str, arguments: Mapping[str, Any], question: Question, call: str) -> Status:
        chinese = answers_in_chinese(question.text, question.asker)
        return Status(self._spec.status(tool, arguments, chinese), call, tool)

    def _prompt(self, question: Question) -> str:
        now = self._clock()
        language = "Chinese" if answers_in_chinese(question.text, question.asker) else "English"
        lines = [
            self._spec.system_prompt,
            f"It is {now:%Y-%m-%d %H:%M} ({_WEEKDAYS[now.weekday()]}) on campus. Answer in {language}.",
            "Answer from the tools' results only. A card with the details is shown beside your answer: keep it short.",
        ]
        if question.asker.location:
            lat, lng = question.asker.location
            lines.append(f"The user is at latitude {lat}, longitude {lng}.")
        return "\n".join(lines)


class _CallIds(AgentMiddleware[Any, Any, Any]):
    """Tells a tool which call it is, beside what the model wrote."""

    async def awrap_tool_call(
        self,
        request: ToolCallRequest,
        handler: Callable[[ToolCallRequest], Awaitable[ToolMessage | Command[Any]]],
    ) -> ToolMessage | Command[Any]:
        task_id, chinese = request.runtime.config.get("configurable", {})[_TURN]
        token = CURRENT.set(Call(f"{task_id}:{request.tool_call['id']}", chinese))
        try:
            return await handler(request)
        finally:
            CURRENT.reset(token)


def _parameters(tool: BaseTool) -> Mapping[str, Any]:
    """What a model may fill in."""
    schema: Any = tool.args_schema
    return schema.get("properties", {})


def _spoken(message: BaseMessage) -> str:
    return message.text if isinstance(message, AIMessage) else ""


def _new_messages(update: dict[str, Any]) -> list[BaseMessage]:
    return [
        message
        for delta in update.values()
        for message in (delta or {}).get("messages", ())
        if isinstance(message, AIMessage | ToolMessage)
    ]
