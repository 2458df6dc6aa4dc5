"""`python -m contracts check` on files: every kind of hole is found, and said in one line that names what to change."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from a2ui_schemas.loader import HERE as CATALOGUE
from contracts.__main__ import app
from contracts.holes import KINDS
from contracts.load import HERE, ContractError, read_agent, schema
from contracts.sources import agent as agent_from
from contracts.sources import catalogue as catalogue_from
from tests.fakes.a2a_shapes import agent_card

LIT = HERE / "frontends" / "lit.json"
COMPONENTS = list(json.loads((CATALOGUE / "catalog.json").read_text("utf-8"))["components"])
CHANNEL = {"event": "ACTIVITY_SNAPSHOT", "activityType": "a2ui-surface", "carries": "a2ui_operations"}


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["check", *arguments])
    return result.exit_code, result.output


def report(*arguments: str) -> dict[str, Any]:
    """The JSON report; its verdict is the exit code."""
    code, output = run(*arguments, "--json")
    found = json.loads(output)
    assert code == (0 if found["ok"] else 1)
    assert bool(found["holes"]) is (code == 1)
    return found


def write(path: Path, content: Any) -> str:
    path.write_text(json.dumps(content), "utf-8")
    return str(path)


def lit(tmp_path: Path, **changes: Any) -> str:
    """The contract of a page that paints every component, with some keys changed; None takes a key out."""
    found = json.loads(LIT.read_text("utf-8")) | {"components": COMPONENTS} | changes
    return write(tmp_path / "lit.json", {key: value for key, value in found.items() if value is not None})


def agent(tmp_path: Path, *card_types: str, **more: Any) -> str:
    return write(tmp_path / "agent.json", {"agent": "canteen", "cardTypes": list(card_types), **more})


def cards(tmp_path: Path, *left_out: str) -> Path:
    """A copy of the catalogue without some folders."""
    ignore = shutil.ignore_patterns("__pycache__", *left_out)
    shutil.copytree(CATALOGUE, tmp_path / "cards", ignore=ignore)
    return tmp_path / "cards"


def edit(path: Path, change: Any) -> None:
    content = json.loads(path.read_text("utf-8"))
    change(content)
    write(path, content)


def test_what_is_committed_fits_together() -> None:
    code, output = run()
    assert code == 0, output
    for name in ("canteen", "transport", "supervisor", "dish_cards", "shuttle_cards", "lit", "copilotkit"):
        assert name in output
    assert "Holes" not in output.splitlines()


@pytest.mark.parametrize("kind", KINDS)
def test_a_front_end_may_admit_every_kind_of_hole_that_is_up_to_it(kind: str) -> None:
    assert kind in schema("frontend")["properties"]["knownHoles"]["items"]["properties"]["hole"]["enum"]


@pytest.mark.requirement("SB-CONTRACT-01")
def test_an_agent_that_emits_a_type_without_a_schema_is_a_hole(tmp_path: Path) -> None:
    path = agent(tmp_path, "dish_cards", "totally_new_card")
    found = report("--agent", path)
    assert {row["cardType"]: row["inCatalogue"] for row in found["rows"]}["totally_new_card"] is False
    (line,) = found["holes"]
    assert line.startswith("canteen: totally_new_card: is not in the catalogue;")
    assert "new-card totally_new_card" in line
    assert path in line


def test_a_misspelt_type_is_told_the_right_one(tmp_path: Path) -> None:
    (line,) = report("--agent", agent(tmp_path, "dish_card"))["holes"]
    assert "(did it mean dish_cards?)" in line


@pytest.mark.requirement("SB-CONTRACT-01")
def test_a_type_that_leaves_the_catalogue_is_a_hole(tmp_path: Path) -> None:
    code, output = run("--catalogue", str(cards(tmp_path, "dish_cards")))
    assert code == 1
    line = next(line for line in output.splitlines() if "is not in the catalogue" in line)
    assert line.strip().startswith("canteen: dish_cards: ")
    assert "contracts/agents/canteen.json" in line


def test_an_alias_counts_as_its_type(tmp_path: Path) -> None:
    found = report("--agent", agent(tmp_path, "dish-cards"))
    assert found["ok"]
    assert "dish_cards" not in found["unused"]


def test_an_agent_that_is_built_for_another_version_of_the_catalogue_is_a_hole(tmp_path: Path) -> None:
    (line,) = report("--agent", agent(tmp_path, "dish_cards", catalogueVersion="2"))["holes"]
    assert line.startswith("canteen: dish_cards: is built for version 2 of the catalogue, which is at 1;")


@pytest.mark.requirement("SB-CONTRACT-02")
def test_a_sample_that_does_not_fit_is_a_hole_that_names_the_place(tmp_path: Path) -> None:
    samples = {"dish_cards": [{"items": []}, {"items": [{"price": "1.00"}]}]}
    path = agent(tmp_path, "dish_cards", samples=samples)
    (line,) = report("--agent", path)["holes"]
    assert "$.items[0]: 'name' is a required property" in line
    assert f"sample 2 in {path}" in line
    assert "dish_cards/data.schema.json" in line


def test_samples_may_stand_in_a_file_of_their_own(tmp_path: Path) -> None:
    path = agent(tmp_path, "dish_cards", samples="sent/dishes.json")
    assert "cannot be read" in run("--agent", path)[1]
    (tmp_path / "sent").mkdir()
    write(tmp_path / "sent/dishes.json", {"dish_cards": [{"items": 3}]})
    (line,) = report("--agent", path)["holes"]
    assert "$.items: 3 is not of type 'array'" in line
    write(tmp_path / "sent/dishes.json", {"dish_cards": []})
    assert run("--agent", path)[0] == 2


def test_a_field_that_the_catalogue_does_not_know_is_a_hole_because_it_would_be_dropped(tmp_path: Path) -> None:
    samples = {"dish_cards": [{"items": [{"name": "x", "carbon": "1 kg"}]}]}
    (line,) = report("--agent", agent(tmp_path, "dish_cards", samples=samples))["holes"]
    assert "carbon" in line


BROKEN: dict[str, tuple[str, Any, str]] = {
    "no root": ("template.json", lambda t: t[0].update(id="top"), "no component with the id root"),
    "dangling": ("template.json", lambda t: t[0].update(child="nowhere"), "names the component nowhere"),
    "orphan": (
        "template.json",
        lambda t: t.append({"id": "x", "component": "Text", "text": "?"}),
        "no component shows x",
    ),
    "twice": ("template.json", lambda t: t.append(t[1]), "more than one component"),
    "circle": ("template.json", lambda t: t[1]["children"].append("root"), "goes round in a circle"),
    "no component": ("template.json", lambda t: t[0].pop("component"), "is not a list of components"),
    "type": ("card.json", lambda c: c.update(type="dishes"), "the type is 'dishes'"),
    "clash": ("card.json", lambda c: c.update(aliases=["canteen_cards"]), "belongs to canteen_cards"),
    "schema": ("data.schema.json", lambda s: s.update(type="objekt"), "data.schema.json"),
    "example": ("example.json", lambda e: e.pop("items"), "example.json: $: 'items' is a required property"),
}


@pytest.mark.parametrize(("file", "change", "said"), BROKEN.values(), ids=BROKEN)
def test_a_card_with_which_no_supervisor_would_start_is_a_hole(
    tmp_path: Path, file: str, change: Any, said: str
) -> None:
    folder = cards(tmp_path)
    edit(folder / "dish_cards" / file, change)
    found = report("--catalogue", str(folder), "--agent", agent(tmp_path, "dish_cards"))
    assert any(line.startswith("canteen: dish_cards: ") and said in line for line in found["holes"]), found["holes"]


@pytest.mark.parametrize("file", ["card.json", "template.json", "data.schema.json", "example.json"])
def test_a_card_file_that_cannot_be_read_is_a_hole_of_that_card_alone(tmp_path: Path, file: str) -> None:
    folder = cards(tmp_path)
    (folder / "dish_cards" / file).write_text("{", "utf-8")
    found = report("--catalogue", str(folder), "--agent", agent(tmp_path, "stall_cards"))
    (line,) = found["holes"]
    assert line.startswith("(nobody): dish_cards: ")
    assert f"{file}: not JSON" in line


def test_a_front_end_with_a_list_of_its_own_that_lacks_a_type_is_a_hole(tmp_path: Path) -> None:
    page = lit(tmp_path, channels=[{**CHANNEL, "cardTypes": ["message-card", "dish_cards"]}])
    (line,) = report("--frontend", page, "--agent", agent(tmp_path, "dish_cards", "stall_cards"))["holes"]
    assert line.startswith("lit: stall_cards: is not in the front end's own list of card types;")
    assert f"add stall_cards to `cardTypes` of {page}" in line


def test_an_alias_in_a_front_ends_list_is_not_the_name_under_which_the_card_comes(tmp_path: Path) -> None:
    page = lit(tmp_path, channels=[{**CHANNEL, "cardTypes": ["message-card", "dish-cards"]}])
    assert not report("--frontend", page, "--agent", agent(tmp_path, "dish-cards"))["ok"]


def test_one_channel_that_fits_is_enough(tmp_path: Path) -> None:
    raw = {"event": "RAW", "carries": "card_data_model", "cardTypes": ["list-card"]}
    page = lit(tmp_path, channels=[raw, {"event": "ACTIVITY_SNAPSHOT", "carries": "a2ui_operations"}])
    assert report("--frontend", page)["ok"]


@pytest.mark.requirement("SB-CONTRACT-02")
@pytest.mark.parametrize("change", [{"event": "RAW"}, {"activityType": "card"}, {"carries": "card_data_model"}])
def test_a_front_end_that_listens_elsewhere_shows_nothing(tmp_path: Path, change: dict[str, str]) -> None:
    found = report("--frontend", lit(tmp_path, channels=[CHANNEL | change]), "--agent", agent(tmp_path, "dish_cards"))
    (line,) = found["holes"]
    assert line.startswith("lit: message-card, dish_cards: reads cards from `")
    assert next(iter(change.values())) in line


FRONT: dict[str, tuple[dict[str, Any], str]] = {
    "other version": ({"a2uiVersion": "v0.8"}, "speaks A2UI v0.8, but cards are v0.9"),
    "other catalogue": ({"catalogId": "https://a2ui.org/basic.json"}, "has registered the catalogue https://a2ui.org"),
    "version unsaid": ({"a2uiVersion": None}, "does not say which version of A2UI it speaks; add `a2uiVersion`"),
    "catalogue unsaid": ({"catalogId": None}, "does not say which A2UI catalogue it has registered; add `catalogId`"),
    "components unsaid": ({"components": None}, "does not say which components it can paint; add `components`"),
}


@pytest.mark.parametrize(("changes", "said"), FRONT.values(), ids=FRONT)
def test_a_front_end_that_differs_or_does_not_say_is_one_hole_for_all_cards(
    tmp_path: Path, changes: dict[str, Any], said: str
) -> None:
    found = report("--frontend", lit(tmp_path, **changes), "--agent", agent(tmp_path, "dish_cards", "stall_cards"))
    (line,) = found["holes"]
    assert line.startswith(f"lit: message-card, dish_cards, stall_cards: {said}")


@pytest.mark.requirement("SB-CONTRACT-02")
def test_a_front_end_without_a_component_misses_the_cards_made_of_it(tmp_path: Path) -> None:
    page = lit(tmp_path, components=[name for name in COMPONENTS if name != "Heatmap"])
    (line,) = report("--frontend", page, "--agent", agent(tmp_path, "canteen_heatmap", "message-card"))["holes"]
    assert line.startswith("lit: canteen_heatmap: cannot paint Heatmap;")


def test_a_front_end_that_reads_answers_elsewhere_shows_no_words(tmp_path: Path) -> None:
    (line,) = report("--frontend", lit(tmp_path, textEvents=["RAW"]))["holes"]
    assert line.startswith("lit: (text): reads answers from RAW only, but they are sent as TEXT_MESSAGE_CONTENT;")


def test_the_fallback_card_must_be_shown_everywhere(tmp_path: Path) -> None:
    page = lit(tmp_path, channels=[{**CHANNEL, "cardTypes": ["dish_cards"]}])
    found = report("--agent", agent(tmp_path, "dish_cards"), "--frontend", page)
    row = next(row for row in found["rows"] if row["cardType"] == "message-card")
    assert row["agent"] == "supervisor"
    assert [hole["hole"] for hole in row["frontends"]["lit"]] == ["list"]


@pytest.mark.requirement("SB-CONTRACT-03")
def test_a_known_hole_is_told_with_its_reason_and_fails_only_a_strict_check(tmp_path: Path) -> None:
    known = [{"hole": "list", "cardTypes": ["stall_cards"], "why": "comes in May"}]
    listed = [{**CHANNEL, "cardTypes": ["message-card", "dish_cards"]}]
    arguments = ("--agent", agent(tmp_path, "dish_cards", "stall_cards"))
    page = ("--frontend", lit(tmp_path, channels=listed, knownHoles=known))
    found = report(*arguments, *page)
    assert found["ok"]
    (line,) = found["known"]
    assert line.endswith("known: comes in May")
    assert not report(*arguments, *page, "--strict")["ok"]


@pytest.mark.requirement("SB-CONTRACT-03")
def test_a_known_hole_hides_no_other_hole(tmp_path: Path) -> None:
    known = [{"hole": "list", "cardTypes": ["stall_cards"], "why": "comes in May"}]
    listed = [{**CHANNEL, "cardTypes": ["message-card"]}]
    page = lit(tmp_path, channels=listed, knownHoles=known)
    (line,) = report("--agent", agent(tmp_path, "dish_cards", "stall_cards"), "--frontend", page)["holes"]
    assert line.startswith("lit: dish_cards: ")


def test_a_known_hole_that_is_closed_is_told(tmp_path: Path) -> None:
    known = [{"hole": "text", "why": "reads RAW"}, {"hole": "list", "cardTypes": ["elsewhere"], "why": "not compared"}]
    found = report("--frontend", lit(tmp_path, knownHoles=known))
    assert found["ok"]
    (note,) = found["notes"]
    assert "the known hole `text` is closed" in note


def test_an_a2a_agent_card_can_stand_for_a_contract(tmp_path: Path) -> None:
    card = agent_card("canteen", "http://canteen", ("1.0",), card_types=("dish_cards", "menu_cards"))
    found = agent_from(write(tmp_path / "card.json", card))
    assert (found.card_types, found.catalogue_version) == (("dish_cards", "menu_cards"), "1")


def test_an_agent_card_that_says_nothing_about_cards_is_refused_with_the_reason(tmp_path: Path) -> None:
    path = write(tmp_path / "card.json", {"name": "x", "capabilities": {"streaming": True}})
    code, output = run("--agent", path)
    assert code == 2
    assert "does not declare" in output


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("[]", "not a JSON object"),
        ('{"agent": "x"}', "'cardTypes' is a required property"),
        ('{"agent": "x", "cardTypes": [1]}', "$.cardTypes[0]"),
        ('{"agent": "x", "cardTypes": [], "cards": []}', "'cards' was unexpected"),
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


@pytest.mark.parametrize(("document", "said"), [({"catalogId": "x"}, "no card types"), ([], "has no catalogId")])
def test_a_folder_that_is_no_catalogue_is_refused(tmp_path: Path, document: Any, said: str) -> None:
    write(tmp_path / "catalog.json", document)
    with pytest.raises(ContractError, match=said):
        catalogue_from(tmp_path)


def test_types_that_nobody_emits_are_told_but_are_no_hole(tmp_path: Path) -> None:
    found = report("--agent", agent(tmp_path, "stall_cards"))
    assert found["ok"]
    assert "dish_cards" in found["unused"]
    assert "message-card" not in found["unused"]
