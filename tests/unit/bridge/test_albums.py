"""Albums come in pieces and are one message."""

from datetime import timedelta
from typing import Any

from bridge.albums import GATHER, LONGEST, merge, ready_at
from channels.types import Attachment
from store.files import File
from store.inbox import InboxEvent
from store.inputs import Input
from tests.support.clock import START
from tests.support.front import Front


def photo(number: int) -> tuple[Attachment, ...]:
    return (Attachment(name=f"{number}.jpg", ref=f"r{number}"),)


async def piece(front: Front, number: int, text: str = "", **more: Any) -> None:
    await front.say(
        text, "chatty", message_id=f"m{number}", attachments=photo(number), **({"album": "a", "group": True} | more)
    )
    await front.drain()


async def test_an_album_is_one_message_and_its_one_caption_speaks_for_all(front: Front) -> None:
    """Issue 3, 1: the caption with the mention may be on any piece."""
    front.set_rules("chatty", allow_chats=frozenset({"*"}))
    await piece(front, 1)
    await front.clock.advance(1)
    await piece(front, 2, "look", mentioned=True)
    await front.clock.advance(1)
    await front.drain()
    assert await front.rows(Input) == [], "there may be more"
    await front.clock.advance(1)
    await front.drain()
    (taken,) = await front.rows(Input)
    assert (taken.text, taken.origin and taken.origin.message_id) == ("look", "m1")
    files = {each.id: each.name for each in await front.rows(File)}
    assert [files[each] for each in taken.data["files"]] == ["1.jpg", "2.jpg"]


async def test_what_is_said_behind_an_album_waits_for_it(front: Front) -> None:
    """The order of a chat is kept."""
    front.set_rules("chatty", access="open")
    await piece(front, 1, "one", group=False)
    await front.say("two", "chatty")
    await front.drain()
    assert await front.rows(Input) == []
    await front.clock.advance(2)
    await front.drain()
    assert [text for _, text in await front.texts()] == ["one", "two"]


async def test_a_copy_of_a_piece_is_no_new_message(front: Front) -> None:
    """R2: also long after the album was put together."""
    front.set_rules("chatty", access="open")
    for number in (1, 2):
        await piece(front, number, group=False)
    await front.clock.advance(2)
    await front.drain()
    for number in (1, 2):
        await piece(front, number, group=False)
    await front.clock.advance(2)
    await front.drain()
    assert len(await front.rows(Input)) == 1
    assert [row.outcome.get("ignored") for row in await front.rows(InboxEvent)] == [None, "album"]


async def test_a_late_piece_is_a_message_of_its_own(front: Front) -> None:
    """Nothing is lost that comes after the album was taken as whole."""
    front.set_rules("chatty", access="open")
    for number, pause in ((1, 2), (2, 2)):
        await piece(front, number, group=False)
        await front.clock.advance(pause)
        await front.drain()
    assert len(await front.rows(Input)) == 2


def test_an_album_that_never_ends_is_taken_after_ten_seconds() -> None:
    times = [START + timedelta(seconds=second) for second in range(20)]
    assert ready_at(times[:1]) == START + GATHER
    assert ready_at(times[:3]) == times[2] + GATHER
    assert ready_at(times) == START + LONGEST


def test_captions_stand_one_below_the_other(front: Front) -> None:
    pieces = [front.event("a", album="x"), front.event("", album="x"), front.event("b", album="x", mentioned=True)]
    whole = merge(pieces)
    assert (whole.text, whole.mentioned, whole.album) == ("a\nb", True, "")
