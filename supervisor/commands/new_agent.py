"""`switchboard new-agent NAME --port P`: a running agent with a card type, tests, a contract and a Dockerfile, from
`agents/_template`. Writes nothing unless everything can be written.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from contracts.model import ContractError
from contracts.scaffold import new_card

NAME = re.compile(r"[a-z][a-z0-9]{1,30}(?:_[a-z0-9]+)*")
TEMPLATE = "_template"
TEMPLATE_CARD = "list-card"
TEXT_FILES = (".py", ".md", ".csv")


class NewAgentFailed(Exception):
    """The text says what to do."""


def new_agent(name: str, port: int, card: str | None, root: Path) -> list[str]:
    """Make the agent in the working copy `root` and return the paths of what was written.

    `card` is a new card type of its own; without it the agent answers with `list-card`. Raises NewAgentFailed.
    """
    source, target = root / "agents" / TEMPLATE, root / "agents" / name
    test, contract = root / "tests" / "unit" / name / "test_agent.py", root / "contracts" / "agents" / f"{name}.json"
    docker = root / "compose" / f"{name}.Dockerfile"
    _check(name, source, [target, test.parent, contract, docker])
    written = _add_card(card, root) if card else []
    for path in sorted(source.rglob("*")):
        if path.suffix in TEXT_FILES and "__pycache__" not in path.parts:
            text = _renamed(path.read_text("utf-8"), name, port, card)
            written.append(_write(target / path.relative_to(source), text))
    written.append(_write(test.parent / "__init__.py", ""))
    written.append(_write(test, TEST.format(name=name)))
    types = [card or TEMPLATE_CARD]
    written.append(_write(contract, json.dumps({"agent": name, "cardTypes": types}, indent=2) + "\n"))
    written.append(_write(docker, DOCKERFILE.format(name=name)))
    return [str(Path(path).relative_to(root)) if Path(path).is_relative_to(root) else path for path in written]


def _check(name: str, source: Path, targets: list[Path]) -> None:
    if not NAME.fullmatch(name):
        raise NewAgentFailed(f"{name!r} is no name of an agent: write lower-case letters and digits, e.g. library.")
    if not source.is_dir():
        raise NewAgentFailed(
            f"{source} is missing: run this in a working copy of the repository, or name it with --root."
        )
    taken = next((target for target in targets if target.exists()), None)
    if taken is not None:
        raise NewAgentFailed(f"{taken} exists already: choose another name, or remove it.")


def _add_card(card: str, root: Path) -> list[str]:
    try:
        return new_card(card, None, root / "a2ui_schemas", root / "tests" / "unit" / "a2ui_schemas")
    except ContractError as error:
        raise NewAgentFailed(str(error)) from None


def _renamed(text: str, name: str, port: int, card: str | None) -> str:
    text = text.replace(f"agents.{TEMPLATE}", f"agents.{name}").replace('"template"', f'"{name}"')
    text = text.replace("# template agent", f"# {name} agent").replace("template=http", f"{name}=http")
    text = text.replace("8199", str(port))
    return text.replace(f'"{TEMPLATE_CARD}"', f'"{card}"') if card else text


def _write(path: Path, text: str) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return str(path)


TEST = '''"""The {name} agent over its own A2A server: answers in both languages, with cards of the catalogue."""

from __future__ import annotations

import pytest
from jsonschema import Draft202012Validator

from a2ui_schemas import load_catalogue
from agents.{name}.agent import SPEC
from tests.unit.agents_kit.harness import running, text_of

CATALOGUE = load_catalogue()


@pytest.mark.parametrize("question", [example for skill in SPEC.skills for example in skill.examples])
async def test_every_example_is_answered_with_a_card_of_the_catalogue(question: str) -> None:
    async with running(SPEC) as agent:
        task = await agent.send(question)
    assert task["status"]["state"] == "TASK_STATE_COMPLETED"
    assert text_of(task)
    card = CATALOGUE.card(task["metadata"]["card_template_id"])
    assert card is not None
    assert card.type in SPEC.card_types
    Draft202012Validator(card.schema).validate(task["metadata"]["card_data_model"])


async def test_who_does_not_say_what_is_lost_is_asked() -> None:
    async with running(SPEC) as agent:
        task = await agent.send("I lost something")
        assert task["status"]["state"] == "TASK_STATE_INPUT_REQUIRED"
        task = await agent.send("my umbrella", taskId=task["id"], contextId=task["contextId"])
        assert "umbrella" in text_of(task).lower()


async def test_what_nobody_handed_in_is_said_in_words() -> None:
    async with running(SPEC) as agent:
        assert text_of(await agent.send("a flying carpet"))
'''

DOCKERFILE = """# The {name} agent alone: no supervisor code, no other agent.
FROM python:3.11-slim
WORKDIR /app
RUN pip install --no-cache-dir "uv>=0.9"
COPY pyproject.toml uv.lock README.md ./
RUN uv sync --locked --no-dev --no-install-project --extra agents --extra models
COPY chat_models chat_models
COPY a2ui_schemas a2ui_schemas
COPY contracts contracts
COPY agents/__init__.py agents/__init__.py
COPY agents/kit agents/kit
COPY agents/{name} agents/{name}
ENV PATH="/app/.venv/bin:$PATH"
CMD ["python", "-m", "agents.{name}"]
"""
