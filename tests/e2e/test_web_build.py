"""The committed chat page is what its source builds, byte for byte, and its types hold."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.e2e.processes import ROOT, clean_environment

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]

WEB = ROOT / "web"
STATIC = ROOT / "supervisor/http/static"


def npm(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = ["npm", "run", *arguments]
    env = clean_environment(NO_COLOR="1")
    return subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, timeout=240, check=False)


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def web(tmp_path: Path) -> Path:
    """A copy of `web/`, so that the build cannot touch the committed files."""
    assert (WEB / "node_modules").is_dir(), "bash tests/e2e/setup.sh installs what the build needs"
    copy = tmp_path / "web"
    shutil.copytree(WEB, copy, ignore=shutil.ignore_patterns("node_modules"))
    (copy / "node_modules").symlink_to(WEB / "node_modules")
    return copy


def test_a_rebuild_gives_the_committed_bytes(web: Path, tmp_path: Path) -> None:
    done = npm("build", cwd=web)
    assert done.returncode == 0, done.stdout + done.stderr
    built, committed = files(tmp_path / "supervisor/http/static"), files(STATIC)
    assert sorted(built) == ["app.css", "app.js", "index.html"]
    assert sorted(built) == sorted(committed)
    stale = [name for name in built if built[name] != committed[name]]
    assert stale == [], "run `make web` and commit what it builds"


def test_a_change_of_the_source_changes_the_build(web: Path, tmp_path: Path) -> None:
    page = web / "index.html"
    page.write_text(page.read_text(encoding="utf-8").replace("<title>", "<title>X"), encoding="utf-8")
    assert npm("build", cwd=web).returncode == 0
    built, committed = files(tmp_path / "supervisor/http/static"), files(STATIC)
    assert built["index.html"] != committed["index.html"]


def test_the_types_of_the_page_hold_and_a_wrong_one_is_found(web: Path) -> None:
    done = npm("check", cwd=web)
    assert done.returncode == 0, done.stdout + done.stderr
    (web / "src/wrong.ts").write_text('export const wrong: number = "text";\n', encoding="utf-8")
    found = npm("check", cwd=web)
    assert found.returncode != 0
    assert "wrong.ts" in found.stdout
