"""Which tool result answers which tool call. By position, never by id alone: some models reuse `call_0` in a thread."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage


@dataclass(frozen=True, slots=True)
class Step:
    """An assistant message and the results that follow it before the next one. `index` is its place in the list."""

    index: int
    message: AIMessage
    results: dict[str, ToolMessage]

    @property
    def unanswered(self) -> list[Any]:
        """Calls, well-formed or not, without a result."""
        calls = (*self.message.tool_calls, *self.message.invalid_tool_calls)
        return [call for call in calls if call["id"] not in self.results]


def steps(messages: Sequence[BaseMessage]) -> Iterator[Step]:
    """The assistant messages with tool calls, in order."""
    step: Step | None = None
    for index, message in enumerate(messages):
        if isinstance(message, AIMessage):
            if step is not None:
                yield step
            calls = message.tool_calls or message.invalid_tool_calls
            step = Step(index, message, {}) if calls else None
        elif step is not None and isinstance(message, ToolMessage):
            step.results[message.tool_call_id] = message
    if step is not None:
        yield step
