"""Two majors of one type side by side: both are loaded, checked, found by name and rendered."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from a2ui_schemas import CatalogueError, load_catalogue
from a2ui_schemas.gate import check
from supervisor.cards.render import CardRenderer
from tests.unit.a2ui_schemas.edits import component, edit
from tests.unit.cards.paint import texts


@pytest.fixture
def majors(folder: Path) -> Path:
    """A catalogue in which `dish_cards@2` calls the rows of `dish_cards` dishes."""
    second = folder / "dish_cards@2"
    shutil.copytree(folder / "dish_cards", second)

    def renamed(data: dict[str, Any]) -> dict[str, Any]:
        return {"dishes" if key == "items" else key: value for key, value in data.items()}

    edit(second / "card.json", lambda card: {**card, "type": "dish_cards@2", "version": "2.0", "aliases": []})
    edit(second / "example.json", renamed)
    edit(
        second / "data.schema.json",
        lambda schema: {**schema, "required": ["dishes"], "properties": renamed(schema["properties"])},
    )
    edit(second / "template.json", component("list", children={"componentId": "item", "path": "/dishes"}))
    return folder


def test_both_majors_pass_the_gate_and_paint_their_own_data(majors: Path) -> None:
    catalogue = load_catalogue(majors)
    check(catalogue)
    render = CardRenderer(catalogue).render
    for card_type, field in (("dish_cards", "items"), ("dish_cards@2", "dishes")):
        card = render(card_type, {field: [{"name": "麻婆豆腐"}]}, bubble_text="一道菜")
        assert card.fallback is None
        assert card.card_type == card_type
        assert "麻婆豆腐" in texts(card.operations)


def test_the_plain_name_and_every_alias_mean_the_first_major(majors: Path) -> None:
    catalogue = load_catalogue(majors)
    first, second = catalogue.cards["dish_cards"], catalogue.cards["dish_cards@2"]
    for name in ("dish_cards", "dish-cards", "dish-card-list", "dish_cards@1", "dish-cards@1"):
        assert catalogue.card(name) is first
    for name in ("dish_cards@2", "dish-cards@2", "dish-card-list@2"):
        assert catalogue.card(name) is second
    for name in ("dish_cards@3", "dish_cards@", "@2", "dish_cards@two", "nope@2"):
        assert catalogue.card(name) is None


def test_data_of_the_new_major_under_the_old_name_is_a_fallback_and_not_an_empty_card(majors: Path) -> None:
    card = CardRenderer(load_catalogue(majors)).render("dish_cards", {"dishes": [{"name": "x"}]}, bubble_text="一道菜")
    assert card.fallback is not None
    assert card.fallback.errors == ("/: required",)


@pytest.mark.parametrize(("name", "version"), [("dish_cards@2", "1.4"), ("dish_cards", "2.0"), ("dish_cards", "1")])
def test_a_version_that_is_not_the_folders_is_refused(majors: Path, name: str, version: str) -> None:
    edit(majors / name / "card.json", lambda card: {**card, "version": version})
    with pytest.raises(CatalogueError) as caught:
        load_catalogue(majors)
    assert f"{name}/card.json: version is {version!r}" in str(caught.value)
