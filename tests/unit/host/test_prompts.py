"""What models are told."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from host.prompts import (
    FileView,
    Line,
    MemberView,
    ResultView,
    background,
    expert_instructions,
    host_instructions,
    host_prompt,
    member_instructions,
    peer_prompt,
    task_sheet,
    wake_up_prompt,
)

RESEARCHER = MemberView(id="researcher", name="研究员", description="查资料、核对事实", state="running")
WRITER = MemberView(id="writer", name="撰稿人", description="写得清楚\n好读", state="stopped")
LOCALES = pytest.mark.parametrize("locale", ["zh-CN", "en"])


def result(text: str = "42", state: str = "done") -> ResultView:
    return ResultView(job_id="j1", member_id="researcher", member_name="研究员", state=state, text_or_reason=text)


def instructions(locale: str = "zh-CN", **changes: object) -> str:
    fields: dict[str, object] = {
        "team_name": "内容工作室",
        "persona": "PERSONA",
        "rules": "RULES {not a field}",
        "guidelines": "GUIDELINES",
        "members": [RESEARCHER, WRITER],
        "memories": ["likes tea", "lives in Bonn"],
        "locale": locale,
    }
    return host_instructions(**(fields | changes))  # type: ignore[arg-type]


def user_prompt(**changes: object) -> str:
    fields: dict[str, object] = {
        "text": "What is it?",
        "sender_name": "Ann",
        "is_group": False,
        "mentions": (),
        "files": (),
        "results": (),
        "open_names": (),
    }
    return host_prompt(**(fields | changes))  # type: ignore[arg-type]


@LOCALES
def test_the_host_knows_its_team_and_everything_its_owner_wrote(locale: str) -> None:
    told = instructions(locale)
    for part in ("内容工作室", "PERSONA", "RULES {not a field}", "GUIDELINES", "likes tea", "lives in Bonn"):
        assert part in told


def test_each_member_is_one_line() -> None:
    lines = instructions().splitlines()
    assert "- researcher: 研究员 — 查资料、核对事实" in lines
    assert "- writer: 撰稿人 — 写得清楚 好读 [stopped]" in lines


def test_a_member_without_a_description_is_a_line_too() -> None:
    bare = MemberView(id="x", name="X", description="", state="running")
    assert "- x: X" in instructions(members=[bare]).splitlines()


@pytest.mark.parametrize(
    ("locale", "demands"),
    [
        ("zh-CN", "自己直接、简短地回答|一律用 ask_agent|先消化需求|绝不把用户的原话直接转发|@名字|不要复述"),
        ("en", "answer yourself|always hand it to members|Digest the request|Never forward|@name|Do not repeat"),
    ],
)
def test_the_host_is_told_to_schedule_only(locale: str, demands: str) -> None:
    """T9, T10, T24, T26."""
    told = instructions(locale)
    for demand in demands.split("|"):
        assert demand in told


@pytest.mark.parametrize(("locale", "sentence"), [("zh-CN", "用户所用的语言"), ("en", "language of the user")])
def test_everybody_answers_in_the_language_of_the_user(locale: str, sentence: str) -> None:
    member = member_instructions(
        agent_name="A", agent_instructions="", team_name="T", colleagues=(), background="", locale=locale
    )
    expert = expert_instructions(agent_name="A", agent_instructions="", memories=(), can_ask=False, locale=locale)
    for told in (instructions(locale), member, expert):
        assert sentence in told


def test_empty_parts_leave_no_empty_headings() -> None:
    told = instructions(persona="", rules=" ", guidelines="", memories=())
    for heading in ("你的风格", "协调规则", "团队准则", "记忆"):
        assert f"# {heading}" not in told


def test_a_plain_private_message_stays_as_it_was_written() -> None:
    assert user_prompt() == "What is it?"


def test_in_a_group_the_host_reads_who_speaks() -> None:
    assert user_prompt(is_group=True, locale="en") == "Ann: What is it?"


def test_mentions_are_a_hint_behind_the_message() -> None:
    """T10."""
    told = user_prompt(mentions=["研究员", "撰稿人"])
    assert told.startswith("What is it?\n\n")
    assert "研究员、撰稿人" in told


def test_files_are_listed_with_ids_and_what_did_not_come_with_its_reason() -> None:
    """Issue 8 item 4; several files with one name stay apart by their ids."""
    files = [
        FileView(id="f1", name="a.pdf", size=1_300_000, state="stored"),
        FileView(id="f2", name="a.pdf", size=12, state="stored", path="files/0a/a.pdf"),
        FileView(id="f3", name="b.txt", size=0, state="failed", reason="大于 25 MB"),
    ]
    assert user_prompt(files=files) == (
        "What is it?\n\n附件：\n"
        "- [文件 a.pdf, 1.2 MB] id：f1\n"
        "- [文件 a.pdf, 12 B] id：f2、在你的工作区：files/0a/a.pdf\n"
        "- [文件 b.txt: 没能取到（大于 25 MB）]"
    )
    assert "- [file a.pdf, 1.2 MB] id: f1" in task_sheet("Read it.", files[:1], "en")


@LOCALES
def test_a_message_carries_the_untaken_results(locale: str) -> None:
    """T26: every host turn has all unreported results in its prompt, in full, before the new message."""
    text = "line\n" * 3_000
    told = user_prompt(results=[result(text), result("too slow", "timed_out")], open_names=["撰稿人"], locale=locale)
    assert text.strip() in told
    assert '<member-result job="j1" member="researcher" name="研究员" state="timed_out">\ntoo slow\n' in told
    assert "撰稿人" in told
    assert told.index("too slow") < told.index("What is it?")


def test_a_long_result_is_shortened_in_the_middle() -> None:
    told = wake_up_prompt([result("A" * 20_000 + "Z" * 20_000)], ())
    inside = told.split('state="done">\n')[1].split("\n</member-result>")[0]
    assert len(inside) <= 16_000
    assert inside.startswith("A" * 11_000)
    assert inside.endswith("Z" * 3_000)
    assert "此处省略 24" in inside


@pytest.mark.parametrize(
    ("locale", "judge", "wait"),
    [
        ("zh-CN", "请判断这一轮是否完成", "现在不要收尾"),
        ("en", "Judge whether the round is done", "do not conclude yet"),
    ],
)
def test_a_wake_up_asks_for_a_judgement_once_nobody_is_at_work(locale: str, judge: str, wait: str) -> None:
    """T11, T26: concluding is asked for only when no job is open; repeating never."""
    done = wake_up_prompt([result()], (), locale)
    waiting = wake_up_prompt([result("out of order", "failed")], ["撰稿人"], locale)
    assert judge in done
    assert wait not in done
    assert wait in waiting
    assert judge not in waiting
    for told in (done, waiting):
        assert "复述" in told or "repeat" in told


@LOCALES
def test_a_member_gets_its_instructions_the_background_and_its_colleagues(locale: str) -> None:
    told = member_instructions(
        agent_name="研究员",
        agent_instructions="You {research}.",
        team_name="Studio",
        colleagues=["writer: 撰稿人"],
        background="BACKGROUND",
        locale=locale,
    )
    for part in ("研究员", "You {research}.", "Studio", "- writer: 撰稿人", "ask_agent", "BACKGROUND"):
        assert part in told


def test_without_colleagues_nothing_is_said_of_asking() -> None:
    told = member_instructions(agent_name="A", agent_instructions="", team_name="T", colleagues=(), background="")
    assert "ask_agent" not in told


def test_an_expert_alone_gets_its_memory() -> None:
    told = expert_instructions(agent_name="A", agent_instructions="Be kind.", memories=["likes tea"], can_ask=True)
    assert "Be kind." in told
    assert "- likes tea" in told
    assert "ask_agent" in told


def test_the_task_sheet_is_the_hosts_own_text() -> None:
    """T24."""
    assert task_sheet("  Find three sources.\n") == "Find three sources."


def test_a_colleague_is_named() -> None:
    assert peer_prompt("撰稿人", "Is it true?", "en").startswith("Your colleague 撰稿人")
    assert peer_prompt("撰稿人", "Is it true?").endswith("\n\nIs it true?")


def test_the_background_is_in_order() -> None:
    """T24: guidelines, the host's memory, the room so far, oldest first."""
    told = background("GUIDE", ["MEMO"], [Line(speaker="Ann", text="first"), Line(speaker="主持人", text="second")])
    positions = [told.index(part) for part in ("GUIDE", "MEMO", "Ann：first", "主持人：second")]
    assert positions == sorted(positions)


