"""The size ratchet: small files and small functions, everywhere in our own code."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGES = ("supervisor", "agents", "a2ui_schemas", "contracts", "chat_models", "tests", "bench")
FILE_LINES = 400
FUNCTION_LINES = 80
P90_FUNCTION_LINES = 40


def sources() -> Iterator[tuple[Path, str]]:
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            if "node_modules" not in path.parts:
                yield path.relative_to(ROOT), path.read_text("utf-8")


def functions() -> Iterator[tuple[str, int]]:
    for path, text in sources():
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                yield f"{path}:{node.lineno} {node.name}", (node.end_lineno or node.lineno) - node.lineno + 1


def test_no_file_is_longer_than_400_lines() -> None:
    long = [f"{path}: {len(text.splitlines())}" for path, text in sources() if len(text.splitlines()) > FILE_LINES]
    assert not long, f"split these files: {long}"


def test_no_function_is_longer_than_80_lines() -> None:
    long = [f"{name}: {lines}" for name, lines in functions() if lines > FUNCTION_LINES]
    assert not long, f"split these functions: {long}"


def test_nine_functions_of_ten_have_at_most_40_lines() -> None:
    lengths = sorted(lines for _, lines in functions())
    assert lengths[int(len(lengths) * 0.9)] <= P90_FUNCTION_LINES
