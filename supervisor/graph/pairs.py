"""Which tool result answers which tool call, and in which order results came.

By position, never by id alone: some models reuse `call_0` in a thread. The checkpoint holds the results of a message in
the order of its calls, clients hold them in the order in which they came; a mark on each tells it later.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langgraph.types import Command

_DONE = "done"


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


def done_now(result: Any) -> Any:
    """What a tool gave, marked with the time."""
    messages: Any = [result]
    if isinstance(result, Command):
        messages = result.update.get("messages", ()) if isinstance(result.update, dict) else ()
    for message in messages:
        if isinstance(message, ToolMessage):
            message.additional_kwargs[_DONE] = time.time_ns()
    return result


def as_they_came(messages: Sequence[BaseMessage]) -> Iterator[BaseMessage]:
    """The messages, the results of each step in the order in which they came; unmarked ones are the last."""
    for results, group in groupby(messages, lambda message: isinstance(message, ToolMessage)):
        found = list(group)
        yield from sorted(found, key=lambda m: m.additional_kwargs.get(_DONE, math.inf)) if results else found
