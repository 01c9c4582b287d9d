"""Markdown → text with entities that Telegram takes."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from channels.telegram.links import is_link
from channels.telegram.rich import MOST_ENTITIES, Rich, from_markdown, split
from channels.telegram.tables import align_tables, width
from channels.telegram.utf16 import piece
from tests.support.telegram.rules import check_text


def wire(rich: Rich) -> list[dict[str, Any]]:
    return [entity.to_dict() for entity in rich.wire()]


def takes(rich: Rich) -> None:
    """The server takes it as it is."""
    for part in split(rich):
        assert len(part.entities) <= MOST_ENTITIES
        check_text(part.text, wire(part))
        assert part.text == part.text.strip()


def styled(rich: Rich, kind: str) -> list[str]:
    return [piece(rich.text, each.offset, each.length) for each in rich.entities if each.type == kind]


@pytest.mark.parametrize(
    ("markdown", "text"),
    [
        ("**a** _b_ `c` ~~d~~", "a b c d"),
        ("# 标题\n\n正文", "标题\n\n正文"),
        ("- a\n- b", "• a\n• b"),
        ("<b>raw</b> and List<String>", "<b>raw</b> and List<String>"),
        ("<details>\nhi\n</details>", "<details>\nhi\n</details>"),
        ("a || b || c", "a || b || c"),
        ("价格$100到$200元", "价格$100到$200元"),
        ("$x_1$ and $$y$$", "$x_1$ and $$y$$"),
        ("[file](./a.py) [x](http://localhost:3000)", "file (./a.py) x (http://localhost:3000)"),
        ("[a](https://a.io/x)", "a"),
        ("1. step:\n   ```sh\n   ls\n   ```", "1. step:\nls"),
        ("a\r\nb", "a\nb"),
        ("x \ud800 y", "x \ufffd y"),
        ("", ""),
        ("   \n ", ""),
    ],
)
def test_everything_stays_readable(markdown: str, text: str) -> None:
    """Issue 3, 3: raw HTML as text, refused links with their target, lone surrogates replaced."""
    rich = from_markdown(markdown)
    assert rich.text == text
    takes(rich)


def test_what_is_formatted() -> None:
    rich = from_markdown("# 标题\n\n**粗** `码` [链](https://a.io)\n\n```py\nx = 1\n```\n\n> 引")
    assert styled(rich, "bold") == ["标题", "粗"]
    assert styled(rich, "code") == ["码"]
    assert styled(rich, "text_link") == ["链"]
    assert styled(rich, "pre") == ["x = 1"]
    assert [each.language for each in rich.entities if each.type == "pre"] == ["py"]
    assert styled(rich, "blockquote") == ["引"]
    assert styled(rich, "underline") == []
    takes(rich)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("ask @ann", "ask @\u2060ann"),
        ("你@carol_x", "你@\u2060carol_x"),
        ("@all @everyone", "@\u2060all @\u2060everyone"),
        ("mail a@b.com", "mail a@b.com"),
        ("`@ann`", "@ann"),
    ],
)
def test_nobody_is_rung_by_what_a_model_writes(text: str, shown: str) -> None:
    """X6: the words stay readable."""
    assert from_markdown(text).text == shown


def test_a_link_to_a_person_is_no_mention() -> None:
    """X6."""
    rich = from_markdown("[Ann](tg://user?id=42)")
    assert (rich.text, rich.entities) == ("Ann (tg://user?id=42)", ())


def test_columns_of_a_table_stand_under_each_other() -> None:
    """Issue 3, 3: CJK characters are two columns wide."""
    text = from_markdown("|名字|**值**|\n|:--|--:|\n|研究员|1|\n|a|22|\n\n后文").text
    rows = text.split("\n")[:4]
    assert {width(row[: row.index("|")]) for row in (rows[0], *rows[2:])} == {7}
    assert rows == ["名字   | 值", "-------+---", "研究员 | 1", "a      | 22"]
    assert text.endswith("后文")


@pytest.mark.parametrize("odd", ["\u2028", "\x0b", "\x85", "\x1c"])
def test_no_word_of_a_table_is_taken_for_its_ruler(odd: str) -> None:
    """R1: what Python calls the end of a line is none in Markdown."""
    shown = from_markdown(f"|first{odd}second|c|\n|--|--|\n|third|fourth|").text
    assert all(word in shown for word in ("first", "second", "third", "fourth"))


def test_a_table_in_a_code_block_is_left_alone() -> None:
    source = "```\n| a | b |\n|---|---|\n```"
    assert align_tables(source) == source


def test_a_long_code_block_keeps_its_look_in_every_piece() -> None:
    """Contract 8: a long answer's parts each keep their code whole."""
    rich = from_markdown("```python\n" + "\n".join(f"print({n})" for n in range(900)) + "\n```")
    parts = split(rich)
    assert len(parts) > 1
    assert all([each.type for each in part.entities] == ["pre"] for part in parts)
    takes(rich)


def test_more_than_a_hundred_entities_become_several_messages() -> None:
    """Issue 3, 3: Telegram drops the formatting of all beyond."""
    rich = from_markdown("**b** word " * 300)
    assert sum(len(part.entities) for part in split(rich)) == 300
    takes(rich)


MARKS = (
    "**",
    "*",
    "_",
    "`",
    "```",
    "\n",
    "\n\n",
    "> ",
    "- ",
    "1. ",
    "| a | b |\n|--|--|\n",
    "[x](",
    ")",
    "<b>",
    "</",
    "||",
)
WORDS = (
    "😀",
    "研究员",
    "@ann",
    "http://a.b",
    "\ud83d",
    "\u200d",
    "$",
    "\\",
    "#",
    " ",
    "  \n",
    "~~",
    "![i](u)",
    "&amp;",
)
NASTY = st.lists(st.sampled_from(MARKS + WORDS), max_size=40).map("".join)


@given(NASTY)
def test_whatever_a_model_writes_is_taken(markdown: str) -> None:
    """Issue 3, 3: entity bounds and lengths hold."""
    takes(from_markdown(markdown))


@given(NASTY, st.integers(64, 200))
def test_pieces_hold_their_limit(markdown: str, limit: int) -> None:
    assert all(part.units <= limit for part in split(from_markdown(markdown * 5), limit))


@pytest.mark.parametrize(
    ("url", "good"),
    [
        ("https://a.io", True),
        ("http://用户.中国/x?y#z", True),
        ("https://u:p@a.io:8443/", True),
        ("http://localhost:3000", False),
        ("/abs/x", False),
        ("./x", False),
        ("#a", False),
        ("file:///etc/passwd", False),
        ("ftp://a.io", False),
        ("javascript:alert(1)", False),
        ("src/main.py:42", False),
        ("README.md", False),
        ("https://a.io:99999", False),
        ("https://.", False),
        ("https://a..b", False),
        ("https://", False),
        ("tg://user?id=1", False),
    ],
)
def test_links_that_would_cost_the_whole_message(url: str, good: bool) -> None:
    """Issue 3, 3."""
    assert is_link(url) is good
    if good:
        check_text("x", [{"type": "text_link", "offset": 0, "length": 1, "url": url}])
