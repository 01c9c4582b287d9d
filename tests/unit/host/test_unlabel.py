"""T35: the speaker is shown exactly once."""

import pytest

from host.unlabel import unlabelled

TITLES = ("【主持人总结】", "[Host wrap-up] ")


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("研究员：查到了。", "查到了。"),
        ("研究员: 查到了。", "查到了。"),
        ("**研究员**：查到了。", "查到了。"),
        ("**研究员：** 查到了。", "查到了。"),
        ("【主持人总结】结束。", "结束。"),
        ("**【主持人总结】**\n结束。", "结束。"),
        ("[Host wrap-up] Done.", "Done."),
        ("研究员：**重要** 的事", "**重要** 的事"),
        ("**研究员**:\n- eins\n- zwei", "- eins\n- zwei"),
        ("研究员：# 标题", "# 标题"),
        ("## 研究员：结果", "结果"),
        ("主持人总结一下", "主持人总结一下"),
        ("研究员说：查到了。", "研究员说：查到了。"),
        ("请研究员：看看", "请研究员：看看"),
        ("研究员：", "研究员："),
        ("# Title\n研究员：x", "# Title\n研究员：x"),
        ("", ""),
    ],
)
def test_only_the_own_label_in_front_goes(text: str, rest: str) -> None:
    """A label in the middle, another's name and a bare label stay what they are."""
    assert unlabelled(text, ["研究员"], TITLES) == rest


def test_without_names_nothing_goes() -> None:
    """An agent without a name."""
    assert unlabelled(": x", [""]) == ": x"
