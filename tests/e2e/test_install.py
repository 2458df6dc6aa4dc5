"""Every service installs and runs from its own Dockerfile's steps alone: no code of another service is there."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import uuid
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.e2e.dockerfile import Image, build, instructions
from tests.e2e.processes import ROOT, clean_environment, free_port, running

# A cold cache has to download every package.
pytestmark = [pytest.mark.e2e, pytest.mark.timeout(900)]

DOCKERFILES = sorted((ROOT / "compose").glob("*.Dockerfile"))
QUESTIONS = {
    "canteen": ("推荐几道辣的菜", "dish_cards"),
    "transport": ("when is the next shuttle to the library?", "shuttle_cards"),
}


def fails_to_import(image: Image, module: str) -> bool:
    """Whether the image's Python has no such module; any other failure fails the test."""
    done = image.run(["python", "-c", f"import {module}"])
    assert done.returncode == 0 or f"No module named '{module}'" in done.stderr, done.stderr
    return done.returncode != 0


def send(url: str, text: str) -> dict[str, Any]:
    """The task of a blocking A2A 1.0 `SendMessage`."""
    message = {"messageId": str(uuid.uuid4()), "role": "ROLE_USER", "parts": [{"text": text}]}
    body = {"jsonrpc": "2.0", "id": "1", "method": "SendMessage", "params": {"message": message}}
    headers = {"A2A-Version": "1.0"}
    reply = httpx.post(f"{url}/a2a", json=body, headers=headers, timeout=60, trust_env=False).raise_for_status().json()
    assert "error" not in reply, reply
    return reply["result"]["task"]


def test_there_is_a_dockerfile_for_every_service() -> None:
    assert [path.name.split(".")[0] for path in DOCKERFILES] == ["canteen", "supervisor", "transport"]


@pytest.mark.parametrize("dockerfile", DOCKERFILES, ids=lambda path: path.name)
def test_an_image_is_built_from_a_python_that_the_project_supports(dockerfile: Path) -> None:
    base = dict(instructions(dockerfile))["FROM"]
    name, _, version = base.removesuffix("-slim").partition(":")
    assert name == "python"
    assert tuple(map(int, version.split("."))) >= (3, 11)


@pytest.mark.parametrize("name", sorted(QUESTIONS))
def test_an_agent_starts_and_answers_without_the_supervisor(name: str, tmp_path: Path) -> None:
    image = build(ROOT / f"compose/{name}.Dockerfile", tmp_path / "image")
    assert image.command == ["python", "-m", f"agents.{name}"]
    other = next(agent for agent in QUESTIONS if agent != name)
    assert not fails_to_import(image, f"agents.{name}.agent")
    for module in ("supervisor", f"agents.{other}", "ag_ui", "fastapi", "pytest"):
        assert fails_to_import(image, module), f"{module} is in the image of {name}"
    port = free_port()
    question, card = QUESTIONS[name]
    command = [*image.command, "--port", str(port)]
    env = {**image.environment, "CAMPUS_NOW": "2026-12-01T11:30"}
    with running(command, tmp_path / "log", cwd=image.home, env=env) as service:
        service.until_ok(f"http://127.0.0.1:{port}/healthz")
        task = send(f"http://127.0.0.1:{port}", question)
        assert task["status"]["state"] == "TASK_STATE_COMPLETED"
        text = "".join(part.get("text", "") for part in task["status"]["message"]["parts"])
        assert len(text) > 10, task
        assert task["metadata"]["card_template_id"] == card, task["metadata"]
        assert service.end() == 0, service.output()


def test_the_supervisor_starts_and_is_ready_without_any_agent(tmp_path: Path) -> None:
    image = build(ROOT / "compose/supervisor.Dockerfile", tmp_path / "image")
    assert not image.path("agents").exists()
    for module in ("agents", "mcp", "pytest"):
        assert fails_to_import(image, module), f"{module} is in the image of the supervisor"
    port = free_port()
    database = image.path("/data/switchboard.db")
    env = {**image.environment, "AGENTS": "", "PORT": str(port), "DATABASE": f"sqlite:{database}"}
    with running(image.command, tmp_path / "log", cwd=image.home, env=env) as service:
        ready = service.until_ok(f"http://127.0.0.1:{port}/readyz").json()
        assert ready == {"status": "ready"}
        page = httpx.get(f"http://127.0.0.1:{port}/", trust_env=False)
        assert "text/html" in page.headers["content-type"]
        assert httpx.get(f"http://127.0.0.1:{port}/agents", trust_env=False).json() == {"agents": []}
        assert service.end() == 0, service.output()
    assert database.exists()


