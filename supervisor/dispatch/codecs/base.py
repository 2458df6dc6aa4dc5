"""What every codec is: method names, extra headers and a way to write params. Knows no HTTP."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

Version = Literal["1.0", "0.3", "legacy"]


@dataclass(frozen=True, slots=True)
class Question:
    """One user message on its way to an agent: text, and JSON beside it. `metadata` is free of None."""

    text: str
    message_id: str
    context_id: str
    task_id: str | None
    metadata: Mapping[str, Any]
    data: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Codec:
    """One spelling of A2A over JSON-RPC. `stream`, `subscribe` and `list` are None where it has no such thing."""

    version: Version
    send: str
    stream: str | None
    get: str
    cancel: str
    subscribe: str | None
    list: str | None
    headers: Mapping[str, str]
    extensions_header: str | None
    send_params: Callable[[Question], dict[str, Any]]
    get_params: Callable[[str], dict[str, Any]]
