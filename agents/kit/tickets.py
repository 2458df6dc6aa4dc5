"""What a button stands for: one tool call as a short text in the card's data, which comes back with the click.

Opaque to everybody else. A ticket is no proof of anything: whoever reads one says which tools it may name, and the tool
checks its arguments as it does those of a model.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any, cast

from agents.kit.spec import Action, Step

CURSOR_CHARS = 500
"""The most that the catalogue allows for `cursor`."""
FILTER_CHARS = 200
"""The most that the catalogue allows for a filter's `value`."""
_PAGES = (("previous_page", "上一页", "Previous"), ("next_page", "下一页", "Next"))

Arguments = Mapping[str, Any]
Buttons = list[dict[str, str]]


def ticket(tool: str, arguments: Arguments, chinese: bool) -> str:
    """The text of a call and the language to answer it in. Arguments that are None are left out."""
    given = {key: value for key, value in arguments.items() if value is not None}
    return json.dumps(["zh" if chinese else "en", tool, given], ensure_ascii=False, separators=(",", ":"))


def redeem(action: Action, tools: Collection[str]) -> Step | None:
    """The step of a page or filter button: its call, in place. None for a ticket that we cannot have made."""
    text = action.text("cursor", CURSOR_CHARS) or action.text("value", FILTER_CHARS)
    try:
        read: Any = json.loads(text or "")
        json.dumps(read, ensure_ascii=False).encode()  # a lone surrogate is no text
    except (ValueError, RecursionError):
        return None
    match read:
        case ["zh" | "en" as language, str(tool), dict(arguments)] if tool in tools:
            return Step([(tool, cast("dict[str, Any]", arguments))], update=True, chinese=language == "zh")
        case _:
            return None


def filters(tool: str, arguments: Arguments, choices: Sequence[tuple[str, Arguments]], chinese: bool) -> Buttons:
    """Buttons that make the same call with other arguments, from its first page; the present one is marked.

    A choice whose ticket would be too long for the catalogue is left out.
    """
    buttons: Buttons = []
    for label, change in choices:
        changed = {**arguments, **change, "offset": None}
        value = ticket(tool, changed, chinese)
        if len(value) <= FILTER_CHARS:
            chosen = all(arguments.get(key) == wanted for key, wanted in change.items())
            buttons.append({"label": f"✓ {label}" if chosen else label, "value": value})
    return buttons


def pages(tool: str, arguments: Arguments, data: Mapping[str, Any], chinese: bool) -> dict[str, Buttons]:
    """The buttons `previous_page` and `next_page` of a list, by the `offset`, `limit` and `total` of its result."""
    offset, limit = int(data["offset"]), int(data["limit"])
    starts = (max(offset - limit, 0) if offset else None, offset + limit if offset + limit < data["total"] else None)
    found: dict[str, Buttons] = {}
    for (name, zh, en), start in zip(_PAGES, starts, strict=True):
        cursor = "" if start is None else ticket(tool, {**arguments, "offset": start}, chinese)
        if 0 < len(cursor) <= CURSOR_CHARS:
            found[name] = [{"label": zh if chinese else en, "cursor": cursor}]
    return found
