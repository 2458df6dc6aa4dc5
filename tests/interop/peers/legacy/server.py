"""An agent that predates the contract: one method, snake_case ids, bare parts, answers `result.task`. `server.py PORT`.

Written from the old envelope alone; whatever else it is sent, it does not know.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections import Counter
from typing import Any

import script
import uvicorn
from recorder import Recorder

_IDS = {"message_id", "context_id"}
_STATES = {"ask": ("input-required", script.QUESTION), "sign-in": ("auth-required", script.SIGN_IN)}
_STATES |= {
    "fail": ("failed", script.FAILED),
    "reject": ("rejected", script.REJECTED),
    "error-state": ("error", script.FAILED),
}


class Agent:
    def __init__(self) -> None:
        self._questions: Counter[str] = Counter()
        self._tasks: dict[str, str] = {}

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http" or scope["method"] != "POST":
            await _respond(send, 404, {"detail": "Not Found"})
            return
        call = json.loads((await receive())["body"])
        message = call.get("params", {}).get("message", {})
        bare = all(set(part) == {"text"} for part in message.get("parts", [{}]))
        if call.get("method") != "message/send":
            answer: dict[str, Any] = {"error": {"code": -32601, "message": "Method not found"}}
        elif not message.keys() >= _IDS or message.get("role") != "user" or not bare:
            answer = {"error": {"code": -32602, "message": "Invalid params"}}
        else:
            answer = await self._answer(message)
        await _respond(send, 200, {"jsonrpc": "2.0", "id": call.get("id"), **answer})

    async def _answer(self, message: dict[str, Any]) -> dict[str, Any]:
        text, context = message["parts"][0]["text"], message["context_id"]
        self._questions[context] += 1
        known = message.get("task_id")
        if text == "error" or (known and known not in self._tasks):
            return {"error": {"code": -32602, "message": script.SECRET}}
        if text == "hang":
            await asyncio.Event().wait()
        if text == "message":
            return {"result": {"message": {"role": "agent", "parts": [{"text": script.MESSAGE}]}}}
        state, said = _STATES.get(text, ("completed", "".join(script.PIECES)))
        if text == "again":
            said = script.numbered(self._questions[context])
        if known:
            said = script.heard(text, None)
        task_id = known or f"t-{len(self._tasks)}"
        self._tasks[task_id] = state
        task = {"id": task_id, "status": {"state": state, "message": {"parts": [{"text": said}]}}}
        return {"result": {"task": task | ({"metadata": script.CARD} if state == "completed" else {})}}


async def _respond(send: Any, status: int, body: dict[str, Any]) -> None:
    headers = [(b"content-type", b"application/json")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": json.dumps(body).encode(), "more_body": False})


if __name__ == "__main__":
    uvicorn.run(
        Recorder(Agent()),
        host="127.0.0.1",
        port=int(sys.argv[1]),
        log_level="critical",
        access_log=False,
        lifespan="off",
    )
