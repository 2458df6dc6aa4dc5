"""Every agent as a process and as a package of its own."""

from __future__ import annotations

import subprocess
import sys

import pytest

from agents.canteen.agent import SPEC as CANTEEN
from agents.kit.spec import AgentSpec
from agents.transport.agent import SPEC as TRANSPORT

AGENTS = {"canteen": CANTEEN, "transport": TRANSPORT}

_IMPORTED = """
import importlib, sys
sys.modules["supervisor"] = None  # importing it, or anything in it, raises
own, others = sys.argv[1], tuple(f"agents.{name}" for name in sys.argv[2:])
agent = importlib.import_module(f"agents.{own}.agent")
import agents.kit.serve
from agents.kit.app import build_app
build_app(agent.SPEC)
print(",".join(sorted(n for n in sys.modules if n.split(".")[0] == "supervisor" or n.startswith(others))))
"""


@pytest.mark.parametrize("name", AGENTS)
def test_an_agent_imports_nothing_of_the_supervisor_nor_another_agent(name: str) -> None:
    others = [other for other in AGENTS if other != name]
    command = [sys.executable, "-c", _IMPORTED, name, *others]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "supervisor"


@pytest.mark.parametrize("name", AGENTS)
def test_a_wrong_setting_ends_the_process_with_a_sentence(name: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", f"agents.{name}"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={"MODEL": "nonsense", "PATH": "", "PYTHONPATH": "."},
    )
    assert done.returncode == 2
    assert "MODEL" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("spec", AGENTS.values(), ids=AGENTS)
def test_every_skill_can_be_found_in_both_languages(spec: AgentSpec) -> None:
    for skill in spec.skills:
        for words in (skill.tags, skill.examples):
            assert any(word.isascii() for word in words)
            assert any(not word.isascii() for word in words)
