"""The block tree and where its blocks stand in the source."""

from hypothesis import given
from hypothesis import strategies as st

from channels.markdown import Block, parse_blocks

SOURCE = """# Title

Words
over two lines.

1. First
   ```python
   run()
   ```
2. Second

> Quoted
> ```
> code
> ```

| a | b |
|---|---|
| 1 | 2 |

---

    indented
"""


def outline(blocks: tuple[Block, ...]) -> list[object]:
    return [[block.kind, *outline(block.children)] if block.children else block.kind for block in blocks]


def test_the_tree() -> None:
    assert outline(parse_blocks(SOURCE)) == [
        "heading",
        "paragraph",
        ["list", ["item", "paragraph", "fence"], ["item", "paragraph"]],
        ["quote", "paragraph", "fence"],
        "table",
        "rule",
        "code",
    ]


def test_blocks_know_their_lines() -> None:
    found = {block.kind: SOURCE[block.start : block.end] for top in parse_blocks(SOURCE) for block in top.walk()}
    assert found["heading"] == "# Title"
    assert found["table"] == "| a | b |\n|---|---|\n| 1 | 2 |"
    assert found["fence"] == "> ```\n> code\n> ```"
    assert found["code"] == "    indented"


def test_fences_know_their_info_and_marks() -> None:
    fence = parse_blocks("~~~~ python title=x\nrun()\n~~~~")[0]
    assert (fence.kind, fence.info.strip(), fence.markup) == ("fence", "python title=x", "~~~~")


def test_all_line_ends_count() -> None:
    source = "# a\r\n\r\nb\r\rc"
    assert [source[block.start : block.end] for block in parse_blocks(source)] == ["# a", "b", "c"]


@given(st.text(st.sampled_from("#>-*`~|1. \t\n\ra\u2028\x00\ud800"), max_size=80))
def test_any_text_has_a_tree_within_its_bounds(source: str) -> None:
    for top in parse_blocks(source):
        for block in top.walk():
            assert 0 <= block.start <= block.end <= len(source)
            assert all(block.start <= child.start and child.end <= block.end for child in block.children)
