"""The agent as a process and as a package of its own."""

from __future__ import annotations

import subprocess
import sys

from agents.canteen.agent import SPEC, status

_IMPORTED = """
import sys
sys.modules["supervisor"] = None  # importing it, or anything in it, raises
import agents.canteen.agent, agents.kit.serve
from agents.kit.app import build_app
build_app(agents.canteen.agent.SPEC)
print(",".join(sorted(n for n in sys.modules if n.split(".")[0] == "supervisor" or n.startswith("agents.transport"))))
"""


def test_the_agent_imports_nothing_of_the_supervisor_nor_another_agent() -> None:
    done = subprocess.run([sys.executable, "-c", _IMPORTED], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "supervisor"


def test_a_wrong_setting_ends_the_process_with_a_sentence() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "agents.canteen"],
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


def test_every_tool_says_what_it_is_doing_in_the_language_of_the_question() -> None:
    for tool in ("search_dishes", "list_canteens", "list_stalls", "crowding_heatmap", "dish_reviews", "another"):
        assert status(tool, {}, True).startswith("正在")
        assert status(tool, {}, False).isprintable()
        assert status(tool, {}, False) != status(tool, {}, True)
