"""The six neutral interrupt payloads and their answers, read from `hitl/*.schema.json`. Knows no server and no graph.

Supervisor, agents and front ends ask the same two questions here: is this a payload, and what answers it?
"""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, cast

from jsonschema import Draft202012Validator

Json = dict[str, Any]

HITL = Path(__file__).parent / "hitl"
TYPES = ("input", "select", "multiSelect", "modal", "approval", "unlock")


def payload_error(payload: Any) -> str | None:
    """What is wrong with a payload, in one line that names the place; None when it is one of the six."""
    kind = cast("Json", payload).get("type") if isinstance(payload, Mapping) else None
    if kind not in TYPES:
        return f"`type` must be one of {', '.join(TYPES)}."
    error = next(_payload_validator(str(kind)).iter_errors(payload), None)
    if error is not None:
        return f"{error.json_path}: {error.message}"
    values = choices(cast("Json", payload))
    return "$: two options have the same value." if len(set(values)) < len(values) else None


def choices(payload: Mapping[str, Any]) -> list[str]:
    """The values that may be chosen, in order; [] for payloads without options."""
    options: Sequence[Any] = payload.get("options") or payload.get("actions") or ()
    return [option if isinstance(option, str) else option["value"] for option in options]


def answer_schema(payload: Mapping[str, Any]) -> Json:
    """JSON Schema of what answers a valid payload: the type's answer, narrowed to the payload's own options."""
    schema: Json = copy.deepcopy(_schema(payload["type"])["$defs"]["answer"])
    properties = schema["properties"]
    if payload["type"] == "select":
        properties["value"]["enum"] = choices(payload)
    elif payload["type"] == "multiSelect":
        properties["values"]["items"]["enum"] = choices(payload)
    elif payload["type"] == "modal":
        properties["action"]["enum"] = choices(payload)
    return schema


def answer_error(schema: Mapping[str, Any], answer: Any) -> str | None:
    """Where an answer does not fit its schema, without repeating it; None when it fits."""
    error = next(Draft202012Validator(schema).iter_errors(answer), None)
    return (
        None if error is None else f"{error.json_path} must satisfy {error.validator}: {_brief(error.validator_value)}"
    )


@cache
def _schema(kind: str) -> Json:
    return cast("Json", json.loads((HITL / f"{kind}.schema.json").read_text(encoding="utf-8")))


@cache
def _payload_validator(kind: str) -> Draft202012Validator:
    return Draft202012Validator(_schema(kind))


def _brief(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)[:200]
