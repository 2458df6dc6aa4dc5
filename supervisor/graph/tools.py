"""The two dispatch tools of the supervisor. Both ask every agent first; one leg's failure never touches another."""

from __future__ import annotations

from typing import Any

from langchain.tools import ToolRuntime, tool
from langchain_core.messages import ToolMessage
from langchain_core.tools import BaseTool
from pydantic import BaseModel, Field

from supervisor.dispatch.port import Dispatcher, DispatchResult
from supervisor.graph import results
from supervisor.graph.cards import Cards
from supervisor.graph.context import RunContext
from supervisor.graph.legs import Legs, LegTasks

MAX_CALLS = 8
"""Agents that one `orchestrate_parallel` may ask."""


class AgentQuestion(BaseModel):
    """A question for one domain agent."""

    agent: str = Field(description="Name of the agent")
    query: str = Field(description="The question, complete in itself, in the user's language")


def dispatch_tools(dispatcher: Dispatcher, tasks: LegTasks, cards: Cards) -> list[BaseTool]:
    """`call_domain_agent` and `orchestrate_parallel`. Their descriptions are completed by `middleware/directory.py`."""

    @tool
    async def call_domain_agent(agent: str, query: str, runtime: ToolRuntime[RunContext, Any]) -> ToolMessage:
        """Ask one domain agent. It answers in words and may add a card that the user sees."""
        unknown = _unknown(dispatcher, agent)
        if unknown:
            refused = results.refusal("unknown_agent", unknown, agent=agent)
            return _message(call_domain_agent, runtime, refused, failed=True)
        (result,) = await Legs(tasks, runtime).ask([(agent, query)])
        content, artifact = results.single(result), cards.render([result])
        return _message(call_domain_agent, runtime, content, artifact, failed=not result.ok)

    @tool
    async def orchestrate_parallel(calls: list[AgentQuestion], runtime: ToolRuntime[RunContext, Any]) -> ToolMessage:
        """Ask several domain agents at the same time, one question each. Use it when a request needs more than one."""
        if not 1 <= len(calls) <= MAX_CALLS:
            refused = results.refusal("bad_arguments", f"Give between 1 and {MAX_CALLS} calls.")
            return _message(orchestrate_parallel, runtime, refused, failed=True)
        known = {agent.name for agent in dispatcher.agents()}
        questions = [(call.agent, call.query) for call in calls if call.agent in known]
        asked = iter(await Legs(tasks, runtime).ask(questions))
        answers = [next(asked) if call.agent in known else _nobody(call.agent) for call in calls]
        content, artifact = results.several(answers), cards.render(answers)
        return _message(orchestrate_parallel, runtime, content, artifact, failed=not any(a.ok for a in answers))

    return [call_domain_agent, orchestrate_parallel]


def _message(
    asked: BaseTool,
    runtime: ToolRuntime[RunContext, Any],
    content: str,
    artifact: dict[str, Any] | None = None,
    *,
    failed: bool,
) -> ToolMessage:
    """A tool's answer; a failed one says so, for models are told of it and may try the same call once more."""
    status = "error" if failed else "success"
    return ToolMessage(
        content, artifact=artifact, name=asked.name, tool_call_id=runtime.tool_call_id or "", status=status
    )


def _nobody(agent: str) -> DispatchResult:
    return DispatchResult(agent, False, "failed", error="unknown_agent")


def _unknown(dispatcher: Dispatcher, name: str) -> str:
    known = sorted(agent.name for agent in dispatcher.agents())
    return "" if name in known else f"Unknown agent: {name}. Known agents: {', '.join(known) or 'none'}."
