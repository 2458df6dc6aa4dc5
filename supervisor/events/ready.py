"""Lets ready-made AG-UI events of host code into a run, and keeps the run well-formed whatever they are.

Checked against the `ag_ui` models. What opens something is closed with the run; what would break the order is refused.
"""

from __future__ import annotations

import logging
from typing import Any, cast

from ag_ui.core import Event as AnyEvent
from pydantic import TypeAdapter, ValidationError

logger = logging.getLogger(__name__)

Event = dict[str, Any]

_ADAPTER: TypeAdapter[Any] = TypeAdapter(AnyEvent)
_ALONE = frozenset({"CUSTOM", "ACTIVITY_SNAPSHOT", "ACTIVITY_DELTA", "STATE_SNAPSHOT", "STATE_DELTA"})
_OPENS = {
    "TEXT_MESSAGE_START": ("messageId", "TEXT_MESSAGE_END"),
    "TOOL_CALL_START": ("toolCallId", "TOOL_CALL_END"),
    "REASONING_START": ("messageId", "REASONING_END"),
    "REASONING_MESSAGE_START": ("messageId", "REASONING_MESSAGE_END"),
    "STEP_STARTED": ("stepName", "STEP_FINISHED"),
}
_WITHIN = {
    "TEXT_MESSAGE_CONTENT": ("messageId", "TEXT_MESSAGE_END"),
    "TOOL_CALL_ARGS": ("toolCallId", "TOOL_CALL_END"),
    "REASONING_MESSAGE_CONTENT": ("messageId", "REASONING_MESSAGE_END"),
}
_CLOSES = {end: name for name, end in _OPENS.values()}


class ReadyEvents:
    """What host code has opened in one run, as (END type, id)."""

    def __init__(self) -> None:
        self._open: dict[tuple[str, str], str] = {}

    def admit(self, raw: Any) -> list[Event]:
        """The event as it goes out; [] when it is refused, which the log says with its type."""
        event = _validated(raw)
        if event is None or not self._fits(event):
            kind: Any = cast("Event", raw).get("type") if isinstance(raw, dict) else None
            logger.warning("an `agui` event was refused: %.40s", kind)
            return []
        return [event]

    def close_all(self) -> list[Event]:
        """END events of everything that host code left open, innermost first."""
        ends = [{"type": end, name: key} for (end, key), name in reversed(self._open.items())]
        self._open.clear()
        return ends

    def _fits(self, event: Event) -> bool:
        kind = event["type"]
        if kind in _OPENS:
            name, end = _OPENS[kind]
            if (end, event[name]) in self._open:
                return False
            self._open[end, event[name]] = name
            return True
        if kind in _WITHIN:
            name, end = _WITHIN[kind]
            return (end, event[name]) in self._open
        if kind in _CLOSES:
            return self._open.pop((kind, event[_CLOSES[kind]]), None) is not None
        return kind in _ALONE


def _validated(raw: Any) -> Event | None:
    try:
        checked = _ADAPTER.validate_python(raw)
    except ValidationError:
        return None
    return cast("Event", checked.model_dump(mode="json", by_alias=True, exclude_none=True))
