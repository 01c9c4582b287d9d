"""What is code in a model's text is code in the card, and nothing else is: a turned fence lets raw text out."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from channels.feishu.growing import visible
from channels.feishu.markdown import card_markdown, post_markdown
from channels.feishu.render import card_of, chunks
from channels.markdown import parse_blocks
from tests.support.feishu.rules import check_card, check_markdown
from tests.unit.channels.samples import message


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("    ```\n    [a](b <i>", "````plain_text\n```\n[a](b <i>\n````"),
        ("    [a](b <i>\n    ```", "````plain_text\n[a](b <i>\n```\n````"),
        ("~~~\n[a](b <i>\n```", "````plain_text\n[a](b <i>\n```\n````"),
        ("~~~\n\u3000```\n[a](b <i>\n~~~", "````plain_text\n\u3000```\n[a](b <i>\n````"),
    ],
)
def test_no_line_of_a_code_block_ends_it(source: str, shown: str) -> None:
    """The first and the last line too: of indented code and of an open fence they are code."""
    assert card_markdown(source) == shown
    check_markdown(shown, set())


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("字\n    ```\n    二", "字\n\u200b```\n二"),
        ("\u3000~~~py", "\u200b~~~py"),
        ("[```](a)", "\u200b``` (a)"),
        ("- ![~~~](a)", "- \u200b~~~"),
        ("```码```", "```码```"),
    ],
)
def test_words_that_look_like_a_fence_open_none(source: str, shown: str) -> None:
    assert card_markdown(source) == shown
    assert post_markdown(source) == shown


def test_a_tag_above_a_code_block_leaves_it_one() -> None:
    source = "<details>\n```py\na < b\n```\n</details>"
    assert card_markdown(source) == "&#60;details&#62;\n```python\na < b\n```\n&#60;/details&#62;"


def test_indented_code_that_begins_with_ticks_costs_no_card() -> None:
    """230001, invalid href: the ticks ended our fence, and the link behind them was none."""
    sent = message(text="\t```\n\n\t[a](你好 [a](<b>> é\n\n# 题")
    check_card(json.dumps(card_of(sent, chunks(sent)[0])), set())


@pytest.mark.parametrize("source", ["````md\n```py\n", "~~~\n```\n", "```\n~~~\n", "```a``` 字\n\n```py\n"])
def test_the_end_of_a_long_growing_code_block_is_code(source: str) -> None:
    """A fence of another kind, or a shorter one, does not close it."""
    assert "\na < 4999\n" in visible(source + "".join(f"a < {n}\n" for n in range(5000)))


@pytest.mark.parametrize("source", ["````md\n```py\n````\n", "```a``` 字\n", "~~~\n```\n~~~\n"])
def test_the_end_of_a_long_growing_text_is_text(source: str) -> None:
    assert "\na &#60; 4999" in visible(source + "".join(f"a < {n}\n" for n in range(5000)))


_BITS = st.sampled_from(
    [
        *("```", "```", "````", "~~~", "`````py", "`", "\n", "\n", "\n\n", "    ", "\t", "  ", "> ", "- ", "1. ", "# "),
        *("字", "字\n    ", "[a](b)", "[```](a)", "![~~~](a)", "<details>", "<!--", "<br>", "\u3000", "---"),
    ]
)


@given(source=st.lists(_BITS, max_size=20).map("".join))
def test_a_card_has_the_code_blocks_of_its_source(source: str) -> None:
    """Fences all of them, whatever they were."""
    count = _count(source, "fence", "code")
    assert _count(card_markdown(source), "fence") == count
    assert _count(post_markdown(source), "fence") == count


def _count(text: str, *kinds: str) -> int:
    """Read as cards are read: without HTML."""
    blocks = (block for top in parse_blocks(text.replace("<", "字")) for block in top.walk())
    return sum(block.kind in kinds for block in blocks)
