"""Settings of the outbound side: which agents, how long to wait, when to give up.

Filled by `app.py`, read by adapters.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from supervisor.dispatch.address import AddressPolicy

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")


@dataclass(frozen=True, slots=True)
class DispatchSettings:
    """Times are seconds, sizes bytes. The defaults suit agents that answer within half a minute."""

    agents: Mapping[str, str] = field(default_factory=dict[str, str])
    """Name -> base URL; the base may contain a path."""
    legacy_agents: frozenset[str] = frozenset()
    """Names of agents that take only the envelope of `codecs/legacy.py`; they may lack an agent card."""
    agent_token: str | None = field(default=None, repr=False)
    supervisor_id: str = "switchboard"
    """Who calls, for agents that are supervisors themselves and look for loops."""
    addresses: AddressPolicy = field(default_factory=AddressPolicy)

    connect_timeout: float = 2.0
    first_byte_timeout: float = 15.0
    """Until the first byte of a streamed answer; a blocking call has only the total."""
    idle_timeout: float = 20.0
    """Between two pieces of a streamed answer; then the task is asked for instead."""
    total_timeout: float = 30.0
    """One leg with its retries, its polls and its wait for a free slot."""
    lost_timeout: float = 5.0
    """How long an agent at work on a task of ours may be unreachable, as it is when it restarts."""
    cancel_timeout: float = 1.0
    max_response_bytes: int = 4 * 1024 * 1024

    retries: int = 2
    retry_delay: float = 0.1
    """Doubled per retry, with full jitter; an agent that asks for more time gets it up to `retry_after_max`."""
    retry_after_max: float = 5.0
    poll_interval: float = 0.3
    """First pause between two looks at a working task; grows to `poll_interval_max`."""
    poll_interval_max: float = 2.0

    breaker_failures: int = 5
    breaker_seconds: float = 10.0
    max_in_flight: int = 64
    """Calls to one agent at a time; further ones wait within their total."""

    discovery_interval: float = 10.0
    unhealthy_interval: float = 2.0
    """How soon an agent that could not be reached is looked at again."""
    recheck_gap: float = 0.5
    """Two looks at one agent are at least this far apart, however many calls fail."""
    card_timeout: float = 3.0
    max_card_bytes: int = 256 * 1024


def parse_names(text: str, agents: Mapping[str, str]) -> frozenset[str]:
    """`name,name` as a set. Raises ValueError for a name that is none of the `agents`."""
    names = frozenset(filter(None, (part.strip() for part in text.split(","))))
    if unknown := sorted(names - agents.keys()):
        raise ValueError(f"legacy_agents: {', '.join(unknown)}: AGENTS names no such agent")
    return names


def parse_agents(text: str) -> dict[str, str]:
    """`name=url,name=url` as a dict.

    Raises ValueError with what to write instead; addresses are judged by discovery.
    """
    agents: dict[str, str] = {}
    for entry in filter(None, (part.strip() for part in text.split(","))):
        name, equals, url = (piece.strip() for piece in entry.partition("="))
        if not equals or not url or not _NAME.fullmatch(name):
            raise ValueError(f"agents: {entry!r} is not NAME=URL (name: letters, digits, `_`, `.`, `-`)")
        if name in agents:
            raise ValueError(f"agents: {name!r} is there twice")
        agents[name] = url
    return agents
