"""A graph without LangGraph: plays scripted internal events, so that runs and HTTP are tested on their own."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any

from supervisor.events import internal as ev
from supervisor.graph.port import ThreadView, Turn

Step = Sequence[ev.InternalEvent] | Callable[[], Awaitable[None]] | Exception


def say(text: str, message_id: str = "m1") -> list[ev.InternalEvent]:
    """A whole assistant message, one delta per character."""
    return [*(ev.TextDelta(message_id, c) for c in text), ev.MessageDone(message_id)]


class FakeGraph:
    """`script(turn)` gives the steps of a run: events to yield, a coroutine function to await, an error to raise."""

    def __init__(self, script: Callable[[Turn], Sequence[Step]]) -> None:
        self.script = script
        self.turns: list[Turn] = []
        self.cancelled: list[str] = []
        self.history: dict[str, list[dict[str, Any]]] = {}

    async def stream(self, turn: Turn, **past: Any) -> AsyncIterator[Sequence[ev.InternalEvent]]:
        del past
        self.turns.append(turn)
        messages = self.history.setdefault(turn.thread_id, [])
        messages += [{"id": m.id, "role": "user", "content": m.content} for m in turn.messages]
        for step in self.script(turn):
            if isinstance(step, Exception):
                raise step
            if callable(step):
                await step()
                continue
            yield step
            self._remember(turn.thread_id, step)
            await asyncio.sleep(0)

    def _remember(self, thread_id: str, events: Sequence[ev.InternalEvent]) -> None:
        text = "".join(e.text for e in events if isinstance(e, ev.TextDelta))
        if text:
            self.history[thread_id].append({"id": "m1", "role": "assistant", "content": text})

    async def view(self, thread_id: str) -> ThreadView:
        return ThreadView(list(self.history.get(thread_id, [])))

    def release(self) -> None:
        return None

    async def cancel_turn(self, turn: Turn) -> Sequence[ev.InternalEvent]:
        self.cancelled.append(turn.thread_id)
        return []
