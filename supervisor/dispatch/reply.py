"""The one reading of what agents answer, whatever version they speak. Pure: no I/O, no HTTP, no retries.

A `Reading` takes JSON-RPC results one by one (a whole task, a message, or the events of a stream) and folds them
into one `AgentReply`. Precedence of the text: in `completed` artifacts, then the terminal status message, then a
bare message; in every other state the status message first. Progress texts of a working task never become the
answer.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, cast

from contracts.extensions import ACTIVITY
from supervisor.dispatch.activity import read_activity
from supervisor.dispatch.port import Progress

Json = dict[str, Any]

PENDING = frozenset({"submitted", "working"})
INTERRUPTED = frozenset({"input-required", "auth-required"})
ENDED = frozenset({"completed", "failed", "canceled", "rejected"})
MAX_DEPTH = 100
_CARD_KEYS = ("card_template_id", "card_data_model", "card_data", "card_category", "bubble_text")
_EXACT = 2**53


class NotAReply(ValueError):
    """The result has none of the known shapes."""


@dataclass(frozen=True, slots=True)
class AgentReply:
    """What an agent answered.

    `state` is spelt as in A2A 0.3 (`input-required`), `unknown` for anything unheard of, `error` from legacy agents
    only. `data` holds the structured parts and file links in order, `metadata` the card keys and `trace_id`.
    `error` is a code (`a2a_state_failed`) unless the state is `completed`.
    """

    kind: Literal["task", "message"]
    state: str
    task_id: str | None
    context_id: str | None
    text: str
    data: tuple[Any, ...]
    metadata: Json
    error: str | None


@dataclass(slots=True)
class _Content:
    """Parts as they were read. Chunks of one artifact are pieces of one text, parts of a message are lines."""

    texts: list[str] = field(default_factory=list[str])
    data: list[Any] = field(default_factory=list[Any])
    metadata: Json = field(default_factory=dict[str, Any])

    def add(self, parts: Any) -> str:
        """Appends parts, returns their text."""
        before = len(self.texts)
        for part in map(as_dict, as_list(parts)):
            text = part.get("text")
            if isinstance(text, str):
                self.texts.append(text)
            elif part.get("data") is not None:
                self.data.append(restore_ints(part["data"]))
            elif link := _file_link(part):
                self.data.append(link)
        return "".join(self.texts[before:])


class Reading:
    """Folds results into a reply. `legacy` accepts the state `error`, which no A2A version knows."""

    def __init__(self, *, legacy: bool = False) -> None:
        self._legacy = legacy
        self._kind: Literal["task", "message"] | None = None
        self.state = "unknown"
        self.task_id: str | None = None
        self.context_id: str | None = None
        self._status = _Content()
        self._message = _Content()
        self._artifacts: dict[str, _Content] = {}
        self._followed = False
        self._metadata: Json = {}

    @property
    def started(self) -> bool:
        """True once any result was read."""
        return self._kind is not None

    @property
    def finished(self) -> bool:
        """True when nothing more will come without a new message: ended, or waiting for somebody."""
        return self.state in ENDED or self.state in INTERRUPTED or self.state == "error"

    def apply(self, result: Any) -> list[Progress]:
        """Reads one JSON-RPC `result`. Returns what a front end may show meanwhile. Raises NotAReply."""
        kind, body = _shape(as_dict(result))
        metadata = restore_ints(as_dict(body.get("metadata")))
        activity = metadata.pop(ACTIVITY, None) if kind == "status" else None
        self._metadata |= metadata if kind != "message" else {}
        self.context_id = _id(body, "contextId", "context_id") or self.context_id
        self.task_id = _id(body, *(("id",) if kind == "task" else ("taskId", "task_id"))) or self.task_id
        if kind == "message":
            return self._take_message(body)
        self._kind = "task"
        if kind == "task":
            return self._take_task(body)
        if kind == "artifact":
            return self._take_artifact(body)
        return [*self._take_status(body.get("status")), *self._take_activity(activity)]

    def _take_message(self, body: Json) -> list[Progress]:
        self._message = _content(body)
        if self._kind is None:
            self._kind, self.state = "message", "completed"
        return []

    def _take_task(self, body: Json) -> list[Progress]:
        told = {key: "".join(content.texts) for key, content in self._artifacts.items()}
        snapshot = {_artifact_id(raw): _content(raw) for raw in map(as_dict, as_list(body.get("artifacts")))}
        self._artifacts = snapshot or self._artifacts
        steps = self._take_status(body.get("status"))
        if self._followed:
            steps += [Progress("text", missed) for missed in self._missed(told)]
        self._followed = True
        return steps

    def _missed(self, told: dict[str, str]) -> Iterator[str]:
        """Text that was said while nobody listened, of artifacts that are followed as they grow."""
        for key, content in self._artifacts.items():
            text, known = "".join(content.texts), told.get(key, "")
            if text.startswith(known) and text != known and (known or self.state in PENDING):
                yield text[len(known) :]

    def _take_status(self, raw: Any) -> list[Progress]:
        status = as_dict(raw)
        self.state = self._spelt(status.get("state"))
        self._status = _content(as_dict(status.get("message")))
        text = "\n".join(self._status.texts).strip()
        return [Progress("status", text)] if text and self.state in PENDING else []

    def _take_activity(self, raw: Any) -> list[Progress]:
        activity = read_activity(raw) if self.state in PENDING else None
        return [Progress("activity", "", activity)] if activity is not None else []

    def _take_artifact(self, body: Json) -> list[Progress]:
        raw = as_dict(body.get("artifact"))
        key = _artifact_id(raw)
        new = key not in self._artifacts or body.get("append") is not True
        others = any(c.texts for k, c in self._artifacts.items() if k != key)
        artifact = self._artifacts[key] = _Content() if new else self._artifacts[key]
        artifact.metadata |= restore_ints(as_dict(raw.get("metadata")))
        text = artifact.add(raw.get("parts"))
        if not text:
            return []
        return [Progress("text", "\n\n" + text if new and others else text)]

    def _spelt(self, raw: Any) -> str:
        state = plain_state(raw) if isinstance(raw, str) else ""
        if state in PENDING or state in INTERRUPTED or state in ENDED or (state == "error" and self._legacy):
            return state
        return "unknown"

    def reply(self) -> AgentReply:
        """What has been read so far, as an answer."""
        answer = "\n\n".join(filter(None, ("".join(a.texts).strip() for a in self._artifacts.values())))
        status = "\n".join(self._status.texts).strip()
        message = "\n".join(self._message.texts).strip()
        order = (answer, status, message) if self.state == "completed" else (status, answer, message)
        contents = (*self._artifacts.values(), self._status, self._message)
        return AgentReply(
            kind=self._kind or "task",
            state=self.state,
            task_id=self.task_id,
            context_id=self.context_id,
            text=next(filter(None, order), ""),
            data=tuple(item for content in contents for item in content.data),
            metadata=_merged(
                *(a.metadata for a in self._artifacts.values()),
                self._metadata,
                self._message.metadata,
                self._status.metadata,
            ),
            error=None if self.state == "completed" else f"a2a_state_{self.state.replace('-', '_')}",
        )


def plain_state(spelt: str) -> str:
    """A task's state as 0.3 spells it, of either spelling."""
    return spelt.removeprefix("TASK_STATE_").lower().replace("_", "-")


