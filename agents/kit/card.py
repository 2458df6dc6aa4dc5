"""The A2A agent card of an agent: what it can do, which cards it may answer with, where both protocol versions are."""

from __future__ import annotations

from a2a.types import AgentCapabilities, AgentCard, AgentExtension, AgentInterface, AgentSkill

from agents.kit.spec import AgentSpec
from contracts.extensions import ACTIVITY, CARDS, CONTEXT, IDEMPOTENCY

CATALOGUE_VERSION = "1"
RPC_PATH = "/a2a"


def agent_card(spec: AgentSpec, base_url: str) -> AgentCard:
    """The card, with addresses under `base_url` (no slash at the end)."""
    url = base_url + RPC_PATH
    return AgentCard(
        name=spec.name,
        description=spec.description,
        version=spec.version,
        supported_interfaces=[
            AgentInterface(url=url, protocol_binding="JSONRPC", protocol_version=version) for version in ("1.0", "0.3")
        ],
        capabilities=AgentCapabilities(streaming=True, push_notifications=False, extensions=_extensions(spec)),
        # Data are clicks in cards and typed answers to questions.
        default_input_modes=["text/plain", "application/json"],
        default_output_modes=["text/plain", "application/json"],
        skills=[
            AgentSkill(
                id=skill.id,
                name=skill.name,
                description=skill.description,
                tags=list(skill.tags),
                examples=list(skill.examples),
            )
            for skill in spec.skills
        ],
    )


def _extensions(spec: AgentSpec) -> list[AgentExtension]:
    return [
        AgentExtension(
            uri=CARDS,
            description="The metadata of a finished task may hold one card: its type and its data.",
            params={"cardTypes": list(spec.card_types), "catalogueVersion": CATALOGUE_VERSION},
        ),
        AgentExtension(
            uri=CONTEXT,
            description="Reads user_context, currentLocation and locationPermission from a message's metadata.",
        ),
        AgentExtension(
            uri=IDEMPOTENCY,
            description="A repeated Idempotency-Key header gives the task that the first request made.",
        ),
        AgentExtension(
            uri=ACTIVITY,
            description="Status updates tell the agent's tool calls to callers that name this in A2A-Extensions.",
        ),
    ]
