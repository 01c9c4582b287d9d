"""What a model writes, as cards and posts take it: safe, readable, within the platform's limits."""

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from channels.feishu.card import card, weight
from channels.feishu.growing import LOOKED_AT, visible
from channels.feishu.limits import ELEMENT, LIMITS, MOST_BYTES
from channels.feishu.markdown import card_markdown, pieces, post_markdown, tables_in
from channels.feishu.render import card_of, chunks, forms_of, header_of, is_file, post_form, words_form
from channels.types import Action, Speaker
from tests.support.feishu.rules import check_card, check_markdown, check_post, check_text, rings, shown_text
from tests.unit.channels.samples import message

HOST = Speaker(id="studio", name="内容工作室", role="host")
TABLE = "| a | b |\n|---|---|\n| 1 | 2 |"


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("# 一\n## 二\n###### 六", "#### 一\n##### 二\n##### 六"),
        ("a < b > c & d", "a &#60; b &#62; c & d"),
        ("> 引用 <b>\n>> 更深", "> 引用 &#60;b&#62;\n>> 更深"),
        ("`<at id=all>`", "`&#60;at id=all&#62;`"),
        ("<number_tag>9", "&#60;number_tag&#62;9"),
        ("第一行<br>第二行<br/>第三行", "第一行<br>第二行<br>第三行"),
        ("![图](https://x.cn/a.png)", "[图](https://x.cn/a.png)"),
        ("![](https://x.cn/a.png)", "[a.png](https://x.cn/a.png)"),
        ("![图](img_v3_stolen)", "图"),
        ("[![图](https://x.cn/a.png)](https://x.cn)", "[图](https://x.cn)"),
        ("[点](https://x.cn/a_(b))", "[点](https://x.cn/a_%28b%29)"),
        ('[点](https://x.cn "题")', "[点](https://x.cn)"),
        ("[文件](file:///etc/passwd)", "文件 (file:///etc/passwd)"),
        ("[发信](mailto:a@b.cn)", "发信 (mailto:a@b.cn)"),
        ("[坏](javascript:alert(1))", "坏 (javascript:alert(1))"),
        ("<https://x.cn/a?b=1>", "[https://x.cn/a?b=1](https://x.cn/a?b=1)"),
        ("[]()", ""),
        ("- 一\n  - 二\n    续\n- 三", "- 一\n    - 二\n      续\n- 三"),
        ("1. 一\n   - 二\n\n     段", "1. 一\n    - 二\n\n      段"),
        ("```py\nif a < b:\n    <b>\n```", "```python\nif a < b:\n    <b>\n```"),
        ("!<https://x.cn>", "&#33;[https://x.cn](https://x.cn)"),
        ("![没写完", "&#33;[没写完"),
        ("```\nx\n```", "```plain_text\nx\n```"),
        ("~~~c++\nx\n~~~", "```cpp\nx\n```"),
        ("```py\n未完", "```python\n未完\n```"),
        ("- 看：\n  ```js\n  a\n    b\n  ```\n  完", "- 看：\n```javascript\na\n  b\n```\n  完"),
        ("> ```\n> x\n> ```", "```plain_text\nx\n```"),
        ("````\n```\n````", "````plain_text\n```\n````"),
        ("段\n\n    缩进的代码\n      更深\n\n段", "段\n\n```plain_text\n缩进的代码\n  更深\n```\n\n段"),
        ("    首行缩进", "```plain_text\n首行缩进\n```"),
        ("a\x00b\x1bc\r\nd", "abc\nd"),
        (TABLE, TABLE),
        ("**粗** *斜* ~~删~~ `码`", "**粗** *斜* ~~删~~ `码`"),
    ],
)
def test_the_markdown_of_cards(source: str, shown: str) -> None:
    assert card_markdown(source) == shown
    if shown:
        check_markdown(shown, set())


_BITS = st.sampled_from(
    [
        *("# ", "- ", "  - ", "1. ", "> ", "    ", "```", "~~~", "```py\n", "`", "**", "|", "|---|", "\n", "\n\n", "<"),
        *("</at>", "<at id=all>", "<font color='red'>", "<br>", "![a](b)", "[a](b)", "[a](https://x.cn)", "](", "<b"),
        *(
            "![",
            "(img_v3_1)",
            "<https://x.cn>",
            "字",
            "a b",
            "&#60;",
            "\\",
            "$",
            "---\n",
            TABLE,
            "\r\n",
            "\x00",
            "\ud800",
        ),
    ]
)
_SOURCES = st.lists(_BITS | st.text(max_size=6), max_size=40).map("".join)


@given(source=_SOURCES)
@example(source="|a|\n|-|\n" * 30)
@example(source="```py\n<at id=all>")
def test_nothing_that_a_model_writes_costs_a_card(source: str) -> None:
    """Facts 0.5: one bad tag, image or link refuses all of it; X6: and nobody is rung."""
    sent = message(text=source)
    for chunk in chunks(sent):
        for form in forms_of(sent, chunk):
            assert rings(form.content) == []
            content = json.loads(form.content)
            if form.kind == "interactive":
                check_card(form.content, set())
                assert weight(content) <= MOST_BYTES
            elif form.kind == "post":
                check_post(form.content)
            else:
                check_text(form.content)


@given(source=_SOURCES)
@example(source="![<https://x.cn>")
def test_growing_text_is_always_a_whole_card(source: str) -> None:
    shown = visible(source)
    assert shown
    check_markdown(shown, set())


