"""The rules of imports: packages depend in one direction, and everything is imported where a file begins."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from importlinter.cli import EXIT_STATUS_SUCCESS, lint_imports

ROOT = Path(__file__).parents[2]
PACKAGES = ("bridge", "channels", "host", "store")
REGISTRIES = {Path("channels/registry.py"), Path("host/models/registry.py")}
Function = ast.FunctionDef | ast.AsyncFunctionDef


def sources() -> Iterator[Path]:
    """All files of the program but the registries, which load only what is configured."""
    for package in PACKAGES:
        yield from (path for path in (ROOT / package).rglob("*.py") if path.relative_to(ROOT) not in REGISTRIES)


def hidden_imports(source: str) -> list[int]:
    """The lines of imports that stand inside functions."""
    functions = [node for node in ast.walk(ast.parse(source)) if isinstance(node, Function)]
    inner = (node for function in functions for node in ast.walk(function))
    return sorted({node.lineno for node in inner if isinstance(node, ast.Import | ast.ImportFrom)})


def test_packages_depend_in_one_direction_without_cycles(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    assert lint_imports(config_filename="pyproject.toml", no_cache=True, no_logo=True) == EXIT_STATUS_SUCCESS


def test_no_import_hides_inside_a_function() -> None:
    found = {str(path.relative_to(ROOT)): lines for path in sources() if (lines := hidden_imports(path.read_text()))}
    assert found == {}


def test_the_check_sees_a_hidden_import() -> None:
    assert hidden_imports("import os\n\nasync def f():\n    def g():\n        from json import loads\n") == [5]
