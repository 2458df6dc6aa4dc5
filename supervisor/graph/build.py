"""Compiles the supervisor's graph: LangChain's ReAct agent with our tools and guards."""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Annotated, Any, NotRequired

from langchain.agents import AgentState, create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.tools import BaseTool
from langgraph.checkpoint.base import BaseCheckpointSaver

from supervisor.dispatch.port import Dispatcher
from supervisor.graph.actions import CARD_ACTION, CardActions, card_action_tool
from supervisor.graph.cards import Cards
from supervisor.graph.checkpoints import stored_by
from supervisor.graph.context import RunContext
from supervisor.graph.hitl.ask_tools import ask_tools
from supervisor.graph.legs import make_legs
from supervisor.graph.middleware.breaker import DoneCallBreaker
from supervisor.graph.middleware.chain import GuardChain
from supervisor.graph.middleware.choice import ModelChoice
from supervisor.graph.middleware.directory import AgentDirectory
from supervisor.graph.middleware.frontend import FrontendTools
from supervisor.graph.middleware.guards import (
    FinishReasonGuard,
    RepairDangling,
    ToolErrorGuard,
    UniqueCallIds,
    UserContextInjector,
    ValidText,
)
from supervisor.graph.prompt import SYSTEM_PROMPT
from supervisor.graph.tools import dispatch_tools


@dataclass(frozen=True, slots=True)
class GraphParts:
    """What the graph is made of.

    `models` are the ones a thread may choose beside the default `model`; `tools` and `shared_state` are the host's.
    `interrupt_ttl` bounds how long a question may be answered, `turn_seconds` how long a turn may wait for agents.
    """

    model: BaseChatModel
    dispatcher: Dispatcher
    checkpointer: BaseCheckpointSaver[Any]
    cards: Cards
    now: Callable[[], datetime] = datetime.now
    recursion_limit: int = 50
    models: Mapping[str, BaseChatModel] = field(default_factory=dict[str, BaseChatModel])
    tools: Sequence[BaseTool] = ()
    shared_state: tuple[str, ...] = ()
    interrupt_ttl: timedelta | None = None
    turn_seconds: float | None = None


def tool_names(host: Sequence[BaseTool]) -> frozenset[str]:
    """Names that the supervisor's own and the host's tools take."""
    ours = ("call_domain_agent", "orchestrate_parallel", CARD_ACTION)
    return frozenset((*ours, *(t.name for t in (*ask_tools(), *host))))


def build(parts: GraphParts) -> Any:
    """The compiled graph. Raises ValueError when a host's tool or state key takes a name of ours."""
    tasks = make_legs(parts.dispatcher, stored_by(parts.checkpointer))
    dispatch = dispatch_tools(parts.dispatcher, tasks, parts.cards)
    action = card_action_tool(parts.dispatcher, tasks, parts.cards)
    tools = [*dispatch, action, *ask_tools(), *parts.tools]
    twice = sorted({t.name for t in tools if sum(o.name == t.name for o in tools) > 1})
    if twice:
        raise ValueError(f"There are two tools named {', '.join(twice)}. Rename the host's.")
    guards = [
        CardActions(),
        UserContextInjector(parts.now),
        ModelChoice(parts.models),
        AgentDirectory(parts.dispatcher, dispatch, hidden=CARD_ACTION),
        DoneCallBreaker(),
        RepairDangling(),
        FinishReasonGuard(),
        ValidText(),
        UniqueCallIds(),
        ToolErrorGuard(),
        FrontendTools(),
    ]
    return create_agent(
        parts.model,
        tools,
        system_prompt=SYSTEM_PROMPT,
        middleware=[GuardChain(guards)],
        state_schema=_state_schema(parts.shared_state),
        context_schema=RunContext,
        checkpointer=parts.checkpointer,
    )


def _latest(_: Any, new: Any) -> Any:
    return new


def _state_schema(shared: Sequence[str]) -> Any:
    if not shared:
        return None
    taken = sorted(set(shared) & AgentState.__annotations__.keys())
    if taken:
        raise ValueError(f"Shared state cannot be named {', '.join(taken)}: the graph uses that itself.")
    # Made at run time, because the host names the keys; a class of its own keeps `AgentState` as it is.
    annotations = {key: NotRequired[Annotated[Any, _latest]] for key in shared}
    return types.new_class(
        "SharedState", (AgentState,), exec_body=lambda body: body.update(__annotations__=annotations)
    )
