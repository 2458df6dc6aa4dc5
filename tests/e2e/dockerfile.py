"""Builds what a Dockerfile describes in a folder, without an engine: the steps are those of the file.

Only the instructions that our files use, in one stage. Not isolation: programs of the machine are still in reach, so
a test has to look at what is importable. Two things are mapped: absolute paths go below the folder, and the line
that installs uv puts the uv of this environment on the path.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.e2e.processes import ROOT, clean_environment

INSTALL_SECONDS = 500


@dataclass
class Image:
    """`root` stands for `/` of the image; `environment` and `command` are those of its containers."""

    root: Path
    base: str = ""
    workdir: Path = Path("/")
    environment: dict[str, str] = field(default_factory=dict[str, str])
    command: list[str] = field(default_factory=list[str])

    def path(self, inside: str | Path) -> Path:
        """Where a path of the image is on this machine; relative ones count from the working directory."""
        return self.root / (self.workdir / inside).relative_to("/")

    @property
    def home(self) -> Path:
        """The working directory, on this machine."""
        return self.path(".")

    def run(self, command: list[str], seconds: float = 60) -> subprocess.CompletedProcess[str]:
        """Run to the end in the working directory."""
        return subprocess.run(
            command, cwd=self.home, env=self.environment, capture_output=True, text=True, timeout=seconds, check=False
        )


def build(dockerfile: Path, root: Path) -> Image:
    """Do every step of the file. Fails on a step that fails or that is not known here."""
    image = Image(root, environment=clean_environment(UV_PYTHON=sys.executable, UV_PYTHON_DOWNLOADS="never"))
    steps = {"FROM": _from, "WORKDIR": _workdir, "RUN": _run, "COPY": _copy, "ENV": _env, "CMD": _cmd}
    for instruction, rest in instructions(dockerfile):
        assert instruction in steps, f"{dockerfile.name}: {instruction} is not known to this test"
        steps[instruction](image, rest)
    return image


def instructions(dockerfile: Path) -> Iterator[tuple[str, str]]:
    """Each instruction in capitals with the rest of its line; comments and line ends inside are dropped."""
    text = re.sub(r"^\s*#.*\n", "", dockerfile.read_text(encoding="utf-8"), flags=re.MULTILINE)
    for line in re.sub(r"\\\n", " ", text).splitlines():
        if line.strip():
            instruction, _, rest = line.strip().partition(" ")
            yield instruction.upper(), rest.strip()


def _from(image: Image, rest: str) -> None:
    assert not image.base, "one stage only"
    image.base = rest


def _workdir(image: Image, rest: str) -> None:
    image.workdir = image.workdir / rest
    image.home.mkdir(parents=True, exist_ok=True)


def _run(image: Image, rest: str) -> None:
    words = shlex.split(rest)
    if words[:2] == ["pip", "install"]:
        assert [re.match(r"[\w-]+", word).group() for word in words[2:] if not word.startswith("-")] == ["uv"]  # type: ignore[union-attr]
        _provide_uv(image)
        return
    done = image.run([str(image.path(word)) if word.startswith("/") else word for word in words], INSTALL_SECONDS)
    assert done.returncode == 0, f"RUN {rest}\n{done.stderr}"


def _provide_uv(image: Image) -> None:
    folder = image.path("/usr/local/bin")
    folder.mkdir(parents=True)
    local = ROOT / ".tools/bin/uv"
    found = str(local) if local.exists() else shutil.which("uv")
    assert found, "uv is needed: `make env`"
    (folder / "uv").symlink_to(found)
    image.environment["PATH"] = f"{folder}:{image.environment['PATH']}"


def _copy(image: Image, rest: str) -> None:
    *sources, target = shlex.split(rest)
    assert not any(word.startswith("--") for word in (*sources, target)), rest
    for source in sources:
        origin, goal = ROOT / source, image.path(target)
        assert origin.exists(), f"COPY {source}: there is no such file"
        if origin.is_dir():
            shutil.copytree(origin, goal, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
            continue
        goal = goal / origin.name if target.endswith(("/", ".")) else goal
        goal.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(origin, goal)


def _env(image: Image, rest: str) -> None:
    known = dict(image.environment)
    for word in shlex.split(rest):
        name, equals, value = word.partition("=")
        assert equals, f"ENV {rest}"
        inside = [str(image.path(part)) if part.startswith("/") else part for part in value.split(":")]
        image.environment[name] = re.sub(r"\$(\w+)", lambda found: known.get(found[1], ""), ":".join(inside))


def _cmd(image: Image, rest: str) -> None:
    image.command = json.loads(rest)
