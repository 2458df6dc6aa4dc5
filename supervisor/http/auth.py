"""Who is asking. A port with one adapter so far: a single trusted user."""

from __future__ import annotations

from typing import Protocol

from starlette.requests import Request

from supervisor.dispatch.port import UserContext


class Authenticator(Protocol):
    """Reads identity from a request, never from its body. Raises `Problem` 401 when there is none."""

    async def __call__(self, request: Request) -> UserContext: ...


class SingleUser:
    """`AUTH=none`: everybody is the same user; the server is bound to loopback (see `Settings`)."""

    async def __call__(self, request: Request) -> UserContext:
        return UserContext(user_id="local", locale=_first_language(request.headers.get("accept-language", "")))


def _first_language(header: str) -> str | None:
    first = header.split(",")[0].split(";")[0].strip()
    return first if first.replace("-", "").isalnum() and len(first) <= 35 else None
