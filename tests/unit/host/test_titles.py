"""Titles: given once, without a surprise call of a model."""

from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from pydantic_ai.exceptions import ModelHTTPError

from host.titles import first_words
from store.database import Database
from store.sessions import find_session
from tests.support.clock import FakeClock
from tests.support.house import Ask, House, Say, open_house


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("hello", "hello"),
        ("  two\n lines ", "two lines"),
        ("x" * 40, "x" * 40),
        ("x" * 41, "x" * 39 + "…"),
        ("", ""),
    ],
)
def test_the_first_words_fit_on_one_line(text: str, title: str) -> None:
    assert first_words(text) == title


async def title_of(house: House, session_id: str) -> str:
    found = await house.database.read(partial(find_session, session_id=session_id))
    assert found is not None
    return found.title


def is_title(asked: Ask) -> bool:
    return "标题" in asked.system and "专长" not in asked.system


async def test_without_a_model_of_its_own_the_first_words_are_the_title(
    database: Database, clock: FakeClock, tmp_path: Path
) -> None:
    """Not one call more than the conversation's."""
    async with open_house(database, clock, tmp_path, lambda asked: Say(text="hello")) as house:
        await house.add_expert("lead")
        room, named = (await house.open("lead")).id, (await house.open("lead", title="mine")).id
        for each in (room, named):
            await house.tell(each, "What is\nthis?")
            await house.tell(each, "And that?")
        await house.quiet()
        assert (await title_of(house, room), await title_of(house, named)) == ("What is this?", "mine")
        assert len(house.models.asked) == 4


@pytest.mark.parametrize(("written", "title"), [("Small talk", "Small talk"), (None, "What is this?")])
async def test_a_small_model_writes_it_once(
    database: Database, clock: FakeClock, tmp_path: Path, written: str | None, title: str
) -> None:
    """If it cannot, the first words will do."""

    def script(asked: Ask) -> Say | Exception:
        if not is_title(asked):
            return Say(text="hello")
        return Say(text=written) if written else ModelHTTPError(400, "m")

    async with open_house(database, clock, tmp_path, script) as house:
        house.models.names = ("main", "tiny")
        for part in (house.host, house.host._sessions):
            part._deps = replace(house.deps, small_model="tiny")
        await house.add_expert("lead")
        room = (await house.open("lead")).id
        for question in ("What is this?", "And that?", "And these?"):
            await house.tell(room, question)
            await house.quiet()
        assert await title_of(house, room) == title
        assert sum(map(is_title, house.models.asked)) == 1
