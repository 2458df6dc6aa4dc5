"""Ten thousand random card metadata: no exception, no blank surface, nothing that a page would follow or run.

Four kinds: anything at all, data that nearly fit, hostile words in every field, and data without measure.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator
from functools import reduce
from operator import getitem
from typing import Any

import jsonschema_rs
import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from a2ui_schemas import load_catalogue
from supervisor.cards import artifact
from supervisor.cards.render import MAX_BUBBLE, MAX_BYTES, CardRenderer, RenderedCard
from supervisor.cards.shape import MAX_DEPTH
from tests.unit.cards.visible import Surface

CATALOGUE = load_catalogue()
RENDERER = CardRenderer(CATALOGUE)
VALIDATORS = {card.type: jsonschema_rs.validator_for(card.schema) for card in CATALOGUE.cards.values()}
TEMPLATES = {card.type: orjson.dumps(card.template) for card in CATALOGUE.cards.values()}
SAFE_URL = re.compile(r"(https?://|data:image/(png|jpeg|webp|gif);base64,)", re.IGNORECASE)
TYPES = sorted(CATALOGUE.cards)
NAMES = CATALOGUE.types
FIELDS = sorted({name for card in CATALOGUE.cards.values() for name in card.schema["properties"]})
HOSTILE = (
    *("<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "</textarea><svg/onload=alert(1)>", "&lt;b&gt;"),
    *("[x](javascript:alert(1))", "![x](http://evil/p.png)", "**bold**\n# head", "| a | b |\n|---|---|", "`code`"),
    *("javascript:alert(1)", "JaVaScRiPt:alert(1)", " javascript:alert(1)", "java\tscript:alert(1)", "vbscript:x"),
    *("data:text/html,<script>alert(1)</script>", "//evil.example/x", "file:///etc/passwd", "blob:x", "\\\\evil\\x"),
    *("${/title}", "${title}", '{"path": "/title"}', "{{title}}", "%00", "\x00\x07\x1b[31m", "\u202eevil", "\ufeff"),
    *(
        "data: x\n\nevent: run-end\n\n",
        "\u2028\u2029",
        "\ud83d",
        "e\u0301" * 20,
        "👩‍👩‍👧‍👦" * 20,
        "字" * 5000,
        "",
        " ",
        "\u200b",
    ),
)

KEYS = ("__proto__", "constructor", "path", "call", "", *FIELDS, *HOSTILE)

scalars = st.sampled_from([None, True, False, *HOSTILE]) | st.integers() | st.floats() | st.text(max_size=8)
anything = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=3),
    max_leaves=4,
)
bubbles = st.none() | st.sampled_from(HOSTILE) | st.just("三道菜")


def assert_sound(card: RenderedCard) -> None:
    """A surface that paints, with words to read, made of our template and of data that fit; small and JSON."""
    events = orjson.loads(orjson.dumps(artifact.surface_events("c1", artifact.build([artifact.Issued(card)]))))
    assert [event["type"] for event in events] == ["ACTIVITY_SNAPSHOT", *(["CUSTOM"] if card.fallback else [])]
    create, components, data = operations = events[0]["content"]["a2ui_operations"]
    assert create == {
        "version": "v0.9",
        "createSurface": {"surfaceId": card.surface_id, "catalogId": CATALOGUE.id},
    }
    assert orjson.dumps(components["updateComponents"]["components"]) == TEMPLATES[card.card_type]
    value = data["updateDataModel"]["value"]
    assert VALIDATORS[card.card_type].is_valid(value)
    assert any(value.values())
    assert len(orjson.dumps(value)) <= MAX_BYTES + 4 * MAX_BUBBLE
    surface = Surface(operations)
    assert surface.words, value
    assert all(url == "" or SAFE_URL.match(url) for url in surface.urls)
    assert (card.card_type == "message-card") or not card.fallback
    assert len(events[0]["content"].get("bubble_text", "")) <= MAX_BUBBLE


def examples(count: int) -> settings:
    """So many, and no more time than they take."""
    return settings(max_examples=count, deadline=None, database=None, suppress_health_check=list(HealthCheck))


@pytest.mark.requirement("SB-BLANK-01")
@examples(3000)
@given(card_type=st.sampled_from(NAMES) | anything, data=anything, bubble=bubbles | scalars, category=scalars)
def test_anything_at_all_gives_a_sound_surface(card_type: Any, data: Any, bubble: Any, category: Any) -> None:
    assert_sound(RENDERER.render(card_type, data, bubble_text=bubble, card_category=category))


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of every value inside."""
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
        yield (*path, key)
        if isinstance(inner, (dict, list)):
            yield from places(inner, (*path, key))


