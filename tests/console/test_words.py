"""The console's files: its catalogue of words, and how they are built. No browser needed."""

import re
from pathlib import Path

import pytest

CONSOLE = Path(__file__).parents[2] / "bridge" / "console"
SCRIPTS = sorted(CONSOLE.rglob("*.js"))
WORDS = (CONSOLE / "core" / "words.js").read_text(encoding="utf-8")
TEXT = r'"((?:[^"\\]|\\.)*)"'
ENTRY = re.compile(rf"^  (\w+): \[\s*{TEXT},\s*{TEXT},?\s*\],$", re.MULTILINE)
ENTRIES = {key: (chinese, english) for key, chinese, english in ENTRY.findall(WORDS)}
CODE = "\n".join(path.read_text(encoding="utf-8") for path in SCRIPTS if path.name != "words.js")


def test_every_key_has_both_languages() -> None:
    assert set(ENTRIES) == set(re.findall(r"^  (\w+): ", WORDS, re.MULTILINE))
    assert [key for key, both in ENTRIES.items() if not all(each.strip() for each in both)] == []


def test_both_languages_speak_of_the_same_things() -> None:
    """The same fields in both, and each in its own letters."""
    fields = re.compile(r"{(\w+)}")
    assert [key for key, (zh, en) in ENTRIES.items() if sorted(fields.findall(zh)) != sorted(fields.findall(en))] == []
    foreign = {"language", "language_short"}
    assert [key for key, (_, en) in ENTRIES.items() if re.search(r"[\u4e00-\u9fff]", en)] == sorted(foreign)


def test_no_key_stands_twice() -> None:
    keys = re.findall(r"^  (\w+): ", WORDS, re.MULTILINE)
    assert sorted(keys) == sorted(set(keys))


def test_what_is_said_stands_in_the_catalogue() -> None:
    """Keys that the code names, directly or as a pattern of several."""
    assert sorted({key for key in re.findall(r'\bsay\("(\w+)"', CODE) if key not in ENTRIES}) == []
    patterns = {re.sub(r"\$\{[^}]*\}", r"\\w+", each) for each in re.findall(r"\bsay\(`([^`]+)`", CODE)}
    assert [each for each in patterns if not any(re.fullmatch(each, key) for key in ENTRIES)] == []


def test_no_word_is_left_over() -> None:
    named = set(re.findall(r'"(\w+)"', CODE)) | set(re.findall(r"\b(guide_\w+)\b", CODE))
    patterns = {re.sub(r"\$\{[^}]*\}", r"\\w+", each) for each in re.findall(r"`([\w${}.]+)`", CODE) if "_" in each}
    unused = [key for key in ENTRIES if key not in named and not any(re.fullmatch(each, key) for each in patterns)]
    assert unused == []


def test_chinese_stands_in_the_catalogue_only() -> None:
    elsewhere = [path.name for path in SCRIPTS if path.name != "words.js" and _has_chinese(path)]
    assert elsewhere == []


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.relative_to(CONSOLE).as_posix())
def test_modules_are_small_and_strict(path: Path) -> None:
    """At most one element a file, fewer than 250 lines, no markup from strings but the server's own rendering."""
    text = path.read_text(encoding="utf-8")
    assert text.startswith("//")
    if path.name != "words.js":
        assert text.count("\n") < 250
    assert text.count("customElements.define(") <= 1
    assert "innerHTML" not in text.replace("if (event.html) body.innerHTML = event.html;", "")
    assert not re.search(r"\beval\(|new Function|insertAdjacentHTML|outerHTML|document\.write", text)


def _has_chinese(path: Path) -> bool:
    lines = (line for line in path.read_text(encoding="utf-8").splitlines() if not line.lstrip().startswith("//"))
    # A name between two languages, and punctuation that text in either may have.
    return any(re.search(r"[\u4e00-\u9fff]", line.replace("中文", "")) for line in lines)


def test_what_is_needed_at_once_is_fetched_at_once() -> None:
    """The page names every module that the first one imports, however deep; the others come with their pages."""
    needed: set[str] = set()
    waiting = ["app.js"]
    while waiting:
        name = waiting.pop()
        if name not in needed:
            needed.add(name)
            waiting += _imported(name)
    page = (CONSOLE / "index.html").read_text(encoding="utf-8")
    assert set(re.findall(r'(?:modulepreload" href|src)="/console/([^"]+)"', page)) == needed


def _imported(name: str) -> list[str]:
    path = CONSOLE / name
    text = path.read_text(encoding="utf-8")
    targets = re.findall(r'^(?:import|export) (?:[^"]* from )?"(\.[^"]+)"', text, re.MULTILINE)
    return [(path.parent / target).resolve().relative_to(CONSOLE).as_posix() for target in targets]
