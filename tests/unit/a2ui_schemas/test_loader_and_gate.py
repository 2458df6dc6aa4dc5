"""Loading the catalogue, the start-up gate, and the committed A2UI catalogue."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from a2ui.core import Catalog
from a2ui.core.basic_catalog.v0_9 import BASIC_COMPONENTS
from a2ui.utils.validation import validate_payload
from jsonschema import Draft202012Validator

from a2ui_schemas import CatalogueError, load_catalogue
from a2ui_schemas.__main__ import export, main
from a2ui_schemas.components import CATALOG_ID, build_catalog
from a2ui_schemas.gate import check
from a2ui_schemas.loader import HERE
from tests.unit.a2ui_schemas.edits import Edit, component, edit

ROOT = HERE.parent


def test_the_committed_catalogue_passes_the_gate() -> None:
    check(load_catalogue())


def test_the_committed_catalog_json_equals_the_export() -> None:
    assert (HERE / "catalog.json").read_text("utf-8") == export()


@pytest.mark.requirement("CARD-04")
def test_card_04_the_catalogue_id_is_the_one_in_the_catalogue_document() -> None:
    document = json.loads((HERE / "catalog.json").read_text("utf-8"))
    assert document["catalogId"] == load_catalogue().id == CATALOG_ID
    assert Catalog.from_json(document).catalog_id == CATALOG_ID


@pytest.mark.requirement("CARD-04")
def test_card_04_every_component_of_a_template_exists_in_the_catalogue_document() -> None:
    document = json.loads((HERE / "catalog.json").read_text("utf-8"))
    assert {api.name for api in BASIC_COMPONENTS} | {"Heatmap", "RouteMap", "Meter", "Form"} == set(
        document["components"]
    )
    for card in load_catalogue().cards.values():
        assert {c["component"] for c in card.template} <= set(document["components"])


def test_the_exported_document_accepts_a_route_map_and_refuses_a_boat() -> None:
    catalog = Catalog.from_json(json.loads(export()))

    def messages(mode: str) -> list[dict[str, Any]]:
        route = {"id": "root", "component": "RouteMap", "stops": {"path": "/stops"}, "mode": mode}
        return [
            {"version": "v0.9", "createSurface": {"surfaceId": "s", "catalogId": CATALOG_ID}},
            {"version": "v0.9", "updateComponents": {"surfaceId": "s", "components": [route]}},
        ]

    for known in (catalog, build_catalog()):
        validate_payload([known], messages("shuttle"))
        with pytest.raises(Exception, match=r"mode|RouteMap|boat"):
            validate_payload([known], messages("boat"))


@pytest.mark.parametrize("card_type", load_catalogue().cards)
def test_templates_hold_no_words_only_symbols_and_bindings(card_type: str) -> None:
    for part in load_catalogue().cards[card_type].template:
        texts = [part.get("text"), (part.get("text") or {}).get("args", {}).get("value")] if "text" in part else []
        for text in texts:
            words = text if isinstance(text, str) else ""
            while "${" in words:
                words = words[: words.index("${")] + words[words.index("}") + 1 :]
            assert not any(letter.isalpha() for letter in words), part


@pytest.mark.parametrize("card_type", load_catalogue().cards)
def test_every_default_is_valid_under_its_own_schema(card_type: str) -> None:
    def defaults(node: Any) -> None:
        if isinstance(node, dict):
            if "default" in node:
                Draft202012Validator(node).validate(node["default"])
            for value in node.values():
                defaults(value)

    defaults(load_catalogue().cards[card_type].schema)


def test_a_card_is_found_by_type_and_by_alias() -> None:
    catalogue = load_catalogue()
    assert catalogue.card("dish-cards") is catalogue.card("dish_cards") is catalogue.cards["dish_cards"]
    assert catalogue.card("nope") is None
    assert {"dish-cards", "dish_cards"} <= set(catalogue.types)


def test_the_public_catalogue_is_json_with_the_schema_of_every_card() -> None:
    catalogue = load_catalogue()
    public = json.loads(json.dumps(catalogue.to_json()))
    assert public["catalogId"] == CATALOG_ID
    assert {card["type"]: card["dataSchema"] for card in public["cards"]} == {
        card.type: card.schema for card in catalogue.cards.values()
    }


def test_the_digest_changes_with_any_file(folder: Path) -> None:
    before = load_catalogue(folder).digest
    assert load_catalogue(folder).digest == before == load_catalogue().digest
    edit(folder / "dish_cards" / "example.json", lambda example: {**example, "title": "别的"})
    assert load_catalogue(folder).digest != before


@pytest.mark.parametrize(
    ("file", "content", "said"),
    [
        ("dish_cards/template.json", None, "dish_cards/template.json: missing"),
        ("dish_cards/template.json", "{", "dish_cards/template.json: not JSON"),
        ("dish_cards/template.json", "{}", "dish_cards/template.json: not a JSON array"),
        ("dish_cards/template.json", "[1]", "dish_cards/template.json: holds something that is not a component"),
        ("dish_cards/data.schema.json", "[]", "dish_cards/data.schema.json: not a JSON object"),
        ("dish_cards/card.json", "[]", "dish_cards/card.json: not a JSON object"),
        ("dish_cards/card.json", '{"type": "dish_cards", "version": "1.0"}', "category is missing"),
        (
            "dish_cards/card.json",
            '{"type": "dish_cards", "version": "1.0", "category": "x", "aliases": "dishes"}',
            "dish_cards/card.json: aliases is not a list of strings",
        ),
        ("dish_cards/card.json", '{"type": "dishes", "version": "1.0", "category": "x"}', "type is 'dishes'"),
        (
            "dish_cards/card.json",
            '{"type": "dish_cards", "version": "1.0", "category": "x", "aliases": ["stall_cards"]}',
            "the name 'stall_cards' is already used",
        ),
        ("catalog.json", "{}", "catalog.json: not a JSON object"),
        ("catalog.json", '{"x": 1}', "catalog.json: catalogId missing"),
    ],
)
def test_a_broken_file_stops_the_loading_and_is_named(folder: Path, file: str, content: str | None, said: str) -> None:
    if content is None:
        (folder / file).unlink()
    else:
        (folder / file).write_text(content, "utf-8")
    with pytest.raises(CatalogueError) as caught:
        load_catalogue(folder)
    assert said in str(caught.value)


def test_an_empty_folder_is_no_catalogue(tmp_path: Path) -> None:
    with pytest.raises(CatalogueError, match="no card types"):
        load_catalogue(tmp_path)


@pytest.mark.parametrize(
    ("file", "change", "said"),
    [
        ("template.json", component("title", text={"path": "/headline"}), "title.text: /headline"),
        ("template.json", component("title", variant="h9"), "variant"),
        ("template.json", component("body", children=["title", "nowhere"]), "nowhere"),
        ("template.json", component("root", component="Carousel"), "Carousel"),
        ("template.json", component("root", id="top"), "root"),
        ("template.json", component("title", text=None), "text"),
        ("template.json", lambda template: [*template, template[0]], "root"),
        ("template.json", lambda template: [{**template[0], "id": None}], "id"),
        ("template.json", component("list", children={"componentId": "item", "path": 3}), "path"),
        ("template.json", lambda template: [*template, {"id": "lost", "component": "Divider"}], "lost"),
        ("example.json", lambda example: {**example, "items": [{}]}, "'name' is a required property"),
        ("data.schema.json", lambda schema: {**schema, "type": "objekt"}, "objekt"),
    ],
)
def test_the_gate_names_the_file_and_the_place(folder: Path, file: str, change: Edit, said: str) -> None:
    edit(folder / "dish_cards" / file, change)
    with pytest.raises(CatalogueError) as caught:
        check(load_catalogue(folder))
    assert f"dish_cards/{file}" in str(caught.value)
    assert said in str(caught.value)


def test_the_gate_lists_the_problems_of_all_cards_at_once(folder: Path) -> None:
    for name in ("dish_cards", "stall_cards"):
        edit(folder / name / "template.json", component("title", text={"path": "/headline"}))
    shutil.rmtree(folder / "message-card")
    edit(folder / "catalog.json", lambda document: {**document, "catalogId": "https://elsewhere.example/c.json"})
    with pytest.raises(CatalogueError) as caught:
        check(load_catalogue(folder))
    lines = str(caught.value).splitlines()
    assert [line.split(":")[0] for line in lines] == [
        "catalog.json",
        "message-card",
        "dish_cards/template.json",
        "stall_cards/template.json",
    ]


def test_the_command_checks_and_knows_its_arguments(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check"]) == 0
    assert "dish_cards" in capsys.readouterr().out
    assert main([]) == 2


def test_agents_can_load_the_catalogue_without_the_sdk_and_without_the_fast_validator() -> None:
    program = (
        "import sys\n"
        "for name in ('a2ui', 'jsonschema_rs', 'pydantic', 'supervisor'): sys.modules[name] = None\n"
        "from a2ui_schemas import load_catalogue\n"
        "import jsonschema\n"
        "for card in load_catalogue().cards.values(): jsonschema.validate(card.example, card.schema)\n"
        "print(len(load_catalogue().cards))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.stderr == ""
    assert int(done.stdout) == len(load_catalogue().cards)
