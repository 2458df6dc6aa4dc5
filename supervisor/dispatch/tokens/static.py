"""One shared bearer token from settings, for every agent and user.

Not a delegation: agents cannot tell users apart by it.
"""

from __future__ import annotations

import re

from supervisor.dispatch.port import AgentInfo, UserContext

_TOKEN = re.compile(r"[A-Za-z0-9\-._~+/]+=*")


class StaticTokens:
    """Raises ValueError at start if the token cannot be a header value; the text does not repeat it."""

    def __init__(self, token: str) -> None:
        if not _TOKEN.fullmatch(token):
            raise ValueError("the agent token is not a bearer token (letters, digits and -._~+/ only)")
        self._token = token

    async def bearer(self, agent: AgentInfo, user: UserContext) -> str | None:
        return self._token
