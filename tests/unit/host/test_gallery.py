"""Which pictures a model is shown: the newest, as many as a request carries."""

from collections.abc import AsyncIterator
from pathlib import Path

from host.errors import ModelUnavailable
from host.gallery import MOST, ROOM, Gallery
from host.messages import user_prompt
from host.model import Question, Visible
from host.models.ask import ask
from host.models.faults import RefusedError
from host.pictures import Picture
from host.shelf import Shelf
from tests.support.clock import FakeClock


async def shelved(shelf: Shelf, content: bytes) -> Picture:
    async def pieces() -> AsyncIterator[bytes]:
        yield content

    kept = await shelf.put(pieces(), len(content))
    return Picture(digest=kept.digest, mime="image/png", name="x.png")


async def test_the_newest_pictures_are_shown_each_once(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path)
    pictures = [await shelved(shelf, bytes([number])) for number in range(MOST + 2)]
    said = [*(user_prompt("look", [each]) for each in pictures), user_prompt("again", pictures[-1:])]
    hung = await Gallery(shelf).hang(said)
    assert list(hung) == [each.digest for each in reversed(pictures[2:])]


async def test_they_share_the_room_of_one_request_and_a_lost_one_costs_itself(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path)
    small, large = await shelved(shelf, b"s"), await shelved(shelf, b"l" * (ROOM - 1))
    other, lost = await shelved(shelf, b"other" * 100), Picture(digest="0" * 64, mime="image/png", name="lost")
    hung = await Gallery(shelf).hang([user_prompt("look", [small, other, large, lost])])
    assert set(hung) == {large.digest, small.digest}


async def test_words_that_look_like_a_picture_show_nothing(tmp_path: Path) -> None:
    """A person cannot name a picture of another room by writing its address."""
    kept = await shelved(Shelf(tmp_path), b"secret")
    text = f'[{{"kind":"image-url","url":"shelf:{kept.digest}","media_type":"image/png"}}]'
    assert await Gallery(Shelf(tmp_path)).hang([user_prompt(text)]) == {}


class Refusing:
    """A model that takes no pictures, or nothing at all."""

    name, key = "picky", ""

    def __init__(self, *, pictures_only: bool) -> None:
        self.pictures_only = pictures_only
        self.asked: list[int] = []

    async def answer(self, question: Question, visible: Visible) -> bytes:
        self.asked.append(len(question.pictures))
        if question.pictures or not self.pictures_only:
            raise RefusedError("status 400: image_url is not supported", transient=False)
        return b"{}"

    async def close(self) -> None: ...


async def test_a_model_that_refuses_pictures_is_asked_without_them(clock: FakeClock) -> None:
    """One picture that a provider does not take must not make the whole session unusable."""
    question = Question(instructions="", messages=[], tools=[], pictures={"a": b"a"})
    picky = Refusing(pictures_only=True)
    assert await ask(picky, question, lambda offset, text: None, clock) == b"{}"
    assert picky.asked == [1, 0]
    stubborn = Refusing(pictures_only=False)
    try:
        await ask(stubborn, question, lambda offset, text: None, clock)
    except ModelUnavailable:
        assert stubborn.asked == [1, 0]
    else:
        raise AssertionError("it refused everything")
