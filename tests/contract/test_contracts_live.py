"""`python -m contracts check --agent URL`: a running agent stands for its contract."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from typer.testing import CliRunner

from contracts.__main__ import app
from contracts.load import ContractError
from contracts.sources import AGENT_CARD, agent
from tests.fakes.a2a_shapes import agent_card


@contextmanager
def serving(body: bytes) -> Iterator[str]:
    """A web server that answers the well-known path with `body`, and everything else with 404."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found = self.path == AGENT_CARD
            self.send_response(200 if found else 404)
            self.end_headers()
            self.wfile.write(body if found else b"")

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


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("no_proxy", "127.0.0.1")


@pytest.mark.parametrize("path", ["", "/", AGENT_CARD])
def test_a_running_agent_is_asked_for_its_card(path: str) -> None:
    card = agent_card("canteen", "http://canteen", ("1.0", "0.3"), card_types=("dish_cards", "menu_cards"))
    with serving(json.dumps(card).encode()) as url:
        found = agent(url + path)
        result = CliRunner().invoke(app, ["check", "--agent", url + path])
    assert (found.name, found.card_types) == ("canteen", ("dish_cards", "menu_cards"))
    assert result.exit_code == 1
    assert "menu_cards" in result.output


@pytest.mark.parametrize(("body", "said"), [(b"<html>", "not JSON"), (b"[]", "not an agent card")])
def test_what_is_no_agent_card_is_refused(body: bytes, said: str) -> None:
    with serving(body) as url, pytest.raises(ContractError, match=said):
        agent(url)


def test_an_agent_that_does_not_answer_is_an_error_not_a_hole() -> None:
    with serving(b"{}") as url:
        lost = url
        with pytest.raises(ContractError, match="no answer"):
            agent(f"{url}/elsewhere.json")
    assert CliRunner().invoke(app, ["check", "--agent", lost]).exit_code == 2
