"""Answers clicks in cards: the agent's own rule says what to call, no model is asked. Says nothing about A2A."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.tools import BaseTool

from agents.kit.conversation import answers_in_chinese, conversation_of, question_message
from agents.kit.history import History
from agents.kit.spec import Action, AgentSpec, Asker, Conversation, Step
from agents.kit.turn import Answer, Done, Event, Question, Status, Text

REFUSED = (
    "这个操作没有成功：卡片里的数据不完整或已经过期，请重新提问。",
    "That did not work: what the card sent is incomplete or out of date. Please ask again.",
)


class Clicks:
    """Clicks share the history with questions, so that a follow-up question may start from what a click showed."""

    def __init__(self, spec: AgentSpec, tools: Sequence[BaseTool], history: History) -> None:
        self._spec = spec
        self._tools = {tool.name: tool for tool in tools}
        self._history = history

    async def run(
        self, question: Question, action: Action, act: Callable[[Action, Conversation], Step | None]
    ) -> AsyncIterator[Event]:
        """Carry out one click. Ends with one `Answer`; a click that makes no sense is answered in words."""
        before = await self._history.messages(question.owner, question.context_id)
        chinese = _in_chinese(action, before, question.asker)
        step = act(action, conversation_of([*before, _asked(action, question.asker, chinese)])) or Step()
        chinese = chinese if step.chinese is None else step.chinese
        said: list[BaseMessage] = [_asked(action, question.asker, chinese)]
        kept = said[:]
        for name, arguments in step.calls:
            call_id = uuid.uuid4().hex
            yield Status(self._spec.status(name, arguments, chinese), call_id, name)
            called = await self._call(name, arguments, call_id)
            yield Done(call_id, called[1].status != "error")
            said += called
            # What these tools are given is for them alone: a model would read it in the history.
            kept += called if name not in self._spec.action_tools else []
        found = conversation_of([*before, *said])
        text = step.text or REFUSED[0 if chinese else 1]
        if any(result.ok for result in found.results):
            text = self._spec.answer_offline(found).text
        card = self._spec.build_card(found, text) if found.results else None
        await self._history.remember(question.owner, question.context_id, [*kept, AIMessage(text)])
        yield Text(text)
        yield Answer(text, card, update=step.update and card is not None and card.type == action.card_type)

    async def _call(self, name: str, arguments: Mapping[str, Any], call_id: str) -> tuple[AIMessage, ToolMessage]:
        call: dict[str, Any] = {"name": name, "args": dict(arguments), "id": call_id, "type": "tool_call"}
        return AIMessage("", tool_calls=[call]), await self._tools[name].ainvoke(call)


def _asked(action: Action, asker: Asker, chinese: bool) -> HumanMessage:
    """The click as the history has it: never with what a user typed into a form."""
    name = action.text("name", 200)
    return question_message(f"{action.name}: {name}" if name else action.name, asker, chinese=chinese)


def _in_chinese(action: Action, before: Sequence[BaseMessage], asker: Asker) -> bool:
    """The language of the name on the clicked card, else of what was asked last."""
    name = action.text("name", 200)
    if name or not before:
        return answers_in_chinese(name or "", asker)
    return conversation_of(before).chinese
