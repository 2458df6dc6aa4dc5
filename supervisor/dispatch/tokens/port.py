"""The Tokens port: the credential for one call to one agent. Does not verify tokens."""

from __future__ import annotations

from typing import Protocol

from supervisor.dispatch.port import AgentInfo, UserContext


class TokenRefused(Exception):
    """No token can be had for this user and agent. The call is then not made: `unauthorized`."""


class Tokens(Protocol):
    """Gives the bearer token for a call."""

    async def bearer(self, agent: AgentInfo, user: UserContext) -> str | None:
        """The token to send, None to send none. Raises TokenRefused."""
        ...
