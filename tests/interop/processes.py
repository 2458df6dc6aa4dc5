"""The peers as processes: where each is, how it is started, and what it was sent."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from tests.e2e.processes import ROOT, Running, clean_environment, free_port, running

HERE = Path(__file__).parent
PEERS = HERE / "peers"
CARD = "/.well-known/agent-card.json"


@dataclass(frozen=True)
class Peer:
    """One server process; its agents are at paths below `url`."""

    url: str
    process: Running

    async def seen(self, agent: str, context: str, *, until: str = "") -> dict[str, Any]:
        """What an agent was sent in a context; `until` is `message` or `cancel`, which is then waited for."""
        async with httpx.AsyncClient(trust_env=False, timeout=20) as http:
            query = {"context": context, "await": until}
            return (await http.get(f"{self.url}/{agent}/seen", params=query)).json()


@contextmanager
def peers(logs: Path) -> Iterator[dict[str, Peer]]:
    """All three servers, started side by side and ready."""
    with ExitStack() as stack:
        started = {name: stack.enter_context(_serving(name, logs)) for name in ("a2a-1.3.0", "a2a-0.3.26", "legacy")}
        for name, ready in (
            ("a2a-1.3.0", "/modern" + CARD),
            ("a2a-0.3.26", "/old" + CARD),
            ("legacy", "/seen?context="),
        ):
            started[name].process.until_ok(started[name].url + ready)
        yield started


@contextmanager
def _serving(name: str, logs: Path) -> Iterator[Peer]:
    port = free_port()
    command = [str(python_of(name)), str(PEERS / name / "server.py"), str(port)]
    with running(command, logs / f"{name}.log", cwd=ROOT, env=environment()) as process:
        yield Peer(f"http://127.0.0.1:{port}", process)


def python_of(name: str) -> Path:
    """The interpreter of a peer; what we wrote ourselves runs in our own environment."""
    if not (PEERS / name / "requirements.txt").exists():
        return ROOT / ".venv/bin/python"
    python = ROOT / ".tools/peers" / name / "bin/python"
    assert python.exists(), f"{name} is not there: run `bash tests/interop/setup.sh`"
    return python


def environment(**more: str) -> dict[str, str]:
    """Nothing of ours but the two modules that all peers share."""
    return clean_environment(PYTHONPATH=os.fspath(PEERS), **more)