@pytest.mark.parametrize("text", ["字" * 4000, "a" * 12000, '"<' * 2000, "\n" * 11000 + "x", "<" * 3000])
def test_what_the_presenter_cuts_fits_into_a_card(text: str) -> None:
    """28 kB: whatever escaping adds."""
    assert LIMITS.text is not None
    assert len(text.encode()) <= LIMITS.text
    for chunk in chunks(message(text=text)):
        assert weight(card_of(message(text=text), chunk)) <= MOST_BYTES


def test_a_sixth_table_begins_another_card() -> None:
    """230099/11310."""
    text = "\n\n".join(f"第{k}张\n\n{TABLE}" for k in range(12))
    parts = chunks(message(text=text))
    assert [sum(tables_in(element) for element in part.elements) for part in parts] == [4, 4, 4]
    assert [part.title for part in parts] == ["研究员 (1/3)", "研究员 (2/3)", "研究员 (3/3)"]
    assert all(tables_in(element) <= 4 for part in parts for element in part.elements)
    for part in parts:
        check_card(json.dumps(card_of(message(text=text), part)), set())


def test_a_long_table_becomes_several_with_its_header() -> None:
    rows = "\n".join(f"| {k} | {k * k} |" for k in range(100))
    made = pieces(f"| n | n² |\n|---|---|\n{rows}")
    assert "\n\n".join(made).count("| n | n² |") == 3
    assert all(check_markdown(piece, set()) for piece in made)
    assert all(f"| {k} | {k * k} |" in "\n".join(made) for k in range(100))


def test_a_table_in_a_code_block_is_none() -> None:
    assert tables_in(f"```\n{TABLE}\n```") == 0
    assert tables_in(f"{TABLE}\n\n- 项\n\n{TABLE}") == 2


def test_long_texts_keep_their_code_blocks_whole() -> None:
    """Contract 8."""
    code = "```py\n" + "print(1)\n" * 200 + "```"
    made = pieces("字" * 3500 + "\n\n" + code)
    assert len(made) == 2
    assert made[1] == code
    assert all(len(piece) <= ELEMENT for piece in made)


def test_of_a_very_long_growing_text_the_end_is_shown() -> None:
    text = "```py\n" + "".join(f"line {n}\n" for n in range(5000))
    shown = visible(text)
    assert "line 4999" in shown
    assert shown.count("```") % 2 == 0
    assert len(shown) < LOOKED_AT
    assert visible("短") == "短"
    assert visible("") == " "


def test_posts_and_texts_ring_nobody_and_lose_no_word() -> None:
    """X6."""
    words = '<at user_id="all">所有人</at> <b>粗</b> 1 < 2'
    for content in (words_form(words).content, post_form(chunks(message(text=words))[0]).content):
        assert rings(content.replace('\\"', '"')) == []
        assert "所有人" in content
    assert post_markdown("![图](https://x.cn/a.png) [信](mailto:a@b)") == "[图](https://x.cn/a.png) 信 (mailto:a@b)"


@pytest.mark.parametrize(
    ("changes", "title", "subtitle"),
    [
        ({}, "研究员", ""),
        ({"label": "研究员： (2/3) ", "part": 2, "parts": 3}, "研究员 (2/3)", ""),
        ({"speaker": HOST, "label": "", "kind": "host"}, "内容工作室", ""),
        ({"speaker": HOST, "label": "(1/2) ", "kind": "host", "part": 1, "parts": 2}, "内容工作室 (1/2)", ""),
        ({"speaker": HOST, "label": "【主持人总结】", "kind": "wrapup"}, "【主持人总结】", "内容工作室"),
        ({"speaker": HOST, "label": "[Host wrap-up] ", "kind": "wrapup"}, "[Host wrap-up]", "内容工作室"),
        ({"label": "研究员 没能完成：", "kind": "failure"}, "研究员 没能完成", ""),
        ({"speaker": Speaker(id="system", name="系统", role="system"), "label": "", "kind": "reply"}, "", ""),
        ({"speaker": Speaker(id="r", name="研究员", role="member", icon="🔍")}, "🔍 研究员", ""),
    ],
)
def test_the_header_says_once_who_speaks(changes: dict[str, Any], title: str, subtitle: str) -> None:
    """T35, contract 3."""
    header = header_of(message(**changes))
    assert (header.title, header.subtitle) == (title, subtitle)


def test_members_keep_their_colours_and_failures_are_red() -> None:
    names = ("researcher", "writer", "critic")
    colours = [header_of(message(speaker=Speaker(id=name, name=name, role="member"))).colour for name in names]
    assert len(set(colours)) == 3
    assert "blue" not in colours
    assert header_of(message(kind="failure")).colour == "red"
    assert header_of(message(speaker=HOST, kind="host", label="")).colour == "blue"


def test_buttons_carry_what_a_pressed_one_must_say() -> None:
    sent = message(actions=(Action(label="批准", command="/pair AB"),), thread="omt_1", chat_id="oc_1")
    made = card_of(sent, chunks(sent)[0])
    value = made["body"]["elements"][-1]["behaviors"][0]["value"]
    assert value == {"command": "/pair AB", "chat": "oc_1", "thread": "omt_1"}
    check_card(json.dumps(made), set())


def test_a_notice_is_plain_text() -> None:
    forms = list(forms_of(message(kind="notice", label=""), chunks(message())[0]))
    assert [form.kind for form in forms] == ["text"]


def test_a_document_is_one_that_the_presenter_left_whole() -> None:
    assert LIMITS.whole_above is not None
    assert is_file(message(text="x" * (LIMITS.whole_above + 1)))
    assert not is_file(message(text="x" * LIMITS.whole_above))


def test_a_card_without_words_is_no_card() -> None:
    with pytest.raises(Exception, match="content is empty"):
        check_card(json.dumps(card(header_of(message()), [{"tag": "markdown", "content": ""}], summary="")), set())
    assert shown_text("&#60;") == "<"
