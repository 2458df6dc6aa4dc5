"""The two spellings of what `/a2a` says: A2A 1.0 (ProtoJSON) and 0.3 (`kind` everywhere). Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from supervisor.a2a.story import Piece, Status, Story

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Spelling:
    """`modern` is 1.0. States are spelt as in 0.3 inside of us."""

    modern: bool

    def sent(self, task: Json) -> Json:
        """A task as the result of a message, and as the first event of a stream."""
        return {"task": task} if self.modern else task

    def task(self, story: Story, *, history: int | None = None, artifacts: bool = True) -> Json:
        """The task as it stands; `history` limits how many of the caller's messages it holds."""
        ids = {"id": story.id, "contextId": story.context_id}
        task: Json = {**ids, "status": self._status(story, story.status())}
        said = story.answer() if artifacts else ()
        if said:
            task["artifacts"] = [{"artifactId": key, "parts": self._texts(text)} for key, text in said]
        asked = story.asked[-history:] if history else () if history == 0 else story.asked
        if asked:
            task["history"] = [self._message(story, message, text, role="user") for message, text in asked]
        if metadata := story.metadata():
            task["metadata"] = metadata
        return self._tagged(task, "task")

    def update(self, story: Story, step: Piece | Status) -> Json:
        """One event of a stream."""
        ids = {"taskId": story.id, "contextId": story.context_id}
        if isinstance(step, Piece):
            artifact = {"artifactId": step.artifact_id, "parts": self._texts(step.text)}
            event: Json = {**ids, "artifact": artifact, "append": step.append, "lastChunk": False}
            return {"artifactUpdate": event} if self.modern else self._tagged(event, "artifact-update")
        event = {**ids, "status": self._status(story, step)}
        if step.metadata:
            event["metadata"] = step.metadata
        if self.modern:
            return {"statusUpdate": event}
        return self._tagged({**event, "final": step.final}, "status-update")

    def _status(self, story: Story, status: Status) -> Json:
        spelt = "TASK_STATE_" + status.state.upper().replace("-", "_") if self.modern else status.state
        found: Json = {"state": spelt}
        if status.text or status.data is not None:
            found["message"] = self._message(story, f"{story.id}-{status.state}", status.text, status.data)
        if story.at:
            found["timestamp"] = story.at
        return found

    def _message(self, story: Story, message_id: str, text: str, data: Any = None, *, role: str = "agent") -> Json:
        parts = self._texts(text) if text or data is None else []
        if data is not None:
            parts.append(self._tagged({"data": data}, "data"))
        spelt = f"ROLE_{role.upper()}" if self.modern else role
        ids = {"messageId": message_id, "taskId": story.id, "contextId": story.context_id}
        return self._tagged({**ids, "role": spelt, "parts": parts}, "message")

    def _texts(self, text: str) -> list[Json]:
        return [self._tagged({"text": text}, "text")]

    def _tagged(self, body: Json, kind: str) -> Json:
        return body if self.modern else {"kind": kind, **body}


MODERN, OLD = Spelling(modern=True), Spelling(modern=False)
