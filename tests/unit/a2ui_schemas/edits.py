"""Changes to the JSON files of a catalogue's copy."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

Edit = Callable[[Any], Any]


def edit(path: Path, change: Edit) -> None:
    """Rewrite a file by `change`."""
    content = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps(change(content)), "utf-8")


def component(name: str, **change: Any) -> Edit:
    """Change one component of a template."""
    return lambda template: [{**c, **change} if c["id"] == name else c for c in template]
