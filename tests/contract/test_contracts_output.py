"""What `check` prints: a table with one line per hole, JSON, and JUnit XML."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from xml.etree import ElementTree

from rich.console import Console

from contracts.matrix import Report, compare
from contracts.model import Agent, CatalogueCard, CatalogueView, Channel, Frontend, KnownHole, Supervisor
from contracts.report import print_table, to_json, to_junit
from tests.contract.test_contracts import agent, report, run

CHANNEL = Channel("ACTIVITY_SNAPSHOT", "a2ui-surface", "a2ui_operations")
TEXT = frozenset({"TEXT_MESSAGE_CONTENT"})
MESSAGE = CatalogueCard("message-card", (), frozenset({"Text"}))
DISHES = CatalogueCard("dish_cards", ("dish-cards",), frozenset({"Text", "Image"}))


def made(*agents: Agent, components: set[str] | None = None, known: tuple[KnownHole, ...] = ()) -> Report:
    supervisor = Supervisor(("message-card",), CHANNEL, "v0.9", "TEXT_MESSAGE_CONTENT", "supervisor.json")
    names = frozenset(components or {"Text", "Image"})
    page = Frontend("page", (CHANNEL,), TEXT, "v0.9", "x/v1/y", names, known, "page.json")
    return compare(supervisor, agents, [page], CatalogueView("x/v1/y", "1", (MESSAGE, DISHES), "cards"))


def printed(found: Report, width: int = 60) -> str:
    out = StringIO()
    print_table(found, Console(file=out, width=width))
    return out.getvalue()


def test_every_hole_is_one_line_however_narrow_the_terminal() -> None:
    found = made(Agent("canteen", ("dish_cards", "nope"), "canteen.json"), components={"Text"})
    text = printed(found, width=40)
    assert [line for line in text.splitlines() if line.startswith("  ")] == [
        "  page: dish_cards: cannot paint Image; register a renderer of it, then list it in page.json",
        "  canteen: nope: is not in the catalogue; add it to cards (`python -m contracts new-card nope`) or take it "
        "out of canteen.json",
    ]


def test_one_cause_is_said_once_with_all_its_cards() -> None:
    agents = [Agent("a", ("x", "y"), "a.json"), Agent("b", ("dish_cards", "dish-cards"), "b.json")]
    found = made(*agents, components={"Text"})
    assert [line.partition(": is")[0] for line in found.open if "page" not in line] == ["a: x", "a: y"]
    assert next(line for line in found.open if "page" in line).startswith("page: dish_cards, dish-cards: cannot paint")


def test_the_table_says_what_is_well_and_what_nobody_emits() -> None:
    text = printed(made(Agent("canteen", (), "canteen.json")), width=100)
    assert "Holes" not in text
    assert "emitted by nobody: dish_cards" in text


def test_names_from_outside_are_printed_as_they_are() -> None:
    found = made(Agent("[red]x[/]", ("[bold]y[/bold]",), "f"))
    assert "[bold]y[/bold]" in printed(found, width=200)
    assert "[red]x[/]: [bold]y[/bold]: is not" in found.open[0]


def test_a_line_break_in_a_name_makes_no_second_line() -> None:
    (line,) = made(Agent("a", ("x\nHoles",), "f")).open
    assert "\n" not in line


def test_json_holds_every_hole_where_it_belongs() -> None:
    found = to_json(made(Agent("canteen", ("dish_cards",), "f", catalogue_version="2"), components={"Text"}))
    row = next(row for row in found["rows"] if row["cardType"] == "dish_cards")
    assert [hole["hole"] for hole in row["holes"]] == ["version"]
    assert row["frontends"]["page"] == [
        {
            "hole": "components",
            "problem": "cannot paint Image",
            "fix": "register a renderer of it, then list it in page.json",
        }
    ]
    assert len(found["holes"]) == 2


def test_admitted_holes_of_many_cards_are_told_in_short_and_open_ones_in_full() -> None:
    cards = tuple(CatalogueCard(f"c{number}", (), frozenset({"Image"})) for number in range(9))
    admitted = (KnownHole("components", None, "soon"),)
    page = Frontend("page", (CHANNEL,), TEXT, "v0.9", "x/v1/y", frozenset({"Text"}), admitted, "page.json")
    supervisor = Supervisor(("message-card",), CHANNEL, "v0.9", "TEXT_MESSAGE_CONTENT", "supervisor.json")
    catalogue = CatalogueView("x/v1/y", "1", (MESSAGE, *cards), "cards")
    found = compare(supervisor, [Agent("a", tuple(card.type for card in cards), "f")], [page], catalogue)
    assert found.known == ["page: c0, c1, c2 and 6 more: cannot paint Image; known: soon"]
    (line,) = found.strict().open
    assert all(card.type in line for card in cards)


def test_junit_has_a_case_per_card_and_front_end_and_skips_known_holes() -> None:
    known = (KnownHole("components", frozenset({"dish_cards"}), "next week"),)
    found = made(Agent("canteen", ("dish_cards", "nope"), "f"), components={"Text"}, known=known)
    suite = ElementTree.fromstring(to_junit(found)).find("testsuite")
    assert suite is not None
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("8", "1", "1")
    failed = [case for case in suite if case.find("failure") is not None]
    assert [(case.get("classname"), case.get("name")) for case in failed] == [
        ("contracts.canteen", "nope in the catalogue")
    ]
    skipped = suite.find("testcase/skipped")
    assert skipped is not None
    assert skipped.get("message") == "cannot paint Image: next week"


def test_the_command_writes_the_junit_file_whether_there_are_holes_or_not(tmp_path: Path) -> None:
    for name, types in (("well", ("dish_cards",)), ("holed", ("nope",))):
        code, _ = run("--agent", agent(tmp_path, *types), "--junit", str(tmp_path / f"{name}.xml"))
        root = ElementTree.fromstring((tmp_path / f"{name}.xml").read_bytes())
        assert bool(root.findall(".//failure")) is (code == 1)


def test_json_and_the_table_say_the_same(tmp_path: Path) -> None:
    path = agent(tmp_path, "nope")
    assert report("--agent", path)["holes"][0] in run("--agent", path)[1]
    assert json.loads(run("--agent", path, "--json")[1])["ok"] is False
