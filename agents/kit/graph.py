"""The agent's own graph: a model that calls the tools of the agent's MCP server. Says nothing about A2A."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, SystemMessage, ToolMessage
from langchain_core.tools import BaseTool

from agents.kit.clicks import Clicks
from agents.kit.clock import Clock
from agents.kit.conversation import answers_in_chinese, conversation_of, question_message
from agents.kit.history import History
from agents.kit.spec import AgentSpec
from agents.kit.turn import Answer, Question, Status, Text
from chat_models import ScriptedChatModel, ToolSpec, Turn, resolve_model

_STEPS = 24
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
    """One compiled graph for all turns of a process; keeps finished turns of each context, nothing per run."""

    def __init__(self, spec: AgentSpec, model: BaseChatModel, tools: Sequence[BaseTool], clock: Clock) -> None:
        self._spec = spec
        self._clock = clock
        self._history = History()
        self._clicks = Clicks(spec, tools, self._history)
        offered = [tool for tool in tools if tool.name not in spec.action_tools]
        self._graph: Any = create_agent(model, offered, name=spec.name)

    def run(self, question: Question) -> AsyncIterator[Status | Text | Answer]:
        """Answer one question or click. Ends with one `Answer`, or raises whatever the model raised."""
        if question.action is not None and self._spec.act is not None:
            return self._clicks.run(question, question.action, self._spec.act)
        return self._ask(question)

    async def _ask(self, question: Question) -> AsyncIterator[Status | Text | Answer]:
        asked = question_message(question.text, question.asker)
        said: list[BaseMessage] = [*self._history.messages(question.owner, question.context_id), asked]
        start = len(said) - 1
        messages = [SystemMessage(self._prompt(question)), *said]
        pieces: list[str] = []
        async for part in self._graph.astream(
            {"messages": messages},
            {"recursion_limit": _STEPS},
            stream_mode=["messages", "updates"],
            version="v2",
        ):
            if part["type"] == "messages":
                text = _spoken(part["data"][0])
            else:
                new = _new_messages(part["data"])
                said.extend(new)
                statuses = self._statuses(new, question)
                for status in statuses:
                    yield status
                # What a model says before it calls tools is part of the answer, in a paragraph of its own.
                text = "\n\n" if statuses and pieces else ""
            if text:
                pieces.append(text)
                yield Text(text)
        text = "".join(pieces).strip()
        if not text:
            raise EmptyAnswer
        self._history.remember(question.owner, question.context_id, said[start:])
        yield Answer(text, self._spec.build_card(conversation_of(said), text))

    def _statuses(self, messages: Sequence[BaseMessage], question: Question) -> list[Status]:
        chinese = answers_in_chinese(question.text, question.asker)
        calls = [call for m in messages if isinstance(m, AIMessage) for call in m.tool_calls]
        return [Status(self._spec.status(call["name"], call["args"], chinese)) for call in calls]

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


def _spoken(message: BaseMessage) -> str:
    return message.text if isinstance(message, AIMessage) else ""


def _new_messages(update: dict[str, Any]) -> list[BaseMessage]:
    return [
        message
        for delta in update.values()
        for message in (delta or {}).get("messages", ())
        if isinstance(message, AIMessage | ToolMessage)
    ]
