"""What must arrive: posted once, in the first shape that Slack takes."""

from dataclasses import replace

import pytest

from channels.slack.faults import PARKED
from channels.types import Action, OutboundMessage, Rejected, Retryable, Sent, Speaker, Uncertain
from tests.support.slack.app import App, outbound
from tests.support.slack.faults import Fault, busy, refuse
from tests.support.slack.state import Message


def _again(message: OutboundMessage, attempt: int = 2) -> OutboundMessage:
    return replace(message, attempt=attempt)


@pytest.mark.parametrize("kind", ["cut_after", "hang_after", "garbage", "html"])
async def test_a_message_whose_answer_was_lost_is_found_and_not_posted_again(app: App, chat: str, kind: str) -> None:
    """R1, architecture 7: looked for by its delivery id in the thread's metadata."""
    thread = app.ask(chat)
    message = outbound(chat, thread=thread)
    app.slack.script.add("chat.postMessage", Fault(kind=kind))  # type: ignore[arg-type]
    assert isinstance(await app.channel.send(message), Uncertain)
    outcome = await app.done(app.channel.send(_again(message)))
    (shown,) = app.shown(chat)
    assert outcome == Sent(platform_id=shown.ts)


async def test_a_message_that_slack_shows_late_is_found_by_the_second_look(app: App, chat: str) -> None:
    """R1: what was just posted may not be listed yet."""
    thread = app.ask(chat)
    message = outbound(chat, thread=thread)
    app.slack.script.add("chat.postMessage", Fault(kind="cut_after"))
    assert isinstance(await app.channel.send(message), Uncertain)
    app.slack.blind = 1
    assert isinstance(await app.done(app.channel.send(_again(message))), Sent)
    assert len(app.shown(chat)) == 1


async def test_a_message_that_never_arrived_is_posted(app: App, chat: str) -> None:
    """R3, contract 3: a look-up that finds nothing means not delivered; no mark."""
    message = outbound(chat, thread=app.ask(chat))
    app.slack.script.add("chat.postMessage", Fault(kind="cut_before"))
    assert isinstance(await app.channel.send(message), Uncertain)
    assert isinstance(await app.done(app.channel.send(_again(message))), Sent)
    assert [one.shown for one in app.shown(chat)] == ["好。"]


async def test_after_a_kill_the_message_is_looked_for(app: App, chat: str) -> None:
    """R1: the new process knows from the attempt that the old one may have posted; at the chat's top, page by page."""
    app.slack.page = 3
    message = outbound(chat)
    for number in range(7):
        app.ask(chat, str(number))
    await app.channel.send(message)
    for number in range(7):
        app.ask(chat, str(number))
    await app.restart()
    assert isinstance(await app.done(app.channel.send(_again(message))), Sent)
    assert len(app.shown(chat)) == 1


async def test_without_a_doubt_nothing_is_looked_for(app: App, chat: str) -> None:
    """R3: a pause and a refused connection tell surely that nothing arrived."""
    message = outbound(chat)
    app.slack.script.add("chat.postMessage", busy(30))
    assert await app.channel.send(message) == Retryable(reason="Slack asks for a pause", retry_after=30)
    assert isinstance(await app.channel.send(_again(message)), Retryable), "the pause is kept without a call"
    await app.clock.advance(30)
    assert isinstance(await app.channel.send(_again(message, 3)), Sent)
    assert app.slack.of("conversations.replies", "conversations.history") == []


async def test_a_pause_of_one_channel_is_not_anothers(app: App, chat: str) -> None:
    """R4."""
    app.slack.channel("C9")
    app.slack.script.add("chat.postMessage", busy(60))
    assert isinstance(await app.channel.send(outbound(chat)), Retryable)
    assert isinstance(await app.channel.send(outbound("C9", delivery_id="d2")), Sent)


async def test_while_it_cannot_be_looked_for_it_is_not_posted(app: App, chat: str) -> None:
    """R1: an outage goes on; the message waits rather than come twice."""
    message = outbound(chat, thread=app.ask(chat))
    app.slack.script.add("chat.postMessage", Fault(kind="cut_after"))
    app.slack.script.add("conversations.replies", Fault(kind="status"), busy(3))
    assert isinstance(await app.channel.send(message), Uncertain)
    for attempt in (2, 3):
        assert isinstance(await app.done(app.channel.send(_again(message, attempt))), Retryable)
        await app.clock.advance(3)
    assert isinstance(await app.done(app.channel.send(_again(message, 4))), Sent)
    assert len(app.shown(chat)) == 1


async def test_a_member_posts_under_its_name_and_the_host_as_the_app(app: App, chat: str) -> None:
    """Contract 3 and 8, T35."""
    await app.channel.send(outbound(chat))
    await app.channel.send(outbound(chat, member=True, delivery_id="d2"))
    assert [(one.author, one.shown) for one in app.shown(chat)] == [("Studio", "好。"), ("研究员", "好。")]
    assert app.shown(chat)[1].icons == {"icon_emoji": ":mag:"}


