"""Signs that somebody works: the status line with who it is, and 👀 under the question."""

import pytest

from channels.slack.presence import AGAIN, EVERY
from tests.support.slack.app import HOST, MEMBER, App, outbound
from tests.support.slack.faults import busy, refuse


@pytest.fixture
def thread(app: App, chat: str) -> str:
    return app.ask(chat)


def _told(app: App, chat: str, thread: str) -> list[str]:
    return app.slack.told_statuses.get((chat, thread), [])


async def test_the_status_says_who_works_until_nobody_does(app: App, chat: str, thread: str) -> None:
    """Issue 4, 4."""
    await app.channel.typing(chat, thread, [HOST])
    await app.until(lambda: _told(app, chat, thread) == ["is thinking…"])
    await app.channel.typing(chat, thread, [HOST, MEMBER])
    await app.until(lambda: _told(app, chat, thread)[-1] == "has 研究员 at work…", step=AGAIN)
    await app.channel.typing(chat, thread, [])
    assert app.slack.statuses[chat, thread] == ""


async def test_the_status_is_told_again_before_slack_takes_it_away(app: App, chat: str, thread: str) -> None:
    await app.channel.typing(chat, thread, [MEMBER])
    await app.until(lambda: len(_told(app, chat, thread)) == 1)
    began = app.clock.monotonic()
    await app.until(lambda: len(_told(app, chat, thread)) == 2, step=EVERY / 9)
    assert app.clock.monotonic() - began <= 110


async def test_the_status_comes_back_after_a_message_of_ours(app: App, chat: str, thread: str) -> None:
    """Slack clears it with each message, although others are still at work."""
    await app.channel.typing(chat, thread, [MEMBER])
    await app.until(lambda: len(_told(app, chat, thread)) == 1)
    await app.channel.send(outbound(chat, thread=thread))
    await app.until(lambda: (chat, thread) in app.slack.statuses, step=AGAIN)
    await app.clock.advance(20)
    assert len(_told(app, chat, thread)) == 2, "and stands"


async def test_a_place_without_a_thread_has_no_status(app: App, chat: str) -> None:
    await app.channel.typing(chat, "", [MEMBER])
    await app.channel.typing(chat, "", [])
    assert app.slack.of("assistant.threads.setStatus") == []


async def test_an_app_that_may_not_show_a_status_is_not_asked_again(app: App, chat: str, thread: str) -> None:
    """Beauty only, and never an exception."""
    app.slack.script.add("assistant.threads.setStatus", refuse("missing_scope"))
    for _ in range(3):
        await app.channel.typing(chat, thread, [MEMBER])
        await app.channel.typing(chat, thread, [])
    assert len(app.slack.of("assistant.threads.setStatus")) <= 2


async def test_a_pause_leaves_signs_out(app: App, chat: str, thread: str) -> None:
    app.slack.script.add("assistant.threads.setStatus", busy(30))
    await app.channel.typing(chat, thread, [MEMBER])
    await app.until(lambda: len(app.slack.of("assistant.threads.setStatus")) == 1)
    await app.channel.react(chat, thread, seen=True)  # its answer comes after the other one
    await app.channel.typing(chat, thread, [])
    assert len(app.slack.of("assistant.threads.setStatus")) == 1


async def test_the_question_is_marked_and_unmarked(app: App, chat: str, thread: str) -> None:
    place = app.slack.channels[chat]
    for _ in range(2):
        await app.channel.react(chat, thread, seen=True)
        assert place.messages[thread].reactions == {"eyes"}
    for _ in range(2):
        await app.channel.react(chat, thread, seen=False)
        assert place.messages[thread].reactions == set()
    await app.channel.react(chat, "slash:1.1", seen=True)
    await app.channel.react(chat, "1.000009", seen=True)


async def test_a_stop_ends_the_signs(app: App, chat: str, thread: str) -> None:
    """R7."""
    await app.channel.typing(chat, thread, [MEMBER])
    await app.channel.stop()
    await app.channel.typing(chat, thread, [MEMBER])
    await app.channel.react(chat, thread, seen=True)
