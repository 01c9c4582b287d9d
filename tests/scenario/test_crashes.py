"""kill -9 at every commit of a round: nothing lost, nothing doubled (R1, T26a, T30)."""

import asyncio
import contextlib
from pathlib import Path

import pytest
from aiohttp import ClientError

from tests.support.callback import Message
from tests.support.casts import ASK, FINDINGS, cast, planner, round_of
from tests.support.gate import Gate
from tests.support.guest import Guest
from tests.support.model_reply import say
from tests.support.program import Fuse, Nursery
from tests.support.world import World, world

QUESTION = f"{ASK}，绿茶市场怎么样？"
ONCE = {"user_message": 1, "host_message": 1, "job_dispatched": 2, "member_message": 2, "job_failed": 0, "wrapup": 1}
MOST_COMMITS = 80
"""More than a round has; a sweep that gets there never ended."""


def _is_whole(heard: list[Message]) -> bool:
    """Exactly the six messages of a round, each once, in order, rising."""
    kinds = [message.kind for message in heard]
    seqs = [message.seq for message in heard]
    return (
        kinds == ["host", "notice", "notice", "member", "member", "wrapup"]
        and {message.speaker for message in heard[3:5]} == set(FINDINGS)
        and len({message.text for message in heard}) == 6
        and seqs == sorted(set(seqs))
        and {message.reply_to for message in heard} == {"m"}
    )


async def _asks(guest: Guest) -> bool:
    """Send the question; whether it was acknowledged before the process died."""
    try:
        reply = await guest.send(QUESTION, message=f"{guest.chat_id}-q", message_id="m")
    except ClientError:
        return False
    assert reply.status == 202, reply.body
    return True


@pytest.mark.parametrize("when", ["before", "after"])
async def test_killed_at_every_commit_of_a_round(tmp_path: Path, nursery: Nursery, when: str) -> None:
    """R1, T26a, T30: the n-th round dies at its n-th commit, until a round has fewer commits than n."""
    fuse = Fuse(nursery)
    fuse.burn(at=1, when=when)
    async with world(tmp_path, launcher=fuse) as installation:
        installation.model.play = round_of()
        for at in range(1, MOST_COMMITS):
            guest = installation.guest()
            installation.program.arm()
            acknowledged = await _asks(guest)
            died = await _died_or_ended(installation, guest)
            fuse.burn(at=at + 1, when=when)
            if not died:
                break
            await installation.program.start()
            await _goes_on(installation, guest, acknowledged=acknowledged, point=f"{when} commit {at}")
        else:
            raise AssertionError("a round does not have so many commits")
        assert at > 10, "the fuse burned at the commits of a round"
        assert not installation.model.faults, installation.model.faults
        assert not installation.callback.unsigned


async def _died_or_ended(installation: World, guest: Guest) -> bool:
    """Whether the fuse burned before everything of the round was stored, its last delivery included."""
    over = asyncio.ensure_future(installation.program.wait(within=60))
    ended = asyncio.ensure_future(_settled(installation, guest))
    done, rest = await asyncio.wait({over, ended}, return_when=asyncio.FIRST_COMPLETED)
    for task in rest:
        task.cancel()
    await asyncio.gather(*rest, return_exceptions=True)
    if over in done:
        ended.cancelled() or ended.exception()
        assert over.result() == -9
    return over in done


async def _settled(installation: World, guest: Guest) -> None:
    await guest.hears_end()
    with contextlib.suppress(ClientError):
        while (await installation.api.ok("/api/deliveries", state="pending"))["items"]:
            pass
        return
    await asyncio.Event().wait()


async def _goes_on(installation: World, guest: Guest, *, acknowledged: bool, point: str) -> None:
    """After the restart: the sender repeats itself, the round ends whole, and the room is idle."""
    repeated = await guest.say(QUESTION, message=f"{guest.chat_id}-q", message_id="m", wait=20)
    assert repeated.status == 200, (point, repeated.body)
    assert len(repeated.body["messages"]) == 6, (point, [one["display_text"] for one in repeated.body["messages"]])
    heard = await guest.hears(6)
    assert _is_whole(heard), (point, [message.display_text for message in heard])
    first = await guest.say(QUESTION, message=f"{guest.chat_id}-q", message_id="m")
    assert first.body["duplicate"] is True, point
    session_id = first.body["session_id"]
    events = await installation.api.events(session_id)
    kinds = [event["kind"] for event in events]
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1)), point
    once = {
        "user_message": 1,
        "host_message": 1,
        "job_dispatched": 2,
        "member_message": 2,
        "job_failed": 0,
        "wrapup": 1,
    }
    assert {kind: kinds.count(kind) for kind in once} == once, (point, kinds)
    session = await installation.api.ok(f"/api/sessions/{session_id}")
    assert session["phase"] == "IDLE", point


async def test_killed_while_members_work_with_a_real_exec(tmp_path: Path) -> None:
    """T30: both members were speaking; afterwards both finish once."""
    gate = Gate()
    async with world(tmp_path) as installation:
        installation.model.play = cast(
            planner(*FINDINGS),
            researcher=lambda request: say("半句", gate, FINDINGS["researcher"]),
            writer=lambda request: say(gate, FINDINGS["writer"]),
        )
        guest = installation.guest()
        await guest.say(QUESTION, message_id="m")
        await installation.model.until(lambda model: gate.waiting == 2)
        await installation.program.kill()
        installation.model.play = round_of()
        await installation.program.start()
        await guest.hears_end()
        assert _is_whole(guest.heard)


async def test_killed_again_and_again_a_job_is_given_up(tmp_path: Path, nursery: Nursery) -> None:
    """Architecture 5: three attempts without progress, then the job fails visibly and the host concludes."""
    gate = Gate()
    async with world(tmp_path, launcher=nursery) as installation:
        installation.model.play = cast(planner("researcher"), researcher=lambda request: say(gate, "好"))
        guest = installation.guest()
        await guest.say(QUESTION, message_id="m")
        for _ in range(3):
            await installation.model.until(lambda model: gate.waiting == 1)
            await installation.program.kill()
            await installation.model.until(lambda model: gate.waiting == 0)
            await installation.program.start()
        heard = await guest.hears_end()
        assert [message.kind for message in heard] == ["host", "notice", "failure", "wrapup"]
        assert heard[2].text == "连续中断 3 次"


async def test_killed_again_and_again_a_host_turn_is_given_up(tmp_path: Path, nursery: Nursery) -> None:
    """Architecture 5: a host turn has the same limits and ends in the model-failure sentence; the room goes on."""
    gate = Gate()
    async with world(tmp_path, launcher=nursery) as installation:
        installation.model.play = cast(lambda request: say(gate, "好") if QUESTION in request.last else say("在。"))
        guest = installation.guest()
        await guest.say(QUESTION, message_id="m")
        for _ in range(3):
            await installation.model.until(lambda model: gate.waiting == 1)
            await installation.program.kill()
            await installation.model.until(lambda model: gate.waiting == 0)
            await installation.program.start()
        heard = await guest.hears_end()
        assert [message.kind for message in heard] == ["failure"]
        await guest.say("在吗")
        assert (await guest.hears(2))[1].text == "在。"
