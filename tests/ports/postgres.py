"""A real PostgreSQL server from the machine's own binaries, on a free port, in a folder that goes with it."""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import asyncpg
import pytest

from tests.e2e.processes import free_port

START_SECONDS = 60
BINARIES = Path("/usr/lib/postgresql")


def postgres_binary(name: str) -> str:
    """The newest Debian binary, else that of the PATH. Without one the test fails: `tests/e2e/setup.sh` says how."""
    versions = sorted(BINARIES.glob(f"*/bin/{name}"), key=lambda path: int(path.parts[-3].split(".")[0]))
    found = str(versions[-1]) if versions else shutil.which(name)
    if found is None:
        pytest.fail(f"{name} is missing: bash tests/e2e/setup.sh says what to install (CI=true installs it).")
    return found


@contextlib.contextmanager
def postgres_server() -> Iterator[str]:
    """Started and stopped as a user that is not root, which PostgreSQL refuses."""
    # Not in pytest's folders, which belong to their user alone.
    with tempfile.TemporaryDirectory(prefix="switchboard-postgres-") as folder:
        yield from _serve(Path(folder))


def _serve(folder: Path) -> Iterator[str]:
    data, log, port = folder / "data", folder / "postgres.log", free_port()
    data.mkdir()
    user = _give_away(folder, data)
    _run(user, [postgres_binary("initdb"), "-D", str(data), "-U", "tests", "--auth=trust", "-E", "UTF8", "--no-sync"])
    command = [postgres_binary("postgres"), "-D", str(data), "-p", str(port), "-c", "listen_addresses=127.0.0.1"]
    command += ["-c", "fsync=off", "-c", f"unix_socket_directories={data}"]
    with log.open("wb") as output:
        server = subprocess.Popen(_as(user, command), stdout=output, stderr=subprocess.STDOUT)
    try:
        _wait(server, port, log)
        yield f"postgresql://tests@127.0.0.1:{port}/postgres"
    finally:
        server.terminate()
        try:
            server.wait(20)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait(10)


async def fresh_database(server: str, name: str) -> str:
    """A new, empty database of the server."""
    connection = await asyncpg.connect(server)
    try:
        await connection.execute(f'CREATE DATABASE "{name}"')
    finally:
        await connection.close()
    return f"{server.rpartition('/')[0]}/{name}"


def _give_away(folder: Path, data: Path) -> str | None:
    """The user to run as: None for this one, which may not be root."""
    if os.geteuid() != 0:
        return None
    names = {entry.pw_name for entry in pwd.getpwall()}
    user = "postgres" if "postgres" in names else "nobody"
    shutil.chown(data, user)
    folder.chmod(0o711)
    return user


def _as(user: str | None, command: Sequence[str]) -> list[str]:
    return list(command) if user is None else ["setpriv", f"--reuid={user}", "--clear-groups", *command]


def _run(user: str | None, command: Sequence[str]) -> None:
    done = subprocess.run(_as(user, command), capture_output=True, text=True, check=False, cwd="/")
    assert done.returncode == 0, done.stderr + done.stdout


def _wait(server: subprocess.Popen[bytes], port: int, log: Path) -> None:
    ready = [postgres_binary("pg_isready"), "-h", "127.0.0.1", "-p", str(port), "-q"]
    deadline = time.monotonic() + START_SECONDS
    while subprocess.run(ready, check=False).returncode != 0:
        assert server.poll() is None, log.read_text("utf-8", "replace")
        assert time.monotonic() < deadline, log.read_text("utf-8", "replace")
        time.sleep(0.05)
