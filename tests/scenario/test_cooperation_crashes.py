"""kill -9 at every commit of a round in which an expert has others work: the same tree, nothing twice (C5, C7, R1)."""

import asyncio
import contextlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientError

from tests.support.callback import Receiver
from tests.support.gate import Gate
from tests.support.guest import Guest
from tests.support.model_reply import Reply, Use, act, say
from tests.support.model_request import Request
from tests.support.model_server import ModelServer
from tests.support.program import Fuse, Nursery
from tests.support.settings import expert, settings, webhook
from tests.support.world import World, world

MOST_COMMITS = 120
"""More than a round has; a sweep that gets there never ended."""
MOST_SECONDS = 60
"""Of one round: a crash, a start, and the rest."""

CALLS = ["create_session", "create_session", "submit_input", "wait_inputs"]
"""What the round's expert calls, in this order."""


class Round:
    """The play of one round: two children, one more task for the first, a wait for all three, an answer of it all.

    The second child answers only after the wait was called for, so that there is something to wait for.
    """

    def __init__(self, number: int) -> None:
        self.number = number
        self.waited_for = Gate()

    @property
    def question(self) -> str:
        return f"第 {self.number} 问"

    @property
    def answer(self) -> str:
        return "；".join(self.done(task) for task in ("甲", "乙", "丙"))

    def task(self, name: str) -> str:
        return f"{name}，属于{self.question}"

    def done(self, task: str) -> str:
        return f"{task}做好了（{self.number}）"

    def play(self, request: Request) -> Reply:
        if request.last == self.question:
            return self._lead(_returned(request))
        task = request.last[0]
        assert request.last == self.task(task)
        return say(self.waited_for, self.done(task)) if task == "乙" else say(self.done(task))

    def _lead(self, returned: list[Mapping[str, Any]]) -> Reply:
        match len(returned):
            case 0:
                first = _call("create_session", name="first", description=self.task("甲"))
                return act(
                    first, _call("create_session", name="second", description=self.task("乙"), agent_id="writer")
                )
            case 2:
                return act(_call("submit_input", target="/root/first", description=self.task("丙")))
            case 3:
                self.waited_for.open()
                return act(_call("wait_inputs", input_ids=[each["input_id"] for each in returned], timeout_seconds=60))
        results = {each["input_id"]: each["result"] for each in returned[3]["inputs"]}
        assert not returned[3]["wait_timed_out"]
        return say("；".join(results[each["input_id"]] for each in returned[:3]))


def _call(tool: str, **arguments: object) -> Use:
    return Use(name=tool, arguments=json.dumps(arguments, ensure_ascii=False))


def _returned(request: Request) -> list[Mapping[str, Any]]:
    """What the tools have returned since the question."""
    since = max(at for at, said in enumerate(request.messages) if said.role == "user")
    return [json.loads(said.text) for said in request.messages[since:] if said.role == "tool"]


def _configured(model: ModelServer, callback: Receiver, port: int) -> dict[str, Any]:
    experts = [expert("researcher", "研究员"), expert("writer", "写手", visibility="shared")]
    channels = [webhook("solo", "researcher", callback.url("solo"), rate_limit=100_000)]
    return settings(model_url=model.base_url, port=port, channels=channels, agents=experts, teams=[])


@pytest.mark.parametrize("when", ["before", "after"])
async def test_killed_at_every_commit_of_a_round_of_cooperation(tmp_path: Path, nursery: Nursery, when: str) -> None:
    """C5, C7, R1: the n-th round dies at its n-th commit, until a round has fewer commits than n."""
    fuse = Fuse(nursery)
    fuse.burn(at=1, when=when)
    async with world(tmp_path, _configured, launcher=fuse) as installation:
        for at in range(1, MOST_COMMITS):
            played = Round(at)
            installation.model.play = played.play
            guest = installation.guest(channel="solo")
            installation.program.arm()
            async with asyncio.timeout(MOST_SECONDS):
                await _asks(guest, played)
                died = await _died_or_ended(installation, guest)
                fuse.burn(at=at + 1, when=when)
                if not died:
                    break
                await installation.program.start()
                await _is_whole(installation, guest, played, f"{when} commit {at}")
        else:
            raise AssertionError("a round does not have so many commits")
        assert at > 20, "the fuse burned at the commits of a round"
        assert not installation.model.faults, installation.model.faults


