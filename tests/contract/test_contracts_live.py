"""`check` against what runs: an agent's card, and the catalogue and agents of a supervisor."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from typer.testing import CliRunner

from a2ui_schemas import load_catalogue
from contracts.__main__ import app
from contracts.load import ContractError
from contracts.sources import AGENT_CARD, agent, catalogue, live_agents, live_catalogue
from tests.contract.test_contracts import cards, lit, report
from tests.fakes.a2a_shapes import agent_card
from tests.fakes.a2a_stub import A2AStub
from tests.fakes.house import open_house


@contextmanager
def serving(answers: Mapping[str, bytes]) -> Iterator[str]:
    """A web server that answers these paths, and everything else with 404."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200 if self.path in answers else 404)
            self.end_headers()
            self.wfile.write(answers.get(self.path, b""))

        def log_message(self, *_: object) -> None:
            """Quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def supervisor(served: Any, *agents: dict[str, Any]) -> Mapping[str, bytes]:
    """What a supervisor with this catalogue answers."""
    return {"/catalogue": json.dumps(served).encode(), "/agents": json.dumps({"agents": agents}).encode()}


def row(name: str, *card_types: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "url": f"http://{name}", "healthy": True, "cardTypes": list(card_types), **more}


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("no_proxy", "127.0.0.1")


@pytest.mark.requirement("SB-CONTRACT-06")
@pytest.mark.parametrize("path", ["", "/", AGENT_CARD])
def test_a_running_agent_is_asked_for_its_card(path: str) -> None:
    card = agent_card("canteen", "http://canteen", ("1.0", "0.3"), card_types=("dish_cards", "menu_cards"))
    with serving({AGENT_CARD: json.dumps(card).encode()}) as url:
        found = agent(url + path)
        result = CliRunner().invoke(app, ["check", "--agent", url + path])
    assert (found.name, found.card_types, found.catalogue_version) == ("canteen", ("dish_cards", "menu_cards"), "1")
    assert result.exit_code == 1
    line = next(line for line in result.output.splitlines() if "is not in the catalogue" in line)
    assert line.strip().startswith("canteen: menu_cards: ")
    assert url in line


def test_an_agent_that_is_not_there_is_an_error_not_a_hole() -> None:
    with serving({}) as url, pytest.raises(ContractError, match="no answer"):
        agent(url)
    with pytest.raises(ContractError, match="no answer"):
        agent(url)


@pytest.mark.parametrize(("body", "said"), [(b"<html>", "not JSON"), (b"[]", "not a JSON object")])
def test_an_agent_that_answers_something_else_is_an_error(body: bytes, said: str) -> None:
    with serving({AGENT_CARD: body}) as url, pytest.raises(ContractError, match=said):
        agent(url)


@pytest.mark.requirement("SB-CONTRACT-06")
def test_a_running_supervisor_is_compared_with_the_agents_that_it_sees(tmp_path: Path) -> None:
    seen = (row("canteen", "dish_cards", "menu_cards"), row("transport", "shuttle_cards"))
    with serving(supervisor(load_catalogue().to_json(), *seen)) as url:
        found = report("--supervisor", url, "--frontend", lit(tmp_path))
    assert {line["agent"] for line in found["rows"]} == {"supervisor", "canteen", "transport"}
    (line,) = found["holes"]
    assert line.startswith("canteen: menu_cards: is not in the catalogue;")


def test_an_agent_that_the_supervisor_cannot_reach_is_a_hole(tmp_path: Path) -> None:
    seen = row("canteen", "dish_cards", healthy=False, error="cannot be reached")
    with serving(supervisor(load_catalogue().to_json(), seen)) as url:
        (line,) = report("--supervisor", url, "--frontend", lit(tmp_path))["holes"]
    assert line.startswith("canteen: (cards): its cards are unknown (cannot be reached);")


def test_a_type_that_the_running_supervisor_does_not_know_yet_is_a_hole(tmp_path: Path) -> None:
    old = load_catalogue(cards(tmp_path, "dish_cards")).to_json()
    contract = tmp_path / "canteen.json"
    contract.write_text('{"agent": "canteen", "cardTypes": ["dish_cards"]}', "utf-8")
    arguments = ("--agent", str(contract), "--frontend", lit(tmp_path))
    with serving(supervisor(old)) as url:
        (line,) = report("--supervisor", url, "--catalogue", str(catalogue_folder()), *arguments)["holes"]
        assert line.startswith("canteen: dish_cards: the running supervisor does not know it; deploy the catalogue")
        assert f"{url}/catalogue" in line
        assert not report("--supervisor", url, *arguments)["ok"]


def catalogue_folder() -> Path:
    return load_catalogue().cards["dish_cards"].folder.parent


def test_a_supervisor_that_answers_something_else_is_an_error() -> None:
    with serving({"/catalogue": b"{}"}) as url, pytest.raises(ContractError, match="'catalogId' is a required"):
        live_catalogue(url)


@pytest.mark.requirement("SB-CONTRACT-06")
async def test_what_our_supervisor_answers_is_what_the_check_reads() -> None:
    stub = A2AStub()
    stub.agent("canteen", card_types=("dish_cards", "menu_cards"))
    stub.agent("dead").card_reply = None
    addresses = {**stub.addresses(), "gone": f"{stub.base}/gone"}
    async with open_house(stub, agents=",".join(f"{name}={url}" for name, url in addresses.items())) as house:
        answers = {path: (await house.client.get(path)).content for path in ("/catalogue", "/agents")}
    with serving(answers) as url:
        served, agents = live_catalogue(url), {found.name: found for found in live_agents(url)}
    ours = catalogue()
    assert (served.id, served.version) == (ours.id, ours.version)
    assert {card.type: card.aliases for card in served.cards} == {card.type: card.aliases for card in ours.cards}
    assert {card.type: card.components for card in served.cards} == {c.type: c.components for c in ours.cards}
    assert agents["canteen"].card_types == ("dish_cards", "menu_cards")
    assert agents["canteen"].catalogue_version == "1"
    assert agents["gone"].down
