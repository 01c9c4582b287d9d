"""What is installed: every file of the packages, and locks that name no place."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("bridge", "channels", "host", "store")
LOCKS = ("requirements.lock", "requirements-dev.lock")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def _files() -> list[Path]:
    found = (path for package in PACKAGES for path in (ROOT / package).rglob("*") if path.is_file())
    return [path for path in found if "__pycache__" not in path.parts]


def test_every_file_is_in_the_package() -> None:
    """Pages of the console, templates of teams and of migrations are data: setuptools must be told."""
    patterns = PROJECT["tool"]["setuptools"]["package-data"]["*"]
    suffixes = {pattern.removeprefix("**/*") for pattern in patterns} | {".py"}
    assert [str(path) for path in _files() if path.suffix not in suffixes] == []


def test_every_folder_with_code_is_a_package() -> None:
    folders = {path.parent for path in _files() if path.suffix == ".py"}
    assert [str(folder) for folder in folders if not (folder / "__init__.py").exists()] == []


@pytest.mark.parametrize("name", LOCKS)
def test_every_line_of_a_lock_has_its_hashes(name: str) -> None:
    entries = re.split(r"\n(?=[a-z0-9])", (ROOT / name).read_text(encoding="utf-8"))
    assert [entry for entry in entries if "==" in entry and "--hash=sha256:" not in entry] == []


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_names_no_place(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    assert re.findall(r"--\w*index|--find-links|--trusted-host|\w+://|\s/\w", text, flags=re.MULTILINE) == []


def test_the_development_lock_holds_the_other() -> None:
    runtime, development = (set(re.findall(r"^\S+==\S+", (ROOT / name).read_text(), re.MULTILINE)) for name in LOCKS)
    assert runtime <= development


def test_every_dependency_is_locked() -> None:
    wanted = {re.split(r"[\[><=]", each)[0] for each in PROJECT["project"]["dependencies"]}
    locked = set(re.findall(r"^([a-z0-9.-]+)==", (ROOT / LOCKS[0]).read_text(encoding="utf-8"), re.MULTILINE))
    assert wanted <= locked
