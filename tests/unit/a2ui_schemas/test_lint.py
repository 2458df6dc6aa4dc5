"""The binding lint: one mutation of a sound card per kind of mistake."""

from __future__ import annotations

from typing import Any

import pytest

from a2ui_schemas import load_catalogue
from a2ui_schemas.lint import lint

TEXT = {"type": "string", "default": ""}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["groups", "note"],
    "properties": {
        "title": TEXT,
        "note": {"type": "string"},
        "hint": {"type": "string"},
        "a/b": TEXT,
        "groups": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["name"],
                "properties": {
                    "name": {"type": "string"},
                    "price": {"type": "number"},
                    "dishes": {
                        "type": "array",
                        "default": [],
                        "items": {"type": "object", "required": ["dish"], "properties": {"dish": {"type": "string"}}},
                    },
                },
            },
        },
    },
}


def template(**changes: dict[str, Any]) -> list[dict[str, Any]]:
    components: dict[str, dict[str, Any]] = {
        "root": {"component": "Card", "child": "body"},
        "body": {"component": "Column", "children": ["title", "list"]},
        "title": {"component": "Text", "text": {"path": "/title"}},
        "list": {"component": "Column", "children": {"componentId": "group", "path": "/groups"}},
        "group": {"component": "Column", "children": ["name", "dishes"]},
        "name": {"component": "Text", "text": {"path": "name"}},
        "dishes": {"component": "Column", "children": {"componentId": "dish", "path": "dishes"}},
        "dish": {"component": "Text", "text": {"path": "dish"}},
    }
    for name, change in changes.items():
        components[name] |= change
    return [{"id": name, **component} for name, component in components.items()]


def formatted(value: str) -> dict[str, Any]:
    return {"call": "formatString", "args": {"value": value}, "returnType": "string"}


def test_a_sound_template_has_no_problem() -> None:
    assert lint(template(), SCHEMA) == []


@pytest.mark.parametrize(
    ("component", "change", "said"),
    [
        ("title", {"text": {"path": "/headline"}}, "title.text: /headline: is not in the data schema"),
        ("title", {"text": {"path": "title"}}, "title.text: title: is relative, but outside a list"),
        ("title", {"text": {"path": "/groups/name"}}, "title.text: /groups/name: is not in the data schema"),
        ("title", {"text": {"path": "/hint"}}, "title.text: /hint: may be absent: require it or give it a default"),
        ("title", {"text": {"path": "/groups/0/name"}}, "title.text: /groups/0/name: may be absent"),
        ("name", {"text": {"path": "/name"}}, "name.text: /name: is not in the data schema"),
        ("name", {"text": {"path": "nam"}}, "name.text: nam: is not in the schema of the list's items"),
        ("name", {"text": {"path": "price"}}, "name.text: price: may be absent"),
        ("dish", {"text": {"path": "name"}}, "dish.text: name: is not in the schema of the list's items"),
        ("name", {"text": formatted("¥${cost}")}, "name.text: cost: is not in the schema of the list's items"),
        ("name", {"text": formatted("¥${price}")}, "name.text: price: may be absent"),
        ("list", {"children": {"componentId": "group", "path": "/title"}}, "list.children: /title: is not an array"),
        ("list", {"children": {"componentId": "group", "path": "/rows"}}, "list.children: /rows: is not in the data"),
        ("dishes", {"children": {"componentId": "dish", "path": "/dishes"}}, "dishes.children: /dishes: is not in"),
        ("list", {"action": {"event": {"name": "x", "context": {"id": {"path": "/id"}}}}}, "list.action.event.context"),
    ],
)
def test_a_wrong_binding_is_named_with_component_property_and_path(
    component: str, change: dict[str, Any], said: str
) -> None:
    problems = lint(template(**{component: change}), SCHEMA)
    assert any(problem.startswith(said) for problem in problems), problems


