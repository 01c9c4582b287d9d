"""Messages that must arrive: every shape, every refusal, every doubt."""

import pytest

from channels.telegram.faults import PARKED
from channels.types import Action, Rejected, Retryable, Sent, Uncertain
from tests.support.telegram.faults import Fault, busy, refuse
from tests.unit.channels.telegram.conftest import Line, final, post

CANNOT_PARSE = "Bad Request: can't parse entities: entity is nowhere"


@pytest.fixture(autouse=True)
async def started(line: Line) -> None:
    await line.start()


async def test_a_members_words_stand_under_its_name_in_bold(line: Line) -> None:
    """Contract 3: on a new line if there are several."""
    await line.during(line.channel.send(final("找到了")))
    await line.during(line.channel.send(final("一\n二")))
    await line.during(line.channel.send(final("**好**", label="【主持人总结】", kind="wrapup")))
    await line.during(line.channel.send(final("再见", label="研究员： (2/2) ", part=2, parts=2)))
    shown = line.api.rooms[42].heard
    assert [one.text for one in shown] == [
        "研究员：找到了",
        "研究员：\n一\n二",
        "【主持人总结】好",
        "研究员： (2/2) 再见",
    ]
    bold = [one.styled("bold") for one in shown]
    assert bold == [["研究员："], ["研究员："], ["【主持人总结】", "好"], ["研究员： (2/2)"]]


async def test_in_a_group_the_question_is_answered_in_a_private_chat_nothing_is_quoted(line: Line) -> None:
    question = line.group().say("?")["message"]["message_id"]
    await line.during(line.channel.send(final(chat_id="-100", reply_to=str(question))))
    await line.during(line.channel.send(final(chat_id="-100", reply_to=str(question), kind="notice")))
    await line.during(line.channel.send(final(reply_to="1")))
    assert [one.reply_to for one in line.api.rooms[-100].heard] == [question, None]
    assert line.api.rooms[42].heard[0].reply_to is None


@pytest.mark.parametrize("gone", ["thread", "anchor"])
async def test_what_vanished_costs_only_itself(line: Line, gone: str) -> None:
    """Issue 3, 3: a deleted topic, a deleted question."""
    room = line.api.room(-1007, "supergroup", is_forum=True)
    if gone != "thread":
        room.topics.add(9)
    outcome = await line.during(line.channel.send(final(chat_id="-1007", thread="9", reply_to="77")))
    assert isinstance(outcome, Sent)
    assert [one.thread for one in room.heard] == [None if gone == "thread" else 9]
    assert len(line.api.of("sendMessage")) == (2 if gone == "thread" else 1)


async def test_a_refused_message_goes_plain_then_as_a_file(line: Line) -> None:
    """Issue 3, 3; architecture 7: the content always arrives."""
    line.api.script.add("sendMessage", refuse(400, CANNOT_PARSE))
    assert isinstance(await line.during(line.channel.send(final("**好** [x](https://a.io)"))), Sent)
    plain = line.api.rooms[42].heard[-1]
    assert (plain.text, plain.entities) == ("研究员：**好** [x](https://a.io)", [])
    line.api.script.add("sendMessage", refuse(400, CANNOT_PARSE), refuse(400, CANNOT_PARSE))
    assert isinstance(await line.during(line.channel.send(final("**好**", delivery_id="d2"))), Sent)
    paper = line.api.rooms[42].heard[-1]
    assert (paper.document, paper.file_name, paper.text) == ("**好**".encode(), "researcher.md", "研究员：好")


@pytest.mark.parametrize(
    "words",
    [
        "chat not found",
        "have no rights to send a message",
        "not enough rights to send text messages",
        "CHAT_WRITE_FORBIDDEN",
    ],
)
async def test_where_nothing_helps_nothing_is_tried(line: Line, words: str) -> None:
    line.api.script.add("sendMessage", refuse(400, f"Bad Request: {words}"))
    outcome = await line.during(line.channel.send(final()))
    assert isinstance(outcome, Rejected)
    assert len(line.api.of("sendMessage")) == 1


