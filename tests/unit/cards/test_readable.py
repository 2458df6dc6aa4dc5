"""What counts as something to read on a surface."""

from __future__ import annotations

from typing import Any

import pytest

from a2ui_schemas import load_catalogue
from supervisor.cards.readable import reader, visible

CATALOGUE = load_catalogue()


@pytest.mark.parametrize("text", ["a", "字", "👩‍👩‍👧‍👦", "\u202eevil", "\ufffd", "-"])
def test_a_character_with_a_shape_is_visible(text: str) -> None:
    assert visible(text)


@pytest.mark.parametrize("text", ["", " ", "\u3000", "\u200b\ufeff", "\x00\n", "\u2028"])
def test_blanks_and_characters_without_a_shape_are_not(text: str) -> None:
    assert not visible(text)


@pytest.mark.parametrize("card_type", sorted(CATALOGUE.cards))
def test_every_example_has_something_to_read_and_its_ids_and_pictures_are_not_it(card_type: str) -> None:
    reads = reader(CATALOGUE.cards[card_type].template)
    assert reads(CATALOGUE.cards[card_type].example)
    hidden = {"id": "d-1", "image_url": "https://x/y.png", "cursor": "2"}
    assert not reads({**hidden, "items": [hidden], "previous_page": [{"cursor": "2"}]})


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ({"items": [{"name": "水煮鱼"}]}, True),
        ({"items": [{"name": " ", "price": 12}]}, True),
        ({"items": [{"name": " ", "price": "–", "rating": "–"}]}, False),
        ({"items": [], "empty_text": "没有"}, True),
        ({"items": [{"name": " ", "price": True}]}, False),
        ({"items": ["x", 3, None]}, False),
    ],
)
def test_a_list_is_read_by_the_fields_that_its_template_shows(data: Any, expected: bool) -> None:
    assert reader(CATALOGUE.cards["dish_cards"].template)(data) is expected


def test_cells_of_a_heat_map_are_read_by_their_words() -> None:
    reads = reader(CATALOGUE.cards["canteen_heatmap"].template)
    assert reads({"cells": [{"label": "第一食堂", "value": 0.5}]})
    assert not reads({"cells": [{"label": " ", "value": 0.5}], "cols": 3})