async def test_without_the_scope_the_name_is_in_the_text(app: App, chat: str) -> None:
    """Issue 4, 3: Slack would drop the persona without a word, so it is known from auth.test."""
    app.slack.scopes.remove("chat:write.customize")
    await app.restart()
    await app.channel.send(outbound(chat, member=True))
    assert [(one.author, one.shown) for one in app.shown(chat)] == [("Studio", "**研究员**：好。")]


async def test_a_name_that_slack_reserves_becomes_a_label(app: App, chat: str) -> None:
    named = Speaker(id="here", name="here", role="member")
    await app.channel.send(outbound(chat, member=True, speaker=named, label="here: "))
    assert [(one.author, one.shown) for one in app.shown(chat)] == [("Studio", "**here**: 好。")]


async def test_a_server_without_task_cards_is_asked_once(app: App, chat: str) -> None:
    """Issue 4, 4: where Slack's blocks allow."""
    app.slack.takes_cards = False
    for number in range(2):
        notice = outbound(chat, "已请 研究员", kind="notice", job_id=f"j{number}", delivery_id=f"d{number}")
        assert isinstance(await app.channel.send(notice), Sent)
    assert [one.shown for one in app.shown(chat)] == ["已请 研究员"] * 2
    assert [call.executed for call in app.slack.of("chat.postMessage")] == [False, True, True]


async def test_refused_tables_come_as_code(app: App, chat: str) -> None:
    """Issue 4, 3: tables included."""
    app.slack.takes_tables = False
    table = "数据：\n\n| a | b |\n|---|---|\n| 1 | 2 |"
    assert isinstance(await app.channel.send(outbound(chat, table)), Sent)
    assert app.shown(chat)[0].shown == "数据：\n\n```\n| a | b |\n|---|---|\n| 1 | 2 |\n```"


async def test_refused_formatting_comes_plain(app: App, chat: str) -> None:
    app.slack.script.add("chat.postMessage", *(refuse("invalid_blocks") for _ in range(3)))
    assert isinstance(await app.channel.send(outbound(chat, "**fett**")), Sent)
    (shown,) = app.shown(chat)
    assert shown.blocks[0]["text"] == {"type": "plain_text", "text": "**fett**"}


async def test_what_is_refused_in_every_form_comes_as_a_file(app: App, chat: str) -> None:
    """Architecture 7: the content always arrives; X5: the bytes go without our token."""
    app.slack.script.add("chat.postMessage", *(refuse("msg_too_long") for _ in range(4)))
    message = outbound(chat, "字" * 100, thread=app.ask(chat))
    assert isinstance(await app.channel.send(message), Sent)
    (shown,) = app.shown(chat)
    assert shown.thread_ts == message.thread
    assert app.slack.contents[shown.files[0]["id"]].decode() == "字" * 100
    assert app.slack.leaked == []


async def test_a_very_long_answer_is_a_document_and_is_found_again(app: App, chat: str) -> None:
    """R1: an upload whose answer was lost is known by its file name."""
    message = outbound(chat, "字" * 30_000, thread=app.ask(chat))
    app.slack.script.add("files.completeUploadExternal", Fault(kind="cut_after"))
    assert isinstance(await app.channel.send(message), Uncertain)
    assert isinstance(await app.done(app.channel.send(_again(message))), Sent)
    assert len(app.shown(chat)) == 1
    assert app.slack.of("chat.postMessage") == []


async def test_bytes_that_were_lost_on_their_way_are_simply_sent_again(app: App, chat: str) -> None:
    message = outbound(chat, "字" * 30_000)
    app.slack.script.add("files.getUploadURLExternal", busy(2))
    assert isinstance(await app.channel.send(message), Retryable)
    await app.clock.advance(2)
    assert isinstance(await app.done(app.channel.send(_again(message))), Sent)


async def test_a_text_full_of_signs_that_are_escaped_is_taken(app: App, chat: str) -> None:
    """The fallback beside the blocks counts for the limit of the whole payload."""
    assert isinstance(await app.channel.send(outbound(chat, "<&>" * 2900)), Sent)
    assert [call.executed for call in app.slack.of("chat.postMessage")] == [True]


async def test_a_thread_that_is_gone_costs_the_thread(app: App, chat: str) -> None:
    """Architecture 7."""
    assert isinstance(await app.channel.send(outbound(chat, thread="1.000001")), Sent)
    assert [one.thread_ts for one in app.shown(chat)] == [""]


async def test_a_channel_without_the_app_waits_for_an_invitation(app: App) -> None:
    """Retryable for 24 h, but hardly ever tried."""
    app.slack.channel("C9", has_app=False)
    outcome = await app.channel.send(outbound("C9"))
    assert isinstance(outcome, Retryable)
    assert outcome.retry_after == PARKED
    app.slack.channels["C9"].has_app = True
    assert isinstance(await app.channel.send(_again(outbound("C9"))), Sent)


