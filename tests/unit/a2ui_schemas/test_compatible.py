"""Within a major version a card type may only grow: what counts as growth, and what an agent would stumble over."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from a2ui_schemas import load_catalogue
from a2ui_schemas.__main__ import main
from a2ui_schemas.compatible import breaking
from a2ui_schemas.loader import HERE
from tests.unit.a2ui_schemas.edits import Edit, edit


def root(**change: Any) -> Edit:
    """Change the schema itself."""
    return lambda schema: {**schema, **change}


def field(name: str, **change: Any) -> Edit:
    """Change a field of the card; a keyword that becomes None is left out."""

    def changed(schema: Any) -> Any:
        old = schema["properties"].get(name, {})
        new = {key: value for key, value in {**old, **change}.items() if value is not None}
        return {**schema, "properties": {**schema["properties"], name: new}}

    return changed


def row(name: str, **change: Any) -> Edit:
    """Change a field of every item."""

    def changed(schema: Any) -> Any:
        items = schema["properties"]["items"]
        return field("items", items=field(name, **change)(items["items"]))(schema)

    return changed


def without(name: str) -> Edit:
    return lambda schema: {**schema, "properties": {k: v for k, v in schema["properties"].items() if k != name}}


def context(change: Edit) -> Edit:
    return lambda card: {
        **card,
        "actions": [{**a, "context": change(a["context"])} if a["name"] == "open_dish" else a for a in card["actions"]],
    }


def problems(folder: Path, file: str, change: Edit) -> list[str]:
    edit(folder / "dish_cards" / file, change)
    return list(breaking(load_catalogue(), load_catalogue(folder)))


@pytest.mark.parametrize(
    ("file", "change"),
    [
        ("data.schema.json", lambda schema: schema),
        ("data.schema.json", field("note", type="string", maxLength=9, default="")),
        ("data.schema.json", row("calories", type="integer")),
        ("data.schema.json", row("name", maxLength=300)),
        ("data.schema.json", row("spiciness", maximum=5)),
        ("data.schema.json", row("spiciness", type=["integer", "string"])),
        ("data.schema.json", row("spiciness", type="number")),
        ("data.schema.json", root(required=[])),
        ("card.json", context(field("note", type="string"))),
        ("card.json", lambda card: {**card, "aliases": [*card["aliases"], "dishes"]}),
    ],
)
def test_additions_and_wider_limits_are_no_break(folder: Path, file: str, change: Edit) -> None:
    assert problems(folder, file, change) == []


@pytest.mark.parametrize(
    ("file", "change", "said"),
    [
        ("data.schema.json", without("subtitle"), "data.subtitle: is gone"),
        ("data.schema.json", root(required=["items", "title"]), "data.title: may be absent, but is required"),
        ("data.schema.json", field("items", maxItems=50), "data.items: maxItems 500 may come, only 50 is taken"),
        (
            "data.schema.json",
            field("items", minItems=1),
            "data.items: minItems without limit may come, only 1 is taken",
        ),
        ("data.schema.json", field("title", default=None), "data.title: has no default any more"),
        ("data.schema.json", row("price", type="string"), "data.items[].price: integer, number may come, but is not"),
        ("data.schema.json", row("stock_label", enum=["a"]), "data.items[].stock_label: only ['a'] is taken"),
        ("data.schema.json", row("image_url", pattern="^$"), "data.items[].image_url: only ^$ is taken"),
        ("card.json", lambda card: {**card, "actions": card["actions"][1:]}, "actions.open_dish: is gone"),
        ("card.json", context(root(required=[])), "actions.open_dish.context.id: may be absent, but is required"),
        ("card.json", context(field("id", maxLength=900)), "actions.open_dish.context.id: maxLength 900 may come"),
    ],
)
def test_what_an_agent_of_yesterday_would_stumble_over_is_named(
    folder: Path, file: str, change: Edit, said: str
) -> None:
    (problem,) = problems(folder, file, change)
    assert problem.startswith(f"dish_cards: {said}")


def test_a_name_that_no_longer_leads_to_a_card_is_named(folder: Path) -> None:
    gone = problems(folder, "card.json", lambda card: {**card, "aliases": ["dish-cards"]})
    assert gone == ["dish-card-list: is gone"]


def test_a_new_major_beside_the_old_one_is_an_addition_and_a_card_that_is_gone_is_not(folder: Path) -> None:
    second = folder / "dish_cards@2"
    shutil.copytree(folder / "dish_cards", second)
    edit(second / "card.json", lambda card: {**card, "type": "dish_cards@2", "version": "2.0", "aliases": []})
    assert list(breaking(load_catalogue(), load_catalogue(folder))) == []
    shutil.rmtree(folder / "dish_cards")
    gone = list(breaking(load_catalogue(), load_catalogue(folder)))
    assert gone == ["dish-card-list: is gone", "dish-cards: is gone", "dish_cards: is gone"]


def test_the_command_compares_two_folders(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", str(folder)]) == 0
    assert "only additions" in capsys.readouterr().out
    edit(folder / "dish_cards" / "data.schema.json", without("subtitle"))
    assert main(["compare", str(folder)]) == 0
    capsys.readouterr()
    assert main(["compare", str(HERE), str(folder)]) == 1
    assert capsys.readouterr().out == "dish_cards: data.subtitle: is gone\n"
    assert main(["compare", str(folder / "nowhere")]) == 1
    assert "no card types" in capsys.readouterr().err
