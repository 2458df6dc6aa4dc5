"""The agent card of the supervisor: the skills of its live agents under their names, both A2A versions, extensions."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from contracts.extensions import ACTIVITY, CARDS, CONTEXT, IDEMPOTENCY, NESTING
from supervisor.dispatch.port import AgentInfo

Json = dict[str, Any]

CARD_PATH = "/.well-known/agent-card.json"
RPC_PATH = "/a2a"
VERSIONS = ("1.0", "0.3")
MAX_SKILLS = 50

_SAYS = {
    CONTEXT: "Reads currentLocation, locationPermission and user_context.locale from a message's metadata.",
    IDEMPOTENCY: "A repeated Idempotency-Key header gives the task that the first request made.",
    ACTIVITY: "Tells, when it is asked to, what its own tools and agents do, in the metadata of status updates.",
    NESTING: "Reads from a message's metadata through which supervisors a question came, and refuses circles.",
}


@dataclass(frozen=True, slots=True)
class CardText:
    """A card as bytes, with its entity tag."""

    body: bytes
    etag: str


def agent_card(base_url: str, agents: Sequence[AgentInfo], catalogue_version: str, depth: int) -> CardText:
    """The card, with addresses under `base_url` (no slash at its end). Skills `depth` supervisors away are left out."""
    url = base_url + RPC_PATH
    live = [agent for agent in agents if agent.healthy]
    names = ", ".join(agent.name for agent in live)
    card: Json = {
        "name": "switchboard",
        "description": f"Answers by asking its agents: {names}." if names else "Answers by asking domain agents.",
        "version": "1",
        "supportedInterfaces": [
            {"url": url, "protocolBinding": "JSONRPC", "protocolVersion": version} for version in VERSIONS
        ],
        "capabilities": {
            "streaming": True,
            "pushNotifications": False,
            "extensions": list(_extensions(live, catalogue_version)),
        },
        "defaultInputModes": ["text/plain", "application/json"],
        "defaultOutputModes": ["text/plain", "application/json"],
        "skills": list(_skills(live, depth))[:MAX_SKILLS] or [_ANYTHING],
        # What follows is for readers of 0.3.
        "url": url,
        "preferredTransport": "JSONRPC",
        "protocolVersion": "0.3.0",
    }
    body = orjson.dumps(card)
    return CardText(body, f'"{hashlib.sha256(body).hexdigest()[:32]}"')


_ANYTHING = {
    "id": "ask",
    "name": "Ask",
    "description": "Answers questions by asking the agents that fit.",
    "tags": ["supervisor"],
}


def _skills(agents: Sequence[AgentInfo], depth: int) -> Iterator[Json]:
    for agent in agents:
        for skill in agent.skills:
            # Supervisors that name each other would otherwise hand their own skills back and forth.
            if skill.id.count("/") < depth:
                yield {
                    "id": f"{agent.name}/{skill.id}",
                    "name": skill.name,
                    "description": skill.description or agent.description,
                    "tags": list(skill.tags) or [agent.name],
                    "examples": list(skill.examples),
                }


def _extensions(agents: Sequence[AgentInfo], catalogue_version: str) -> Iterator[Json]:
    types = sorted({card_type for agent in agents for card_type in agent.card_types})
    says = "The metadata of a finished task may hold cards: their type and their data."
    yield {"uri": CARDS, "description": says, "params": {"cardTypes": types, "catalogueVersion": catalogue_version}}
    for uri, says in _SAYS.items():
        yield {"uri": uri, "description": says}
