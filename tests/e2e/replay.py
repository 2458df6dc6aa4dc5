"""The real AG-UI clients as oracles: one Node process plays any number of conversations and says what it then holds."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

CLIENTS = Path(__file__).parent / "clients"
MODERN, OLD = "agui-client-1", "agui-client-0"

Held = dict[str, Any]


def step(path: str, body: bytes, request: Any) -> dict[str, Any]:
    """One request and the stream that answered it, for `replay`."""
    added = [m for m in request["messages"] if m["role"] in ("user", "tool")]
    resume = {"resume": request["resume"]} if request.get("resume") else {}
    return {"path": path, "body": body.decode(), "messages": added, **resume}


def replay(client: str, conversations: Sequence[Sequence[dict[str, Any]]]) -> list[list[Held]]:
    """What the client holds after each step of each conversation (see `clients/replay.mjs`)."""
    entries = [{"threadId": "t", "steps": steps} for steps in conversations]
    command = ["node", "replay.mjs", client]
    given = json.dumps(entries).encode()
    done = subprocess.run(command, cwd=CLIENTS, input=given, capture_output=True, timeout=100, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return json.loads(done.stdout)


def comparable(message: dict[str, Any]) -> dict[str, Any]:
    """Arguments parsed, empty fields dropped, the rest as it is."""
    entry = {k: v for k, v in message.items() if v not in (None, "", [])}
    if "toolCalls" in entry:
        entry["toolCalls"] = [
            (c["id"], c["function"]["name"], json.loads(c["function"]["arguments"])) for c in entry["toolCalls"]
        ]
    return entry
