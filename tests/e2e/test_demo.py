"""`make demo` from start to end: what a newcomer does, what happens when an agent dies, and that nothing is left."""

from __future__ import annotations

import csv
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.e2e.processes import (
    ROOT,
    Running,
    alive,
    clean_environment,
    command_of,
    descendants,
    environment_of,
    free_port,
    running,
)
from tests.fakes.agui import events, parse, run_input, text_of

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="finds processes in /proc"),
]

SPICY = "推荐几道辣的菜"
SPANNING = "which canteen is least crowded now and when is the next shuttle to the library?"
NOTICE_SECONDS = 20
"""Within this time discovery has to see that an agent is gone."""


@dataclass(frozen=True)
class Demo:
    """A demo that has said it is ready."""

    running: Running
    port: int

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def turn(self, question: str) -> list[dict[str, Any]]:
        """The checked events of one question on a new thread."""
        return events(self.stream(question))

    def stream(self, question: str) -> bytes:
        """The bytes of one question's stream on a new thread."""
        body = run_input(question, thread=str(uuid.uuid4()))
        response = httpx.post(f"{self.url}/agui", json=body, timeout=60, trust_env=False)
        return response.raise_for_status().content

    def agents(self) -> dict[str, dict[str, Any]]:
        """What `GET /agents` says, by name."""
        found = httpx.get(f"{self.url}/agents", timeout=10, trust_env=False).raise_for_status().json()
        return {agent["name"]: agent for agent in found["agents"]}

    def pid(self, agent: str) -> int:
        """The process that listens on the port of this agent's address."""
        port = httpx.URL(self.agents()[agent]["url"]).port
        (pid,) = [p for p in descendants(self.running.process.pid) if str(port) in command_of(p)]
        return pid


@contextmanager
def demo(folder: Path) -> Iterator[Demo]:
    port = free_port()
    env = clean_environment(
        CAMPUS_NOW="2026-12-01T11:30", OFFLINE_DELAY_MS="0", DATABASE=f"sqlite:{folder / 'switchboard.db'}"
    )
    with running(["make", "demo", f"PORT={port}"], folder / "log", cwd=ROOT, env=env) as process:
        ready = f"ready http://127.0.0.1:{port}"
        process.until(lambda: ready if ready in process.output().splitlines() else None)
        yield Demo(process, port)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    """One demo for the tests that only ask."""
    with demo(tmp_path_factory.mktemp("demo")) as started:
        yield started