def changed(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    """A copy with something else at a place; Ellipsis takes it out."""
    result = copy.deepcopy(value)
    target = result
    for key in path[:-1]:
        target = target[key]
    if new is ...:
        del target[path[-1]]
    else:
        target[path[-1]] = new
    return result


PLACES = [(card_type, path) for card_type in TYPES for path in places(CATALOGUE.cards[card_type].example)]
STRINGS = [(t, path) for t, path in PLACES if isinstance(reduce(getitem, path, CATALOGUE.cards[t].example), str)]


@pytest.mark.requirement("SB-BLANK-01")
@examples(3500)
@given(place=st.sampled_from(PLACES), new=st.just(...) | scalars | anything, bubble=bubbles)
def test_data_that_nearly_fit_give_a_sound_surface(place: tuple[str, tuple[Any, ...]], new: Any, bubble: Any) -> None:
    card_type, path = place
    data = changed(CATALOGUE.cards[card_type].example, path, new)
    assert_sound(RENDERER.render(card_type, data, bubble_text=bubble))


@pytest.mark.requirement("SB-BLANK-01")
@examples(3000)
@given(place=st.sampled_from(STRINGS), words=st.sampled_from(HOSTILE), bubble=bubbles)
def test_hostile_words_stay_words(place: tuple[str, tuple[Any, ...]], words: str, bubble: Any) -> None:
    card_type, path = place
    card = RENDERER.render(card_type, changed(CATALOGUE.cards[card_type].example, path, words), bubble_text=bubble)
    assert_sound(card)
    if card.fallback and words.strip():
        assert words not in repr(card.fallback.errors)


@pytest.mark.parametrize("words", ["", " ", "\u200b", "\ufeff", "\u2028", "\x00", "–", *HOSTILE], ids=repr)
def test_hostile_words_in_every_field_at_once_give_a_sound_surface(words: str) -> None:
    for card_type in TYPES:
        data = CATALOGUE.cards[card_type].example
        for _, path in (place for place in STRINGS if place[0] == card_type):
            data = changed(data, path, words)
        for bubble in (None, words, "三道菜"):
            assert_sound(RENDERER.render(card_type, data, bubble_text=bubble))


@pytest.mark.requirement("SB-BLANK-01")
@examples(500)
@given(
    card_type=st.sampled_from(TYPES),
    rows=st.integers(0, 3000),
    size=st.integers(0, 3000),
    depth=st.integers(0, 3 * MAX_DEPTH),
)
def test_data_without_measure_give_a_small_surface(card_type: str, rows: int, size: int, depth: int) -> None:
    example = CATALOGUE.cards[card_type].example
    deep: Any = "x"
    for _ in range(depth):
        deep = {"items": deep} if depth % 2 else [deep]
    lists = {key: value * (rows // len(value)) for key, value in example.items() if isinstance(value, list) and value}
    for data in ({**example, **lists}, {**example, "title": "字" * size, "extra": deep}, {**example, "items": deep}):
        assert_sound(RENDERER.render(card_type, data, bubble_text="字" * size))


@pytest.mark.parametrize("value", [object(), {1, 2}, b"bytes", 1j, float("inf"), {"x": object()}, 10**400])
def test_what_is_not_json_gives_a_sound_surface(value: Any) -> None:
    for card_type in TYPES:
        assert_sound(RENDERER.render(card_type, value, bubble_text=value, card_category=value))
        for field in CATALOGUE.cards[card_type].example:
            assert_sound(RENDERER.render(card_type, CATALOGUE.cards[card_type].example | {field: value}))
