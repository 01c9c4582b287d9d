"""The audit can fail: each thing that must not be is put into a good record, and is found."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from tests.campaign.audit import audit
from tests.campaign.plan import Question, Talk
from tests.campaign.record import Kept, Record, Rules, Shown
from tests.campaign.words import lines_of, question, sheet, spoken

Change = Callable[[Record], Record]


def _question(number: int, *members: str) -> Question:
    sizes = {"lines": 2, "padding": 0, "pace": 0.0, "thinks": 0.0, "looks_up": False, "pause": 0.0}
    return Question(number=number, place=0, members=members, **sizes)  # type: ignore[arg-type]


def _text(kind: str, number: int, member: str = "", count: int = 2) -> str:
    return "".join(spoken(lines_of(kind, number, count, member)))


TALK = Talk(questions=(_question(1, "researcher", "writer"), _question(2)), kinds=("private",))
PLAN, ANSWER, WRAP_UP = _text("plan", 1), _text("answer", 2), _text("wrapup", 5, count=1)
FOUND = {member: _text("found", 1, member) for member in ("researcher", "writer")}
EVENTS = [
    ("user_message", question(1)),
    ("host_message", PLAN),
    ("job_dispatched", "已请 研究员"),
    ("job_dispatched", "已请 写手"),
    ("member_message", FOUND["researcher"]),
    ("member_message", FOUND["writer"]),
    ("wrapup", WRAP_UP),
    ("user_message", question(2)),
    ("host_message", ANSWER),
]
SHOWN = [
    Shown(text=PLAN),
    Shown(text="已请 研究员", is_notice=True),
    Shown(text="已请 写手", is_notice=True),
    Shown(text=f"研究员：{FOUND['researcher']}"),
    Shown(text=f"写手：{FOUND['writer']}"),
    Shown(text=f"【主持人总结】{WRAP_UP}"),
    Shown(text=ANSWER),
]
GOOD = Record(
    talk=TALK,
    rules=Rules(),
    asked={
        "studio": [question(1), "\n".join(FOUND.values()), question(2)],
        "researcher": [sheet(1, "researcher")],
        "writer": [sheet(1, "writer")],
    },
    kept=[
        Kept(session_id="s1", seq=seq, kind=kind, text=text, rounds=("r1",) if seq < 8 else ("r2",))
        for seq, (kind, text) in enumerate(EVENTS, 1)
    ],
    shown=[SHOWN],
)


def test_a_good_record_is_good() -> None:
    assert audit(GOOD) == []


def _shows(*shown: Shown) -> Change:
    return lambda record: replace(record, shown=[list(shown)])


def _keeps(kept: Callable[[Sequence[Kept]], Sequence[Kept]]) -> Change:
    return lambda record: replace(record, kept=kept(record.kept))


def _was_asked(**texts: list[str]) -> Change:
    return lambda record: replace(record, asked={**record.asked, **texts})


FAULTS: dict[str, tuple[str, Change]] = {
    "an answer is not shown": ("lost", _shows(*SHOWN[:4], *SHOWN[5:])),
    "half of an answer is not shown": ("lost", _shows(*SHOWN[:6], Shown(text=ANSWER[: len(ANSWER) // 2]))),
    "an answer is shown twice": ("doubled", _shows(*SHOWN[:5], SHOWN[4], *SHOWN[5:])),
    "a marked copy where nothing is marked": ("doubled", _shows(*SHOWN, Shown(text=f"↻ {ANSWER}"))),
    "a notice is not shown": ("lost", _shows(SHOWN[0], *SHOWN[2:])),
    "a notice is shown twice": ("doubled", _shows(*SHOWN[:3], *SHOWN[2:])),
    "a member speaks before the plan": ("order", _shows(SHOWN[3], *SHOWN[:3], *SHOWN[4:])),
    "a member speaks behind the wrap-up": ("order", _shows(*SHOWN[:4], SHOWN[5], SHOWN[4], SHOWN[6])),
    "the second question is answered first": ("order", _shows(SHOWN[6], *SHOWN[:6])),
    "the lines of an answer come the wrong way round": (
        "order",
        _shows(
            *SHOWN[:6], Shown(text=spoken(lines_of("answer", 2, 2))[1]), Shown(text=spoken(lines_of("answer", 2, 1))[0])
        ),
    ),
    "a message is left open": ("open", _shows(*SHOWN[:6], replace(SHOWN[6], is_open=True))),
    "words of another place": ("stray", _shows(*SHOWN, Shown(text=_text("answer", 3)))),
    "the host was never asked": ("lost", _was_asked(studio=[question(2)])),
    "a member was never asked": ("lost", _was_asked(writer=[])),
    "a question is in the log twice": ("doubled", _keeps(lambda kept: [*kept, kept[0]])),
    "a dispatch is in the log twice": ("doubled", _keeps(lambda kept: [*kept[:3], *kept[2:]])),
    "a result is not in the log": ("lost", _keeps(lambda kept: [*kept[:4], *kept[5:]])),
    "a round is concluded twice": ("wrapup", _keeps(lambda kept: [*kept[:7], *kept[6:]])),
    "a round is not concluded": ("wrapup", _keeps(lambda kept: [*kept[:6], *kept[7:]])),
    "a job failed": ("stray", _keeps(lambda kept: [*kept, replace(kept[0], kind="job_failed", text="连续中断 3 次")])),
    "a delivery still waits": ("restless", lambda record: replace(record, unfinished={"delivery that waits": 1})),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_the_audit_finds_that(fault: str) -> None:
    """R0, R1, R3, T32: what a campaign is there to see."""
    kind, change = FAULTS[fault]
    assert kind in {finding.kind for finding in audit(change(GOOD))}


def test_a_marked_copy_is_allowed_where_the_platform_knows_no_ids() -> None:
    """Contract 3: Telegram, `↻ `."""
    record = replace(GOOD, rules=Rules(marks_doubles=True), shown=[[*SHOWN, Shown(text=f"↻ {ANSWER}")]])
    assert audit(record) == []


def test_a_message_of_which_nobody_can_tell_may_be_missing() -> None:
    """Architecture 7: it stays visible as uncertain."""
    assert audit(replace(GOOD, shown=[SHOWN[:6]], uncertain=[ANSWER])) == []


def test_a_torn_line_is_no_line() -> None:
    """What a stream had shown when it was cut is not taken for the words themselves."""
    torn = str(lines_of("found", 1, 12, "writer")[-1])[:-2]
    assert torn.endswith("L1")
    assert audit(replace(GOOD, shown=[[*SHOWN, Shown(text=torn)]])) == []
