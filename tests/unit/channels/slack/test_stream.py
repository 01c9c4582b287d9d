"""Live text in private threads: one writer, messages that turn over in time, ends that keep the persona."""

import asyncio
from dataclasses import replace

import pytest

from channels.errors import LiveLost
from channels.slack.growing import EVERY
from channels.types import LivePost, OutboundMessage, Retryable, Sent
from tests.support.slack.app import App, live, outbound
from tests.support.slack.faults import Fault, busy, refuse

LINES = "".join(f"第{number}行，说一些话。\n" for number in range(2000))


async def _open(app: App, post: LivePost, text: str = "你好，世界") -> LivePost:
    return replace(post, handle=await app.channel.open(post, text))


async def _grow(app: App, post: LivePost, text: str) -> None:
    """Let the writer show it."""
    calls = len(app.slack.calls)
    await app.channel.grow(post, text)
    await app.until(lambda: len(app.slack.calls) > calls, step=EVERY / 4)


async def _settled(app: App) -> None:
    """A call that the writer has begun comes to its end: another one, which is answered after it."""
    await app.channel.react("D42", "1.1", seen=True)


def _final(post: LivePost, text: str, **more: object) -> OutboundMessage:
    return outbound(post.chat_id, text, member=bool(post.label), thread=post.thread, **more)


def _said(app: App, chat: str) -> list[tuple[str, str]]:
    return [(one.author, one.shown) for one in app.shown(chat)]


@pytest.mark.parametrize("is_member", [False, True])
async def test_what_grew_is_the_message_in_the_end(app: App, chat: str, *, is_member: bool) -> None:
    """T35, issue 4, 4: one message, under its speaker's name from the first word, closed by the final delivery."""
    post = live(chat, app.ask(chat), member=is_member)
    author = "研究员" if is_member else "Studio"
    assert app.channel.streams(post)
    opened = await _open(app, post, "第一句。")
    assert _said(app, chat) == [(author, "第一句")]
    await _grow(app, opened, "第一句。第二句。")
    assert _said(app, chat) == [(author, "第一句。第二句")]
    outcome = await app.channel.finish(opened, _final(opened, "第一句。第二句。完。"))
    assert outcome == Sent(platform_id=opened.handle)
    assert _said(app, chat) == [(author, "第一句。第二句。完。")]
    (shown,) = app.shown(chat)
    assert (shown.state, shown.edits, shown.thread_ts) == ("completed", 0, post.thread)
    assert shown.metadata["event_payload"]["delivery_id"] == "d1"


async def test_white_space_between_appends_is_not_lost(app: App, chat: str) -> None:
    """Slack drops it at the beginning of a chunk, so it ends the one before."""
    text = "one two\n\n- three\n- four\n\n\n    code\n\nend."
    opened = await _open(app, live(chat, app.ask(chat)), text[:3])
    for end in range(4, len(text), 5):
        await app.channel.grow(opened, text[:end])
        await app.clock.advance(EVERY)
        await _settled(app)
    assert len(app.slack.of("chat.appendStream")) > 5
    assert isinstance(await app.channel.finish(opened, _final(opened, text)), Sent)
    assert _said(app, chat) == [("Studio", text)]


async def test_a_mention_in_growing_text_calls_nobody_at_any_moment(app: App, chat: str) -> None:
    """X6: also across the borders of appends."""
    text = "attention <!channel> and <@U123ABC>, all of @here please"
    opened = await _open(app, live(chat, app.ask(chat)), text[:4])
    for end in range(5, len(text) + 1):
        await app.channel.grow(opened, text[:end])
        await app.clock.advance(EVERY)
        await _settled(app)
        assert "<!channel" not in app.shown(chat)[0].text
        assert "<@U" not in app.shown(chat)[0].text
    await app.channel.finish(opened, _final(opened, text))
    assert app.shown(chat)[0].text.replace("\u200b", "") == text


