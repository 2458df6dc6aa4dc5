"""The types of the CopilotKit page and of the documented example hold. Every test of the page shows that it builds."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

from tests.e2e.processes import ROOT, clean_environment

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]

PAGE = ROOT / "web/copilotkit"


def check(folder: Path) -> subprocess.CompletedProcess[str]:
    command = ["npx", "--no-install", "tsc", "--noEmit", "--pretty", "false"]
    env = clean_environment(NO_COLOR="1")
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=240, check=False)


def test_the_types_of_the_page_hold() -> None:
    done = check(PAGE)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_types_of_the_documented_example_hold_and_a_wrong_one_is_found(tmp_path: Path) -> None:
    (example,) = re.findall(r"```tsx\n(.*?)```", (ROOT / "docs/frontends.md").read_text("utf-8"), re.DOTALL)
    assert example.count("\n") <= 26
    (tmp_path / "node_modules").symlink_to(PAGE / "node_modules")
    options = {**json.loads((PAGE / "tsconfig.json").read_text("utf-8"))["compilerOptions"], "paths": {}}
    (tmp_path / "tsconfig.json").write_text(json.dumps({"compilerOptions": options}), "utf-8")
    (tmp_path / "example.tsx").write_text(example, "utf-8")
    (tmp_path / "wrong.ts").write_text('export const wrong: number = "text";\n', "utf-8")
    found = check(tmp_path)
    assert re.findall(r"^[^(\n]+", found.stdout, re.MULTILINE) == ["wrong.ts"], found.stdout
