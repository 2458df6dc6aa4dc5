"""The supervisor as a target of the shared benchmark harness: its fake model, its stub agents, the memory journal.

The harness starts it like a peer (`--app NAME=PYTHON:switchboard_target --app-path bench`) and sets `BENCH_A2A`.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from fastapi import FastAPI

from supervisor.app import create_app as supervisor_app
from supervisor.settings import Settings

LEGS = 8
"""The workloads ask `domain-0`, `domain-1`, ...; none asks more than this many."""


def create_app(database: str | None = None) -> FastAPI:
    """The app under test. `SWITCHBOARD_DATABASE` chooses another journal than memory."""
    base = os.environ["BENCH_A2A"]
    settings = Settings(
        model="bench.servers.langgraph_agent:FakeSupervisorModel",
        agents=",".join(f"domain-{n}={base}/domain-{n}" for n in range(LEGS)),
        database=database or os.environ.get("SWITCHBOARD_DATABASE", "memory"),
        flush_window_ms=float(os.environ.get("SWITCHBOARD_FLUSH_MS", "10")),
        tune_gc=True,
    )
    return supervisor_app(settings)


def fresh_folder(name: str) -> Path:
    """An empty folder, always the same one: the harness ends its servers in a way that leaves no time to clean up."""
    folder = Path(tempfile.gettempdir()) / "switchboard-bench" / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder
