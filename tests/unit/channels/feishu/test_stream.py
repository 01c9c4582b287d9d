"""Live cards call by call, on the test's time: numbers, the ten minutes, what a crash leaves, what is refused."""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import replace
from typing import Any, TypeVar

import pytest

from channels.errors import LiveLost
from channels.types import LivePost, OutboundMessage, Rejected, Retryable, Sent, Speaker
from tests.support.clock import START
from tests.support.feishu import faults
from tests.support.feishu.cards import Card
from tests.support.feishu.people import Person
from tests.unit.channels.feishu.conftest import Bench
from tests.unit.channels.samples import message

T = TypeVar("T")
HOST = Speaker(id="studio", name="内容工作室", role="host")


def _post(person: Person, **more: Any) -> LivePost:
    base = LivePost(
        id="p1",
        turn_id="t1",
        channel_id="fs",
        chat_id=person.room.id,
        chat_type="private",
        thread="",
        speaker=HOST,
        created_at=START,
    )
    return replace(base, **more)


def _final(person: Person, text: str, **more: Any) -> OutboundMessage:
    host: dict[str, Any] = {"speaker": HOST, "kind": "host", "label": "", "display_text": text}
    return replace(message(channel_id="fs", chat_id=person.room.id, text=text), **host | more)


async def _in_time(bench: Bench, work: Coroutine[Any, Any, T]) -> T:
    """With the time that the budget needs."""
    task = asyncio.ensure_future(work)
    await bench.advance_until(0.1, task.done)
    return task.result()


async def _opened(bench: Bench, person: Person, words: str = "开", **more: Any) -> LivePost:
    await bench.start()
    post = _post(person, **more)
    return replace(post, handle=await _in_time(bench, bench.channel.open(post, words)))


def _only(bench: Bench) -> Card:
    (card,) = bench.server.state.cards.all.values()
    return card


async def _grow(bench: Bench, post: LivePost, words: str) -> None:
    await bench.channel.grow(post, words)
    await bench.advance_until(0.5, lambda: words in _shown(bench)[-1:])


def _shown(bench: Bench) -> list[str]:
    card = _only(bench)
    return [element["content"] for element in card.content["body"]["elements"] if element["tag"] == "markdown"]


async def test_a_card_grows_and_says_its_final_words(bench: Bench) -> None:
    """T35: one message; R1: finishing twice shows one."""
    ann = bench.person()
    post = await _opened(bench, ann)
    await _grow(bench, post, "开头")
    for _ in range(2):
        assert isinstance(await _in_time(bench, bench.channel.finish(post, _final(ann, "开头和结尾"))), Sent)
    (seen,) = ann.heard
    assert (seen.text, seen.is_growing, seen.buttons) == ("开头和结尾", False, ())
    card = _only(bench)
    assert card.sequences == sorted(set(card.sequences))


async def test_a_card_streams_less_than_ten_minutes_and_goes_on(bench: Bench) -> None:
    """Issue 5.4: closed before the platform does it, and the same card still shows every word."""
    ann = bench.person()
    post = await _opened(bench, ann)
    for minute in range(12):
        await bench.clock.advance(60)
        await _grow(bench, post, f"第{minute}分钟")
        assert not _only(bench).has_timed_out
    assert not ann.heard[0].is_growing
    await _in_time(bench, bench.channel.finish(post, _final(ann, "完")))
    assert [seen.text for seen in ann.heard] == ["完"]


async def test_a_card_that_the_platform_closed_goes_on_as_well(bench: Bench) -> None:
    """200850, 300309."""
    ann = bench.person()
    post = await _opened(bench, ann)
    _only(bench).streaming_since = None
    await _grow(bench, post, "照样")
    await _in_time(bench, bench.channel.finish(post, _final(ann, "完")))
    assert [seen.text for seen in ann.heard] == ["完"]


async def test_updates_come_at_most_five_a_second_and_rarer_with_age(bench: Bench) -> None:
    """Issue 5.4, and the month's quota: a card of five minutes costs fewer than 300 calls."""
    ann = bench.person()
    post = await _opened(bench, ann)
    for tick in range(3000):
        await bench.channel.grow(post, "字" * (tick + 1))
        await bench.clock.advance(0.1)
        if tick % 10 == 0:
            await asyncio.sleep(0.001)
    card = _only(bench)
    assert max(sum(at <= other < at + 1 for other in card.times) for at in card.times) <= 5
    assert 10 < len(card.times) < 300


async def test_a_clock_that_went_back_does_not_stop_a_card(bench: Bench) -> None:
    """300317: after a restart our numbers may be lower than the last one."""
    ann = bench.person()
    post = await _opened(bench, ann)
    _only(bench).sequence = 5_000_000
    assert isinstance(await _in_time(bench, bench.channel.finish(post, _final(ann, "完"))), Sent)
    assert ann.heard[0].text == "完"


async def test_numbers_rise_over_a_restart_without_being_stored(bench: Bench) -> None:
    """Section 4: milliseconds since the post began."""
    ann = bench.person()
    post = await _opened(bench, ann)
    await _grow(bench, post, "开头")
    await bench.channel.stop()
    await bench.clock.advance(5)
    await bench.start()
    assert isinstance(await _in_time(bench, bench.channel.finish(post, _final(ann, "完"))), Sent)
    assert bench.server.state.cards.refused == []
    assert [seen.text for seen in ann.heard] == ["完"]


async def test_a_post_whose_card_was_never_sent_is_sent_once(bench: Bench) -> None:
    """A crash between the intent and the handle, before the message."""
    ann = bench.person()
    await bench.start()
    for _ in range(2):
        assert isinstance(await _in_time(bench, bench.channel.finish(_post(ann), _final(ann, "完"))), Sent)
    assert [(seen.text, seen.is_growing) for seen in ann.heard] == [("完", False)]


async def test_a_post_whose_handle_was_lost_is_found_again(bench: Bench) -> None:
    """The same after the message: the platform shows it once and tells which card it is."""
    ann = bench.person()
    post = await _opened(bench, ann)
    assert isinstance(await _in_time(bench, bench.channel.finish(replace(post, handle=""), _final(ann, "完"))), Sent)
    assert [(seen.text, seen.is_growing) for seen in ann.heard] == [("完", False)]


async def test_an_abandoned_card_is_closed_as_it_is(bench: Bench) -> None:
    """Contract 8; twice does no harm."""
    ann = bench.person()
    post = await _opened(bench, ann, "只有这些")
    for _ in range(2):
        assert isinstance(await _in_time(bench, bench.channel.abandon(post)), Sent)
    assert [(seen.text, seen.is_growing, seen.buttons) for seen in ann.heard] == [("只有这些", False, ())]


async def test_an_abandoned_post_without_a_handle_is_found_and_closed(bench: Bench) -> None:
    ann = bench.person()
    post = await _opened(bench, ann, "只有这些")
    assert isinstance(await _in_time(bench, bench.channel.abandon(replace(post, handle=""))), Sent)
    assert [(seen.text, seen.is_growing) for seen in ann.heard] == [("只有这些", False)]


async def test_an_old_post_without_a_handle_is_left_alone(bench: Bench) -> None:
    """After ten minutes the platform has closed it."""
    ann = bench.person()
    await bench.start()
    await bench.clock.advance(600)
    assert isinstance(await _in_time(bench, bench.channel.abandon(_post(ann))), Sent)
    assert ann.heard == []


async def test_a_card_that_is_gone_gives_way_to_a_message(bench: Bench) -> None:
    """200740, 200750: the content always arrives."""
    ann = bench.person()
    post = await _opened(bench, ann)
    bench.server.state.cards.all.clear()
    ann.room.messages.clear()
    assert isinstance(await _in_time(bench, bench.channel.finish(post, _final(ann, "完"))), Sent)
    assert [seen.text for seen in ann.heard] == ["完"]


async def test_markdown_that_a_live_card_refuses_is_shown_as_it_is_written(bench: Bench) -> None:
    ann = bench.person()
    post = await _opened(bench, ann)
    bench.server.script.add("card", faults.refuse(200220, "ErrCode: 11311; ErrMsg: markdown parse;"))
    assert isinstance(await _in_time(bench, bench.channel.finish(post, _final(ann, "**完**"))), Sent)
    assert [(seen.text, seen.is_growing) for seen in ann.heard] == [("**完**", False)]


