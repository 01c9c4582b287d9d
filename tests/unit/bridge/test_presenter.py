"""What a chat is shown of each event, in both languages."""

from typing import Any

import pytest

from bridge.notices import Locale, Notices
from bridge.presenter import Rules, Shown, present
from channels.types import Limits, OutFile, Speaker
from store.base import Speaker as Voice
from tests.support.outbound import HOST, MEMBER, PERSON, event

EXPERT = Voice(id="writer", name="写手", role="member")
HOST_SHOWN = Speaker(id="studio", name="内容工作室", role="host", icon=":star:")
MEMBER_SHOWN = Speaker(id="researcher", name="研究员", role="member")


def shown(
    kind: str, text: str, *, locale: Locale = "zh-CN", rules: Rules | None = None, host: Voice = HOST, **fields: Any
) -> tuple[Shown, ...]:
    return present(event(kind, text, **fields), host, rules or Rules(), Notices(locale))


@pytest.mark.parametrize(
    ("locale", "kind", "fields", "expected_kind", "label"),
    [
        ("zh-CN", "host_message", {}, "host", ""),
        ("en", "host_message", {}, "host", ""),
        ("zh-CN", "host_message", {"data": {"stopped": True}}, "host", ""),
        ("zh-CN", "member_message", {"speaker": MEMBER, "job_id": "j1"}, "member", "研究员："),
        ("en", "member_message", {"speaker": MEMBER, "job_id": "j1"}, "member", "研究员: "),
        ("zh-CN", "wrapup", {}, "wrapup", "【主持人总结】"),
        ("en", "wrapup", {}, "wrapup", "[Host wrap-up] "),
        ("zh-CN", "job_dispatched", {"job_id": "j1", "data": {"agent_id": "researcher"}}, "notice", ""),
        ("zh-CN", "notice", {}, "notice", ""),
        ("zh-CN", "job_failed", {"speaker": MEMBER, "job_id": "j1"}, "failure", "研究员 没能完成："),
        ("en", "job_failed", {"speaker": MEMBER, "job_id": "j1"}, "failure", "研究员 could not finish: "),
        ("zh-CN", "turn_ended", {"data": {"status": "failed", "error_id": "e"}}, "failure", ""),
    ],
)
def test_each_kind_has_its_label_exactly_once(
    locale: Locale, kind: str, fields: dict[str, Any], expected_kind: str, label: str
) -> None:
    """T31, T32, T35: the label stands before the text, and only in display_text."""
    (one,) = shown(kind, "第一行\n第二行", locale=locale, **fields)
    assert (one.kind, one.label, one.text) == (expected_kind, label, "第一行\n第二行")
    assert one.display_text == label + "第一行\n第二行"
    assert one.speaker == (MEMBER_SHOWN if "speaker" in fields else HOST_SHOWN)
    assert (one.part, one.parts) == (1, 1)


def test_a_lone_expert_has_no_label() -> None:
    """T35: the bot itself is the expert."""
    (one,) = shown("member_message", "好", speaker=EXPERT, host=EXPERT)
    assert (one.kind, one.display_text, one.speaker.role) == ("member", "好", "member")


def test_a_lone_experts_failed_turn_is_the_experts_failure() -> None:
    (one,) = shown("turn_ended", "抱歉", speaker=EXPERT, host=EXPERT, data={"status": "failed"})
    assert (one.kind, one.speaker.id, one.display_text) == ("failure", "writer", "抱歉")


def test_what_the_system_says_of_a_round_its_host_says() -> None:
    system = Voice(id="system", name="系统", role="system")
    (one,) = shown("notice", "工具不可用", speaker=system)
    assert one.speaker == HOST_SHOWN


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("user_message", {"speaker": PERSON}),
        ("turn_started", {}),
        ("turn_ended", {"data": {"status": "completed"}}),
        ("turn_ended", {"data": {"status": "stopped"}}),
        ("tool", {"data": {"name": "web_fetch"}}),
        ("something_new", {}),
    ],
)
def test_tool_noise_and_turns_are_not_shown(kind: str, fields: dict[str, Any]) -> None:
    """T32: no tool noise."""
    assert shown(kind, "text", **fields) == ()


@pytest.mark.parametrize("kind", ["host_message", "member_message", "wrapup", "job_failed"])
@pytest.mark.parametrize("text", ["", " \n\t"])
def test_empty_texts_are_no_messages(kind: str, text: str) -> None:
    assert shown(kind, text) == ()


def test_a_channel_without_notices_sees_none() -> None:
    """T33 has its switch: `notices = false` hides the dispatch lines and nothing else."""
    rules = Rules(notices=False)
    assert shown("job_dispatched", "已请 研究员 处理", rules=rules) == ()
    assert len(shown("host_message", "好", rules=rules)) == 1
    assert len(shown("job_failed", "超时", rules=rules)) == 1


def _paragraphs(count: int) -> str:
    return "\n\n".join(f"paragraph number {number}" for number in range(count))


