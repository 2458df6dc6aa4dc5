"""The Discovery port: which agents exist and where. Says nothing about registries, and makes no A2A calls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from supervisor.dispatch.codecs.base import Version
from supervisor.dispatch.port import AgentInfo


@dataclass(frozen=True, slots=True)
class Interface:
    """One way to call an agent. The host of `url` comes from discovery, its path from the agent's card."""

    version: Version
    url: str
    tenant: str | None = None


@dataclass(frozen=True, slots=True)
class Endpoint:
    """What a call to an agent needs.

    `interfaces` is not empty and in order of preference. `extensions` are those of ours that the card declares.
    `idempotent`: the agent recognises a repeated Idempotency-Key. `revision` changes with the card.
    """

    agent: AgentInfo
    interfaces: tuple[Interface, ...]
    streaming: bool = False
    idempotent: bool = False
    extensions: tuple[str, ...] = ()
    revision: str = ""


@dataclass(frozen=True, slots=True)
class Unavailable:
    """Why an agent cannot be called: `unknown_agent`, `unreachable`, `bad_response` or `address_not_allowed`."""

    code: str


class Discovery(Protocol):
    """A live list of agents. Everything but `check` answers from memory."""

    @property
    def version(self) -> int:
        """Changes whenever `agents()` would answer differently."""
        ...

    def agents(self) -> Sequence[AgentInfo]:
        """The agents known now, healthy and not, sorted by name."""
        ...

    def endpoint(self, agent: str) -> Endpoint | Unavailable:
        """Where to call an agent; its last known place if it is not healthy now."""
        ...

    def suspect(self, agent: str) -> None:
        """A call failed: look at this agent again soon."""
        ...

    async def check(self, agent: str) -> None:
        """Looks at one agent now. Never raises; unknown names are ignored."""
        ...
