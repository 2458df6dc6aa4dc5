"""The same clients on a2a-sdk, both versions, against supervisors that stand before our agents."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

import pytest

from tests.e2e.processes import ROOT, clean_environment, free_port, running
from tests.interop.processes import CARD
from tests.interop.test_sdk_clients import VERSIONS, agents, run_client

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def got(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """What the client of each version printed."""
    logs = tmp_path_factory.mktemp("supervisors")
    with agents(logs) as urls, ExitStack() as stack:
        fronts: list[str] = []
        started = []
        for name, url in zip(("canteen", "transport"), urls, strict=True):
            port = free_port()
            command = [str(ROOT / ".venv/bin/python"), "-m", "supervisor.cli", "serve"]
            env = clean_environment(AGENTS=f"{name}={url}", PORT=str(port), DATABASE="memory")
            started.append(stack.enter_context(running(command, logs / f"sup-{name}.log", cwd=ROOT, env=env)))
            fronts.append(f"http://127.0.0.1:{port}")
        for process, url in zip(started, fronts, strict=True):
            process.until_ok(url + CARD)
        return {version: run_client(version, fronts) for version in VERSIONS}


@pytest.fixture(params=VERSIONS)
def client(request: pytest.FixtureRequest, got: dict[str, dict[str, Any]]) -> dict[str, Any]:
    return got[request.param]


@pytest.mark.requirement("SB-NEST-01", "SB-NEST-10")
def test_an_sdk_client_resolves_the_card_of_a_supervisor(client: dict[str, Any]) -> None:
    assert (client["card"]["name"], client["card"]["streaming"]) == ("switchboard", True)
    assert client["card"]["skills"] > 1


@pytest.mark.requirement("SB-NEST-01", "SB-NEST-13")
def test_an_sdk_client_gets_text_and_card_of_an_agent_behind_a_supervisor(client: dict[str, Any]) -> None:
    sent = client["sent"]
    assert (sent["state"], sent["card"]) == ("completed", "dish_cards")
    assert sent["dishes"][0] in sent["text"]
    assert client["got"] == sent


@pytest.mark.requirement("SB-NEST-13")
def test_an_sdk_client_streams_an_answer_through_a_supervisor(client: dict[str, Any]) -> None:
    streamed = client["streamed"]
    assert streamed["kinds"][0] == "task"
    assert streamed["kinds"].count("artifact_update") > 1
    assert streamed["states"][-1] == "completed"
    assert streamed["text"] == client["sent"]["text"]


@pytest.mark.requirement("SB-NEST-13")
def test_a_follow_up_is_a_new_task_in_its_context_and_is_listed(got: dict[str, dict[str, Any]]) -> None:
    for client in got.values():
        first, second = client["sent"], client["follow_up"]
        assert (first["context"], second["state"]) == (second["context"], "completed")
        assert first["id"] != second["id"]
    modern = got["a2a-1.3.0"]
    assert modern["listed"] == [modern["follow_up"]["id"], modern["sent"]["id"]]


@pytest.mark.requirement("SB-NEST-07")
def test_an_sdk_client_answers_the_questions_of_an_agent_behind_a_supervisor(client: dict[str, Any]) -> None:
    booked = client["booked"]
    assert booked["states"] == ["input-required"] * 2
    assert [ask["payload"]["type"] for ask in booked["asks"]] == ["select", "approval"]
    assert (booked["end"]["state"], booked["same"]) == ("completed", True)
    assert "12:30" in booked["end"]["text"]


@pytest.mark.requirement("SB-NEST-08")
def test_an_sdk_client_cancels_what_an_agent_behind_a_supervisor_does(client: dict[str, Any]) -> None:
    assert client["cancelled"] == {
        "state": "canceled",
        "streamed": "canceled",
        "subscribed": "canceled",
        "snapshot": True,
    }


@pytest.mark.requirement("SB-NEST-13")
def test_an_sdk_client_gets_the_errors_of_the_protocol_from_a_supervisor(client: dict[str, Any]) -> None:
    no_task, not_cancelable, unsupported, params = -32001, -32002, -32004, -32602
    assert client["refused"]["state"] == "rejected"
    assert client["faults"] == {
        "get": no_task,
        "cancel": no_task,
        "cancel-finished": not_cancelable,
        "message-to-finished": unsupported,
        "message-to-unknown": no_task,
        "message-to-other-context": params,
    }
