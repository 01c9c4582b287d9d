"""Long texts in several messages: nothing lost, nothing torn that could stay whole."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from channels.markdown import parse_blocks
from channels.split import SMALLEST, cut, split
from channels.types import Limits
from channels.units import Unit, is_joint, measure

UNITS: list[Unit] = ["characters", "utf16", "bytes"]


def parts(text: str, limit: int, *, unit: Unit = "characters", reserve: int = 0) -> tuple[str, ...]:
    return split(text, Limits(text=limit, unit=unit), reserve=reserve)


def lines(count: int, word: str = "line") -> str:
    return "\n".join(f"{word} {number}" for number in range(count))


def test_what_fits_stays_one() -> None:
    assert parts("short\n", 100) == ("short",)
    assert split("x" * 100_000, Limits()) == ("x" * 100_000,)


@pytest.mark.parametrize("text", ["", " ", "\n\n", " " * 500, "\u3000\n" * 500])
def test_a_blank_text_has_no_parts(text: str) -> None:
    assert parts(text, 100) == ()
    assert split(text, Limits()) == ()


def test_paragraphs_are_the_best_borders() -> None:
    first, second = "One. " * 15, "Two. " * 15
    assert parts(f"{first}\n\n{second}", 100) == (first.strip(), second.strip())


def test_then_items_then_lines_then_sentences_then_words() -> None:
    items = "\n".join(f"- item {number}\n  second line" for number in range(6))
    assert all(part.startswith("- item") for part in parts(items, 100))
    assert all(part.startswith("line") for part in parts(lines(40), 100))
    sentences = "Here is a sentence. " * 20
    assert all(part.endswith("sentence.") for part in parts(sentences, 100))
    assert all(word == "word" for part in parts("word " * 100, 100) for word in part.split(" "))


def test_chinese_is_cut_after_its_own_punctuation() -> None:
    assert all(part.endswith("。") for part in parts("这是一句很长的话，没有空格。" * 20, 100))


def test_a_word_without_end_is_cut_where_it_must_be() -> None:
    assert parts("x" * 250, 100) == ("x" * 100, "x" * 100, "x" * 50)


def test_links_inline_code_and_bold_words_are_not_torn() -> None:
    for mark in ("[a label of words](https://example.com/x)", "`some inline code`", "**three bold words**"):
        text = f"{mark} and " * 12
        assert sum(part.count(mark) for part in parts(text, 100)) == 12


def test_a_heading_stays_with_what_it_stands_over() -> None:
    text = f"{'Words. ' * 12}\n\n## Heading\n\n{'More. ' * 12}"
    assert [part.startswith("## Heading\n\nMore.") for part in parts(text, 100)] == [False, True]


def test_a_fence_that_fits_stays_whole() -> None:
    fence = f"```python\n{lines(8)}\n```"
    text = f"Before it.\n\n{fence}\n\nAfter it."
    assert fence in parts(text, len(fence))
    assert parts(text, len(fence) + 5) == ("Before it.", fence, "After it.")


def test_a_fence_that_does_not_fit_is_closed_and_opened_again_with_its_info() -> None:
    found = parts(f"Intro.\n\n```python title=x\n{lines(60)}\n```\n\nOutro.", 120)
    assert len(found) > 3
    for part in found[1:-1]:
        assert part.startswith("```python title=x\nline")
        assert part.endswith("\n```")
    assert all(part.count("```") % 2 == 0 for part in found)
    assert re.findall(r"line \d+", "\n".join(found)) == lines(60).split("\n")


def test_no_piece_of_a_fence_is_empty() -> None:
    for size in range(80, 200):
        text = f"```py\n{'x' * size}\n```\n\n{'y' * 100}"
        assert all(part.replace("```py", "").replace("`", "").strip() for part in parts(text, 100))


def test_a_closing_line_is_never_a_piece_of_its_own() -> None:
    found = parts(f"```\n{'x' * 86}\n{'`' * 10}\n\n{'y' * 98}", 100)
    assert all("x" in part or "y" in part for part in found)


def test_blank_lines_and_indentation_in_code_survive_a_cut() -> None:
    code = "\n".join(["if a:", "", "", "    if b:", "        c()", "", ""] * 20)
    for limit in range(80, 120):
        found = parts(f"```\n{code}\n```", limit)
        assert "\n".join(part.removeprefix("```\n").removesuffix("\n```") for part in found) == code


def test_lines_of_code_that_fill_a_part_exactly_bring_no_blank_line() -> None:
    found = parts(f"```\n{'x' * 92}\n{'y ' * 60}\n```", 100)
    assert found[0] == f"```\n{'x' * 92}\n```"
    assert found[1].startswith("```\ny y")


def test_an_info_string_that_would_eat_up_the_parts_is_not_repeated() -> None:
    found = parts(f"``` {'info' * 50}\n{lines(40)}\n```", 100)
    assert len(found) < 10
    assert sum(part.count("info") for part in found) == 50


def test_longer_fences_and_tildes_are_closed_by_their_own_marks() -> None:
    for mark in ("````", "~~~"):
        found = parts(f"{mark}md\n{lines(40)}\n{mark}", 100)
        assert all(part.startswith(f"{mark}md\n") and part.endswith(f"\n{mark}") for part in found)


def test_a_fence_that_is_never_closed_is_closed_at_the_cuts() -> None:
    found = parts(f"```py\n{lines(40)}", 100)
    assert all(part.startswith("```py\nline") for part in found)
    assert all(part.endswith("\n```") for part in found[:-1])


def test_a_fence_in_a_list_goes_on_without_the_lists_depth() -> None:
    """Else its closing line would count as code, and swallow what follows."""
    code = "\n".join(f"    line {number}" for number in range(40))
    found = parts(f"10. Do:\n\n    ```sh\n{code}\n    ```\n\n    Then rest.\n11. Next.", 100)
    assert found[0].endswith("\n    ```")
    assert found[1].startswith("```sh\nline ")
    assert found[-1].endswith("\n```\n\nThen rest.\n11. Next.")
    for part in found:
        fences = [block for top in parse_blocks(part) for block in top.walk() if block.kind in ("fence", "code")]
        assert [block.kind for block in fences] == ["fence"] * len(fences)


def test_a_fence_on_the_line_of_its_bullet_does_not_repeat_the_bullet() -> None:
    code = "\n".join(f"  line {number}" for number in range(40))
    found = parts(f"- ```sh\n{code}\n  ```", 100)
    assert found[0].startswith("- ```sh\n  line 0")
    assert found[0].endswith("\n  ```")
    assert all(part.startswith("```sh\nline") and part.endswith("\n```") for part in found[1:])


def test_a_fence_in_a_quote_stays_quoted() -> None:
    code = "\n".join(f"> line {number}" for number in range(40))
    found = parts(f"> ```sh\n{code}\n> ```", 100)
    assert all(part.startswith("> ```sh\n> line") and part.endswith("\n> ```") for part in found)


def test_a_quoted_line_stays_quoted_when_it_is_cut() -> None:
    assert all(part.startswith("> ") for part in parts("> " + "word " * 100, 100))


def test_a_table_keeps_its_header_row() -> None:
    header = "| name | value |\n|:-----|------:|\n"
    rows = [f"| n{number} | {number} |" for number in range(50)]
    found = parts(f"Intro.\n\n{header}" + "\n".join(rows) + "\n\nOutro.", 160)
    tables = [part.removeprefix("Intro.\n\n").removesuffix("\n\nOutro.") for part in found if "|" in part]
    assert len(tables) > 3
    assert all(table.startswith(f"{header}| n") for table in tables)
    assert "\n".join(table.removeprefix(header) for table in tables).split("\n") == rows


def test_a_table_that_fits_stays_whole() -> None:
    table = "| a | b |\n|---|---|\n" + "\n".join(f"| {number} | x |" for number in range(7))
    assert table in parts(f"{'Words. ' * 5}\n\n{table}", len(table))


def test_every_part_leaves_room_for_its_label() -> None:
    assert all(len(part) <= 80 for part in parts("word " * 200, 100, reserve=20))
    assert len(parts("x" * 90, 100, reserve=20)) == 2


def test_too_little_room_is_a_mistake_of_the_caller() -> None:
    with pytest.raises(ValueError, match="room"):
        parts("x" * 500, 100, reserve=100 - SMALLEST + 1)


@pytest.mark.parametrize("unit", UNITS)
def test_emoji_and_accents_are_not_torn(unit: Unit) -> None:
    for cluster in ("👩‍🔬", "🇩🇪", "👍🏽", "e\u0301"):
        whole = parts(cluster * 200, 100, unit=unit)
        assert "".join(whole) == cluster * 200
        assert all(part.replace(cluster, "") == "" for part in whole)


_LINES = st.sampled_from(
    [
        "# Heading",
        "Some words here. And more of them!",
        "一句话，没有空格。还有一句。",
        "- item",
        "  - inner item with `code`",
        "12. numbered",
        "```",
        "```python",
        "~~~~",
        "    indented",
        "   ```sh",
        "> quoted",
        "> ```",
        "| a | b |",
        "|---|---|",
        "| 1 | 2 |",
        "",
        "",
        "👩‍🔬🇩🇪👍🏽e\u0301" * 4,
        "x" * 90,
        "**bold words** [label](https://example.com)",
        "<div>",
        "\u3000",
        "\t",
    ]
)
_MARKDOWN = st.lists(_LINES | st.text(st.characters(), max_size=40), max_size=40).map("\n".join)


@settings(max_examples=400)
@given(_MARKDOWN | st.text(st.characters(), max_size=600), st.integers(SMALLEST, 250), st.sampled_from(UNITS))
def test_nothing_is_lost_and_everything_fits(text: str, limit: int, unit: Unit) -> None:
    """The bodies are the text without white space at the cuts; what was put around them is marks only."""
    found = cut(text, Limits(text=limit, unit=unit))
    assert _solid("".join(part.body for part in found)) == _solid(text)
    assert all(measure(part.text, unit) <= limit for part in found)
    assert all(part.body.strip() for part in found)


@settings(max_examples=200)
@given(_MARKDOWN, st.integers(SMALLEST, 250))
def test_no_visible_character_is_torn(text: str, limit: int) -> None:
    at = 0
    for part in cut(text, Limits(text=limit))[:-1]:
        at = _after(text, at, part.body)
        assert not is_joint(text, at)


def _solid(text: str) -> str:
    return "".join(text.split())


def _after(text: str, at: int, body: str) -> int:
    """Where the text stands behind the solid characters of a body."""
    wanted = len(_solid(body))
    while wanted:
        wanted -= not text[at].isspace()
        at += 1
    return at
