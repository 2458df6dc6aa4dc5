"""What a click in one of our cards leads to, as tool calls. Every value is checked: anybody may send a click."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cache
from typing import Any

from agents.kit.database import load_json
from agents.kit.spec import Action, Conversation, Step
from agents.kit.tickets import redeem
from agents.transport import places

_LISTS = ("next_departures", "list_stops", "parking", "plan_route")
_WAY = re.compile(r"(?:(?P<start>[\w-]*)>)?(?P<end>[\w-]+)(?:@(?P<time>(?:[01]\d|2[0-3]):[0-5]\d))?")
"""`start>end@time`: what a button that starts a way has for an id. An empty start is where the user is."""


def act(action: Action, conversation: Conversation) -> Step | None:
    """The step of a click, None for one that makes no sense."""
    if action.name in ("next_page", "previous_page", "filter"):
        return redeem(action, _LISTS)
    return _navigate(action, conversation) if action.name == "start_navigation" else None


def _navigate(action: Action, conversation: Conversation) -> Step | None:
    """From a list or a route to a navigation card; there the same button starts it, in place."""
    found = _WAY.fullmatch(action.text("id") or "")
    if not found or not _known(found["end"]) or (found["start"] and found["start"] not in _stops()):
        return None
    arguments: dict[str, Any] = {"to": found["end"], "started": action.card_type == "navigation-card"}
    if found["time"]:
        arguments["after"] = found["time"]
    if found["start"]:
        arguments["origin"] = found["start"]
    elif where := conversation.asker.location:
        arguments |= {"near_lat": where[0], "near_lng": where[1]}
    return Step([("navigate", arguments)], update=arguments["started"])


def _known(place: str) -> bool:
    return place in _stops() or place in _lots()


def _stops() -> Collection[str]:
    return {stop.id for stop in places.stops()}


@cache
def _lots() -> Collection[str]:
    return frozenset(lot["id"] for lot in load_json(places.DATA / "parking.json"))
