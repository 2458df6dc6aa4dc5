"""Random card metadata: never an exception, always a surface that paints; the two validators agree."""

from __future__ import annotations

import json
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from a2ui_schemas import load_catalogue
from supervisor.cards.readable import reader
from supervisor.cards.render import CardRenderer, RenderedCard
from supervisor.cards.shape import TooLong, Unshapable, shaped
from tests.unit.cards.paint import texts

CATALOGUE = load_catalogue()
RENDERER = CardRenderer(CATALOGUE)
FIELDS = sorted({key for card in CATALOGUE.cards.values() for key in card.schema["properties"]} | {"__proto__", "x"})
ROW_FIELDS = sorted(
    {
        key
        for card in CATALOGUE.cards.values()
        for rows in ("items", "cells", "fields")
        if rows in card.schema["properties"]
        for key in card.schema["properties"][rows]["items"]["properties"]
    }
)

words = st.text(st.characters(), max_size=12)
scalars = st.none() | st.booleans() | st.integers() | st.floats() | words
anything = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3), max_leaves=8
)
rows = st.dictionaries(st.sampled_from(ROW_FIELDS), scalars | anything, max_size=5)
plausible_rows = st.fixed_dictionaries(
    {"name": words, "label": words, "value": st.floats(0, 1)},
    optional={key: words for key in ROW_FIELDS if key not in ("name", "label", "value")},
)
card_data = (
    anything
    | st.dictionaries(st.sampled_from(FIELDS), anything | st.lists(rows, max_size=3), max_size=5)
    | st.fixed_dictionaries(
        {"items": st.lists(plausible_rows, max_size=3), "cells": st.lists(plausible_rows, max_size=3), "text": words}
    )
)
types = st.sampled_from(CATALOGUE.types) | anything


def assert_paints(card: RenderedCard) -> None:
    wire = json.loads(orjson.dumps(card.operations))
    assert [next(key for key in operation if key != "version") for operation in wire] == [
        "createSurface",
        "updateComponents",
        "updateDataModel",
    ]
    assert any(wire[2]["updateDataModel"]["value"].values())
    assert all(isinstance(text, str) for text in texts(wire))
    assert (card.fallback is None) or card.card_type == "message-card"


@settings(max_examples=150, deadline=None)
@given(card_type=types, data=card_data, bubble=st.none() | words, category=st.none() | words)
def test_whatever_an_agent_sends_a_surface_paints(card_type: Any, data: Any, bubble: Any, category: Any) -> None:
    card = RENDERER.render(card_type, data, bubble_text=bubble, card_category=category)
    orjson.dumps([card.bubble_text, card.card_category, card.fallback])
    assert_paints(card)


@settings(max_examples=60, deadline=None)
@given(card_type=st.sampled_from(sorted(CATALOGUE.cards)), data=card_data)
def test_a_card_is_shown_as_itself_exactly_when_the_reference_validator_accepts_it(card_type: str, data: Any) -> None:
    card = RENDERER.render(card_type, data)
    schema = CATALOGUE.cards[card_type].schema
    try:
        value = shaped(schema, data)
        accepted = isinstance(data, dict) and Draft202012Validator(schema).is_valid(value)
        accepted = accepted and reader(CATALOGUE.cards[card_type].template)(value)
        orjson.dumps(value)
    except (Unshapable, TooLong, TypeError):
        accepted = False
    assert (card.fallback is None) is accepted


@pytest.mark.parametrize("card_type", sorted(CATALOGUE.cards))
def test_both_validators_refuse_the_same_field_of_an_example(card_type: str) -> None:
    card = CATALOGUE.cards[card_type]
    reference = Draft202012Validator(card.schema)
    for field in card.schema["properties"]:
        wrong: Any = ["wrong"] if card.schema["properties"][field]["type"] == "object" else {"wrong": True}
        broken = {**card.example, field: wrong}
        assert not reference.is_valid(shaped(card.schema, broken))
        fallback = RENDERER.render(card_type, broken).fallback
        assert fallback is not None
        assert fallback.errors == (f"/{field}: type",)
