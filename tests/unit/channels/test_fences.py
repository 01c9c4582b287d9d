"""The fence in which a cut text ends, as Markdown has it."""

import pytest

from channels.fences import Fence, open_fence


@pytest.mark.parametrize(
    ("text", "marks", "label"),
    [
        ("```python\nx = 1", "```", "python"),
        ("> ```js\n> x", "```", "js"),
        ("```a\n```\n```b\n", "```", "b"),
        ("````md\n```\nstill code", "````", "md"),
        ("~~~\n```\nstill code", "~~~", ""),
        ("```\n``` not alone\nstill code", "```", ""),
    ],
)
def test_code_that_goes_on_behind_a_cut(text: str, marks: str, label: str) -> None:
    """Contract 8: each part keeps its code fences whole."""
    assert open_fence(text) == Fence(marks=marks, label=label)


@pytest.mark.parametrize(
    "text", ["plain", "```\nx\n```\nafter", "```\nx\n`````\nafter", "```a``` is code within a line", "a ``` b"]
)
def test_text_behind_code_is_text(text: str) -> None:
    """Contract 8: nothing that is no code is shown as code in the next part."""
    assert open_fence(text) is None


def test_the_fence_at_a_place_of_the_text() -> None:
    """What comes behind the place does not count."""
    text = "```py\nx\n```\nafter"
    fence = open_fence(text, text.index("x"))
    assert fence is not None
    assert fence.line == "```py"