def cards(found: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The data of every card by its type."""
    by_type: dict[str, dict[str, Any]] = {}
    for event in found:
        if event["type"] != "ACTIVITY_SNAPSHOT":
            continue
        for operation in event["content"]["a2ui_operations"]:
            if update := operation.get("updateDataModel"):
                by_type[update["surfaceId"].rpartition("-")[0]] = update["value"]
    return by_type


def rows_of(name: str) -> dict[str, dict[str, str]]:
    with (ROOT / "agents/canteen/data" / name).open(encoding="utf-8", newline="") as file:
        return {row["id"]: row for row in csv.DictReader(file)}


def outcome(found: list[dict[str, Any]]) -> Any:
    assert found[-1]["type"] == "RUN_FINISHED", found[-1]
    return found[-1]["outcome"]["type"]


def test_spicy_dishes_are_spicy_dishes_of_the_data(shared: Demo) -> None:
    found = shared.turn(SPICY)
    assert outcome(found) == "success"
    (items,) = [data["items"] for kind, data in cards(found).items() if kind == "dish_cards"]
    known = rows_of("dishes.csv")
    assert len(items) >= 3
    for item in items:
        dish = known[item["id"]]
        assert int(dish["spiciness"]) >= 2, dish
        assert (item["name"], item["price"], item["spiciness"]) == (
            dish["name_zh"],
            dish["price"],
            int(dish["spiciness"]),
        )
        assert int(dish["stock_lunch"]) > 0, "it is half past eleven"
    assert items[0]["name"] in text_of(found)


def test_a_question_about_both_gets_a_card_from_each(shared: Demo) -> None:
    found = shared.turn(SPANNING)
    assert outcome(found) == "success"
    assert [e["toolCallName"] for e in found if e["type"] == "TOOL_CALL_START"] == ["orchestrate_parallel"]
    assert {e["name"] for e in found if e["type"] == "SUBAGENT_STARTED"} == {"canteen", "transport"}
    kinds = [e["type"] for e in found if e["type"] in ("SUBAGENT_STARTED", "SUBAGENT_FINISHED")]
    assert kinds[:2] == ["SUBAGENT_STARTED", "SUBAGENT_STARTED"], "both start before either ends"
    shown = cards(found)
    assert set(shown) == {"canteen_cards", "shuttle_cards"}
    crowding = [item["crowding"] for item in shown["canteen_cards"]["items"]]
    assert crowding == sorted(crowding)
    assert len(crowding) >= 2
    text = text_of(found)
    assert shown["canteen_cards"]["items"][0]["name"] in text
    departure = shown["shuttle_cards"]["items"][0]["next_departure"]
    assert departure >= "11:30"
    assert departure in text


def test_ask_prints_the_answer_on_a_terminal(shared: Demo) -> None:
    command = [str(ROOT / ".venv/bin/switchboard"), "ask", SPICY, "--url", shared.url]
    env = clean_environment(COLUMNS="200", TERM="dumb")
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    found = shared.turn(SPICY)
    printed = "".join(done.stdout.split())
    assert "".join(text_of(found).split()) in printed
    for item in cards(found)["dish_cards"]["items"]:
        assert item["name"] in done.stdout


def test_ask_without_a_supervisor_says_what_to_do() -> None:
    command = [str(ROOT / ".venv/bin/switchboard"), "ask", SPICY, "--url", f"http://127.0.0.1:{free_port()}"]
    done = subprocess.run(command, env=clean_environment(), capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1
    assert "make demo" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_callers_settings_reach_every_process_and_no_two_share_a_database(shared: Demo) -> None:
    services = [pid for pid in descendants(shared.running.process.pid) if "-m" in command_of(pid)]
    found = {command_of(pid)[command_of(pid).index("-m") + 1]: environment_of(pid) for pid in services}
    assert set(found) == {"agents.canteen", "agents.transport", "supervisor.cli"}
    assert {(env["OFFLINE_DELAY_MS"], env["CAMPUS_NOW"]) for env in found.values()} == {("0", "2026-12-01T11:30")}
    files = [env["DATABASE"] for env in found.values() if env["DATABASE"] not in ("", "memory")]
    assert files == [found["supervisor.cli"]["DATABASE"]]
    assert Path(files[0].removeprefix("sqlite:")).exists()


def test_agents_lists_both_as_healthy(shared: Demo) -> None:
    command = [str(ROOT / ".venv/bin/switchboard"), "agents", "--url", shared.url]
    env = clean_environment(COLUMNS="200")
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=60, check=True)
    for name in ("canteen", "transport"):
        (line,) = [line for line in done.stdout.splitlines() if f" {name} " in line]
        assert " healthy " in line


@pytest.mark.requirement("SB-CONTRACT-06")
def test_the_contract_check_finds_no_hole_in_what_runs(shared: Demo) -> None:
    agents = httpx.get(f"{shared.url}/agents", trust_env=False).json()["agents"]
    live = [part for agent in agents for part in ("--agent", agent["url"])]
    check = [str(ROOT / ".venv/bin/switchboard"), "contracts", "check", "--json", "--supervisor", shared.url]
    for more in ([], live):
        env = clean_environment(NO_PROXY="127.0.0.1")
        command = [*check, *more]
        done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        assert {"canteen", "transport"} < {row["agent"] for row in json.loads(done.stdout)["rows"]}


def test_curl_shows_frames_that_end_in_lf_and_have_ids(shared: Demo, tmp_path: Path) -> None:
    recorded = record(shared)
    assert b"\r" not in recorded
    frames = parse(recorded)
    assert [frame.seq for frame in frames] == list(range(1, len(frames) + 1))
    file = tmp_path / "stream.sse"
    file.write_bytes(recorded)
    command = [str(Path(sys.executable).with_name("ag-ui-validate")), "--no-color", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def record(shared: Demo) -> bytes:
    """The stream of the spanning question as curl prints it; without curl, as it comes."""
    curl = shutil.which("curl")
    if curl is None:
        return shared.stream(SPANNING)
    body = json.dumps(run_input(SPANNING, thread=str(uuid.uuid4())))
    command = [curl, "-sN", "--noproxy", "*", "-H", "content-type: application/json", "-d", body, f"{shared.url}/agui"]
    return subprocess.run(command, capture_output=True, timeout=60, check=True).stdout


def test_the_validator_finds_fault_with_a_broken_stream(shared: Demo, tmp_path: Path) -> None:
    frames = parse(shared.stream(SPICY))
    file = tmp_path / "stream.sse"
    file.write_bytes(b"".join(f.raw for f in frames if f.event["type"] != "TOOL_CALL_END"))
    command = [str(Path(sys.executable).with_name("ag-ui-validate")), "--no-color", str(file)]
    assert subprocess.run(command, capture_output=True, timeout=60, check=False).returncode == 1


def test_a_killed_agent_is_named_and_the_other_still_answers(tmp_path: Path) -> None:
    with demo(tmp_path) as started:
        before = cards(started.turn(SPANNING))["canteen_cards"]
        os.kill(started.pid("transport"), signal.SIGKILL)
        found = started.turn(SPANNING)
        assert outcome(found) == "success"
        shown = cards(found)
        assert "shuttle_cards" not in shown
        assert [i["name"] for i in shown["canteen_cards"]["items"]] == [i["name"] for i in before["items"]]
        text = text_of(found)
        assert before["items"][0]["name"] in text
        assert "transport agent could not answer" in text
        (error,) = [e for e in found if e["type"] == "SUBAGENT_ERROR"]
        names = {e["subagentRunId"]: e["name"] for e in found if e["type"] == "SUBAGENT_STARTED"}
        assert names[error["subagentRunId"]] == "transport"
        down = started.running.until(lambda: unhealthy(started, "transport"), NOTICE_SECONDS)
        assert down["error"]
        assert started.agents()["canteen"]["healthy"]
        ready = httpx.get(f"{started.url}/readyz", trust_env=False)
        assert (ready.status_code, ready.json()["unhealthyAgents"]) == (200, ["transport"])
        told = "transport stopped with code -9"
        started.running.until(lambda: told if told in started.running.output() else None, NOTICE_SECONDS)


def unhealthy(started: Demo, name: str) -> dict[str, Any] | None:
    agent = started.agents()[name]
    return None if agent["healthy"] else agent


def test_ctrl_c_ends_every_process(tmp_path: Path) -> None:
    with demo(tmp_path) as started:
        make = started.running.process
        children = descendants(make.pid)
        assert len([pid for pid in children if "python" in Path(command_of(pid)[0]).name]) >= 4, children
        # What a terminal does on Ctrl-C: make and the demo get it, the services are in sessions of their own.
        os.killpg(make.pid, signal.SIGINT)
        make.wait(20)
        assert [pid for pid in children if alive(pid)] == []
        assert "Traceback" not in started.running.output()
        with pytest.raises(httpx.ConnectError):
            httpx.get(f"{started.url}/healthz", trust_env=False)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_to_make_alone_ends_every_process(tmp_path: Path, number: signal.Signals) -> None:
    with demo(tmp_path) as started:
        make = started.running.process
        children = descendants(make.pid)
        make.send_signal(number)
        make.wait(20)
        assert [pid for pid in children if alive(pid)] == []


def test_a_taken_port_is_said_in_words(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with running(["make", "demo", f"PORT={port}"], tmp_path / "log", cwd=ROOT, env=clean_environment()) as process:
            assert process.process.wait(60) != 0
            output = process.output()
    assert f"Port {port} is taken" in output
    assert "Traceback" not in output
    assert "is ready" not in output, "no agent was started"
