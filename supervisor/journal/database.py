"""One SQLite file (WAL) behind one connection and one worker thread: the event loop never waits for the disk."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")


class Database:
    """Shared by all that keep something in the file, so that they never wait for each other's locks.

    `connection` may be used in the constructor's thread until the first `run`, and after that inside `run` only.
    """

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.connection = sqlite3.connect(path, check_same_thread=False, isolation_level=None, timeout=10)
        self.connection.execute("PRAGMA journal_mode=WAL")
        self.connection.execute("PRAGMA synchronous=NORMAL")
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="sqlite")

    async def run(self, call: Callable[..., T], *args: Any) -> T:
        """The result of `call(*args)`, made in the worker."""
        return await asyncio.get_running_loop().run_in_executor(self._worker, call, *args)

    @contextmanager
    def transaction(self) -> Generator[sqlite3.Connection]:
        """Inside `run`: everything or nothing."""
        self.connection.execute("BEGIN IMMEDIATE")
        try:
            yield self.connection
            self.connection.execute("COMMIT")
        except BaseException:
            self.connection.execute("ROLLBACK")
            raise

    async def aclose(self) -> None:
        """Close after what was asked for is done."""
        await self.run(self.connection.close)
        self._worker.shutdown()
