"""The JSON that A2A servers answer, per version, written from the specifications. For `a2a_stub.py`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Protocol

CARDS = "https://switchboard.example/a2a/ext/cards/v1"
CONTEXT = "https://switchboard.example/a2a/ext/context/v1"
IDEMPOTENCY = "https://switchboard.example/a2a/ext/idempotency/v1"

Dialect = Literal["1.0", "0.3", "legacy"]


class Answer(Protocol):
    """What the shapes read of a scripted reply."""

    text: str
    state: str
    metadata: dict[str, Any]
    data: Sequence[Any]
    status_text: str


def dialect_of(method: str, params: dict[str, Any]) -> Dialect:
    """The version in which a request was asked."""
    if "/" not in method:
        return "1.0"
    return "legacy" if "message_id" in params.get("message", {}) else "0.3"


def shapes(dialect: Dialect) -> Shapes:
    return {"1.0": Shapes("1.0"), "0.3": Shapes("0.3"), "legacy": Shapes("legacy")}[dialect]


class Shapes:
    """Tasks, messages and stream events in one version."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._modern = dialect == "1.0"

    def task(self, task_id: str, context_id: str, reply: Answer) -> dict[str, Any]:
        """A bare task, as looks at a task get it."""
        answered = reply.state == "completed" and self._dialect != "legacy"
        said = reply.status_text or ("" if answered else reply.text)
        task: dict[str, Any] = {
            "id": task_id,
            "contextId": context_id,
            "status": self._status(reply.state, said, reply.metadata),
        }
        if answered and (reply.text or reply.data):
            task["artifacts"] = [{"artifactId": "answer", "parts": self._parts(reply.text, reply.data)}]
        if reply.metadata:
            task["metadata"] = reply.metadata
        return self._tagged(task, "task")

    def wrap_task(self, task_id: str, context_id: str, reply: Answer) -> dict[str, Any]:
        task = self.task(task_id, context_id, reply)
        return task if self._dialect == "0.3" else {"task": task}

    def wrap_message(self, reply: Answer) -> dict[str, Any]:
        message = self._message(reply.text, reply.metadata, reply.data)
        return message if self._dialect == "0.3" else {"message": message}

    def status(self, task_id: str, context_id: str, state: str, text: str, reply: Answer | None) -> dict[str, Any]:
        """A status update of a stream; `reply` gives the metadata of the last one."""
        metadata = reply.metadata if reply else {}
        event: dict[str, Any] = {"taskId": task_id, "contextId": context_id}
        event["status"] = self._status(state, text, metadata)
        if metadata:
            event["metadata"] = metadata
        if self._modern:
            return {"statusUpdate": event}
        return {**event, "kind": "status-update", "final": reply is not None}

    def artifact(self, task_id: str, context_id: str, text: str, *, append: bool) -> dict[str, Any]:
        event = {
            "taskId": task_id,
            "contextId": context_id,
            "artifact": {"artifactId": "answer", "parts": self._parts(text)},
            "append": append,
            "lastChunk": False,
        }
        return {"artifactUpdate": event} if self._modern else {**event, "kind": "artifact-update"}

    def _status(self, state: str, text: str, metadata: dict[str, Any]) -> dict[str, Any]:
        spelt = "TASK_STATE_" + state.upper().replace("-", "_") if self._modern else state
        status: dict[str, Any] = {"state": spelt}
        if text or (metadata and self._dialect != "legacy"):
            status["message"] = self._message(text, metadata)
        return status

    def _message(self, text: str, metadata: dict[str, Any], data: Sequence[Any] = ()) -> dict[str, Any]:
        parts = self._parts(text, data)
        if self._dialect == "legacy":
            return {"parts": parts}
        message: dict[str, Any] = {"messageId": "reply", "parts": parts}
        message["role"] = "ROLE_AGENT" if self._modern else "agent"
        if metadata:
            message["metadata"] = metadata
        return self._tagged(message, "message")

    def _parts(self, text: str, data: Sequence[Any] = ()) -> list[dict[str, Any]]:
        plain = ([{"text": text}] if text else []) + [{"data": item} for item in data]
        if self._dialect != "0.3":
            return plain
        return [{"kind": "text" if "text" in part else "data", **part} for part in plain]

    def _tagged(self, body: dict[str, Any], kind: str) -> dict[str, Any]:
        return {**body, "kind": kind} if self._dialect == "0.3" else body


def agent_card(
    name: str,
    url: str,
    versions: Sequence[str],
    *,
    streaming: bool = True,
    card_types: Sequence[str] = (),
    skills: Sequence[dict[str, Any]] = (),
    description: str = "",
    extensions: Sequence[str] = (CONTEXT, IDEMPOTENCY),
    tenant: str | None = None,
) -> dict[str, Any]:
    """A card with one JSON-RPC interface per version at `<url>/a2a`; with 0.3 among them also the fields of 0.3."""
    rpc = f"{url}/a2a"
    declared: list[dict[str, Any]] = [{"uri": uri} for uri in extensions]
    declared.append({"uri": CARDS, "params": {"cardTypes": list(card_types), "catalogueVersion": "1"}})
    interface = {"url": rpc, "protocolBinding": "JSONRPC", **({"tenant": tenant} if tenant else {})}
    card: dict[str, Any] = {
        "name": name,
        "description": description or f"answers about {name}",
        "version": "1.0.0",
        "capabilities": {"streaming": streaming, "extensions": declared},
        "defaultInputModes": ["text/plain"],
        "defaultOutputModes": ["text/plain", "application/json"],
        "skills": list(skills) or [{"id": name, "name": name, "description": f"about {name}", "tags": [name]}],
        "supportedInterfaces": [{**interface, "protocolVersion": version} for version in versions],
    }
    if "0.3" in versions:
        card |= {"url": rpc, "preferredTransport": "JSONRPC", "protocolVersion": "0.3.0"}
    return card