async def _asks(guest: Guest, played: Round) -> None:
    """Whether the question was acknowledged or not: its sender repeats it after the restart."""
    with contextlib.suppress(ClientError):
        await guest.say(played.question, message=f"{guest.chat_id}-q")


async def _died_or_ended(installation: World, guest: Guest) -> bool:
    """Whether the fuse burned before everything of the round was stored, its delivery included."""
    over = asyncio.ensure_future(installation.program.wait(within=60))
    ended = asyncio.ensure_future(_settled(installation, guest))
    _, rest = await asyncio.wait({over, ended}, return_when=asyncio.FIRST_COMPLETED)
    for task in rest:
        task.cancel()
    await asyncio.gather(*rest, return_exceptions=True)
    if not over.cancelled():
        ended.cancelled() or ended.exception()
        assert over.result() == -9
    return not over.cancelled()


async def _settled(installation: World, guest: Guest) -> None:
    """Everybody is idle and everything delivered; never, once the program has died."""
    await guest.hears(1, within=60)
    with contextlib.suppress(ClientError):
        while (await installation.api.ok("/api/deliveries", state="pending"))["items"]:
            pass
        return
    await asyncio.Event().wait()


async def _is_whole(installation: World, guest: Guest, played: Round, point: str) -> None:
    """The sender repeats itself; the answer comes once, and the tree is the one that was asked for."""
    repeated = await guest.say(played.question, message=f"{guest.chat_id}-q", wait=30)
    assert [each["text"] for each in repeated.body.get("messages", ())] == [played.answer], (
        point,
        installation.model.faults,
    )
    await guest.hears(1)
    assert [each.text for each in guest.heard] == [played.answer], point
    root = (await guest.say(played.question, message=f"{guest.chat_id}-q")).body["session_id"]
    tree = await installation.api.ok(f"/api/sessions/{root}/cooperation")
    seen = [
        (each["path"], each["agent_id"], len(each["queue"]), [run["status"] for run in each["runs"]])
        for each in tree["sessions"]
    ]
    assert seen == [
        ("/root", "researcher", 0, ["completed"]),
        ("/root/first", "researcher", 0, ["completed", "completed"]),
        ("/root/second", "writer", 0, ["completed"]),
    ], point
    ids = {each["path"]: each["session_id"] for each in tree["sessions"]}
    assert await _words(installation, ids["/root"]) == [played.question, played.answer], point
    both = [played.task("甲"), played.task("丙")]
    assert sorted(await _words(installation, ids["/root/first"])) == sorted(
        [*both, *(played.done(task) for task in "甲丙")]
    ), point
    assert await _words(installation, ids["/root/second"]) == [played.task("乙"), played.done("乙")], point
    await _calls_once(installation, root, point)


async def _words(installation: World, session_id: str) -> list[str]:
    events = await installation.api.events(session_id)
    assert [each["seq"] for each in events] == list(range(1, len(events) + 1))
    return [each["text"] for each in events if each["kind"] in ("user_message", "member_message")]


async def _calls_once(installation: World, root: str, point: str) -> None:
    """Each call began once and was settled once (D4)."""
    lines = [each["data"] for each in await installation.api.events(root) if each["kind"] == "tool"]
    assert [each["name"] for each in lines if each["status"] == "running"] == CALLS, point
    assert [each["name"] for each in lines if each["status"] == "completed"] == CALLS, point
    assert len(lines) == 2 * len(CALLS), point