def as_dict(value: Any) -> Json:
    """`value` if it is a JSON object, else an empty one: what an agent sends may have any type anywhere."""
    return cast(Json, value) if isinstance(value, dict) else {}


def as_list(value: Any) -> list[Any]:
    """`value` if it is a JSON array, else an empty one."""
    return cast(list[Any], value) if isinstance(value, list) else []


def restore_ints(value: Any) -> Any:
    """Turns integral floats back into ints, in place: protobuf made floats of them.

    Raises NotAReply for deep nesting.
    """
    root: list[Any] = [value]
    todo: list[tuple[Any, int]] = [(root, 0)]
    while todo:
        node, depth = todo.pop()
        if depth > MAX_DEPTH:
            raise NotAReply("nested too deeply")
        for key, item in list(node.items() if isinstance(node, dict) else enumerate(node)):
            if type(item) is float and item.is_integer() and abs(item) <= _EXACT:
                node[key] = int(item)
            elif isinstance(item, (dict, list)):
                todo.append((item, depth + 1))
    return root[0]


_WRAPPED = {"task": "task", "message": "message", "statusUpdate": "status", "artifactUpdate": "artifact"}
_KINDS = {"task": "task", "message": "message", "status-update": "status", "artifact-update": "artifact"}


def _shape(result: Json) -> tuple[str, Json]:
    """(`task` | `message` | `status` | `artifact`, body) of a result: wrapped as in 1.0, tagged as in 0.3, or bare."""
    for member, kind in _WRAPPED.items():
        if isinstance(result.get(member), dict):
            return kind, result[member]
    tagged = _KINDS.get(str(result.get("kind")))
    if tagged:
        return tagged, result
    if isinstance(result.get("artifact"), dict):
        return "artifact", result
    if isinstance(result.get("status"), dict):
        return ("task" if "id" in result else "status"), result
    if isinstance(result.get("parts"), list):
        return "message", result
    raise NotAReply("neither a task nor a message")


def _content(raw: Json) -> _Content:
    content = _Content(metadata=restore_ints(dict(as_dict(raw.get("metadata")))))
    content.add(raw.get("parts"))
    return content


def _file_link(part: Json) -> Json | None:
    """A file part as a link. Bytes are left out: nobody downstream may read them."""
    file = as_dict(part.get("file")) or part
    url = file.get("uri") or file.get("url")
    if not isinstance(url, str):
        return None
    names = {
        "mediaType": file.get("mediaType") or file.get("mimeType"),
        "filename": file.get("filename") or file.get("name"),
    }
    return {"url": url, **{key: value for key, value in names.items() if isinstance(value, str)}}


def _artifact_id(raw: Json) -> str:
    return _id(raw, "artifactId", "artifact_id") or ""


def _id(raw: Json, *keys: str) -> str | None:
    return next((value for key in keys if isinstance(value := raw.get(key), str) and value), None)


def _merged(*sources: Json) -> Json:
    """Later sources win. A source that names a card brings all of its card keys: two cards are never mixed."""
    merged: Json = {}
    for source in sources:
        if source.get("card_template_id"):
            for key in _CARD_KEYS:
                merged.pop(key, None)
        merged |= source
    return merged