async def test_without_the_scope_live_text_has_its_label_from_the_first_word(app: App, chat: str) -> None:
    """Contract 8: and the final text is the same message, although only it knows that there are several lines."""
    app.slack.scopes.remove("chat:write.customize")
    await app.restart()
    opened = await _open(app, live(chat, app.ask(chat), member=True), "一句")
    assert _said(app, chat) == [("Studio", "**研究员**：一")]
    await app.channel.finish(opened, _final(opened, "一句\n两句"))
    assert _said(app, chat) == [("Studio", "**研究员**：一句\n两句")]


async def test_nothing_streams_where_only_one_reader_would_see_it(app: App, chat: str) -> None:
    """Issue 4, 4: channels get one post when it is finished; the flat private chat has no thread for a stream."""
    app.slack.channel("C1")
    assert not app.channel.streams(live("C1", "1.1", chat_type="group"))
    assert not app.channel.streams(live(chat, ""))


async def test_a_message_turns_over_before_slack_lets_it_die(app: App, chat: str) -> None:
    """Issue 4, 4: at four minutes, also when no words come; nothing is doubled, the persona stays."""
    opened = await _open(app, live(chat, app.ask(chat), member=True), "第一句。")
    await app.until(lambda: app.shown(chat)[0].state == "completed", step=10.0)
    assert 230 <= app.clock.monotonic() <= 260
    await _grow(app, opened, "第一句。第二句。")
    assert _said(app, chat) == [("研究员", "第一句"), ("研究员", "。第二句")]
    await app.clock.advance(100)
    assert isinstance(await app.channel.finish(opened, _final(opened, "第一句。第二句。完。")), Sent)
    assert "".join(text for _, text in _said(app, chat)) == "第一句。第二句。完。"
    assert {one.state for one in app.shown(chat)} == {"completed"}


async def test_words_that_come_after_the_turn_are_a_message_of_their_own(app: App, chat: str) -> None:
    opened = await _open(app, live(chat, app.ask(chat), member=True), "第一句。")
    await app.until(lambda: app.shown(chat)[0].state == "completed", step=10.0)
    assert isinstance(await app.channel.finish(opened, _final(opened, "第一句。完。")), Sent)
    assert _said(app, chat) == [("研究员", "第一句"), ("研究员", "。完。")]
    assert app.shown(chat)[1].metadata["event_payload"]["delivery_id"] == "d1"


async def test_a_message_turns_over_before_it_is_too_long(app: App, chat: str) -> None:
    """Issue 4, 4: at 9,000 bytes; code that goes on is closed and opened again."""
    text = "```python\n" + LINES[:4000]
    opened = await _open(app, live(chat, app.ask(chat), member=True), text[:5])
    await app.channel.grow(opened, text)
    await app.until(lambda: len(app.shown(chat)) > 1, step=EVERY)
    first, second = app.shown(chat)[:2]
    assert first.state == "completed"
    assert len(first.text.encode()) <= 9100
    assert first.text.endswith("\n```")
    assert second.text.startswith("```python\n")


async def test_a_long_text_ends_as_its_parts(app: App, chat: str) -> None:
    """Contract 3: parts carry their count, which nobody knew while it grew; the live messages give way, once."""
    opened = await _open(app, live(chat, app.ask(chat), member=True), LINES[:5])
    await app.channel.grow(opened, LINES[:6000])
    await app.until(lambda: len(app.shown(chat)) > 1, step=EVERY)
    first = _final(opened, LINES[:2900], label="研究员： (1/3) ", part=1, parts=3)
    assert isinstance(await app.channel.finish(opened, first), Sent)
    assert _said(app, chat) == [("研究员", f"(1/3)\n{LINES[:2900]}".replace("(1/3)\n", "(1/3) "))]


@pytest.mark.parametrize(("is_member", "edits"), [(False, 1), (True, 0)])
async def test_a_text_that_began_anew_is_replaced(app: App, chat: str, *, is_member: bool, edits: int) -> None:
    """T35: a retried response; the app's own message is edited, a persona's would lose its name and is posted anew."""
    opened = await _open(app, live(chat, app.ask(chat), member=is_member), "erster Versuch.")
    await app.channel.grow(opened, "anders.")
    await app.clock.advance(EVERY)
    assert isinstance(await app.channel.finish(opened, _final(opened, "anders ganz.")), Sent)
    assert _said(app, chat) == [("研究员" if is_member else "Studio", "anders ganz.")]
    assert app.shown(chat)[0].edits == edits


