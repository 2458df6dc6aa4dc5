"""One conversation with an offline model and the real tools, without HTTP: question in, calls, answer and card out."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mcp.server.mcpserver.exceptions import ToolError

from agents.kit.answering import question_text
from agents.kit.asking import ask_in
from agents.kit.conversation import answers_in_chinese
from agents.kit.spec import AgentSpec, Asker, Card, Conversation, ToolResult


@dataclass(frozen=True, slots=True)
class Answered:
    calls: tuple[tuple[str, Mapping[str, Any]], ...]
    text: str
    card: Card | None

    @property
    def ids(self) -> list[str]:
        """The ids of the card's items."""
        return [item["id"] for item in self.card.data["items"]] if self.card else []


class Talk:
    """`tools` has the agent's tools as async methods."""

    def __init__(self, spec: AgentSpec, tools: Any, asker: Asker | None = None) -> None:
        self._spec = spec
        self._tools = tools
        self._asker = asker or Asker()
        self._questions: tuple[str, ...] = ()
        self._results: tuple[ToolResult, ...] = ()

    def ask(self, question: str) -> Answered:
        return asyncio.run(self.answer(question))

    def call(self, question: str, tool: str, arguments: Mapping[str, Any]) -> Answered:
        """As `ask`, with a call that another model might make."""
        result = asyncio.run(self._call(tool, arguments))
        if (asked := ask_in("", result.data)) is not None:
            return Answered(((tool, arguments),), question_text(asked.payload), None)
        now = self._at(question, (result,))
        text = self._spec.answer_offline(now).text
        return Answered(((tool, arguments),), text, self._spec.build_card(now, text))

    async def answer(self, question: str) -> Answered:
        turn = self._spec.answer_offline(self._at(question))
        results = [await self._call(name, arguments) for name, arguments in turn.calls]
        now = self._at(question, tuple(results))
        if (asked := next((ask for r in results if (ask := ask_in("", r.data))), None)) is not None:
            return Answered(tuple((r.name, r.arguments) for r in results), question_text(asked.payload), None)
        text = self._spec.answer_offline(now).text if results else turn.text
        self._questions += (question,)
        self._results += now.results
        calls = tuple((result.name, result.arguments) for result in results)
        return Answered(calls, text, self._spec.build_card(now, text))

    def _at(self, question: str, results: tuple[ToolResult, ...] = ()) -> Conversation:
        chinese = answers_in_chinese(question, self._asker)
        return Conversation(question, chinese, self._asker, results, self._questions, self._results)

    async def _call(self, name: str, arguments: Mapping[str, Any]) -> ToolResult:
        try:
            tool = getattr(self._tools, name)
            answers = {"answers": {}} if "answers" in inspect.signature(tool).parameters else {}
            data = await tool(**{**answers, **arguments})
        except ToolError as error:
            return ToolResult(name, arguments, False, {}, str(error))
        return ToolResult(name, arguments, True, data, "")
