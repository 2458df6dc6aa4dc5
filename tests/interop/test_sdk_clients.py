"""Clients on a2a-sdk, both versions in environments of their own, against our agents as `python -m agents.NAME`."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from contracts.interrupts import payload_error
from tests.e2e.processes import ROOT, clean_environment, free_port, running
from tests.interop.processes import CARD, PEERS, environment, python_of

pytestmark = pytest.mark.e2e

VERSIONS = ("a2a-1.3.0", "a2a-0.3.26")
NEVER_MS = "600000"


@contextmanager
def agents(logs: Path) -> Iterator[Sequence[str]]:
    """The addresses of a canteen that answers and of a transport agent whose model takes for ever."""
    with ExitStack() as stack:
        urls: list[str] = []
        started = []
        for name, settings in (("canteen", {}), ("transport", {"OFFLINE_DELAY_MS": NEVER_MS})):
            port = free_port()
            command = [str(ROOT / ".venv/bin/python"), "-m", f"agents.{name}", "--port", str(port)]
            env = clean_environment(CAMPUS_NOW="2026-12-01T11:30", **settings)
            started.append(stack.enter_context(running(command, logs / f"{name}.log", cwd=ROOT, env=env)))
            urls.append(f"http://127.0.0.1:{port}")
        for process, url in zip(started, urls, strict=True):
            process.until_ok(url + CARD)
        yield urls


@pytest.fixture(scope="module")
def got(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """What the client of each version printed."""
    with agents(tmp_path_factory.mktemp("agents")) as urls:
        return {version: run_client(version, urls) for version in VERSIONS}


def run_client(version: str, urls: Sequence[str]) -> dict[str, Any]:
    command = [str(python_of(version)), str(PEERS / version / "client.py"), *urls]
    done = subprocess.run(command, cwd=ROOT, env=environment(), capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(params=VERSIONS)
def client(request: pytest.FixtureRequest, got: dict[str, dict[str, Any]]) -> dict[str, Any]:
    return got[request.param]


@pytest.mark.requirement("SB-INTEROP-04")
def test_an_sdk_client_resolves_the_card(client: dict[str, Any]) -> None:
    card = client["card"]
    assert (card["name"], card["streaming"]) == ("canteen", True)
    assert card["skills"] > 0


@pytest.mark.requirement("SB-INTEROP-04")
def test_an_sdk_client_gets_text_and_card(client: dict[str, Any]) -> None:
    sent = client["sent"]
    assert (sent["state"], sent["card"]) == ("completed", "dish_cards")
    assert sent["dishes"]
    assert sent["dishes"][0] in sent["text"]


@pytest.mark.requirement("SB-INTEROP-04")
def test_an_sdk_client_streams_the_same_answer_in_pieces(client: dict[str, Any]) -> None:
    streamed = client["streamed"]
    assert streamed["kinds"][0] == "task"
    assert streamed["kinds"].count("artifact_update") > 1
    assert streamed["states"][-1] == "completed"
    assert streamed["text"] == client["sent"]["text"]


@pytest.mark.requirement("SB-INTEROP-04")
def test_an_sdk_client_reads_a_task_again(client: dict[str, Any]) -> None:
    assert client["got"] == client["sent"]


@pytest.mark.requirement("SB-INTEROP-04")
def test_a_follow_up_of_an_sdk_client_is_a_new_task_in_its_context(client: dict[str, Any]) -> None:
    first, second = client["sent"], client["follow_up"]
    assert first["context"] == second["context"]
    assert first["id"] != second["id"]
    assert second["state"] == "completed"


@pytest.mark.requirement("SB-INTEROP-04")
def test_a_client_of_1_0_lists_the_tasks_of_its_context_newest_first(got: dict[str, dict[str, Any]]) -> None:
    client = got["a2a-1.3.0"]
    assert client["listed"] == [client["follow_up"]["id"], client["sent"]["id"]]


@pytest.mark.requirement("SB-INTEROP-04")
def test_an_sdk_client_cancels_a_task_and_every_stream_of_it_hears(client: dict[str, Any]) -> None:
    assert client["cancelled"] == {
        "state": "canceled", "streamed": "canceled", "subscribed": "canceled", "snapshot": True,
    }  # fmt: skip


@pytest.mark.requirement("SB-INTEROP-04")
def test_an_sdk_client_answers_the_questions_of_an_agent_to_the_same_task(client: dict[str, Any]) -> None:
    booked = client["booked"]
    assert booked["states"] == ["input-required"] * 2
    assert [ask["payload"]["type"] for ask in booked["asks"]] == ["select", "approval"]
    assert all(ask["words"] and payload_error(ask["payload"]) is None for ask in booked["asks"])
    assert (booked["end"]["state"], booked["same"]) == ("completed", True)
    assert "12:30" in booked["end"]["text"]


@pytest.mark.requirement("SB-INTEROP-04")
def test_an_sdk_client_is_refused_in_words(client: dict[str, Any]) -> None:
    assert client["refused"]["state"] == "rejected"


@pytest.mark.requirement("SB-INTEROP-04")
def test_an_sdk_client_gets_the_errors_of_the_protocol(client: dict[str, Any]) -> None:
    not_found, not_cancelable, unsupported = -32001, -32002, -32004
    assert client["faults"] == {
        "get": not_found,
        "cancel": not_found,
        "cancel-finished": not_cancelable,
        "message-to-finished": unsupported,
        "message-to-unknown": not_found,
        "message-to-other-context": unsupported,
    }
