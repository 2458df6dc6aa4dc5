"""`switchboard contracts` hands its arguments on and ends as the contracts' own command does."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from contracts.__main__ import app as own
from supervisor.cli import app


def both(*arguments: str) -> tuple[tuple[int, str], tuple[int, str]]:
    outer = CliRunner().invoke(app, ["contracts", *arguments])
    inner = CliRunner().invoke(own, list(arguments))
    return (outer.exit_code, outer.output), (inner.exit_code, inner.output)


@pytest.mark.parametrize("more", [(), ("--json",), ("--strict", "--json")])
def test_a_check_gives_what_the_contracts_command_gives(more: tuple[str, ...]) -> None:
    outer, inner = both("check", *more)
    assert outer == inner


def test_a_hole_and_an_unreadable_file_have_their_own_exit_codes(tmp_path: Path) -> None:
    contract = tmp_path / "agent.json"
    contract.write_text('{"agent": "canteen", "cardTypes": ["nope"]}', "utf-8")
    (code, output), inner = both("check", "--agent", str(contract))
    assert (code, output) == inner
    assert code == 1
    assert "canteen: nope: is not in the catalogue" in output
    assert both("check", "--agent", str(tmp_path / "gone.json"))[0][0] == 2


def test_help_is_that_of_the_contracts_command() -> None:
    for arguments in (("--help",), ("check", "--help"), ("new-card", "--help")):
        (code, output), _ = both(*arguments)
        assert code == 0
        assert "switchboard contracts" in output
    assert "--junit" in both("check", "--help")[0][1]


def test_the_command_line_needs_nothing_that_the_contracts_extra_does_not_bring() -> None:
    names = ["httpx", "pydantic", "langgraph", "fastapi", "uvicorn", "a2ui", "orjson", "supervisor.app"]
    code = f"import sys, supervisor.cli, supervisor.commands.contracts; print([n for n in {names} if n in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "[]"
