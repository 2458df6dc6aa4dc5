"""What is wrong with a task, message or event on the wire, in words. Written from the data model of A2A 1.0."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

_AT_WORK, _WAITING = ("SUBMITTED", "WORKING"), ("INPUT_REQUIRED", "AUTH_REQUIRED")
_ENDED = ("COMPLETED", "FAILED", "CANCELED", "REJECTED")
STATES = {f"TASK_STATE_{state}" for state in (*_AT_WORK, *_WAITING, *_ENDED)}
ROLES = {"ROLE_USER", "ROLE_AGENT"}
CONTENTS = {"text", "raw", "url", "data"}
# What is inside of these is the agent's or the user's own.
FREE = {"data", "metadata"}
_CAMEL = re.compile(r"[a-z][a-zA-Z0-9]*")
_UTC = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")


def task_faults(task: dict[str, Any]) -> Iterator[str]:
    """DM-TASK, DM-STATUS and everything inside."""
    if not task.get("id"):
        yield "a task without an id"
    yield from status_faults(task.get("status", {}))
    for artifact in task.get("artifacts", []):
        yield from artifact_faults(artifact)
    for message in task.get("history", []):
        yield from message_faults(message)


def status_faults(status: dict[str, Any]) -> Iterator[str]:
    if status.get("state") not in STATES:
        yield f"the state {status.get('state')!r}"
    if "message" in status:
        yield from message_faults(status["message"])


def message_faults(message: dict[str, Any]) -> Iterator[str]:
    if not message.get("messageId"):
        yield "a message without an id"
    if message.get("role") not in ROLES:
        yield f"the role {message.get('role')!r}"
    yield from parts_faults(message)


def artifact_faults(artifact: dict[str, Any]) -> Iterator[str]:
    if not artifact.get("artifactId"):
        yield "an artifact without an id"
    yield from parts_faults(artifact)


def parts_faults(holder: dict[str, Any]) -> Iterator[str]:
    if not holder.get("parts"):
        yield "no parts"
    for part in holder.get("parts", []):
        if len(CONTENTS & part.keys()) != 1:
            yield f"a part with {sorted(CONTENTS & part.keys())}"


def spelling_faults(value: Any, path: str = "") -> Iterator[str]:
    """DM-SERIAL: names of fields and times, at any depth but inside what is free."""
    if isinstance(value, list):
        for item in value:
            yield from spelling_faults(item, path)
    elif isinstance(value, dict):
        for key, item in value.items():
            if not _CAMEL.fullmatch(key):
                yield f"the field {path}.{key}"
            if key in ("timestamp", "createdAt", "lastModified") and not _UTC.fullmatch(item):
                yield f"the time {item!r}"
            if key not in FREE:
                yield from spelling_faults(item, f"{path}.{key}")
