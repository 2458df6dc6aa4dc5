"""Serve the supervisor with uvicorn: one process, uvloop and httptools, open streams ended before the process goes."""

from __future__ import annotations

import signal
from types import FrameType

import uvicorn

from supervisor.app import create_app
from supervisor.settings import Settings


class _Server(uvicorn.Server):
    """Tells the runs to drain as soon as the signal comes: uvicorn itself would wait for open streams first."""

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        runs = getattr(self.config.app, "state", None)
        manager = getattr(runs, "runs", None)
        if manager is not None:
            manager.begin_drain()
        super().handle_exit(sig, frame)


def serve(settings: Settings) -> None:
    """Run until SIGINT or SIGTERM. Raises SystemExit: 0 after a signal, 1 when the server could not start."""
    app = create_app(settings.model_copy(update={"tune_gc": True}))
    config = uvicorn.Config(
        app,
        host=settings.host,
        port=settings.port,
        loop="uvloop",
        http="httptools",
        log_level="warning",
        access_log=False,
        timeout_graceful_shutdown=int(settings.drain_seconds) + 1,
        timeout_keep_alive=120,
    )
    server = _Server(config)
    # uvicorn shuts down first and then raises the signal again, which would end the process as if it had been killed.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _exit)
    server.run()
    if not server.started:
        raise SystemExit(1)


def _exit(_signal: int, _frame: FrameType | None) -> None:
    raise SystemExit(0)
