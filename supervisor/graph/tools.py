"""The two dispatch tools of the supervisor. Both ask every agent first; one leg's failure never touches another."""

from __future__ import annotations

from typing import Any

from langchain.tools import ToolRuntime, tool
from langchain_core.tools import BaseTool
from pydantic import BaseModel, Field

from supervisor.dispatch.port import Dispatcher, DispatchResult
from supervisor.graph import results
from supervisor.graph.cards import Cards
from supervisor.graph.context import RunContext
from supervisor.graph.legs import Legs, LegTasks

MAX_CALLS = 8
"""Agents that one `orchestrate_parallel` may ask."""

Answer = tuple[str, dict[str, Any] | None]


class AgentQuestion(BaseModel):
    """A question for one domain agent."""

    agent: str = Field(description="Name of the agent")
    query: str = Field(description="The question, complete in itself, in the user's language")


def dispatch_tools(dispatcher: Dispatcher, tasks: LegTasks, cards: Cards) -> list[BaseTool]:
    """`call_domain_agent` and `orchestrate_parallel`. Their descriptions are completed by `middleware/directory.py`."""

    @tool(response_format="content_and_artifact")
    async def call_domain_agent(agent: str, query: str, runtime: ToolRuntime[RunContext, Any]) -> Answer:
        """Ask one domain agent. It answers in words and may add a card that the user sees."""
        unknown = _unknown(dispatcher, agent)
        if unknown:
            return results.refusal("unknown_agent", unknown, agent=agent), None
        (result,) = await Legs(tasks, runtime).ask([(agent, query)])
        return results.single(result), cards.render([result])

    @tool(response_format="content_and_artifact")
    async def orchestrate_parallel(calls: list[AgentQuestion], runtime: ToolRuntime[RunContext, Any]) -> Answer:
        """Ask several domain agents at the same time, one question each. Use it when a request needs more than one."""
        if not 1 <= len(calls) <= MAX_CALLS:
            return results.refusal("bad_arguments", f"Give between 1 and {MAX_CALLS} calls."), None
        known = {agent.name for agent in dispatcher.agents()}
        questions = [(call.agent, call.query) for call in calls if call.agent in known]
        asked = iter(await Legs(tasks, runtime).ask(questions))
        answers = [next(asked) if call.agent in known else _nobody(call.agent) for call in calls]
        return results.several(answers), cards.render(answers)

    return [call_domain_agent, orchestrate_parallel]


def _nobody(agent: str) -> DispatchResult:
    return DispatchResult(agent, False, "failed", error="unknown_agent")


def _unknown(dispatcher: Dispatcher, name: str) -> str:
    known = sorted(agent.name for agent in dispatcher.agents())
    return "" if name in known else f"Unknown agent: {name}. Known agents: {', '.join(known) or 'none'}."
