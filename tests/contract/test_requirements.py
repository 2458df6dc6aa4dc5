"""Requirements and tests hold each other to account: read from the sources, so that no test has to run for it."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.requirements import REQUIREMENTS

TESTS = Path(__file__).parents[1]
IDS = [requirement.id for requirement in REQUIREMENTS]


def claims() -> Iterator[tuple[str, str]]:
    """(id, test) for every claim of a test, and of a module for all its tests."""
    for path in sorted(TESTS.rglob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name.startswith("test_"):
                for decorator in node.decorator_list:
                    for claimed in _claimed(decorator):
                        yield claimed, f"{path.relative_to(TESTS)}::{node.name}"


def _claimed(decorator: ast.expr) -> list[str]:
    if not isinstance(decorator, ast.Call):
        return []
    name = decorator.func.attr if isinstance(decorator.func, ast.Attribute) else getattr(decorator.func, "id", "")
    if name != "requirement":
        return []
    assert all(isinstance(a, ast.Constant) for a in decorator.args), "claim ids as literals, so that they can be found"
    return [str(a.value) for a in decorator.args if isinstance(a, ast.Constant)]


def test_every_requirement_is_proved_by_a_test() -> None:
    unproved = set(IDS) - {claimed for claimed, _ in claims()}
    assert not unproved, f"write a test for these, or take them out: {sorted(unproved)}"


def test_every_claim_names_a_requirement() -> None:
    unknown = [f"{claimed} in {test}" for claimed, test in claims() if claimed not in IDS]
    assert not unknown, f"add these to tests/requirements.py: {unknown}"


def test_no_two_requirements_share_an_id_or_a_sentence() -> None:
    for what in (IDS, [requirement.sentence for requirement in REQUIREMENTS]):
        assert [value for value, count in Counter(what).items() if count > 1] == []


def test_every_requirement_is_a_sentence_with_a_source() -> None:
    odd = [r.id for r in REQUIREMENTS if not r.source or not r.sentence.endswith(".") or r.sentence[0].islower()]
    assert odd == []


def test_a_test_that_is_named_after_a_case_claims_it() -> None:
    """`test_hist_04_...` without the marker would be a case that nobody counts."""
    cases = {r.id.lower().replace("-", "_"): r.id for r in REQUIREMENTS if r.source == "cases"}
    claimed = set(claims())
    missing: list[str] = []
    for path in sorted(TESTS.rglob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                name = node.name.removeprefix("test_")
                case = next((i for prefix, i in cases.items() if name.startswith(prefix + "_")), None)
                test = f"{path.relative_to(TESTS)}::{node.name}"
                if case and (case, test) not in claimed:
                    missing.append(f"{case} in {test}")
    assert not missing, f"mark these with their case: {missing}"
