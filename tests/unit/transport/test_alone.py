"""The agent as a process and as a package of its own."""

from __future__ import annotations

import subprocess
import sys

from agents.transport.agent import SPEC

_IMPORTED = """
import sys
sys.modules["supervisor"] = None  # importing it, or anything in it, raises
import agents.transport.agent, agents.kit.serve
from agents.kit.app import build_app
build_app(agents.transport.agent.SPEC)
print(",".join(sorted(name for name in sys.modules if name.split(".")[0] == "supervisor" or name == "agents.canteen")))
"""


def test_the_agent_imports_nothing_of_the_supervisor_nor_another_agent() -> None:
    done = subprocess.run([sys.executable, "-c", _IMPORTED], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "supervisor"


def test_a_wrong_setting_ends_the_process_with_a_sentence() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "agents.transport"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={"MODEL": "nonsense", "PATH": "", "PYTHONPATH": "."},
    )
    assert done.returncode == 2
    assert "MODEL" in done.stderr
    assert "Traceback" not in done.stderr


def test_every_skill_can_be_found_in_both_languages() -> None:
    for skill in SPEC.skills:
        for words in (skill.tags, skill.examples):
            assert any(word.isascii() for word in words)
            assert any(not word.isascii() for word in words)
