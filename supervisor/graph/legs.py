"""One call of one domain agent, as a LangGraph task: its result survives a resume, so the agent is asked once.

Tells the stream what the agent does; decides nothing about retries, deadlines or transport (see `dispatch`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from typing import Any

from langgraph.func import task

from supervisor.dispatch.port import AgentCall, Dispatcher, DispatchResult, Progress
from supervisor.events import internal as ev

Writer = Callable[[Any], None]
Leg = Callable[[AgentCall, str, Writer], Awaitable[dict[str, Any]]]


def idempotency_key(thread_id: str, task_id: str, leg: int, round_: int = 0) -> str:
    """The same for every execution of one leg: tools run again on resume, and tool call ids repeat in a thread."""
    return hashlib.sha256(f"{thread_id}\n{task_id}\n{leg}\n{round_}".encode()).hexdigest()[:40]


def make_leg(dispatcher: Dispatcher) -> Leg:
    """A task `(call, tool_call_id, writer) -> DispatchResult as a dict`."""

    @task(name="a2a_leg")
    async def a2a_leg(call: AgentCall, tool_call_id: str, writer: Writer) -> dict[str, Any]:
        subagent_id = f"sub_{call.idempotency_key[:20]}"
        description = next((a.description for a in dispatcher.agents() if a.name == call.agent), "")
        writer(ev.SubagentStarted(subagent_id, call.agent, description, tool_call_id))

        def progress(step: Progress) -> None:
            writer(ev.SubagentDelta(subagent_id, step.kind, step.text))

        result = await dispatcher.call(call, progress)
        writer(ev.SubagentEnded(subagent_id, result.status, result.content, result.error))
        return asdict(result)

    return a2a_leg


def restore(leg: dict[str, Any]) -> DispatchResult:
    """The result of a leg, fresh or from the checkpoint."""
    return DispatchResult(**leg)
