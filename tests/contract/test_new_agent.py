"""A new agent from the template runs, passes its own tests and fits the contracts; `supervisor/` is not touched."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from supervisor.commands.new_agent import NewAgentFailed, new_agent

ROOT = Path(__file__).parents[2]
SHARED = ("agents", "a2ui_schemas", "contracts", "chat_models", "tests", "compose")


def working_copy(folder: Path, *packages: str) -> Path:
    """A copy of the packages that a team changes, without the supervisor."""
    for package in packages or SHARED:
        ignore = shutil.ignore_patterns("node_modules", "__pycache__", "transcripts")
        shutil.copytree(ROOT / package, folder / package, ignore=ignore)
    shutil.copy(ROOT / "pyproject.toml", folder)
    return folder


def run(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    return subprocess.run(
        [sys.executable, *command],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )


@pytest.mark.parametrize("card", [None, "lost_items"])
def test_a_new_agent_passes_its_tests_and_the_contract_check_at_once(tmp_path: Path, card: str | None) -> None:
    folder = working_copy(tmp_path)
    written = new_agent("lostproperty", 8107, card, folder)
    assert "agents/lostproperty/agent.py" in written
    tests = run(folder, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/unit/lostproperty")
    assert tests.returncode == 0, tests.stdout + tests.stderr
    checked = run(folder, "-m", "contracts", "check")
    assert checked.returncode == 0, checked.stdout
    assert "lostproperty" in checked.stdout
    assert "template" not in (folder / "agents/lostproperty/agent.py").read_text("utf-8").replace("_template", "")


@pytest.mark.parametrize(
    ("name", "card", "said"),
    [
        ("Lost", None, "lower-case"),
        ("../etc", None, "lower-case"),
        ("canteen", None, "exists already"),
        ("library", "dish_cards", "exists already"),
        ("library", "No Card", "no name of a card type"),
    ],
)
def test_what_cannot_be_made_is_refused_and_nothing_is_written(
    tmp_path: Path, name: str, card: str | None, said: str
) -> None:
    folder = working_copy(tmp_path, "agents", "a2ui_schemas", "contracts")
    before = sorted(folder.rglob("*"))
    with pytest.raises(NewAgentFailed, match=said):
        new_agent(name, 8107, card, folder)
    assert sorted(folder.rglob("*")) == before


def test_a_folder_without_the_template_is_named(tmp_path: Path) -> None:
    with pytest.raises(NewAgentFailed, match="--root"):
        new_agent("library", 8107, None, tmp_path)
