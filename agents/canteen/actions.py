"""What a click in one of our cards leads to, as tool calls. Every value is checked: anybody may send a click."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, cast

from agents.kit.spec import Action, Conversation, Step
from agents.kit.tickets import redeem

_LISTS = ("search_dishes", "list_canteens", "list_stalls", "dish_reviews", "canteen_menu", "recommend_dishes")
_KINDS = {"c": "canteen", "s": "stall", "d": "dish"}
_ID = re.compile(r"([csd])\d{1,6}")
_MOST = 40
"""Characters of what is typed in to prove who one is."""


def act(action: Action, conversation: Conversation) -> Step | None:
    """The step of a click, None for one that makes no sense."""
    rule = _RULES.get(action.name)
    return rule(action, conversation) if rule else None


def _turn(action: Action, conversation: Conversation) -> Step | None:
    del conversation
    return redeem(action, _LISTS)


def _open(tool: str, wanted: str) -> Callable[[Action, Conversation], Step | None]:
    def rule(action: Action, conversation: Conversation) -> Step | None:
        del conversation
        kind, found = _thing(action)
        return Step([(tool, {wanted: found})]) if kind == wanted else None

    return rule


def _menu(action: Action, conversation: Conversation) -> Step | None:
    del conversation
    kind, found = _thing(action)
    return Step([("canteen_menu", {kind: found})]) if kind in ("canteen", "stall") else None


def _reviews(action: Action, conversation: Conversation) -> Step | None:
    del conversation
    kind, found = _thing(action)
    return Step([("dish_reviews", {kind: found})]) if kind else None


def _navigate(action: Action, conversation: Conversation) -> Step | None:
    """From a detail card to a navigation card; there the same button starts it, in place."""
    start, _, place = (action.text("id") or "").rpartition(">")
    if not _ID.fullmatch(place):
        return None
    arguments: dict[str, Any] = {"place": place}
    if start:
        arguments["start"] = start[:_MOST]
    elif where := conversation.asker.location:
        arguments |= {"near_lat": where[0], "near_lng": where[1]}
    started = action.card_type == "navigation-card"
    return Step([("walk_to", {**arguments, "started": started})], update=started)


def _submit(action: Action, conversation: Conversation) -> Step | None:
    del conversation
    form, chinese = _key(action, "form_id")
    values = _object(action, "values")
    if not form or values is None:
        return None
    return Step([("book_meal", {"form": form, "values": dict(values)})], chinese=chinese)


def _confirm(action: Action, conversation: Conversation) -> Step | None:
    token, chinese = _key(action, "token")
    confirmed = action.context.get("confirmed")
    if not token or not isinstance(confirmed, bool):
        return None
    if not confirmed:
        zh = conversation.chinese if chinese is None else chinese
        return Step(text="好的，不查饭卡了。" if zh else "All right, the meal card stays closed.", chinese=zh)
    values = _object(action, "values") or {}
    given = {key: str(values.get(key, "")).strip()[:_MOST] for key in ("number", "phone_end")}
    return Step([("meal_card", {"token": token, **given})], chinese=chinese)


def _thing(action: Action) -> tuple[str, str]:
    """Kind and id of what was clicked, "" for neither."""
    found = _ID.fullmatch(action.text("id") or "")
    return (_KINDS[found[1]], found[0]) if found else ("", "")


def _key(action: Action, name: str) -> tuple[str, bool | None]:
    """A key of ours and the language of the card that it was on."""
    key, _, language = (action.text(name, 200) or "").rpartition(":")
    return key, {"zh": True, "en": False}.get(language)


def _object(action: Action, name: str) -> Mapping[str, Any] | None:
    value = action.context.get(name)
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else None


_RULES: dict[str, Callable[[Action, Conversation], Step | None]] = {
    "open_dish": _open("dish_details", "dish"),
    "open_stall": _open("stall_details", "stall"),
    "open_canteen": _open("canteen_details", "canteen"),
    "show_menu": _menu,
    "show_reviews": _reviews,
    "start_navigation": _navigate,
    "next_page": _turn,
    "previous_page": _turn,
    "filter": _turn,
    "submit_form": _submit,
    "confirm_identity": _confirm,
}
