"""A caller of `/a2a` written from the specification: both spellings, responses and streams as they are."""

from __future__ import annotations

import json
from typing import Any, Literal

import httpx

from tests.fakes.house import House

Version = Literal["1.0", "0.3"]

METHODS = {
    "send": ("SendMessage", "message/send"),
    "stream": ("SendStreamingMessage", "message/stream"),
    "get": ("GetTask", "tasks/get"),
    "cancel": ("CancelTask", "tasks/cancel"),
    "subscribe": ("SubscribeToTask", "tasks/resubscribe"),
    "list": ("ListTasks", "tasks/list"),
}


class A2ACaller:
    """Speaks one version to one supervisor. States are given back as 0.3 spells them."""

    def __init__(self, house: House, version: Version = "1.0", **headers: str) -> None:
        self.modern = version == "1.0"
        self._house = house
        self._headers = {**({"A2A_Version": "1.0"} if self.modern else {}), **headers}

    def message(self, text: str, data: Any = None, **more: Any) -> dict[str, Any]:
        """A message with the words, and JSON beside them."""
        parts = [{"text": text}, *([{"data": data}] if data is not None else [])]
        if not self.modern:
            parts = [{"kind": "text" if "text" in part else "data", **part} for part in parts]
        role = "ROLE_USER" if self.modern else "user"
        kind = {} if self.modern else {"kind": "message"}
        return {"messageId": "m1", "role": role, "parts": parts, **kind, **more}

    async def post(self, what: str, params: dict[str, Any], **headers: str) -> httpx.Response:
        """The HTTP response to one call; `what` is a key of METHODS, or a method's own name."""
        method = METHODS[what][0 if self.modern else 1] if what in METHODS else what
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        return await self._house.post("/a2a", body, **self._headers, **headers)

    async def call(self, what: str, params: dict[str, Any], **headers: str) -> Any:
        """The result."""
        envelope = (await self.post(what, params, **headers)).json()
        assert (envelope["jsonrpc"], envelope["id"]) == ("2.0", 1)
        return envelope["result"]

    async def fault(self, what: str, params: dict[str, Any], **headers: str) -> int:
        """The code of the error."""
        return (await self.post(what, params, **headers)).json()["error"]["code"]

    async def send(self, text: str, data: Any = None, *, headers: dict[str, str] | None = None, **more: Any) -> Any:
        """The task of a message that blocks until it ends or asks."""
        result = await self.call("send", {"message": self.message(text, data, **more)}, **(headers or {}))
        return result["task"] if self.modern else result

    async def stream(self, text: str, *, headers: dict[str, str] | None = None, **more: Any) -> list[Any]:
        """The results of a stream."""
        return results(await self.post("stream", {"message": self.message(text, **more)}, **(headers or {})))

    async def get(self, task_id: str) -> Any:
        return await self.call("get", {"id": task_id})


def results(response: httpx.Response) -> list[Any]:
    """The results of an SSE response."""
    assert response.headers["content-type"].startswith("text/event-stream"), response.text
    lines = [line for line in response.text.split("\n") if line.startswith("data: ")]
    return [json.loads(line[6:])["result"] for line in lines]


def state(task: dict[str, Any]) -> str:
    """The state of a task or a status update."""
    body = task.get("statusUpdate") or task.get("task") or task
    return body["status"]["state"].removeprefix("TASK_STATE_").lower().replace("_", "-")


def text(task: dict[str, Any]) -> str:
    """The text of a task's artifacts."""
    return "".join(part["text"] for artifact in task.get("artifacts", ()) for part in artifact["parts"])


def told(found: list[Any]) -> str:
    """The text that a stream told in pieces."""
    updates = [event.get("artifactUpdate") or event for event in found]
    return "".join(part["text"] for event in updates for part in event.get("artifact", {}).get("parts", ()))