@pytest.mark.parametrize(
    ("locale", "kind", "fields", "first"),
    [
        ("zh-CN", "member_message", {"speaker": MEMBER, "job_id": "j1"}, "研究员： (1/"),
        ("en", "member_message", {"speaker": MEMBER, "job_id": "j1"}, "研究员: (1/"),
        ("zh-CN", "wrapup", {}, "【主持人总结】 (1/"),
        ("en", "wrapup", {}, "[Host wrap-up] (1/"),
        ("zh-CN", "host_message", {}, "(1/"),
    ],
)
def test_every_part_of_a_long_text_has_its_label_and_number(
    locale: Locale, kind: str, fields: dict[str, Any], first: str
) -> None:
    """Contract 3: ` (k/n)` after the label, at the start without one; no part is longer than the platform takes."""
    rules = Rules(limits=Limits(text=200))
    parts = shown(kind, _paragraphs(40), locale=locale, rules=rules, **fields)
    assert len(parts) > 2
    assert parts[0].display_text.startswith(first)
    for number, part in enumerate(parts, 1):
        assert (part.part, part.parts) == (number, len(parts))
        assert part.label == first.replace("(1/", f"({number}/{len(parts)}) ")
        assert len(part.display_text) <= 200
    words = " ".join(part.text for part in parts).split()
    assert words == _paragraphs(40).split()


def test_a_text_that_fits_with_its_label_is_one_message() -> None:
    label = len("【主持人总结】")
    rules = Rules(limits=Limits(text=200))
    assert len(shown("wrapup", "x" * (200 - label), rules=rules)) == 1
    assert len(shown("wrapup", "x" * (201 - label), rules=rules)) == 2


def test_a_notice_has_a_button_where_the_platform_takes_it_away_again() -> None:
    """Issue 4, 6: it takes the job back; no other message has one, and no channel that did not ask."""
    job: dict[str, Any] = {"job_id": "j1", "data": {"agent_id": "researcher", "name": "研究员"}}
    (notice,) = shown("job_dispatched", "已请 研究员", rules=Rules(buttons=True), **job)
    assert [(action.label, action.command) for action in notice.actions] == [("停止", "/cancel researcher")]
    assert shown("host_message", "好", rules=Rules(buttons=True))[0].actions == ()
    assert shown("job_dispatched", "已请 研究员", **job)[0].actions == ()


ASKED = {"approval": {"id": "ABCD2345", "state": "open"}}


@pytest.mark.parametrize(
    ("locale", "labels"),
    [("zh-CN", ["允许一次", "本会话都允许", "拒绝"]), ("en", ["Allow once", "Allow for this session", "Deny"])],
)
def test_a_question_has_its_answers_below_it(locale: Locale, labels: list[str]) -> None:
    """C12: on every platform, whatever a channel wants to see of notices; under the last part of a long one."""
    rules = Rules(notices=False, limits=Limits(text=80))
    *before, last = shown("notice", "word " * 40, locale=locale, rules=rules, data=ASKED)
    assert before
    assert not any(each.actions for each in before)
    assert [each.label for each in last.actions] == labels
    commands = [each.command for each in last.actions]
    assert commands == ["/approve ABCD2345", "/approve ABCD2345 session", "/deny ABCD2345"]


def test_what_was_decided_is_shown_unless_the_chat_knows() -> None:
    """C12: nobody reads the same thing twice."""
    decided = {"approval": {"id": "ABCD2345", "state": "denied"}}
    (one,) = shown("notice", "已拒绝", rules=Rules(notices=False), data=decided)
    assert (one.text, one.actions) == ("已拒绝", ())
    assert shown("notice", "已拒绝", data=decided | {"quiet": True}) == ()


FILES = [
    {"id": "f1", "name": "报告.md", "size": 2048, "mime": "text/markdown"},
    {"id": "f2", "name": "a.png", "size": 7, "mime": "image/png"},
]


@pytest.mark.parametrize(
    ("locale", "stand_ins"),
    [
        ("zh-CN", ["[文件 报告.md, 2.0 KB]", "[文件 a.png, 7 B]"]),
        ("en", ["[file 报告.md, 2.0 KB]", "[file a.png, 7 B]"]),
    ],
)
def test_files_are_messages_behind_the_words(locale: Locale, stand_ins: list[str]) -> None:
    """Issue 8, 4: of the same kind and speaker, numbered on, each the only one of its parts."""
    words, *files = shown("member_message", "见附件", locale=locale, speaker=MEMBER, job_id="j1", data={"files": FILES})
    assert (words.text, words.file) == ("见附件", None)
    assert [each.text for each in files] == stand_ins
    assert [(each.part, each.parts) for each in (words, *files)] == [(1, 1), (2, 1), (3, 1)]
    assert {(each.kind, each.speaker, each.label) for each in files} == {(words.kind, words.speaker, words.label)}
    assert files[1].file == OutFile(id="f2", name="a.png", path="", mime="image/png", size=7)


def test_files_of_a_silent_answer_are_never_its_first_part() -> None:
    """The first part closes what grew while the speaker wrote; of a text in parts they come after the last."""
    silent = shown("member_message", " ", speaker=EXPERT, host=EXPERT, data={"files": FILES})
    assert [(each.part, each.display_text) for each in silent] == [
        (2, "[文件 报告.md, 2.0 KB]"),
        (3, "[文件 a.png, 7 B]"),
    ]
    rules = Rules(limits=Limits(text=100))
    long = shown("member_message", "字" * 250, rules=rules, speaker=MEMBER, job_id="j1", data={"files": FILES[:1]})
    assert [each.part for each in long] == list(range(1, len(long) + 1))
    assert [each.file is not None for each in long] == [False] * (len(long) - 1) + [True]
    assert long[-1].label == "研究员："
