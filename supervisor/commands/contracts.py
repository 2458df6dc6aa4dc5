"""`switchboard contracts ...` is `python -m contracts ...`: one command line for both."""

from __future__ import annotations

from collections.abc import Sequence

from contracts.__main__ import app


def run(arguments: Sequence[str]) -> None:
    """Run the command of the contracts package. Ends with its exit code."""
    app(list(arguments), prog_name="switchboard contracts")
