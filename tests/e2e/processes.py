"""Processes of the end-to-end tests: started with a clean environment, awaited, and never left behind.

Not a supervisor of processes: what dies stays dead, and the test hears of it.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import httpx

ROOT = Path(__file__).parents[2]
START_SECONDS = 90
POLL_SECONDS = 0.1

T = TypeVar("T")

# Make tells its children about itself and its variables, Python and uv would find this project's own environment.
_OURS = ("MAKE", "MFLAGS", "PYTHON", "VIRTUAL_ENV", "UV_PROJECT_ENVIRONMENT", "PYTEST", "COVERAGE")
_SETTINGS = ("MODEL", "AGENT", "DATABASE", "HOST", "PORT", "OFFLINE_DELAY_MS", "CAMPUS", "PUBLIC_BASE_URL", "DATA_DIR")


def clean_environment(**more: str) -> dict[str, str]:
    """The caller's environment without this project's settings and without what a build tool put into it."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(_OURS + _SETTINGS)}
    return {**kept, "PYTHONUNBUFFERED": "1", "PYTHONDONTWRITEBYTECODE": "1", **more}


def free_port() -> int:
    """A port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@dataclass(frozen=True)
class Running:
    """A process that leads a process group; `log` gets its output and that of its children."""

    process: subprocess.Popen[bytes]
    log: Path

    def output(self) -> str:
        """What was printed so far."""
        return self.log.read_text(encoding="utf-8", errors="replace")

    def until(self, probe: Callable[[], T | None], seconds: float = START_SECONDS) -> T:
        """The first value of `probe` that is not None. Fails when the time is over or the process has ended."""
        deadline = time.monotonic() + seconds
        while True:
            if (found := probe()) is not None:
                return found
            assert time.monotonic() < deadline, f"not within {seconds} s; the output was:\n{self.output()}"
            with contextlib.suppress(subprocess.TimeoutExpired):
                code = self.process.wait(POLL_SECONDS)
                raise AssertionError(f"ended with code {code}; the output was:\n{self.output()}")

    def until_ok(self, url: str) -> httpx.Response:
        """Wait for a 200 from `url`."""
        return self.until(lambda: _get(url))

    def end(self, number: signal.Signals = signal.SIGTERM, *, seconds: float = 20) -> int:
        """Signal the process alone and wait for its exit code."""
        self.process.send_signal(number)
        return self.process.wait(seconds)


@contextlib.contextmanager
def running(command: Sequence[str], log: Path, *, cwd: Path, env: Mapping[str, str]) -> Iterator[Running]:
    """A process in a group of its own; whatever is left of it and of its descendants at the end is killed."""
    with log.open("wb") as file:
        process = subprocess.Popen(
            command, cwd=cwd, env=dict(env), stdout=file, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
            start_new_session=True, preexec_fn=_heed_interrupts,
        )  # fmt: skip
    try:
        yield Running(process, log)
    finally:
        for pid in [*descendants(process.pid), process.pid]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        process.wait(10)


def _heed_interrupts() -> None:
    """Who was started in the background ignores SIGINT, and so would everything below."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def descendants(pid: int) -> list[int]:
    """Children of `pid`, their children and so on, leaves first. Needs Linux."""
    parents: dict[int, list[int]] = {}
    for child, parent in ((int(p.name), _parent(p)) for p in Path("/proc").iterdir() if p.name.isdigit()):
        parents.setdefault(parent, []).append(child)

    def below(one: int) -> list[int]:
        return [found for child in parents.get(one, []) for found in (*below(child), child)]

    return below(pid)


def alive(pid: int) -> bool:
    """Whether the process runs; one that ended and that nobody has waited for does not."""
    try:
        return _stat(Path(f"/proc/{pid}"))[0] != "Z"
    except OSError:
        return False


def command_of(pid: int) -> list[str]:
    """The arguments that the process was started with."""
    return Path(f"/proc/{pid}/cmdline").read_bytes().decode().split("\0")[:-1]


def environment_of(pid: int) -> dict[str, str]:
    """The environment that the process was started with."""
    entries = Path(f"/proc/{pid}/environ").read_bytes().decode().split("\0")[:-1]
    return dict(entry.split("=", 1) for entry in entries)


def _parent(folder: Path) -> int:
    try:
        return int(_stat(folder)[1])
    except OSError:
        return 0


def _stat(folder: Path) -> list[str]:
    # The name in brackets may itself hold brackets and spaces: fields are counted from the last one.
    return (folder / "stat").read_text().rpartition(")")[2].split()


def _get(url: str) -> httpx.Response | None:
    try:
        response = httpx.get(url, timeout=5, trust_env=False)
    except httpx.HTTPError:
        return None
    return response if response.status_code == 200 else None
