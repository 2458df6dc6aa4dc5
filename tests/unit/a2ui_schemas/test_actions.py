"""A template whose actions do not fit its card.json: the gate says file, component and name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from a2ui_schemas import CatalogueError, load_catalogue
from a2ui_schemas.gate import check
from tests.unit.a2ui_schemas.edits import Edit, component, edit

CONTEXT = {"id": {"path": "id"}, "name": {"path": "name"}}


def event(name: str, context: dict[str, Any]) -> Edit:
    return component("open", action={"event": {"name": name, "context": context}})


def only(*names: str) -> Edit:
    return lambda card: {**card, "actions": [action for action in card["actions"] if action["name"] in names]}


def context(**change: Any) -> Edit:
    return lambda card: {
        **card,
        "actions": [
            {**action, "context": {**action["context"], **change}} if action["name"] == "open_dish" else action
            for action in card["actions"]
        ],
    }


CALL = component("open", action={"functionCall": {"call": "openUrl", "args": {"url": "https://x.example"}}})


@pytest.mark.parametrize(
    ("file", "change", "said"),
    [
        (
            "template.json",
            event("buy", CONTEXT),
            "template.json: open.action: buy: is not among the actions of card.json",
        ),
        (
            "template.json",
            event("buy", CONTEXT),
            "card.json: actions.open_dish: no component of template.json raises it",
        ),
        ("template.json", event("open_dish", {}), "template.json: open.action: open_dish: context.id: is required"),
        (
            "template.json",
            event("open_dish", {**CONTEXT, "price": 1}),
            "open_dish: context.price: is not in the context",
        ),
        (
            "template.json",
            event("open_dish", {"id": {"path": "nr"}}),
            "template.json: open.action.event.context.id: nr: is not in the schema of the list's items",
        ),
        ("template.json", CALL, "template.json: open.action: calls a function in the browser"),
        ("card.json", only("filter", "next_page", "previous_page"), "open.action: open_dish: is not among the actions"),
        ("card.json", context(type="objekt"), "card.json: actions.open_dish.context: $.type: 'objekt'"),
    ],
)
def test_the_gate_names_the_component_and_the_action(folder: Path, file: str, change: Edit, said: str) -> None:
    edit(folder / "dish_cards" / file, change)
    with pytest.raises(CatalogueError) as caught:
        check(load_catalogue(folder))
    assert all(line.startswith("dish_cards/") for line in str(caught.value).splitlines())
    assert said in str(caught.value)


def test_an_open_context_schema_lets_a_component_send_more(folder: Path) -> None:
    edit(folder / "dish_cards" / "card.json", context(additionalProperties=True))
    edit(folder / "dish_cards" / "template.json", event("open_dish", {**CONTEXT, "from": "list"}))
    check(load_catalogue(folder))


@pytest.mark.parametrize(
    ("actions", "said"),
    [
        ("open_dish", "actions is not a list"),
        (["open_dish"], "actions[0]: has no name"),
        ([{"name": "open_dish"}], "actions[0]: open_dish: context, the JSON Schema of what comes with it, is missing"),
        ([{"name": "open_dish", "context": {}}] * 2, "actions[1]: open_dish: is there twice"),
    ],
)
def test_a_list_of_actions_that_cannot_be_read_stops_the_loading(folder: Path, actions: Any, said: str) -> None:
    edit(folder / "dish_cards" / "card.json", lambda card: {**card, "actions": actions})
    with pytest.raises(CatalogueError) as caught:
        load_catalogue(folder)
    assert f"dish_cards/card.json: {said}" in str(caught.value)
