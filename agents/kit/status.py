"""The line that is shown while a tool runs, in the language of the question."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

OTHER = ("正在查询…", "Looking that up…")


def status_lines(lines: Mapping[str, tuple[str, str]]) -> Callable[[str, Mapping[str, Any], bool], str]:
    """An `AgentSpec.status` from (Chinese, English) lines by tool name; other tools get a general one."""

    def status(tool: str, arguments: Mapping[str, Any], chinese: bool) -> str:
        del arguments
        return lines.get(tool, OTHER)[0 if chinese else 1]

    return status