def test_the_contracts_extra_alone_checks_the_contracts(tmp_path: Path) -> None:
    file = tmp_path / "Dockerfile"
    file.write_text(
        "FROM python:3.11-slim\nWORKDIR /app\nRUN pip install uv\nCOPY pyproject.toml uv.lock README.md ./\n"
        "RUN uv sync --locked --no-dev --no-install-project --extra contracts\n"
        'COPY contracts contracts\nCOPY a2ui_schemas a2ui_schemas\nENV PATH="/app/.venv/bin:$PATH"\n'
        'CMD ["python", "-m", "contracts", "check"]\n'
    )
    image = build(file, tmp_path / "image")
    for module in ("supervisor", "agents", "langgraph", "httpx"):
        assert fails_to_import(image, module), f"{module} came with the extra"
    done = image.run([*image.command, "--json"])
    assert done.returncode == 0, done.stdout + done.stderr
    assert '"canteen"' in done.stdout
    # The same command finds a hole once a card type has gone.
    shutil.rmtree(image.path("a2ui_schemas/shuttle_cards"))
    holed = image.run(image.command)
    assert holed.returncode == 1, holed.stdout + holed.stderr
    assert "shuttle_cards" in holed.stdout


@pytest.mark.requirement("SB-CONTRACT-07")
def test_another_team_installs_the_wheel_with_the_contracts_extra_and_checks_its_own_agent(tmp_path: Path) -> None:
    uv = shutil.which("uv", path=f"{ROOT / '.tools/bin'}:{os.environ['PATH']}")
    assert uv, "uv is needed: `make env`"

    def run(*command: str | Path, code: int = 0) -> str:
        env = clean_environment(UV_PYTHON=sys.executable, UV_PYTHON_DOWNLOADS="never")
        done = subprocess.run(
            [str(part) for part in command],
            cwd=tmp_path,
            env=env,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout

    run(uv, "build", "--wheel", "--quiet", "--out-dir", "dist", ROOT)
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    run(uv, "venv", "--quiet", "team")
    run(uv, "pip", "install", "--quiet", "--python", "team", f"switchboard[contracts] @ {wheel.as_uri()}")
    python, switchboard = tmp_path / "team/bin/python", tmp_path / "team/bin/switchboard"
    for module in ("langgraph", "fastapi", "httpx", "uvicorn", "a2ui"):
        run(python, "-c", f"import {module}", code=1)

    run(switchboard, "contracts", "check")
    (tmp_path / "noodles.json").write_text('{"agent": "noodles", "cardTypes": ["dish_cards", "noodle_cards"]}')
    for command in ((switchboard, "contracts"), (python, "-m", "contracts")):
        said = run(*command, "check", "--agent", "noodles.json", "--junit", "report.xml", code=1)
        assert "noodles: noodle_cards: is not in the catalogue" in said
    assert "<failure" in (tmp_path / "report.xml").read_text()
    installed = next((tmp_path / "team").rglob("site-packages/a2ui_schemas"))
    shutil.copytree(installed, tmp_path / "cards")
    run(switchboard, "contracts", "new-card", "noodle_cards", "--catalogue", "cards")
    run(switchboard, "contracts", "check", "--agent", "noodles.json", "--catalogue", "cards")


def test_a_clean_environment_holds_no_setting_of_the_caller(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MODEL_API_KEY", "secret")
    monkeypatch.setenv("MAKEFLAGS", "PORT=1")
    found = clean_environment(PORT="7")
    assert found["PORT"] == "7"
    assert "MODEL_API_KEY" not in found
    assert "MAKEFLAGS" not in found
