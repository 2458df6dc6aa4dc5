"""Supervisors by fork from one process that has imported everything: a start takes a moment instead of seconds.

    python -m tests.e2e.killed.nursery

Reads one JSON object per line, {"env": {...}, "log": PATH}, and answers with the id of a process that serves with that
environment, through the same code as `switchboard serve`.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import traceback
from typing import Any

from a2ui_schemas.gate import check
from a2ui_schemas.loader import load_catalogue
from supervisor import app
from supervisor.commands.serve import serve
from supervisor.settings import Settings


def main() -> None:
    """Serve orders until the input ends."""
    # One look at the catalogue is enough for all: it is most of what a start costs.
    check(load_catalogue())
    app.check = lambda _: None
    # Nobody waits for the children: they are killed.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    print("ready", flush=True)
    for line in sys.stdin:
        order = json.loads(line)
        pid = os.fork()
        if pid == 0:
            _become(order)
        print(pid, flush=True)


def _become(order: dict[str, Any]) -> None:
    code: Any = 1
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        log = os.open(order["log"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.dup2(log, 1)
        os.dup2(log, 2)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.environ.update(order["env"])
        serve(Settings(_env_file=None))  # pyright: ignore[reportCallIssue]
    except SystemExit as ended:
        code = ended.code
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


if __name__ == "__main__":
    main()
