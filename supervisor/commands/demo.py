"""Start every agent in `agents/` and the supervisor as processes of their own, and stop them together.

The one command a newcomer runs. Not a process manager: a process that dies is reported, never restarted.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import httpx

START_SECONDS = 60
STOP_SECONDS = 15


class DemoFailed(Exception):
    """The demo cannot go on; the text says what to do."""


@dataclass
class Demo:
    """`port` of the supervisor; agents listen on free ports. `environment` is added to that of every process."""

    port: int
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    processes: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict[str, "subprocess.Popen[bytes]"])
    _stop: threading.Event = field(default_factory=threading.Event)

    def run(self) -> None:
        """Start, print `ready URL`, wait for SIGINT or SIGTERM, stop. Raises DemoFailed."""
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: self._stop.set())
        try:
            self._start()
            if not self._stop.is_set():
                print(f"ready http://127.0.0.1:{self.port}", flush=True)
            self._watch()
        finally:
            self._terminate()

    def _start(self) -> None:
        if _in_use(self.port):
            raise DemoFailed(f"Port {self.port} is taken. Choose another: make demo PORT={self.port + 1}")
        agents = {name: free_port() for name in agent_names()}
        for name, port in agents.items():
            # DATABASE names the supervisor's file; an agent that wrote into it would hold its lock.
            self._spawn(name, ["-m", f"agents.{name}", "--port", str(port)], {"DATABASE": ""})
        urls = ",".join(f"{name}=http://127.0.0.1:{port}" for name, port in agents.items())
        self._spawn("supervisor", ["-m", "supervisor.cli", "serve", "--port", str(self.port)], {"AGENTS": urls})
        for name, port in agents.items():
            self._wait(name, f"http://127.0.0.1:{port}/healthz", "ok")
        self._wait("supervisor", f"http://127.0.0.1:{self.port}/readyz", "ready")

    def _spawn(self, name: str, arguments: list[str], extra: Mapping[str, str]) -> None:
        environment = {"OFFLINE_DELAY_MS": "12", **os.environ, **self.environment, **extra}
        # A session of its own: Ctrl-C reaches the demo alone, which then stops everything in order.
        command = [sys.executable, *arguments]
        self.processes[name] = subprocess.Popen(command, env=environment, start_new_session=True)

    def _wait(self, name: str, url: str, status: str) -> None:
        deadline = time.monotonic() + START_SECONDS
        while not self._stop.is_set():
            code = self.processes[name].poll()
            if code is not None:
                raise DemoFailed(f"{name} stopped with code {code} while starting; its message is above.")
            if _status(url) == status:
                return
            if time.monotonic() > deadline:
                raise DemoFailed(f"{name} did not answer at {url} within {START_SECONDS} s.")
            self._pause(0.1)

    def _watch(self) -> None:
        told: set[str] = set()
        while not self._pause(0.5):
            for name, process in self.processes.items():
                if process.poll() is not None and name not in told:
                    told.add(name)
                    print(f"{name} stopped with code {process.returncode}", flush=True)
            if "supervisor" in told:
                raise DemoFailed("The supervisor stopped.")

    def _pause(self, seconds: float) -> bool:
        """Waits; true once the demo is to stop."""
        if self._stop.wait(seconds) or _make_was_interrupted():
            self._stop.set()
        return self._stop.is_set()

    def _terminate(self) -> None:
        running = [process for process in reversed(self.processes.values()) if process.poll() is None]
        for process in running:
            process.terminate()
        deadline = time.monotonic() + STOP_SECONDS
        for process in running:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(max(0.1, deadline - time.monotonic()))
            if process.poll() is None:
                process.kill()


def _make_was_interrupted() -> bool:
    """Whether the `make` that started us was sent a SIGINT of its own.

    Ctrl-C reaches the whole process group, but GNU make does not pass on a SIGINT that only it was sent: it stays in
    its handler, with the signal blocked, until we end. That mask is all there is to see of it (Linux).
    """
    if "MAKELEVEL" not in os.environ:
        return False
    try:
        status = Path(f"/proc/{os.getppid()}/status").read_text("ascii", "replace")
    except OSError:
        return False
    blocked = next((line.split()[1] for line in status.splitlines() if line.startswith("SigBlk:")), "0")
    return bool(int(blocked, 16) >> (signal.SIGINT - 1) & 1)


def agent_names() -> list[str]:
    """Every package in `agents/` that can be started."""
    spec = importlib.util.find_spec("agents")
    folders = spec.submodule_search_locations if spec else None
    found = {path.parent.name for folder in folders or () for path in Path(folder).glob("[!_]*/__main__.py")}
    return sorted(name for name in found if not name.startswith("_"))


def free_port() -> int:
    """A port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _in_use(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return True
    return False


def _status(url: str) -> str | None:
    try:
        return httpx.get(url, timeout=2, trust_env=False).json().get("status")
    except (httpx.HTTPError, ValueError):
        return None
