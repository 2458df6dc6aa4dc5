"""The Dispatcher port: ask a domain agent, get one typed outcome. Says nothing about A2A, HTTP or discovery."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from supervisor.dispatch.activity import Activity

Circuit = Literal["closed", "open", "half_open"]
LegStatus = Literal["completed", "failed", "timed_out", "suspended", "cancelled"]


@dataclass(frozen=True, slots=True)
class UserContext:
    """Who asks, from the authenticated request. Advisory for agents, never authorisation."""

    user_id: str
    name: str | None = None
    locale: str | None = None
    location: dict[str, Any] | None = None
    location_permission: str | None = None
    bearer_token: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class AgentSkill:
    """One skill of an agent's card."""

    id: str
    name: str
    description: str
    tags: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AgentInfo:
    """A domain agent as discovery sees it.

    `error` says in words why an agent is not healthy; `findings` are warnings. `circuit` says whether calls are let
    through: `open` refuses them at once, `half_open` lets one try. `in_flight` counts the calls of this process.
    """

    name: str
    description: str
    skills: tuple[AgentSkill, ...]
    url: str
    card_types: tuple[str, ...] = ()
    catalogue_version: str | None = None
    streaming: bool = False
    healthy: bool = True
    error: str | None = None
    findings: tuple[str, ...] = ()
    circuit: Circuit = "closed"
    in_flight: int = 0


@dataclass(frozen=True, slots=True)
class AgentCall:
    """One question to one agent.

    `idempotency_key` is the same for every attempt; `context_id` names the conversation. `task_id` goes on with a
    remote task that waits for an answer; `data` is that answer as JSON, beside its words in `query`. `via` names the
    supervisors through which the question came to this one, outermost first. `seconds` is what its turn has left.
    """

    agent: str
    query: str
    idempotency_key: str
    context_id: str
    user: UserContext
    task_id: str | None = None
    data: dict[str, Any] | None = None
    via: tuple[str, ...] = ()
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Progress:
    """What a working agent says on the way: a piece of answer `text`, a `status` line, or an `activity` of its own
    tools and agents. Ephemeral."""

    kind: Literal["text", "status", "activity"]
    text: str
    activity: Activity | None = None


@dataclass(frozen=True, slots=True)
class DispatchResult:
    """The outcome of one leg. Never an exception: failures are results with a stable `error` code.

    `error`: `http_<status>` (also of redirects, which are not followed), `rpc_<code>`, `a2a_state_<state>`, `timeout`,
    `unreachable`, `circuit_open`, `unauthorized`, `bad_response` (not A2A, or completed with neither text nor card nor
    data), `too_large`, `unknown_agent`, `address_not_allowed`, `cancelled`. None only if `ok`: a suspended leg has
    `a2a_state_input_required` or `a2a_state_auth_required`. `content` of a failed leg is what the agent said about it,
    of a suspended one its question. `card_update`: the card is new data for the one that was clicked.
    `data` holds structured parts of the answer that are not a card. `more_cards` are those beyond the first of an
    answer that has several, as a supervisor's may: `card_type`, `card_data`, `card_category`, `bubble_text` of each.
    """

    agent: str
    ok: bool
    status: LegStatus
    content: str = ""
    data: Any = None
    card_type: str | None = None
    card_data: Any = None
    card_category: str | None = None
    bubble_text: str | None = None
    card_update: bool = False
    trace_id: str | None = None
    error: str | None = None
    task_id: str | None = None
    context_id: str | None = None
    more_cards: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])


class Dispatcher(Protocol):
    """Calls domain agents. Safe to share between all runs of a process."""

    @property
    def version(self) -> int:
        """Changes whenever `agents()` would answer differently."""
        ...

    def agents(self) -> Sequence[AgentInfo]:
        """The agents known now, healthy and not, sorted by name. No I/O."""
        ...

    async def call(self, call: AgentCall, on_progress: Callable[[Progress], None]) -> DispatchResult:
        """Ask one agent. Only cancellation raises; it is passed on to the remote task before it propagates."""
        ...

    async def cancel(self, call: AgentCall) -> None:
        """Tell the agent that its task `call.task_id`, which waits for an answer, is not wanted. Never raises."""
        ...

    def release(self) -> None:
        """From now on a cancelled call leaves its remote task running: the process ends and will ask for it again."""
        ...