async def test_an_archived_channel_refuses_for_ever(app: App) -> None:
    app.slack.channel("C9", archived=True)
    assert isinstance(await app.channel.send(outbound("C9")), Rejected)


async def test_a_revoked_token_is_told_and_forgiven(app: App, chat: str) -> None:
    """R5: readyz tells; what waits goes when the owner has acted."""
    app.slack.script.add("chat.postMessage", refuse("token_revoked"))
    assert isinstance(await app.channel.send(outbound(chat)), Retryable)
    state = app.channel.state()
    assert not state.connected
    assert "token_revoked" in state.reason
    assert isinstance(await app.channel.send(_again(outbound(chat))), Sent)
    assert app.channel.state().connected


async def test_a_burst_keeps_to_slacks_budget(app: App, chat: str) -> None:
    """R3: about one message a second in a channel, and none is lost."""
    for number in range(20):
        message = outbound(chat, str(number), delivery_id=f"d{number}")
        assert isinstance(await app.done(app.channel.send(message)), Sent)
    assert app.slack.flood.refused == 0
    assert [one.shown for one in app.shown(chat)] == [str(number) for number in range(20)]


async def test_a_command_in_a_foreign_channel_is_answered_in_private(app: App) -> None:
    """Issue 4, 6: a slash command works where the app is no member; Slack gives an address for the answer."""
    app.slack.channel("C9", has_app=False)
    back = f"{app.slack.url}/back/1"
    payload = {"channel_id": "C9", "user_id": "U1", "user_name": "ann", "text": "status", "trigger_id": "1.1"}
    assert await app.post("slash_commands", payload | {"response_url": back, "command": "/team"}) == 200
    (event,) = app.events
    assert event.text == "/status"
    reply = outbound("C9", "没有人在处理。", kind="reply", reply_to=event.message_id)
    assert isinstance(await app.channel.send(reply), Sent)
    assert app.slack.answered_back == [{"response_type": "ephemeral", "text": "没有人在处理。"}]


async def test_a_blank_text_is_no_message(app: App, chat: str) -> None:
    assert await app.channel.send(outbound(chat, " \n")) == Sent()
    assert app.slack.of("chat.postMessage") == []


def _notice(chat: str, thread: str) -> OutboundMessage:
    stop = Action(label="停止", command="/cancel researcher")
    return outbound(chat, "已请 研究员", kind="notice", job_id="j1", delivery_id="n1", thread=thread, actions=(stop,))


def _card(app: App, chat: str) -> Message:
    return next(one for one in app.shown(chat) if one.card)


async def test_a_task_card_is_marked_when_the_member_is_done(app: App, chat: str) -> None:
    """Issue 4, 4: who works, who is done, updated in place; the button goes."""
    thread = app.ask(chat)
    await app.channel.send(_notice(chat, thread))
    assert (_card(app, chat).card, len(_card(app, chat).buttons)) == ("in_progress", 1)
    await app.channel.send(outbound(chat, member=True, thread=thread, delivery_id="m1"))
    assert (_card(app, chat).card, _card(app, chat).shown) == ("complete", "研究员 is done")
    assert _card(app, chat).buttons == []


async def test_a_failed_job_is_marked_as_such_after_a_restart(app: App, chat: str) -> None:
    """T28: the notice is found by its metadata."""
    thread = app.ask(chat)
    await app.channel.send(_notice(chat, thread))
    await app.restart()
    failure = outbound(
        chat, "超时", member=True, kind="failure", label="研究员 没能完成：", thread=thread, delivery_id="f"
    )
    await app.channel.send(failure)
    assert (_card(app, chat).card, _card(app, chat).shown) == ("error", "研究员 could not finish")
    assert app.shown(chat)[-1].shown == "**研究员 没能完成**：超时"
    assert app.shown(chat)[-1].author == "Studio"


async def test_a_long_answer_marks_its_card_once(app: App, chat: str) -> None:
    """With its last part; and no member without a card is searched for, hours after the start."""
    thread = app.ask(chat)
    await app.channel.send(_notice(chat, thread))
    for part in (1, 2):
        piece = outbound(chat, member=True, thread=thread, delivery_id=f"m{part}", part=part, parts=2)
        await app.channel.send(piece)
        assert _card(app, chat).card == ("in_progress" if part == 1 else "complete")
    await app.clock.advance(8000)
    await app.channel.send(outbound(chat, member=True, thread=thread, delivery_id="m3", job_id="j2"))
    assert app.slack.of("conversations.replies") == []


async def test_a_card_that_must_wait_is_marked_later(app: App, chat: str) -> None:
    """R3: beauty never delays a message."""
    thread = app.ask(chat)
    await app.channel.send(_notice(chat, thread))
    app.slack.script.add("chat.update", busy(30))
    assert isinstance(await app.channel.send(outbound(chat, member=True, thread=thread, delivery_id="m1")), Sent)
    assert _card(app, chat).card == "in_progress"
    await app.until(lambda: _card(app, chat).card == "complete", step=1.0)
    assert app.clock.monotonic() >= 30
