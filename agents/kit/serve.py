"""The command line of an agent: `python -m agents.NAME --port N`. Drains on SIGINT and SIGTERM, then ends with 0."""

from __future__ import annotations

import argparse
import logging
import signal
import sys
from collections.abc import Sequence
from types import FrameType

import uvicorn

from agents.kit.app import build_app
from agents.kit.drain import Drain
from agents.kit.settings import AgentSettings
from agents.kit.spec import AgentSpec
from agents.kit.storage import StorageUnavailable

GRACE_SECONDS = 5


def run(spec: AgentSpec, arguments: Sequence[str] | None = None) -> int:
    """Serve the agent until a signal ends it. Gives the exit code: 2 for settings that make no sense."""
    parser = argparse.ArgumentParser(prog=f"python -m agents.{spec.name}", description=spec.description)
    parser.add_argument("--host", help="address to listen on (HOST, default 127.0.0.1)")
    parser.add_argument("--port", type=int, help=f"port to listen on (PORT, default {spec.default_port})")
    given = parser.parse_args(arguments)
    _configure_logging()
    try:
        settings = AgentSettings()
        settings = settings.model_copy(update={"host": given.host or settings.host})
        port = next(p for p in (given.port, settings.port, spec.default_port) if p is not None)
        app = build_app(spec, settings, port=port)
    except ValueError as error:
        print(f"{spec.name}: {error}", file=sys.stderr)
        return 2
    config = uvicorn.Config(
        app,
        host=settings.host,
        port=port,
        log_config=None,
        access_log=False,
        timeout_graceful_shutdown=GRACE_SECONDS,
    )
    server = _Server(config, app.state.drain)
    # uvicorn shuts down first and then raises the signal again, which would end the process as if it had been killed.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _exit)
    server.run()
    return 0 if server.started else 1


class _Server(uvicorn.Server):
    """Listens on while it drains, so that callers are told to come again; a second signal ends the process at once."""

    def __init__(self, config: uvicorn.Config, drain: Drain) -> None:
        super().__init__(config)
        self._drain = drain
        self._signal: int | None = None

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        if self._signal is not None:
            super().handle_exit(sig, frame)
        self._signal = sig

    async def on_tick(self, counter: int) -> bool:
        if self._signal is not None and not self.should_exit:
            self._drain.begin()
            if self._drain.done:
                super().handle_exit(self._signal, None)
        return await super().on_tick(counter)


def _exit(_signal: int, _frame: FrameType | None) -> None:
    raise SystemExit(0)


class InASentence(logging.Filter):
    """A database that is not there is told as such, not as the trace of a program."""

    def filter(self, record: logging.LogRecord) -> bool:
        said = str(record.msg)
        if StorageUnavailable.__name__ in said:
            record.msg = said.strip().splitlines()[-1].partition(": ")[2]
        return True


def _configure_logging() -> None:
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    # These two write whole exceptions, with callers' words and internal texts in them; the kit logs its own lines.
    for name in ("a2a", "mcp"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    logging.getLogger("uvicorn.error").addFilter(InASentence())
    for name in ("httpx", "uvicorn.error", "sse_starlette"):
        logging.getLogger(name).setLevel(logging.WARNING)