async def test_a_chat_that_is_none_of_telegrams_is_refused_here(line: Line) -> None:
    assert isinstance(await line.channel.send(final(chat_id="c1")), Rejected)
    assert isinstance(await line.during(line.channel.send(final(chat_id="777"))), Rejected)


async def test_a_very_long_answer_is_a_document_with_a_preview(line: Line) -> None:
    """Issue 3, 3: and the text is never taken for the name of a file here."""
    text = "/etc/hostname\n\n" + "长" * 30_000
    assert isinstance(await line.during(line.channel.send(final(text))), Sent)
    (shown,) = line.api.rooms[42].heard
    assert shown.document == text.encode()
    assert shown.text.startswith("研究员：\n/etc/hostname")
    assert shown.text.endswith("…")
    assert len(shown.text) <= 1024


async def test_formatting_that_needs_two_messages_goes_on_where_it_was_cut(line: Line) -> None:
    """Issue 3, 3: 100 entities; a pause between the two does not repeat the first."""
    message = final("**b** word " * 150)
    line.api.script.add("sendMessage", busy(2, skip=1))
    assert isinstance(await line.channel.send(message), Retryable)
    await line.clock.advance(3)
    assert isinstance(await line.during(line.channel.send(message)), Sent)
    assert "".join(line.shown(42)).count("word") == 150
    assert sum("研究员" in text for text in line.shown(42)) == 1


async def test_a_pause_is_kept_by_everything(line: Line) -> None:
    """Issue 3, 5: calling while banned prolongs the ban, so nothing is called until it ends."""
    line.api.script.add("sendMessage", busy(40))
    outcome = await line.channel.send(final())
    assert outcome == Retryable(reason="Telegram asks for a pause", retry_after=40)
    before = len(line.api.calls)
    await line.clock.advance(30)
    again = await line.channel.send(final())
    assert isinstance(again, Retryable)
    assert again.retry_after == pytest.approx(10, abs=1)
    await line.channel.react("42", "1", seen=True)
    await line.channel.typing("42", "", [post().speaker])
    await line.clock.advance(5)
    assert len([call for call in line.api.calls[before:] if call.chat]) == 0
    await line.clock.advance(10)
    assert isinstance(await line.during(line.channel.send(final())), Sent)


async def test_one_chats_pause_is_no_other_chats(line: Line) -> None:
    """R4."""
    line.api.script.add("sendMessage", busy(40))
    await line.channel.send(final())
    assert isinstance(await line.during(line.channel.send(final(chat_id="-100"))), Sent)


@pytest.mark.parametrize("shape", ["parameters", "description", "header"])
async def test_the_pause_is_read_in_every_shape(line: Line, shape: str) -> None:
    """Issue 3, 5: `retry_after` from every shape."""
    fault = {
        "parameters": busy(9),
        "description": refuse(429, "Too Many Requests: retry after 9"),
        "header": Fault(kind="status", code=429, retry_after=9),
    }[shape]
    line.api.script.add("sendMessage", fault)
    outcome = await line.channel.send(final())
    assert isinstance(outcome, Retryable)
    assert outcome.retry_after == 9


async def test_a_group_gets_twenty_messages_a_minute_and_nobody_is_banned(line: Line) -> None:
    """Issue 3, 5: own pacing; who is too early is told when to come again."""
    outcomes = [await line.channel.send(final(chat_id="-100", delivery_id=f"d{n}")) for n in range(22)]
    assert [type(outcome) for outcome in outcomes] == [Sent] * 20 + [Retryable] * 2
    assert isinstance(outcomes[-1], Retryable)
    assert 55 <= outcomes[-1].retry_after <= 60
    await line.clock.advance(61)
    assert isinstance(await line.channel.send(final(chat_id="-100")), Sent)
    assert line.api.flood.refused == 0