async def test_a_persona_that_cannot_be_deleted_keeps_its_name_in_the_text(app: App, chat: str) -> None:
    """Issue 4, 4: the content arrives once, and who speaks is still told."""
    app.slack.lets_delete_personas = False
    opened = await _open(app, live(chat, app.ask(chat), member=True), "erster Versuch.")
    assert isinstance(await app.channel.finish(opened, _final(opened, "anders.")), Sent)
    assert _said(app, chat) == [("Studio", "**研究员**：anders.")]


@pytest.mark.parametrize("is_member", [False, True])
async def test_a_reader_who_stopped_it_still_gets_the_words(app: App, chat: str, *, is_member: bool) -> None:
    """Issue 4, 6: Slack's stop button closes the message before we can."""
    opened = await _open(app, live(chat, app.ask(chat), member=is_member), "第一句。")
    app.shown(chat)[0].state = "stopped"
    await app.channel.grow(opened, "第一句。第二句。")
    await app.clock.advance(EVERY)
    await app.until(lambda: bool(app.slack.of("chat.appendStream")))
    assert isinstance(await app.channel.finish(opened, _final(opened, "第一句。第二句。")), Sent)
    assert _said(app, chat) == [("研究员" if is_member else "Studio", "第一句。第二句。")]


async def test_an_append_in_doubt_is_put_right_by_the_final_words(app: App, chat: str) -> None:
    """R3: nobody knows what the message says, so it is replaced as a whole."""
    opened = await _open(app, live(chat, app.ask(chat), member=True), "第一句。")
    app.slack.script.add("chat.appendStream", Fault(kind="cut_after"))
    await _grow(app, opened, "第一句。第二句。")
    with pytest.raises(LiveLost):
        await _lost(app, opened)
    assert isinstance(await app.channel.finish(opened, _final(opened, "第一句。第二句。完。")), Sent)
    assert _said(app, chat) == [("研究员", "第一句。第二句。完。")]


async def _lost(app: App, post: LivePost) -> None:
    async with asyncio.timeout(5):
        while True:
            await app.channel.grow(post, "第一句。第二句。第三句。")
            await asyncio.sleep(0)


async def test_a_pause_costs_frames_only(app: App, chat: str) -> None:
    """R3: 429 while it grows."""
    opened = await _open(app, live(chat, app.ask(chat)), "第一句。")
    app.slack.script.add("chat.appendStream", busy(5))
    await app.channel.grow(opened, "第一句。第二句。")
    await app.until(lambda: app.shown(chat)[0].text == "第一句。第二句", step=EVERY)
    assert app.clock.monotonic() >= 5


async def test_a_post_that_cannot_begin_comes_when_it_is_finished(app: App, chat: str) -> None:
    """Beauty only; what Slack will never do is not asked again."""
    app.slack.streams = False
    post = live(chat, app.ask(chat))
    with pytest.raises(LiveLost):
        await app.channel.open(post, "x y z")
    assert not app.channel.streams(live(chat, post.thread, id="p2"))
    assert isinstance(await app.channel.finish(post, _final(post, "好。")), Sent)
    assert _said(app, chat) == [("Studio", "好。")]
    assert app.slack.of("conversations.replies") == [], "nothing can have begun"


async def test_after_a_kill_the_open_message_is_replaced(app: App, chat: str) -> None:
    """R1, contract 8: known by its handle, or found by its speaker where the kill came before the handle was kept."""
    for number, is_kept in enumerate((True, False)):
        thread = app.ask(chat)
        opened = await _open(app, live(chat, thread, member=True, id=f"p{number}"), "halber Satz.")
        await app.restart()
        post = opened if is_kept else replace(opened, handle="")
        final = _final(post, "ganzer Satz.", delivery_id=f"d{number}", job_id=None)
        assert isinstance(await app.done(app.channel.finish(post, final)), Sent)
        assert [one.shown for one in app.shown(chat, thread)] == ["ganzer Satz."]
        assert [one.author for one in app.shown(chat, thread)] == ["研究员"]


