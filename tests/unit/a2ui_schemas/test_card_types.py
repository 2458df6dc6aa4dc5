"""Every card type of the catalogue: its example, its schema, its defaults, and what a click on it sends."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from a2ui_schemas import CardType, load_catalogue
from a2ui_schemas.actions import raised
from a2ui_schemas.operations import operations
from supervisor.cards.shape import shaped
from tests.unit.cards.paint import clicks

CATALOGUE = load_catalogue()
CARDS = tuple(CATALOGUE.cards.values())
NAMED = {
    "list-card list-pane-card message-card identify-card form-card heatmap-card navigation-card "
    "canteen_cards stall_cards dish_cards canteen_detail_card stall_detail_card review_cards canteen_heatmap "
    "canteen_menu canteen_recommend shuttle_cards route_card parking_cards"
}
OLD_NAMES = ("canteen-card-list", "stall-card-list", "dish-card-list", "review-card-list")
Json = dict[str, Any]

every_card = pytest.mark.parametrize("card", CARDS, ids=lambda card: card.type)


def scalars(schema: Json, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Json]]:
    """Every field that holds no other field, with the path of its first occurrence."""
    if "properties" in schema:
        for key, value in schema["properties"].items():
            yield from scalars(value, (*path, key))
    elif "properties" in schema.get("items", {}):
        yield from scalars(schema["items"], (*path, 0))
    else:
        yield path, schema


def put(data: Any, path: tuple[Any, ...], value: Any) -> bool:
    """Sets `path` in data; False when the example has nothing to put it into."""
    for step in path[:-1]:
        try:
            data = data[step]
        except (KeyError, IndexError):
            return False
    data[path[-1]] = value
    return True


def test_every_type_of_the_design_is_there_and_answers_to_its_other_spelling() -> None:
    (names,) = NAMED
    assert set(names.split()) == set(CATALOGUE.cards)
    for name in CATALOGUE.cards:
        other = name.replace("_", "-") if "_" in name else name.replace("-", "_")
        found = CATALOGUE.card(other)
        assert found is not None
        assert found.type == name


@pytest.mark.parametrize("name", OLD_NAMES)
def test_the_canteens_old_names_still_lead_to_a_card(name: str) -> None:
    found = CATALOGUE.card(name)
    assert found is not None
    assert found.type == f"{name.split('-')[0]}_cards"


@every_card
def test_a_schema_accepts_its_example_and_its_example_with_all_defaults(card: CardType) -> None:
    validator = Draft202012Validator(card.schema)
    validator.validate(card.example)
    validator.validate(shaped(card.schema, card.example))


@every_card
def test_a_schema_refuses_the_wrong_type_in_every_field_of_its_example(card: CardType) -> None:
    validator = Draft202012Validator(card.schema)
    tried = 0
    for path, _ in scalars(card.schema):
        broken = copy.deepcopy(card.example)
        if put(broken, path, {"not": {"a": "value"}}):
            tried += 1
            assert not validator.is_valid(broken), path
    assert tried >= 3


@every_card
def test_a_schema_refuses_what_is_missing_and_what_it_does_not_know(card: CardType) -> None:
    validator = Draft202012Validator(card.schema)
    for field in card.schema["required"]:
        assert not validator.is_valid({key: value for key, value in card.example.items() if key != field})
    assert not validator.is_valid({**card.example, "unknown_field": 1})


@every_card
def test_every_string_and_every_list_has_a_limit(card: CardType) -> None:
    def unlimited(node: Json, where: str) -> Iterator[str]:
        types = node.get("type")
        if "array" in (types or ()) and "maxItems" not in node:
            yield where
        if "string" in (types or ()) and not {"maxLength", "enum", "pattern"} & set(node):
            yield where
        for key, value in node.items():
            if isinstance(value, dict):
                yield from unlimited(value, f"{where}/{key}")

    assert list(unlimited(card.schema, card.type)) == []
    for name, context in card.actions.items():
        assert list(unlimited(context, name)) == []


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        "data:text/html;base64,PHNjcmlwdD4=",
        "data:image/svg+xml;base64,PHN2Zz4=",
        "//evil.example/x.png",
        "/etc/passwd",
        "file:///etc/passwd",
        " https://x.example/a.png",
        "JAVASCRIPT:alert(1)",
    ],
)
@every_card
def test_a_picture_comes_from_the_web_or_with_the_data_and_from_nowhere_else(card: CardType, url: str) -> None:
    validator = Draft202012Validator(card.schema)
    pictures = [path for path, _ in scalars(card.schema) if path[-1] == "image_url"]
    for path in pictures:
        data = copy.deepcopy(card.example)
        if put(data, path, "https://pictures.example/a.png"):
            validator.validate(data)
            put(data, path, url)
            assert not validator.is_valid(data), path


@every_card
def test_every_click_on_the_example_sends_a_context_that_the_card_allows(card: CardType) -> None:
    data = shaped(card.schema, card.example)
    found = clicks(operations(card, CATALOGUE.id, "s", data))
    assert {click.name for click in found} <= set(card.actions)
    for click in found:
        Draft202012Validator(card.actions[click.name]).validate(click.context)


@every_card
def test_a_row_without_an_id_offers_nothing_to_click(card: CardType) -> None:
    rows = card.schema["properties"].get("items", {}).get("items", {})
    if card.schema["required"] != ["items"] or "id" not in rows["properties"]:
        return
    data = shaped(card.schema, {"items": [{"name": "麻婆豆腐"}]})
    assert clicks(operations(card, CATALOGUE.id, "s", data)) == []


def test_the_actions_of_all_cards_are_those_that_agents_know() -> None:
    names = {name for card in CARDS for name, _ in ((event["name"], 0) for _, event in raised(card.template))}
    assert names == {
        "open_dish",
        "open_stall",
        "open_canteen",
        "next_page",
        "previous_page",
        "filter",
        "submit_form",
        "confirm_identity",
        "start_navigation",
        "show_reviews",
        "show_menu",
    }
