"""What the agents' tests need to know about cards: whether one fits the catalogue, and what can be clicked in it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator

from a2ui_schemas.loader import CardType, load_catalogue
from supervisor.cards.render import CardRenderer
from tests.unit.agents_kit.harness import Rpc, text_of

Json = dict[str, Any]
Click = tuple[str, Json]

CATALOGUE = load_catalogue()
RENDERER = CardRenderer(CATALOGUE)
"""Knows what the catalogue cannot say: how big a card may be."""


def card_type(name: str) -> CardType:
    found = CATALOGUE.card(name)
    assert found is not None, f"the catalogue has no {name}"
    return found


@cache
def data_validator(name: str) -> Any:
    return Draft202012Validator(card_type(name).schema)


def checked(metadata: Json) -> Json:
    """The card data of an answer, which fits the catalogue."""
    assert metadata["bubble_text"]
    data = whole(metadata["card_data_model"])
    fits(metadata["card_template_id"], data)
    return data


def fits(name: str, data: Json) -> None:
    """The data fit the card type, nothing of it falls back, and every button sends what the catalogue allows."""
    card = card_type(name)
    data_validator(card.type).validate(data)
    assert RENDERER.render(name, data).fallback is None
    for action, context in clicks(card, data):
        Draft202012Validator(card.actions[action]).validate(context)


async def shown(rpc: Rpc, question: str) -> tuple[str, Json]:
    """Type and data of the card that answers a question in the context `c`."""
    task = await rpc.send(question, contextId="c")
    return task["metadata"]["card_template_id"], checked(task["metadata"])


async def clicked(rpc: Rpc, on: str, name: str, context: Json, **fields: Any) -> tuple[str, str, Json]:
    """Text, what the click led to (a card type, "update" for one in place, "words"), and the card's data."""
    task = await rpc.click(name, context, on=on, contextId="c", **fields)
    assert task["status"]["state"] == "TASK_STATE_COMPLETED"
    metadata = task.get("metadata", {})
    if "card_template_id" not in metadata:
        return text_of(task), "words", {}
    led_to = "update" if metadata.get("card_update") else metadata["card_template_id"]
    return text_of(task), led_to, checked(metadata)


def ids(data: Json) -> list[str]:
    """The ids of the card's items."""
    return [item["id"] for item in data["items"]]


def facts(data: Json) -> dict[str, str]:
    """The rows of a `message-card`."""
    return {item["label"]: item["value"] for item in data["items"]}


def clicks(card: CardType, data: Json) -> Iterator[Click]:
    """Every (action, context) that the painted card can raise, with forms as they are first shown."""
    parts = {part["id"]: part for part in card.template}
    whole_data = with_defaults(card.schema, data)

    def value(bound: Any, scope: Any) -> Any:
        if not (isinstance(bound, dict) and "path" in bound):
            return bound
        start, path = (whole_data, bound["path"][1:]) if bound["path"].startswith("/") else (scope, bound["path"])
        for key in filter(None, path.split("/")):
            start = start[key]
        return start

    def walk(part_id: str, scope: Any) -> Iterator[Click]:
        part = parts[part_id]
        needed = [check["condition"]["args"]["value"] for check in part.get("checks", ())]
        if "action" in part and all(value(bound, scope) for bound in needed):
            event = part["action"]["event"]
            yield event["name"], {key: value(bound, scope) for key, bound in event.get("context", {}).items()}
        children = part.get("children", [part["child"]] if "child" in part else [])
        if isinstance(children, dict):
            for item in value(children, scope):
                yield from walk(children["componentId"], item)
        else:
            for child in children:
                yield from walk(child, scope)

    return walk("root", whole_data)


def with_defaults(schema: Json, data: Any) -> Any:
    """The data with the defaults of the schema filled in, as a renderer gets it."""
    if isinstance(data, list):
        return [with_defaults(schema.get("items", {}), item) for item in data]
    if not isinstance(data, dict):
        return data
    known = schema.get("properties", {})
    absent = {key: sub["default"] for key, sub in known.items() if "default" in sub and key not in data}
    return {**{key: with_defaults(known.get(key, {}), value) for key, value in data.items()}, **absent}


def whole(value: Any) -> Any:
    """Integral floats as integers, as the supervisor reads them: the wire knows doubles only."""
    if isinstance(value, dict):
        return {key: whole(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [whole(inner) for inner in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


async def explore(rpc: Rpc, questions: Sequence[str], *, depth: int = 2, each: int = 2) -> set[tuple[str, str, str]]:
    """Ask and then click through what is shown: in every card the first and the last buttons of each action.

    Everything has to end well: an answer in words, and a card that fits if there is one. Gives (card type, action,
    what it led to), where that is a card type, "update" for one in place, or "words".
    """
    seen: set[tuple[str, str, str]] = set()
    done: set[str] = set()
    waiting: list[tuple[str, Json, int]] = []
    for question in questions:
        task = await rpc.send(question)
        assert task["status"]["state"] == "TASK_STATE_COMPLETED", question
        if "card_template_id" in task.get("metadata", {}):
            waiting.append((task["metadata"]["card_template_id"], checked(task["metadata"]), depth))
    while waiting:
        shown, data, left = waiting.pop(0)
        for name, context in _some(list(clicks(card_type(shown), data)), each):
            if left == 0 or repr((shown, name, context)) in done:
                continue
            done.add(repr((shown, name, context)))
            task = await rpc.click(name, context, on=shown)
            assert task["status"]["state"] == "TASK_STATE_COMPLETED", (shown, name, context)
            assert text_of(task).strip()
            metadata = task.get("metadata", {})
            led_to = metadata.get("card_template_id", "words")
            seen.add((shown, name, "update" if metadata.get("card_update") else led_to))
            if led_to != "words":
                waiting.append((led_to, checked(metadata), left - 1))
            await asyncio.sleep(0)
    return seen


def _some(found: Sequence[Click], each: int) -> list[Click]:
    by_name: dict[str, list[Click]] = {}
    for click in found:
        by_name.setdefault(click[0], []).append(click)
    return [c for group in by_name.values() for c in [*group[:each], *(group[each:][-1:])]]
