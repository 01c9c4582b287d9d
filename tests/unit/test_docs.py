"""The pages that people read: links lead somewhere, and both languages tell the same."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
CHINESE = ".zh-CN.md"
ENGLISH_ONLY: Final = {"figures.md"}
"""For whoever works on the program, like CONTRIBUTING.md."""

PAGES = sorted([*ROOT.glob("*.md"), *DOCS.glob("*.md")])
TWINS = sorted([ROOT / "README.zh-CN.md", *DOCS.glob(f"*{CHINESE}")])
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_FENCED = re.compile(r"^ *```(\w*)\n.*?^ *```$", re.DOTALL | re.MULTILINE)
_HEADING = re.compile(r"^(#+) +(.*)$", re.MULTILINE)
_CODE = re.compile(r"`[^`\n]*`")
_ELSEWHERE = re.compile(r"[a-z]+:")


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


def english_of(twin: Path) -> Path:
    return twin.with_name(twin.name.replace(CHINESE, ".md"))


def prose(text: str) -> str:
    """Without code: what stands there is neither a link nor a heading."""
    return _FENCED.sub("", text)


def anchors(text: str) -> set[str]:
    """What a link may name behind `#`, as GitHub derives it from the headings."""
    titles = (title.lower().strip() for _, title in _HEADING.findall(prose(text)))
    return {re.sub(r"[^\w\- ]", "", title).replace(" ", "-") for title in titles}


def links(text: str) -> list[str]:
    """The targets within this repository."""
    return [link for link in _LINK.findall(_CODE.sub("", prose(text))) if not _ELSEWHERE.match(link)]


def broken(page: Path, text: str) -> Iterator[str]:
    for link in links(text):
        path, _, anchor = link.partition("#")
        target = page.parent / path if path else page
        if not target.exists() or (anchor and anchor not in anchors(target.read_text(encoding="utf-8"))):
            yield link


def shape(text: str) -> tuple[list[int], list[str]]:
    """The levels of the headings and the languages of the code blocks, in order."""
    return [len(marks) for marks, _ in _HEADING.findall(prose(text))], _FENCED.findall(text)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_somewhere(page: Path) -> None:
    assert list(broken(page, page.read_text(encoding="utf-8"))) == []


def test_the_check_sees_a_broken_link() -> None:
    text = "[a](docs/api.md#events) [b](docs/api.md#no-such) [c](docs/none.md) [d](#read-on) [e](https://x.y)"
    assert list(broken(ROOT / "README.md", text)) == ["docs/api.md#no-such", "docs/none.md"]


def test_every_page_has_a_twin() -> None:
    english = {page.name for page in DOCS.glob("*.md")} - {twin.name for twin in TWINS} - ENGLISH_ONLY
    assert english == {english_of(twin).name for twin in TWINS if twin.parent == DOCS}


@pytest.mark.parametrize("twin", TWINS, ids=name_of)
def test_twins_have_the_same_shape(twin: Path) -> None:
    chinese, english = (page.read_text(encoding="utf-8") for page in (twin, english_of(twin)))
    assert shape(chinese) == shape(english)


@pytest.mark.parametrize("twin", TWINS, ids=name_of)
def test_twins_link_each_other_at_the_top(twin: Path) -> None:
    english = english_of(twin)
    assert f"[English]({english.name})" in twin.read_text(encoding="utf-8").splitlines()[2]
    assert f"[中文]({twin.name})" in english.read_text(encoding="utf-8").splitlines()[2]


@pytest.mark.parametrize("twin", TWINS, ids=name_of)
def test_chinese_pages_lead_to_chinese_pages(twin: Path) -> None:
    """Apart from the way to the twin itself."""
    targets = {twin.parent / link.partition("#")[0] for link in links(twin.read_text(encoding="utf-8"))}
    stray = {target for target in targets if target.with_name(target.stem + CHINESE) in TWINS}
    assert stray == {english_of(twin)}
