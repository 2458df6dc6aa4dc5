"""`contracts new-card`: what it makes passes the gate and its own tests at once, and a bad name is refused in words."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from a2ui_schemas import load_catalogue
from a2ui_schemas.gate import check
from a2ui_schemas.loader import HERE as CATALOGUE
from contracts.__main__ import app
from contracts.sources import catalogue
from supervisor.cards.render import CardRenderer
from tests.contract.test_contracts import agent, lit, report
from tests.unit.cards.paint import texts


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A working copy with nothing but the catalogue."""
    shutil.copytree(CATALOGUE, tmp_path / "a2ui_schemas", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path / "a2ui_schemas"


def make(folder: Path, name: str, *more: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["new-card", name, "--catalogue", str(folder), *more])
    return result.exit_code, result.output


@pytest.mark.requirement("SB-CONTRACT-08")
@pytest.mark.parametrize("more", [(), *(("--from", name) for name in sorted(load_catalogue().cards))], ids=" ".join)
def test_a_new_card_passes_the_gate_and_the_check_at_once(folder: Path, tmp_path: Path, more: tuple[str, ...]) -> None:
    code, output = make(folder, "club_cards", *more)
    assert code == 0, output
    made = load_catalogue(folder)
    check(made)
    card = made.cards["club_cards"]
    assert card.aliases == ()
    assert card.schema["$id"] == "https://switchboard.example/cards/club_cards/v1.json"
    path = agent(tmp_path, "club_cards")
    assert report("--catalogue", str(folder), "--agent", path, "--frontend", lit(tmp_path))["ok"]


@pytest.mark.requirement("SB-CONTRACT-08")
def test_the_test_that_comes_with_it_passes_and_fails_when_the_card_breaks(folder: Path, tmp_path: Path) -> None:
    make(folder, "club-cards")
    test = tmp_path / "tests/unit/a2ui_schemas/test_club_cards.py"

    def tested() -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(test)]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=100, check=False)

    done = tested()
    assert done.returncode == 0, done.stdout
    assert "3 passed" in done.stdout
    template = folder / "club-cards" / "template.json"
    template.write_text(template.read_text("utf-8").replace('"/title"', '"/titel"'), "utf-8")
    assert "is not in the data schema" in tested().stdout


def test_a_new_card_paints_what_an_agent_sends(folder: Path) -> None:
    make(folder, "club_cards")
    card = CardRenderer(load_catalogue(folder)).render("club_cards", {"items": [{"name": "棋社"}]}, bubble_text="社团")
    assert card.fallback is None
    assert texts(card.operations) == ["社团", "棋社", "", ""]


def test_it_says_what_was_made_and_what_comes_next(folder: Path) -> None:
    _, output = make(folder, "club_cards")
    for file in ("card.json", "data.schema.json", "template.json", "example.json", "test_club_cards.py"):
        assert file in output
    assert "contracts/agents/<agent>.json" in output


def test_a_new_major_starts_from_the_one_before(folder: Path) -> None:
    code, output = make(folder, "dish_cards@2")
    assert code == 0, output
    made = load_catalogue(folder)
    check(made)
    second = made.card("dish_cards@2")
    assert second is not None
    assert (second.type, second.version, second.aliases) == ("dish_cards@2", "2.0", ())
    assert second.template == made.cards["dish_cards"].template
    assert second.schema["$id"] == "https://switchboard.example/cards/dish_cards/v2.json"


REFUSED = {
    "Menu": "lower-case words",
    "menu cards": "lower-case words",
    "../menu": "lower-case words",
    "_menu": "lower-case words",
    "菜单": "lower-case words",
    "m" * 65: "lower-case words",
    "dish_cards": "exists already",
    "dish-cards": "is already an alias of dish_cards",
    "dish_cards@1": "exists already",
    "dish_cards@3": "the next major of dish_cards is dish_cards@2",
    "club_cards@2": "there is no club_cards",
}


@pytest.mark.parametrize(("name", "said"), REFUSED.items(), ids=REFUSED)
def test_a_bad_name_is_refused_and_nothing_is_made(folder: Path, tmp_path: Path, name: str, said: str) -> None:
    before = sorted(tmp_path.rglob("*"))
    code, output = make(folder, name)
    assert code == 2
    assert said in output
    assert sorted(tmp_path.rglob("*")) == before


def test_a_name_that_differs_by_its_spelling_only_is_refused(folder: Path) -> None:
    make(folder, "club_cards")
    code, output = make(folder, "club-cards")
    assert (code, "differs from club_cards by its spelling only" in output) == (2, True)


def test_a_type_to_start_from_must_exist_and_be_sound(folder: Path) -> None:
    code, output = make(folder, "club_cards", "--from", "nope")
    assert (code, "it has canteen_cards" in output) == (2, True)
    (folder / "dish_cards" / "template.json").write_text("[]", "utf-8")
    code, output = make(folder, "club_cards", "--from", "dish_cards")
    assert (code, "mend it first" in output) == (2, True)
    assert not (folder / "club_cards").exists()


def test_a_test_that_exists_is_not_overwritten(folder: Path, tmp_path: Path) -> None:
    test = tmp_path / "mine" / "test_club_cards.py"
    test.parent.mkdir()
    test.write_text("# mine", "utf-8")
    code, output = make(folder, "club_cards", "--tests", str(test.parent))
    assert (code, "exists already" in output) == (2, True)
    assert test.read_text("utf-8") == "# mine"
    assert not (folder / "club_cards").exists()


def test_an_installed_catalogue_is_not_written_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("contracts.sources.installed_catalogue", lambda: tmp_path / "site-packages" / "a2ui_schemas")
    result = CliRunner().invoke(app, ["new-card", "club_cards"])
    assert (result.exit_code, "--catalogue" in result.output) == (2, True)


def test_a_new_card_that_is_broken_later_is_found_by_the_check(folder: Path, tmp_path: Path) -> None:
    make(folder, "club_cards")
    example = folder / "club_cards" / "example.json"
    example.write_text(json.dumps({"title": "x"}), "utf-8")
    assert catalogue(folder).card("club_cards") is not None
    found = report("--catalogue", str(folder), "--agent", agent(tmp_path, "club_cards"), "--frontend", lit(tmp_path))
    assert "example.json" in found["holes"][0]
