"""`python -m contracts check` and the contract files themselves."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from a2ui_schemas import load_catalogue
from a2ui_schemas.loader import HERE as CATALOGUE
from agents.canteen.agent import SPEC as CANTEEN
from agents.transport.agent import SPEC as TRANSPORT
from contracts.__main__ import app
from contracts.load import HERE, ContractError, read_agent, read_frontend, read_supervisor
from contracts.matrix import compare
from contracts.sources import agent as agent_from
from contracts.sources import catalogue as catalogue_from
from contracts.sources import default_agents, default_frontends
from tests.fakes.a2a_shapes import agent_card

ROOT = Path(__file__).parents[2]


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["check", *arguments])
    return result.exit_code, result.output


def write(path: Path, content: Any) -> str:
    path.write_text(json.dumps(content), "utf-8")
    return str(path)


def lit(**changes: Any) -> dict[str, Any]:
    return json.loads((HERE / "frontends" / "lit.json").read_text("utf-8")) | changes


def holes(frontend: str) -> dict[str, list[str]]:
    code, output = run("--frontend", frontend, "--json")
    report = json.loads(output)
    assert (code == 0) is report["ok"]
    return {row["cardType"]: row["frontends"]["lit"] for row in report["rows"]}


def test_what_is_committed_fits_together() -> None:
    code, output = run()
    assert code == 0, output
    for name in ("canteen", "transport", "supervisor", "dish_cards", "shuttle_cards", "lit"):
        assert name in output


def test_card_01_an_agent_that_emits_a_type_without_a_schema_is_a_hole(tmp_path: Path) -> None:
    path = write(tmp_path / "canteen.json", {"agent": "canteen", "cardTypes": ["dish_cards", "totally_new_card"]})
    code, output = run("--agent", path, "--json")
    rows = {row["cardType"]: row["inCatalogue"] for row in json.loads(output)["rows"]}
    assert code == 1
    assert rows["totally_new_card"] is False
    assert rows["dish_cards"] is True


def test_card_01_a_type_that_leaves_the_catalogue_is_a_hole(tmp_path: Path) -> None:
    shutil.copytree(CATALOGUE, tmp_path / "cards", ignore=shutil.ignore_patterns("__pycache__", "dish_cards"))
    code, output = run("--catalogue", str(tmp_path / "cards"))
    assert code == 1
    assert "missing" in output


def test_an_alias_counts_as_its_type(tmp_path: Path) -> None:
    path = write(tmp_path / "canteen.json", {"agent": "canteen", "cardTypes": ["dish-cards"]})
    code, output = run("--agent", path, "--json")
    assert code == 0
    assert "dish_cards" not in json.loads(output)["unused"]


def test_a_front_end_with_a_list_of_its_own_that_lacks_a_type_is_a_hole(tmp_path: Path) -> None:
    types = ["message-card", "dish_cards", "stall_cards", "canteen_cards", "canteen_heatmap"]
    found = holes(write(tmp_path / "lit.json", lit(cardTypes=types)))
    assert found["shuttle_cards"] == ["does not list this card type"]
    assert found["dish_cards"] == []


def test_a_front_end_that_listens_on_another_channel_shows_nothing(tmp_path: Path) -> None:
    channel = {"event": "RAW", "activityType": "a2ui-surface"}
    found = holes(write(tmp_path / "lit.json", lit(channel=channel)))
    assert all(reasons and "RAW" in reasons[0] for reasons in found.values())


def test_a_front_end_with_another_catalogue_id_shows_nothing(tmp_path: Path) -> None:
    basic = "https://a2ui.org/specification/v0_9/basic_catalog.json"
    found = holes(write(tmp_path / "lit.json", lit(catalogId=basic)))
    assert all(reasons and basic in reasons[0] for reasons in found.values())


def test_a_front_end_that_speaks_another_a2ui_version_shows_nothing(tmp_path: Path) -> None:
    found = holes(write(tmp_path / "lit.json", lit(a2uiVersion="v0.8")))
    assert all(reasons == ["speaks A2UI v0.8, not v0.9"] for reasons in found.values())


def test_a_front_end_without_a_component_misses_the_cards_made_of_it(tmp_path: Path) -> None:
    components = [name for name in lit()["components"] if name != "Heatmap"]
    found = holes(write(tmp_path / "lit.json", lit(components=components)))
    assert found.pop("canteen_heatmap") == ["cannot paint Heatmap"]
    assert not any(found.values())


def test_the_fallback_card_must_be_shown_everywhere(tmp_path: Path) -> None:
    agent = write(tmp_path / "x.json", {"agent": "x", "cardTypes": ["dish_cards"]})
    page = write(tmp_path / "lit.json", lit(cardTypes=["dish_cards"]))
    code, output = run("--agent", agent, "--frontend", page, "--json")
    assert code == 1
    first = json.loads(output)["rows"][0]
    assert (first["agent"], first["cardType"]) == ("supervisor", "message-card")
    assert first["frontends"]["lit"] == ["does not list this card type"]


def test_an_a2a_agent_card_can_stand_for_a_contract(tmp_path: Path) -> None:
    card = agent_card("canteen", "http://canteen", ("1.0",), card_types=("dish_cards", "menu_cards"))
    agent = agent_from(write(tmp_path / "card.json", card))
    assert agent.card_types == ("dish_cards", "menu_cards")


def test_an_agent_card_that_says_nothing_about_cards_is_refused_with_the_reason(tmp_path: Path) -> None:
    path = write(tmp_path / "card.json", {"name": "x", "capabilities": {"streaming": True}})
    code, output = run("--agent", path)
    assert code == 2
    assert "does not declare" in output


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "not JSON"),
        ("[]", "not a JSON object"),
        ('{"agent": "x"}', "'cardTypes' is a required property"),
        ('{"agent": "x", "cardTypes": [1]}', "$.cardTypes[0]"),
    ],
)
def test_a_broken_contract_file_is_named_with_the_place(tmp_path: Path, content: str, said: str) -> None:
    path = tmp_path / "broken.json"
    path.write_text(content, "utf-8")
    code, output = run("--agent", str(path))
    assert code == 2
    assert "broken.json" in output
    assert said in output


def test_a_missing_file_is_an_error_not_a_hole(tmp_path: Path) -> None:
    with pytest.raises(ContractError, match=r"nowhere\.json: cannot be read"):
        read_agent(tmp_path / "nowhere.json")


def test_a_folder_without_cards_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "catalog.json", {"catalogId": "x"})
    with pytest.raises(ContractError, match="no card types"):
        catalogue_from(tmp_path)


def test_types_that_nobody_emits_are_told_but_are_no_hole() -> None:
    report = compare(read_supervisor(), [], [read_frontend(path) for path in default_frontends()], catalogue_from())
    assert report.ok
    assert "dish_cards" in report.unused
    assert "message-card" not in report.unused


def test_the_catalogue_that_contracts_read_is_the_one_the_supervisor_loads() -> None:
    view, loaded = catalogue_from(), load_catalogue()
    assert view.id == loaded.id
    assert {(card.type, card.aliases) for card in view.cards} == {(c.type, c.aliases) for c in loaded.cards.values()}


def test_every_agent_has_a_contract_that_equals_what_it_declares() -> None:
    contracts = {agent.name: set(agent.card_types) for agent in map(agent_from, default_agents())}
    assert contracts == {spec.name: set(spec.card_types) for spec in (CANTEEN, TRANSPORT)}


def test_the_page_is_built_with_the_catalogue_and_the_components_that_its_contract_names() -> None:
    source = (ROOT / "web" / "src" / "catalog.ts").read_text("utf-8")
    page = read_frontend(HERE / "frontends" / "lit.json")
    found = re.search(r'CATALOG_ID = "([^"]+)"', source)
    assert found is not None
    assert found[1] == page.catalog_id
    basic = {name for name, schema in _components().items() if name not in ("Heatmap", "RouteMap") and schema}
    assert page.components == basic | set(re.findall(r'name: "(\w+)"', source))


def _components() -> dict[str, Any]:
    return json.loads((CATALOGUE / "catalog.json").read_text("utf-8"))["components"]
