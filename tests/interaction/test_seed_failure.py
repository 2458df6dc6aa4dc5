"""The failure that this project exists for, replayed: three misses that nobody compared.

The canteen sends `dish_cards`, the catalogue lacks it, and a mini-program with a list of its own listens on three
channels. Before deployment it is a red check; while it runs it is a card that a person can read.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from a2ui_schemas.loader import HERE
from chat_models import Turn
from contracts.__main__ import app
from contracts.load import HERE as CONTRACTS
from tests.cases.case import Case, checked, of_type
from tests.fakes.a2a_stub import Reply, card
from tests.fakes.agui import parse, run_input
from tests.unit.cards.visible import Surface

requirement = pytest.mark.requirement

BUBBLE = "为你推荐 3 道辣味菜品"
DISHES = {"items": [{"name": "水煮鱼", "price": "22.00"}]}
ASK = Turn(calls=[("call_domain_agent", {"agent": "canteen", "query": "辣"})])
MINI_PROGRAM = CONTRACTS / "frontends" / "mini-program.json"


@pytest.fixture
def holed(tmp_path: Path) -> Path:
    """The catalogue without the type."""
    folder = tmp_path / "cards"
    shutil.copytree(HERE, folder, ignore=shutil.ignore_patterns("__pycache__", "dish_cards"))
    return folder


def check(*arguments: str | Path) -> tuple[int, list[str], list[str]]:
    """Exit code, holes and admitted holes."""
    result = CliRunner().invoke(app, ["check", "--json", *map(str, arguments)])
    found = json.loads(result.stdout)
    return result.exit_code, found["holes"], found["known"]


@requirement("SB-CONTRACT-01")
def test_the_check_finds_the_type_that_the_catalogue_lacks_and_names_it(holed: Path) -> None:
    code, holes, _ = check("--catalogue", holed)
    assert code == 1
    line = next(line for line in holes if "dish_cards" in line)
    assert line.startswith("canteen: dish_cards: is not in the catalogue; add it to ")
    assert "contracts/agents/canteen.json" in line


@requirement("SB-CONTRACT-02")
def test_the_check_finds_all_three_misses_of_the_old_house_at_once(holed: Path, tmp_path: Path) -> None:
    """Its supervisor sent state snapshots, and its front end's list holds seven other names."""
    old = json.loads((CONTRACTS / "supervisor.json").read_text("utf-8"))
    old["channel"] = {"event": "STATE_SNAPSHOT", "carries": "a2ui_operations"}
    (tmp_path / "supervisor.json").write_text(json.dumps(old), "utf-8")
    arguments = ("--supervisor", tmp_path / "supervisor.json", "--frontend", MINI_PROGRAM)
    code, holes, _ = check("--catalogue", holed, *arguments)
    assert code == 1
    assert any(line.startswith("canteen: dish_cards: is not in the catalogue") for line in holes)
    deaf = next(line for line in holes if "but they are sent as `STATE_SNAPSHOT a2ui_operations`" in line)
    assert deaf.startswith("mini-program: ")
    for channel in ("`ACTIVITY_SNAPSHOT a2ui_operations`", "`RAW a2ui_operations`", "`RAW card_data_model`"):
        assert channel in deaf

    old["channel"] = {"event": "RAW", "carries": "card_data_model"}
    (tmp_path / "supervisor.json").write_text(json.dumps(old), "utf-8")
    _, holes, _ = check(*arguments)
    listed = next(line for line in holes if "own list of card types" in line and "dish_cards" in line)
    assert listed.startswith("mini-program: ")


@requirement("SB-CONTRACT-03")
def test_what_the_mini_program_still_misses_today_is_admitted_and_no_longer_the_channel() -> None:
    code, holes, known = check("--frontend", MINI_PROGRAM)
    assert (code, holes) == (0, [])
    assert not any("reads cards from" in line for line in known)
    assert any("(text)" in line for line in known)
    assert check("--frontend", MINI_PROGRAM, "--strict")[0] == 1


@requirement("SB-CONTRACT-04")
async def test_the_running_system_shows_words_and_says_why_on_every_channel(holed: Path) -> None:
    case = Case(ASK, "看看这些", catalogue_dir=holed)
    case.canteen.replies.append(Reply("三道菜", metadata=card("dish_cards", DISHES, bubble=BUBBLE)))
    async with case.open() as house:
        found = checked(await house.post("/agui", run_input("推荐几道辣的菜")))
        (activity,) = of_type(found, "ACTIVITY_SNAPSHOT")
        assert activity["content"]["card_type"] == "message-card"
        assert BUBBLE in Surface(activity["content"]["a2ui_operations"]).words
        (custom,) = (event for event in of_type(found, "CUSTOM") if event["name"] == "card-fallback")
        assert custom["value"] == {"cardType": "dish_cards", "reason": "unknown_type", "errors": []}
        assert found[-1]["outcome"]["type"] == "success"

        held = await house.snapshot()
        (again,) = (message for message in held if message["role"] == "activity")
        assert again["content"] == activity["content"]
        replay = parse((await house.client.get("/agui/threads/t/events")).content)
        assert "card-fallback" in [frame.event.get("name") for frame in replay]

        agents = (await house.client.get("/agents")).json()["agents"]
        finding = next(agent["findings"] for agent in agents if agent["name"] == "canteen")
        assert any("dish_cards" in text for text in finding)
        metrics = (await house.client.get("/metrics")).text
        assert "cards_fallback_total" in metrics
        assert 'reason="unknown_type"' in metrics
        served: dict[str, Any] = (await house.client.get("/catalogue")).json()
        assert "dish_cards" not in [found["type"] for found in served["cards"]]


@requirement("SB-CONTRACT-04")
async def test_with_the_type_back_the_same_answer_is_its_own_card() -> None:
    case = Case(ASK, "看看这些")
    case.canteen.replies.append(Reply("三道菜", metadata=card("dish_cards", DISHES, bubble=BUBBLE)))
    async with case.open() as house:
        found = checked(await house.post("/agui", run_input("推荐几道辣的菜")))
        (activity,) = of_type(found, "ACTIVITY_SNAPSHOT")
        assert activity["content"]["card_type"] == "dish_cards"
        assert "水煮鱼" in Surface(activity["content"]["a2ui_operations"]).words
        assert "card-fallback" not in [event.get("name") for event in found]