async def test_a_private_chat_gets_a_message_a_second(line: Line) -> None:
    """Issue 3, 5."""
    for number in range(12):
        assert isinstance(await line.during(line.channel.send(final(delivery_id=f"d{number}"))), Sent)
    assert line.clock.monotonic() >= 9
    assert line.api.flood.refused == 0


async def test_who_blocked_the_bot_is_parked(line: Line) -> None:
    """Issue 3, 5: nothing is lost, and Telegram is not asked again and again."""
    line.ann().block()
    outcome = await line.channel.send(final())
    assert outcome == Retryable(reason="Forbidden: bot was blocked by the user", retry_after=PARKED)


async def test_a_group_with_a_new_number_is_reached_there(line: Line) -> None:
    """Issue 3, 1: at once, and from then on without asking the old one."""
    line.api.room(-100, "group").moved_to = -1009
    line.api.room(-1009, "supergroup")
    for number in range(2):
        assert isinstance(await line.during(line.channel.send(final(f"{number}", chat_id="-100"))), Sent)
    assert line.shown(-1009) == ["研究员：0", "研究员：1"]
    assert len(line.api.of("sendMessage", chat=-100)) == 1


@pytest.mark.parametrize(
    ("fault", "outcome"),
    [
        (Fault(kind="status", code=500), Uncertain(reason="Telegram answered 500", answered=True)),
        (Fault(kind="status", code=502), Uncertain(reason="Telegram answered 502", answered=True)),
        (refuse(500, "Internal Server Error: restart"), Uncertain(reason="Telegram answered 500", answered=True)),
        (Fault(kind="cut_before"), Uncertain),
        (Fault(kind="cut_after"), Uncertain),
        (Fault(kind="hang_after"), Uncertain),
        (Fault(kind="garbage"), Uncertain),
        (Fault(kind="nothing"), Uncertain),
        (Fault(kind="endless"), Uncertain),
        (refuse(401, "Unauthorized"), Retryable),
        (refuse(404, "Not Found"), Retryable),
        (refuse(409, "Conflict: x"), Retryable),
        (refuse(413, "Request Entity Too Large"), Rejected),
    ],
)
async def test_what_is_safe_to_repeat_and_what_is_not(line: Line, fault: Fault, outcome: object) -> None:
    """Issue 3, 5: the outcomes exactly; a doubt after a cut is no answered failure."""
    line.api.script.add("sendMessage", fault)
    found = await line.channel.send(final())
    if isinstance(outcome, type):
        assert isinstance(found, outcome)
        assert not getattr(found, "answered", False)
    else:
        assert found == outcome


async def test_a_refused_connection_is_safe_to_repeat(line: Line) -> None:
    await line.api.close_port()
    assert isinstance(await line.channel.send(final()), Retryable)


async def test_what_may_have_arrived_is_sent_again_marked_when_telegram_answers(line: Line) -> None:
    """Contract 3, architecture 7: ↻, and not before the API answers again."""
    line.api.script.add("getMe", Fault(kind="status", code=502))
    assert isinstance(await line.channel.send(final(again=True)), Retryable)
    assert line.api.of("sendMessage") == []
    assert isinstance(await line.during(line.channel.send(final(again=True))), Sent)
    assert line.shown(42) == ["↻ 研究员：找到了"]
    assert line.api.rooms[42].heard[0].styled("bold") == ["研究员："]


async def test_buttons_say_commands(line: Line) -> None:
    actions = (Action(label="停止", command="/stop"), Action(label="?", command="/" + "x" * 64))
    await line.during(line.channel.send(final(actions=actions)))
    assert line.api.rooms[42].heard[0].buttons == [{"text": "停止", "callback_data": "/stop"}]
    ann = line.ann()
    ann.press(line.api.rooms[42].heard[0], "停止")
    await line.got("/stop")
    await line.api.until(lambda api: not api.presses)


async def test_the_token_is_never_told(line: Line, capsys: pytest.CaptureFixture[str]) -> None:
    """X5."""
    await line.api.close_port()
    outcome = await line.channel.send(final())
    assert line.api.token not in f"{outcome}{line.channel.state()}{capsys.readouterr()}"
