"""Cards on the built page without a server: data made from the schemas, and what the page really painted of it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, Page

from a2ui_schemas import CardType, load_catalogue
from supervisor.cards.render import CardRenderer
from tests.e2e.page_browser import new_page
from tests.e2e.page_stub import ADDRESS, StubServer, restored

CATALOGUE = load_catalogue()
RENDERER = CardRenderer(CATALOGUE)
ROWS = 200
BROKEN_PICTURE = "data:image/png;base64,AAAA"
LONG_WORDS = ("Donaudampfschifffahrtsgesellschaftskapitän", "没有任何标点符号也无法断开的非常非常长的中文菜名")

Json = dict[str, Any]


def minimal(schema: Json) -> Any:
    """The least that a schema accepts."""
    if "enum" in schema:
        return schema["enum"][0]
    kind = schema["type"]
    if kind == "object":
        return {key: minimal(schema["properties"][key]) for key in schema.get("required", ())}
    if kind == "array":
        return [minimal(schema["items"])] * schema.get("minItems", 0)
    return {"string": "field", "boolean": False}.get(kind, schema.get("minimum", 0))


def empty(card: CardType) -> Json:
    """The card when nothing was found: what is required, and the words for an empty list."""
    words = {key: "没有找到" for key in ("title", "empty_text") if key in card.schema["properties"]}
    return minimal(card.schema) | words


def many(card: CardType) -> Json:
    """The example with as many rows as the card takes, 200 at most; every name has the number of its row."""
    data: Json = {**card.example}
    for key in ("items", "cells", "fields", "stops"):
        if data.get(key):
            limit = card.schema["properties"][key]["maxItems"]
            data[key] = [_numbered(data[key][n % len(data[key])], n) for n in range(min(ROWS, limit))]
    data.pop("row_labels", None)
    return data


def _numbered(row: Json, number: int) -> Json:
    plain = {key: value for key, value in row.items() if key not in ("image_url", "lat", "lng")}
    key = "label" if "label" in row else "name"
    unique = {"name": f"f{number}"} if "kind" in row else {}
    if "items" in row:
        inner = [_numbered(row["items"][0], 1000 * number + n) for n in range(4)]
        return {**plain, "name": f"{row['name']} {number}", "items": inner}
    return {**plain, key: f"{row[key]} #{number}", **unique}


def nasty(card: CardType) -> Json:
    """Every text as long as it may be and without a place to break it, then a row with nothing but its name."""
    data = _nasty(card.schema, "", 0)
    for key in ("items", "cells"):
        if isinstance(data.get(key), list):
            data[key].append(minimal(card.schema["properties"][key]["items"]))
    return data


def _nasty(schema: Json, key: str, turn: int) -> Any:
    if "enum" in schema:
        return schema["enum"][turn % len(schema["enum"])]
    kind = schema["type"]
    if kind == "object":
        fields: Json = schema.get("properties") or {}
        return {
            name: _nasty(field, name, n + turn) for n, (name, field) in enumerate(fields.items()) if name != "default"
        }
    if kind == "array":
        return [_nasty(schema["items"], key, turn + n) for n in range(min(2, schema["maxItems"]))]
    if "string" in kind:
        return _nasty_text(schema, key, turn)
    return True if kind == "boolean" else schema.get("maximum", 99_999_999)


def _nasty_text(schema: Json, key: str, turn: int) -> str:
    if key.endswith("image_url"):
        return BROKEN_PICTURE
    if "pattern" in schema:
        return f"field_{turn}"
    return (LONG_WORDS[turn % 2] * 20)[: min(schema["maxLength"], 260)]


def activity(card_type: str, data: Json, number: int = 0) -> Json:
    """The message that the page gets, as the supervisor renders it; the data must not fall back."""
    card = RENDERER.render(card_type, data)
    assert card.fallback is None, (card_type, card.fallback)
    return {
        "id": f"a2ui-surface-{number}",
        "role": "activity",
        "activityType": "a2ui-surface",
        "content": {"a2ui_operations": card.operations, "card_type": card.card_type},
    }


async def show(browser: Browser, messages: Iterable[Json], **options: Any) -> tuple[Page, list[str], StubServer]:
    """The page with a thread that holds these messages, its complaints, and the server that it talks to."""
    page, complaints = await new_page(browser, **options)
    server = StubServer(connects=[restored(messages)])
    await server.install(page)
    await page.goto(f"{ADDRESS}#gallery")
    await page.get_by_test_id("card").first.wait_for()
    return page, complaints, server


PAINTED = (Path(__file__).parent / "painted.js").read_text("utf-8")
"""For `evaluate` on a card: `words`, those that are `outside` of it or too `faint`, and its `width` and `height`."""
