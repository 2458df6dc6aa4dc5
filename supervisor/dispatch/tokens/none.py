"""No credentials: for agents that a network keeps from strangers."""

from __future__ import annotations

from supervisor.dispatch.port import AgentInfo, UserContext


class NoTokens:
    """Sends no Authorization header, and never passes a user's own token on."""

    async def bearer(self, agent: AgentInfo, user: UserContext) -> str | None:
        return None