async def test_after_a_kill_only_the_speakers_own_message_is_touched(app: App, chat: str) -> None:
    """Two speakers were writing at the same place."""
    thread = app.ask(chat)
    await _open(app, live(chat, thread, id="p1"), "die Leitung spricht.")
    opened = await _open(app, live(chat, thread, member=True, id="p2"), "halber Satz.")
    await app.restart()
    await app.done(app.channel.finish(replace(opened, handle=""), _final(opened, "ganz.", job_id=None)))
    assert [(one.author, one.state) for one in app.shown(chat)] == [("Studio", "in_progress"), ("研究员", "")]


async def test_a_close_whose_answer_was_lost_is_not_a_second_message(app: App, chat: str) -> None:
    """R1: the delivery's id stands in the stream's metadata; also after a kill."""
    for number, is_killed in enumerate((False, True)):
        thread = app.ask(chat)
        opened = await _open(app, live(chat, thread, member=True, id=f"p{number}"), "第一句。")
        final = _final(opened, "第一句。完。", delivery_id=f"d{number}")
        app.slack.script.add("chat.stopStream", Fault(kind="cut_after"))
        assert isinstance(await app.channel.finish(opened, final), Retryable)
        if is_killed:
            await app.restart()
        outcome = await app.done(app.channel.finish(opened, replace(final, attempt=2)))
        assert outcome == Sent(platform_id=opened.handle)
        assert [one.shown for one in app.shown(chat, thread)] == ["第一句。完。"]


async def test_an_outage_at_the_end_loses_nothing(app: App, chat: str) -> None:
    """R3: refused, broken, paused: done again until it is done."""
    opened = await _open(app, live(chat, app.ask(chat), member=True), "第一句。")
    final = _final(opened, "第一句。完。")
    app.slack.script.add("chat.stopStream", busy(3), Fault(kind="status"), Fault(kind="cut_before"))
    for attempt in (1, 2, 3):
        assert isinstance(await app.done(app.channel.finish(opened, replace(final, attempt=attempt))), Retryable)
        await app.clock.advance(3)
    assert isinstance(await app.done(app.channel.finish(opened, replace(final, attempt=4))), Sent)
    assert _said(app, chat) == [("研究员", "第一句。完。")]


@pytest.mark.parametrize("is_killed", [False, True])
async def test_a_post_without_final_words_is_taken_back(app: App, chat: str, *, is_killed: bool) -> None:
    """Contract 8: no live message stays open."""
    opened = await _open(app, live(chat, app.ask(chat)), "halber Satz.")
    if is_killed:
        await app.restart()
        opened = replace(opened, handle="")
    assert isinstance(await app.done(app.channel.abandon(opened)), Sent)
    assert app.shown(chat) == []


async def test_what_cannot_be_taken_back_now_is_taken_back_later(app: App, chat: str) -> None:
    opened = await _open(app, live(chat, app.ask(chat)), "halber Satz.")
    app.slack.script.add("chat.stopStream", busy(9))
    assert isinstance(await app.channel.abandon(opened), Retryable)
    assert isinstance(await app.channel.abandon(opened), Retryable), "the pause is kept without a call"
    assert len(app.slack.of("chat.stopStream")) == 1
    await app.clock.advance(9)
    assert isinstance(await app.channel.abandon(opened), Sent)
    app.slack.script.add("chat.delete", refuse("compliance_exports_prevent_deletion"))
    other = await _open(app, live(chat, app.ask(chat), id="p2"), "halber Satz.")
    assert isinstance(await app.channel.abandon(other), Sent), "closed, and nothing more can be done"
    assert [one.state for one in app.shown(chat)] == ["completed"]


async def test_stop_leaves_the_message_for_the_next_start(app: App, chat: str) -> None:
    """R7."""
    opened = await _open(app, live(chat, app.ask(chat)), "halber Satz.")
    await app.channel.stop()
    with pytest.raises(LiveLost):
        await app.channel.grow(opened, "x")
    assert isinstance(await app.channel.finish(opened, _final(opened, "x")), Retryable)
    assert isinstance(await app.channel.abandon(opened), Retryable)
    assert not app.channel.streams(opened)
