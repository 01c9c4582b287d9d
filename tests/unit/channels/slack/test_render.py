"""A message → what Slack is told."""

from typing import Any

import pytest

from channels.slack.forms import Form
from channels.slack.render import body, document, fallback, head, may_be_persona, metadata, payload, persona
from channels.types import Action, Speaker
from tests.unit.channels.samples import message

PERSONA = Form(persona=True)
PLAIN = Form()


def _blocks(told: dict[str, Any]) -> list[dict[str, Any]]:
    return list(told["blocks"])


def test_a_member_speaks_under_its_own_name_and_icon() -> None:
    """Contract 3, T35: the name is not in the text as well."""
    told = payload(message(), PERSONA)
    assert (told["username"], told["icon_emoji"]) == ("研究员", ":mag:")
    assert _blocks(told) == [{"type": "markdown", "text": "**找到了**"}]
    assert told["text"] == "**找到了**"


def test_without_the_scope_the_name_is_a_bold_label() -> None:
    """Contract 3: on a new line if the text has several; the colon outside, where Markdown closes the emphasis."""
    told = payload(message(), PLAIN)
    assert "username" not in told
    assert _blocks(told)[0]["text"] == "**研究员**：**找到了**"
    assert told["text"] == "研究员：**找到了**"
    several = message(text="一\n二", display_text="研究员：一\n二")
    assert body(several, is_persona=False) == "**研究员**：\n一\n二"


@pytest.mark.parametrize(
    ("label", "text", "shown"),
    [
        ("研究员：", "一句", "**研究员**：一句"),
        ("Ada: ", "one", "**Ada**: one"),
        ("Ada: ", "one\ntwo", "**Ada**:\none\ntwo"),
        ("Ada: ", "# Title", "**Ada**:\n\n# Title"),
        ("Ada: ", "| a |\n|---|", "**Ada**:\n\n| a |\n|---|"),
        ("Ada: (1/3) ", "one", "**Ada**: (1/3) one"),
        ("研究员： (1/3) ", "一\n二", "**研究员**： (1/3)\n一\n二"),
        ("(2/3) ", "two", "(2/3) two"),
        ("【主持人总结】", "好\n的", "【**主持人总结**】好\n的"),
        ("[Host wrap-up] ", "fine", "[**Host wrap-up**] fine"),
        ("研究员 没能完成：", "超时", "**研究员 没能完成**：超时"),
        ("", "text", "text"),
    ],
)
def test_a_label_is_bold_and_what_follows_is_still_markdown(label: str, text: str, shown: str) -> None:
    """Contract 3."""
    assert body(message(label=label, text=text), is_persona=False) == shown


@pytest.mark.parametrize(("label", "shown"), [("研究员：", "x"), ("研究员： (1/3) ", "(1/3) x"), ("", "x")])
def test_a_persona_keeps_the_count_of_the_parts(label: str, shown: str) -> None:
    """Contract 3: every part has its count."""
    assert body(message(label=label, text="x"), is_persona=True) == shown


def test_who_may_be_a_persona() -> None:
    """Contract 3: members at work; not the host, not a lone expert, not what the app says of somebody's failure."""
    assert may_be_persona(message())
    assert not may_be_persona(message(label=""))
    assert not may_be_persona(message(kind="failure", label="研究员 没能完成："))
    host = Speaker(id="studio", name="Studio", role="host")
    assert not may_be_persona(message(kind="wrapup", speaker=host, label="【主持人总结】"))


@pytest.mark.parametrize(
    ("icon", "told"),
    [
        (":mag:", {"icon_emoji": ":mag:"}),
        ("https://e.x/a.png", {"icon_url": "https://e.x/a.png"}),
        ("🔍", {}),
        ("", {}),
    ],
)
def test_icons(icon: str, told: dict[str, str]) -> None:
    assert persona(Speaker(id="a", name="Ada", role="member", icon=icon)) == {"username": "Ada"} | told


def test_a_name_is_never_longer_than_slack_takes() -> None:
    assert len(persona(Speaker(id="a", name="长" * 200, role="member"))["username"]) == 80


def test_nothing_is_unfurled_and_nobody_is_called() -> None:
    """X6: in the blocks, in the fallback, and in a label that somebody gave an expert."""
    text = "<!channel> <@U123> see https://x.y & more"
    told = payload(message(text=text, display_text=f"<!here>: {text}", label="<!here>: "), PLAIN)
    assert (told["unfurl_links"], told["unfurl_media"]) == (False, False)
    assert not {"link_names", "parse"} & set(told)
    whole = str(told["blocks"])
    assert "<!channel" not in whole
    assert "<!here" not in whole
    assert "<@U" not in whole
    assert "<" not in told["text"]
    assert "&amp; more" in told["text"]


def test_the_thread_of_the_question() -> None:
    """T34: and the top of the channel where there is none, or none any more."""
    assert payload(message(thread="1.2"), PLAIN)["thread_ts"] == "1.2"
    assert "thread_ts" not in payload(message(), PLAIN)
    assert "thread_ts" not in payload(message(thread="1.2"), Form(threaded=False))


def test_every_message_carries_its_delivery_and_nothing_secret() -> None:
    """R1: what it is found by again."""
    told = metadata(message(job_id="j1"))
    assert told["event_payload"] == {"delivery_id": "d1", "kind": "member", "job_id": "j1"}


def test_a_notice_is_a_task_card_with_its_button() -> None:
    """Issue 4, 4 and 6."""
    stop = Action(label="停止", command="/cancel researcher")
    notice = message(
        kind="notice", label="", text="已请 研究员", display_text="已请 研究员", job_id="j1", actions=(stop,)
    )
    card, actions = _blocks(payload(notice, PLAIN))
    assert card == {"type": "task_card", "task_id": "j1", "title": "已请 研究员", "status": "in_progress"}
    assert actions["elements"][0]["value"] == "/cancel researcher"
    assert _blocks(payload(notice, Form(extras=False))) == [{"type": "markdown", "text": "已请 研究员"}]


def test_a_server_without_tables_gets_them_as_code() -> None:
    table = message(text="before\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nafter", label="")
    (block,) = _blocks(payload(table, Form(style="fenced")))
    assert block["text"] == "before\n\n```\n| a | b |\n|---|---|\n| 1 | 2 |\n```\n\nafter"


def test_plain_text_comes_in_sections_that_slack_takes() -> None:
    """R3: nothing of a long text is lost."""
    long = message(text="字" * 7000, display_text="字" * 7000, label="")
    blocks = _blocks(payload(long, Form(style="plain")))
    assert [block["text"]["type"] for block in blocks] == ["plain_text"] * 3
    assert "".join(block["text"]["text"] for block in blocks) == "字" * 7000


def test_the_fallback_is_short_enough_to_stand_beside_the_blocks() -> None:
    for text in ("x" * 9000, "<" * 9000, "&" * 2999):
        assert 2000 < len(fallback(message(text=text, display_text=text), is_persona=False)) <= 3000


def test_a_document_is_found_again_by_its_name() -> None:
    """R1: an upload carries no metadata."""
    paper = document(message(delivery_id="0123456789ab", text="字" * 9000))
    assert paper.name == "researcher-01234567.md"
    assert paper.content.decode() == "字" * 9000
    assert len(paper.comment) < 1000
    assert paper.comment.startswith("研究员：")


def test_a_gap_that_was_decided_earlier_stays() -> None:
    """T35: a growing text had its label before anybody knew how many lines would come."""
    assert head("Ada: ", "one\ntwo", is_persona=False, gap=" ") == "**Ada**: "
