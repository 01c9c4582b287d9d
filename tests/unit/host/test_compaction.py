"""Long histories: cut between turns only, digested once, and nothing but messages is replaced."""

from collections.abc import AsyncIterator, Sequence
from functools import partial
from pathlib import Path

import pytest
from pydantic_ai.exceptions import ModelHTTPError

from host import compaction
from host.compaction import PastTurn, first_kept, since, turns_of
from host.messages import ToolCall, tool_returns, user_prompt
from store.database import Database
from store.turns import Said, history
from store.usage import usage_since
from tests.support.agent_run import assert_valid, messages
from tests.support.cast import Cast, call, change, session, use
from tests.support.clock import START, FakeClock
from tests.support.house import Ask, House, Say, open_house


def past(*sizes: int) -> list[PastTurn]:
    return [PastTurn(id=f"t{number}", messages=(b"x" * size,)) for number, size in enumerate(sizes)]


@pytest.mark.parametrize(
    ("sizes", "first"),
    [
        ((), 0),
        ((50, 50), 0),
        ((50, 51), 1),
        ((10, 60, 30, 20), 2),
        ((10, 60, 31, 20), 3),
        ((10, 500), 1),
        ((500,), 0),
        ((90, 10, 1), 1),
    ],
)
def test_the_newest_turns_stay_whole(sizes: Sequence[int], first: int) -> None:
    """As many as fit; the newest one whatever its size."""
    assert first_kept(past(*sizes), above=100, kept=50) == first


def test_a_digest_covers_the_turns_up_to_its_own() -> None:
    turns = past(1, 1, 1)
    assert [each.id for each in since(turns, "t0")] == ["t1", "t2"]
    assert since(turns, "") == since(turns, "long gone") == turns


def test_a_cut_never_parts_a_call_from_its_answer() -> None:
    """Whatever is kept of steps of turns with tools is valid by itself."""
    asked = ToolCall(id="c", number=1, position=0, name="t", arguments={})
    answer = (
        b'[{"kind":"response","parts":[{"part_kind":"tool-call","tool_name":"t","args":"{}","tool_call_id":"%s"}]}]'
    )
    final = b'[{"kind":"response","parts":[{"part_kind":"text","content":"done"}]}]'
    steps: list[Said] = []
    for number in range(4):
        one = ToolCall(**{**vars(asked), "id": f"c{number}"})
        steps += [
            Said(f"t{number}", user_prompt("q")),
            Said(f"t{number}", answer % f"c{number}".encode()),
            Said(f"t{number}", tool_returns([one], {f"c{number}": "x" * 100 * number})),
            Said(f"t{number}", final),
        ]
    turns = turns_of(steps)
    for kept in range(0, 2000, 50):
        rest = turns[first_kept(turns, above=100, kept=kept) :]
        assert_valid(messages(step for turn in rest for step in turn.messages))


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compaction.first_kept, "__kwdefaults__", {"above": 9_000, "kept": 3_000})


@pytest.fixture
def cast() -> Cast:
    return Cast()


def is_digest(asked: Ask) -> bool:
    return "较早的内容" in asked.system


@pytest.fixture
async def house(database: Database, clock: FakeClock, tmp_path: Path, cast: Cast) -> AsyncIterator[House]:
    def script(asked: Ask) -> object:
        return Say(text="DIGEST") if is_digest(asked) else cast.script(asked)

    async with open_house(database, clock, tmp_path, script) as opened:  # type: ignore[arg-type]
        await opened.add_expert("lead", instructions="I am lead")
        await opened.add_expert("plain")
        yield opened


async def talk(house: House, room: str, turns: int, first: int = 0) -> None:
    """Each turn is between 2,300 and 3,000 bytes of messages."""
    for number in range(first, first + turns):
        house.clock._seconds += 1
        await house.tell(room, f"question {number} " + "x" * 900)
        await house.quiet()


@pytest.mark.usefixtures("small")
@pytest.mark.both_databases
async def test_a_long_session_is_digested_and_goes_on(house: House) -> None:
    """The model gets the digest, then the newest turns; the ledger knows what for."""
    room = (await house.open("lead")).id
    await talk(house, room, 4)
    assert not any(map(is_digest, house.models.asked))
    await talk(house, room, 1, first=4)
    assert is_digest(house.models.asked[-2])
    assert "question 0" in house.models.asked[-2].prompt
    shown = str(house.models.asked[-1].messages)
    assert "DIGEST" in shown
    assert "question 2" not in shown
    assert "question 3" in shown
    assert "I am lead" in house.models.asked[-1].system
    sums = await house.database.read(partial(usage_since, owner_id="owner", since=START))
    assert {each.scene: each.answers for each in sums} == {"chat": 5, "compaction": 1}
    assert len(await house.database.read(partial(history, session_id=room))) == 5


@pytest.mark.usefixtures("small")
async def test_a_digest_is_written_once_until_it_is_too_long_again(house: House) -> None:
    """And the next one is written from the last one."""
    room = (await house.open("lead")).id
    await talk(house, room, 9)
    written = [each for each in house.models.asked if is_digest(each)]
    assert 1 < len(written) < 4
    assert "DIGEST" in written[1].prompt
    assert (await session(house, room)).digest == "DIGEST"


@pytest.mark.usefixtures("small")
async def test_without_a_digest_old_turns_are_left_out_all_the_same(
    database: Database, clock: FakeClock, tmp_path: Path, cast: Cast
) -> None:
    def script(asked: Ask) -> object:
        return ModelHTTPError(400, "m") if is_digest(asked) else cast.script(asked)

    async with open_house(database, clock, tmp_path, script) as house:  # type: ignore[arg-type]
        await house.add_expert("lead")
        room = (await house.open("lead")).id
        await talk(house, room, 6)
        assert ("lead", "failed") not in house.tally.turns
        assert "question 0" not in str(house.models.asked[-1].messages)


@pytest.mark.usefixtures("small")
@pytest.mark.both_databases
async def test_a_frozen_configuration_is_not_read_again_by_a_compaction(house: House, cast: Cast) -> None:
    """C3: not even an empty one."""
    cast.hold("plan")
    room = (await house.open("lead")).id
    await house.tell(room, "plan")
    await house.until(lambda: bool(house.models.asked))
    made = await use(house, room, "create_session", name="child", description="begin", agent_id="plain")
    await change(house, "plain", instructions="LATER EDIT")
    cast.release("plan")
    await house.quiet()
    await talk(house, made["session_id"], 6)
    assert any(map(is_digest, house.models.asked))
    assert "LATER EDIT" not in "".join(each.system for each in house.models.asked)


@pytest.mark.usefixtures("small")
async def test_tools_of_kept_turns_keep_their_answers(house: House, cast: Cast) -> None:
    """The whole request is valid."""
    room = (await house.open("lead")).id
    for number in range(8):
        house.clock._seconds += 1
        task = f"question {number} " + "x" * 500
        cast.parts[task] = [Say(calls=[call("memory_search", query="x"), call("list_sessions")])]
        await house.tell(room, task)
        await house.quiet()
    asked = house.models.asked[-1]
    assert any(map(is_digest, house.models.asked))
    assert_valid(asked.messages)
