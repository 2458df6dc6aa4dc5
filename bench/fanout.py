"""What it costs to ask several agents at once: a run with 2, 4, 8 legs beside the run of the slowest leg alone.

    python bench/fanout.py [--rounds 10] [--slowest 400] [--database memory|sqlite]

The agents are a server process of their own and answer as streams: the slowest after `--slowest` ms, the others evenly
before. One run at a time, over the whole supervisor and real sockets; within a round the leg counts take turns.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import socket
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import httpx
import uvicorn
from langchain_core.messages import BaseMessage
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from chat_models import ScriptedChatModel, ToolSpec, Turn
from supervisor.app import create_app
from supervisor.settings import Settings

LEGS = (1, 2, 4, 8)
PIECES = 4
MODEL = "bench.fanout:model"


def model() -> ScriptedChatModel:
    """Asks as many agents as the question says, then says so. `MODEL` names this function."""

    def decide(messages: Sequence[BaseMessage], _: Sequence[ToolSpec]) -> Turn:
        if messages[-1].type != "human":
            return Turn("done")
        calls = [{"agent": f"leg-{n}", "query": "go"} for n in range(int(messages[-1].text))]
        return Turn(calls=[("orchestrate_parallel", {"calls": calls})])

    return ScriptedChatModel(policy=decide)


def delay_of(leg: int, slowest_ms: float) -> float:
    """Seconds: leg 0 is the slowest, leg 7 an eighth of it."""
    return slowest_ms / 1000 * (max(LEGS) - leg) / max(LEGS)


def agents(slowest_ms: float) -> Starlette:
    """Streaming A2A 1.0 agents `leg-0` to `leg-7`."""

    async def card(request: Request) -> Response:
        name = request.path_params["name"]
        url = f"{request.base_url}{name}/a2a"
        interface = {"url": url, "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}
        body = {"name": name, "description": name, "version": "1", "supportedInterfaces": [interface]}
        return JSONResponse({**body, "capabilities": {"streaming": True}, "skills": []})

    async def rpc(request: Request) -> Response:
        leg, call = int(request.path_params["name"].rpartition("-")[2]), await request.json()
        return StreamingResponse(events(call["id"], delay_of(leg, slowest_ms)), media_type="text/event-stream")

    async def events(call_id: Any, seconds: float) -> AsyncIterator[bytes]:
        ids = {"taskId": str(call_id), "contextId": "c"}

        def event(result: dict[str, Any]) -> bytes:
            return b"data: " + json.dumps({"jsonrpc": "2.0", "id": call_id, "result": result}).encode() + b"\n\n"

        yield event({"task": {"id": str(call_id), "contextId": "c", "status": {"state": "TASK_STATE_WORKING"}}})
        for piece in range(PIECES):
            await asyncio.sleep(seconds / PIECES)
            artifact = {"artifactId": "a", "parts": [{"text": "word "}]}
            yield event({"artifactUpdate": {**ids, "artifact": artifact, "append": piece > 0}})
        yield event({"statusUpdate": {**ids, "status": {"state": "TASK_STATE_COMPLETED"}}})

    return Starlette(
        routes=[
            Route("/{name}/.well-known/agent-card.json", card),
            Route("/{name}/a2a", rpc, methods=["POST"]),
        ]
    )


def serve(listening: socket.socket, slowest_ms: float) -> None:
    """The agents' process."""
    server = uvicorn.Server(uvicorn.Config(agents(slowest_ms), log_level="error"))
    asyncio.run(server.serve(sockets=[listening]))


async def measure(base: str, rounds: int, database: str) -> dict[int, list[float]]:
    """Seconds per run, by number of legs."""
    listed = ",".join(f"leg-{n}={base}/leg-{n}" for n in range(max(LEGS)))
    with tempfile.TemporaryDirectory() as folder:
        chosen = "memory" if database == "memory" else f"sqlite:{Path(folder) / 'bench.db'}"
        app = create_app(Settings(agents=listed, model=MODEL, database=chosen, tune_gc=True))
        taken: dict[int, list[float]] = {legs: [] for legs in LEGS}
        async with app.router.lifespan_context(app):
            inside = httpx.ASGITransport(app)
            async with httpx.AsyncClient(transport=inside, base_url="http://bench.test", timeout=None) as client:
                for number in range(rounds + 1):
                    for legs in LEGS:
                        seconds = await run(client, legs, f"{number}-{legs}")
                        if number:  # the first round opens connections
                            taken[legs].append(seconds)
        return taken


async def run(client: httpx.AsyncClient, legs: int, name: str) -> float:
    """Seconds of one run, in which every leg must have answered."""
    message = {"id": name, "role": "user", "content": str(legs)}
    body = {"threadId": name, "runId": name, "state": {}, "messages": [message], "tools": [], "context": []}
    started = time.perf_counter()
    response = await client.post("/agui", json={**body, "forwardedProps": {}})
    seconds = time.perf_counter() - started
    if response.text.count('"status":"completed"') < legs or "RUN_FINISHED" not in response.text:
        raise SystemExit(f"A run with {legs} legs failed: {response.text[-500:]}")
    return seconds


def main() -> None:
    """Prints one row per number of legs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--slowest", type=float, default=400, help="milliseconds of the slowest leg")
    parser.add_argument("--database", choices=["memory", "sqlite"], default="memory")
    given = parser.parse_args()
    listening = socket.create_server(("127.0.0.1", 0))
    port = listening.getsockname()[1]
    process = multiprocessing.get_context("fork").Process(target=serve, args=(listening, given.slowest), daemon=True)
    process.start()
    try:
        taken = asyncio.run(measure(f"http://127.0.0.1:{port}", given.rounds, given.database))
    finally:
        process.terminate()
    print("| legs | sum of the legs | run, median | run, slowest | ratio to the slowest leg alone |")
    print("|---|---|---|---|---|")
    for legs, seconds in taken.items():
        total = sum(delay_of(n, given.slowest) for n in range(legs)) * 1000
        ratio = median(a / b for a, b in zip(seconds, taken[1], strict=True))
        times = f"{median(seconds) * 1000:.0f} ms | {max(seconds) * 1000:.0f} ms"
        print(f"| {legs} | {total:.0f} ms | {times} | {ratio:.2f} |")


if __name__ == "__main__":
    main()