@pytest.mark.parametrize(
    "change",
    [
        {"text": {"path": "/note"}},
        {"text": {"path": "/a~1b"}},
        {"text": formatted("${/title} and ${name}")},
        {"text": formatted(r"\${nothing} is said literally")},
        {"text": "a literal"},
    ],
)
def test_what_always_resolves_is_accepted(change: dict[str, Any]) -> None:
    assert lint(template(name=change), SCHEMA) == []


ROWS: dict[str, Any] = {
    "type": "array",
    "items": {"type": "object", "required": ["name"], "properties": {}},
    "default": [],
}
PAINTED: dict[str, Any] = {
    "type": "object",
    "required": ["words", "count", "rows", "picture"],
    "properties": {
        "words": {"type": "string"},
        "count": {"type": "integer"},
        "rows": ROWS,
        "picture": {"type": "string", "pattern": "^https?://"},
    },
}


@pytest.mark.parametrize(
    ("part", "said"),
    [
        ({"component": "Text", "text": {"path": "/count"}}, "root.text: /count: is integer, not a string: put it into"),
        ({"component": "Text", "text": {"path": "/rows"}}, "root.text: /rows: is array, not a string"),
        ({"component": "Text", "text": formatted("${/rows}")}, "root.text: /rows: is array, not a string"),
        ({"component": "Text", "text": formatted("${/count}")}, ""),
        ({"component": "Image", "url": {"path": "/words"}}, "root.url: /words: may be any address"),
        ({"component": "Image", "url": {"path": "/picture"}}, ""),
        ({"component": "RouteMap", "stops": {"path": "/rows"}}, ""),
        ({"component": "RouteMap", "stops": {"path": "/words"}}, "root.stops: /words: is not an array"),
        ({"component": "Heatmap", "cells": {"path": "/rows"}}, "root.cells: /rows: its items may lack label"),
        ({"component": "Form", "fields": {"path": "/rows"}}, "root.fields: /rows: its items may lack label, kind"),
    ],
)
def test_a_component_is_bound_to_what_it_can_paint(part: dict[str, Any], said: str) -> None:
    problems = lint([{"id": "root", **part}], PAINTED)
    assert len(problems) == bool(said)
    assert all(problem.startswith(said) for problem in problems)


def test_children_of_tabs_and_modals_are_visited() -> None:
    tabs = {"component": "Tabs", "tabs": [{"title": {"path": "/title"}, "child": "list"}], "children": None}
    wrong = template(body=tabs, name={"text": {"path": "nam"}})
    assert [problem.split(":")[0] for problem in lint(wrong, SCHEMA)] == ["name.text"]
    modal = {"component": "Modal", "trigger": "title", "content": "list", "children": None}
    assert lint(template(body=modal, name={"text": {"path": "nam"}}), SCHEMA) == lint(wrong, SCHEMA)


def test_a_template_that_names_itself_as_its_row_ends() -> None:
    loop = template(group={"children": ["name", "dishes", "group"]})
    assert lint(loop, SCHEMA) == []


def bindings(node: Any) -> int:
    if isinstance(node, dict):
        return ("path" in node) + sum(bindings(value) for value in node.values())
    return sum(bindings(value) for value in node) if isinstance(node, list) else 0


def broken(node: Any, target: int, seen: list[int]) -> Any:
    """A copy of `node` whose `target`-th path has a typo."""
    if isinstance(node, list):
        return [broken(value, target, seen) for value in node]
    if not isinstance(node, dict):
        return node
    copy = dict(node)
    if "path" in copy:
        if seen[0] == target:
            copy["path"] += "x"
        seen[0] += 1
    return {key: broken(value, target, seen) for key, value in copy.items()}


@pytest.mark.parametrize("card_type", load_catalogue().cards)
def test_a_typo_in_any_path_of_any_card_is_found(card_type: str) -> None:
    card = load_catalogue().cards[card_type]
    assert bindings(card.template) >= 3
    for target in range(bindings(card.template)):
        assert lint(broken(card.template, target, [0]), card.schema), f"path {target} of {card_type}"
