"""The real agents behind the real supervisor, offline and in process."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

from agents.canteen.agent import SPEC as CANTEEN
from agents.kit.app import build_app
from agents.kit.settings import AgentSettings
from agents.transport.agent import SPEC as TRANSPORT
from tests.fakes.house import House, open_house
from tests.unit.agents_kit.harness import lifespan, stopped

SPECS = {spec.name: spec for spec in (CANTEEN, TRANSPORT)}


@asynccontextmanager
async def campus(now: str = "2026-12-01T11:30") -> AsyncGenerator[House]:
    """A supervisor whose agents are the canteen and the transport agent, at a time that stands still."""
    apps = {
        f"{name}.test": build_app(spec, AgentSettings(public_base_url=f"http://{name}.test"), clock=stopped(now))
        for name, spec in SPECS.items()
    }

    async def by_host(scope: Any, receive: Any, send: Any) -> None:
        host = dict(scope["headers"])[b"host"].decode()
        await apps[host](scope, receive, send)

    async with AsyncExitStack() as stack:
        for app in apps.values():
            await stack.enter_async_context(lifespan(app))
        addresses = ",".join(f"{name}=http://{name}.test" for name in SPECS)
        yield await stack.enter_async_context(open_house(by_host, agents=addresses))
