"""The one outbound HTTP client of a process: httpx API, aiohttp transport (a tenth of httpx's cost under load)."""

from __future__ import annotations

from http.cookiejar import CookieJar, DefaultCookiePolicy

import aiohttp
import httpx
from httpx_aiohttp import AiohttpTransport

from supervisor.dispatch.settings import DispatchSettings

# Below the five seconds after which common servers close an idle connection: a reused one must not die under a request.
_KEEPALIVE_SECONDS = 3.0


def make_client(settings: DispatchSettings, transport: httpx.AsyncBaseTransport | None = None) -> httpx.AsyncClient:
    """A client that never follows redirects, keeps no cookies and reads no proxy or netrc settings.

    `transport` replaces aiohttp, for tests. Reads have no timeout of their own: the dispatcher sets deadlines per call.
    """
    return httpx.AsyncClient(
        transport=transport or AiohttpTransport(client=_session),
        timeout=httpx.Timeout(None, connect=settings.connect_timeout),
        follow_redirects=False,
        trust_env=False,
        cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),
        headers={"user-agent": "switchboard", "accept-encoding": "identity"},
    )


def _session() -> aiohttp.ClientSession:
    """Unlimited: calls in flight are limited per agent by the dispatcher."""
    connector = aiohttp.TCPConnector(limit=0, keepalive_timeout=_KEEPALIVE_SECONDS)
    return aiohttp.ClientSession(connector=connector, cookie_jar=aiohttp.DummyCookieJar())
