"""The committed contracts say what our agents declare and send, and what our front ends are built with."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from a2ui.core.basic_catalog.v0_9 import BASIC_COMPONENTS

from a2ui_schemas import load_catalogue
from a2ui_schemas.loader import CATALOGUE_VERSION
from agents.canteen.agent import SPEC as CANTEEN
from agents.kit.card import CATALOGUE_VERSION as BUILT_FOR
from agents.transport.agent import SPEC as TRANSPORT
from contracts.load import HERE, read_frontend
from contracts.sources import agent, catalogue, default_agents, version_of

ROOT = Path(__file__).parents[2]
SPECS = {spec.name: spec for spec in (CANTEEN, TRANSPORT)}
BASIC = {component.name for component in BASIC_COMPONENTS}


@pytest.mark.requirement("SB-CONTRACT-09")
def test_every_agent_has_a_contract_that_equals_what_it_declares() -> None:
    contracts = {found.name: set(found.card_types) for found in map(agent, default_agents())}
    assert contracts == {name: set(spec.card_types) for name, spec in SPECS.items()}


def test_agents_catalogue_and_contracts_are_of_one_version() -> None:
    assert {found.catalogue_version for found in map(agent, default_agents())} == {BUILT_FOR} == {CATALOGUE_VERSION}
    assert version_of(load_catalogue().id) == CATALOGUE_VERSION


def test_the_catalogue_that_contracts_read_is_the_one_the_supervisor_loads() -> None:
    view, loaded = catalogue(), load_catalogue()
    assert view.id == loaded.id
    assert {(card.type, card.aliases) for card in view.cards} == {(c.type, c.aliases) for c in loaded.cards.values()}
    for name in (*loaded.types, "dish_cards@1", "dish_cards@2", "dish-cards@1", "nope@1", "nope"):
        theirs, found = loaded.card(name), view.card(name)
        assert (found and found.type) == (theirs and theirs.type), name


@pytest.mark.requirement("SB-CONTRACT-09")
@pytest.mark.parametrize("name", ["lit", "copilotkit"])
def test_a_page_is_built_with_the_catalogue_and_the_components_that_its_contract_names(name: str) -> None:
    page = read_frontend(HERE / "frontends" / f"{name}.json")
    files = [path for path in (ROOT / SOURCES[name]).rglob("*.ts*") if "catalog" in path.relative_to(ROOT).as_posix()]
    source = "\n".join(path.read_text("utf-8") for path in sorted(files))
    assert set(re.findall(r'CATALOG_ID\b[^"\n]*"([^"]+)"', source)) == {page.catalog_id}
    assert page.components == BASIC | OWN[name](source)


SOURCES = {"lit": "web/src", "copilotkit": "web/copilotkit/src"}
OWN = {
    "lit": lambda source: set(re.findall(r'^  name: "(\w+)"', source, re.MULTILINE)),
    "copilotkit": lambda source: set(re.findall(r'\bcomponent\(\s*"(\w+)"', source)),
}


def test_the_mini_program_is_described_as_its_document_says() -> None:
    page = json.loads((HERE / "frontends" / "mini-program.json").read_text("utf-8"))
    assert [channel["event"] for channel in page["channels"]] == ["ACTIVITY_SNAPSHOT", "RAW", "RAW"]
    assert sorted(page["channels"][2]["cardTypes"]) == [
        *("form-card", "heatmap-card", "identify-card", "list-card", "list-pane-card", "message-card"),
        "navigation-card",
    ]
    assert {hole["hole"] for hole in page["knownHoles"]} == {"text", "version", "catalogue", "components"}