async def test_final_words_of_several_cards_begin_in_the_live_one(bench: Bench) -> None:
    ann = bench.person()
    post = await _opened(bench, ann)
    text = "\n\n".join(["| a |\n|---|\n| 1 |"] * 7)
    for _ in range(2):
        assert isinstance(await _in_time(bench, bench.channel.finish(post, _final(ann, text))), Sent)
    assert [seen.title for seen in ann.heard] == ["内容工作室 (1/2)", "内容工作室 (2/2)"]


async def test_an_app_that_may_not_make_cards_does_not_ask_at_every_turn(bench: Bench) -> None:
    """Each try is a call of the month's quota."""
    ann = bench.person()
    await bench.start()
    bench.server.script.add("make_card", faults.refuse(99991672, "cardkit:card:write"))
    with pytest.raises(LiveLost):
        await _in_time(bench, bench.channel.open(_post(ann), "开"))
    assert not bench.channel.streams(_post(ann))
    assert isinstance(await _in_time(bench, bench.channel.finish(_post(ann), _final(ann, "完"))), Sent)
    assert [seen.text for seen in ann.heard] == ["完"]
    await bench.clock.advance(600)
    assert bench.channel.streams(_post(ann))


async def test_a_platform_that_is_away_delays_the_final_words(bench: Bench) -> None:
    """R3."""
    ann = bench.person()
    post = await _opened(bench, ann)
    await bench.server.close_port()
    for work in (bench.channel.finish(post, _final(ann, "完")), bench.channel.abandon(post)):
        assert isinstance(await _in_time(bench, work), Retryable)
    await bench.server.open_port()
    assert isinstance(await _in_time(bench, bench.channel.finish(post, _final(ann, "完"))), Sent)
    assert [seen.text for seen in ann.heard] == ["完"]


async def test_final_words_that_the_content_check_refuses(bench: Bench) -> None:
    ann = bench.person()
    post = await _opened(bench, ann, "开头")
    bench.server.script.add("card", faults.refuse(230028, "DLP"))
    bench.server.script.add("send", faults.refuse(230028, "DLP"))
    outcome = await _in_time(bench, bench.channel.finish(post, _final(ann, "敏感")))
    assert isinstance(outcome, Rejected)
    assert ann.heard[-1].text == "The platform's content check refused this message."
    assert not any(seen.is_growing for seen in ann.heard)


async def test_members_have_no_stop_button(bench: Bench) -> None:
    """They are cancelled, not stopped."""
    ann = bench.person()
    member = Speaker(id="researcher", name="研究员", role="member")
    await _opened(bench, ann, speaker=member, label="研究员：")
    assert ann.heard[0].buttons == ()
    assert ann.heard[0].title == "研究员"


async def test_the_end_of_the_program_leaves_no_card_on_generating(bench: Bench) -> None:
    """Issue 5.4: closed before the connection is; the next start gives the final words."""
    ann = bench.person()
    post = await _opened(bench, ann, "开头")
    await bench.channel.stop()
    assert [(seen.text, seen.is_growing) for seen in ann.heard] == [("开头", False)]
    await bench.start()
    assert isinstance(await _in_time(bench, bench.channel.finish(post, _final(ann, "开头和结尾"))), Sent)
    assert [(seen.text, seen.buttons) for seen in ann.heard] == [("开头和结尾", ())]


async def test_a_card_does_not_wait_out_a_long_pause(bench: Bench) -> None:
    """The final message of the same turn would wait for it."""
    ann = bench.person()
    await bench.start()
    bench.server.script.add("send", faults.busy(300))
    assert isinstance(await bench.channel.send(_final(ann, "x")), Retryable)
    with pytest.raises(LiveLost):
        await bench.channel.open(_post(ann), "开")


async def test_a_stopped_channel_shows_nothing_live(bench: Bench) -> None:
    ann = bench.person()
    post = await _opened(bench, ann)
    await bench.channel.stop()
    works: list[Callable[[], Coroutine[Any, Any, Any]]] = [
        lambda: bench.channel.open(post, "x"),
        lambda: bench.channel.grow(post, "x"),
    ]
    for work in works:
        with pytest.raises(LiveLost):
            await work()
    assert isinstance(await bench.channel.finish(post, _final(ann, "x")), Retryable)
    assert isinstance(await bench.channel.abandon(post), Retryable)
    assert not bench.channel.streams(post)