def test_the_background_keeps_the_newest_and_says_that_older_lines_are_missing() -> None:
    lines = [Line(speaker="Ann", text=f"{number}: " + "x" * 500) for number in range(200)]
    told = background("GUIDE", ["MEMO"], lines)
    assert "199: x" in told
    assert "\n100: x" not in told
    assert "（更早的内容已省略）" in told
    assert 30_000 < len(told) <= 32_000


def test_a_long_line_of_the_background_is_shortened() -> None:
    told = background(
        "", [], [Line(speaker="Ann", text="start " + "x" * 9_000 + " end"), Line(speaker="Bo", text="hi")]
    )
    assert "start" in told
    assert " end" in told
    assert len(told) < 2_200


def test_without_anything_there_is_no_background() -> None:
    assert background("", [], []) == ""


@given(
    guidelines=st.text(max_size=3_000),
    memories=st.lists(st.text(max_size=600), max_size=20),
    lines=st.lists(st.builds(Line, speaker=st.text(max_size=20), text=st.text(max_size=3_000)), max_size=20),
    limit=st.integers(1_000, 8_000),
)
def test_the_background_never_exceeds_its_limit(
    guidelines: str, memories: list[str], lines: list[Line], limit: int
) -> None:
    """T24."""
    for locale in ("zh-CN", "en"):
        assert len(background(guidelines, memories, lines, limit, locale)) <= limit
