"""Agents' files: written in a workspace, read again, sent into the chat; through the real program."""

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from aiohttp import ClientError

from tests.support.callback import Message, Receiver
from tests.support.casts import ASK, NARRATION, WRAP_UP, cast, dispatches, is_question, sheet
from tests.support.guest import Guest
from tests.support.keys import secret_of
from tests.support.model_reply import Reply, act, say, use
from tests.support.model_request import Request
from tests.support.model_server import ModelServer
from tests.support.program import Fuse, Nursery
from tests.support.scribe import DONE, NAME, STAND_IN, WHOLE, in_steps, writes_a_report
from tests.support.settings import expert, settings, webhook
from tests.support.signing import headers_for
from tests.support.world import World, world

QUESTION = f"{ASK}，写份报告"
FILES = ("file_read", "file_write", "file_list")
OWN = {"file_list", "file_read", "file_write", "send_file"}


def _configuration(model: ModelServer, callback: Receiver, port: int) -> dict[str, Any]:
    agents = [
        expert("researcher", "研究员", tools=[*FILES]),
        expert("writer", "写手", tools=["web_fetch", "file_read"]),
        expert("critic", "评审"),
    ]
    channels = [
        webhook("hook", "studio", callback.url("hook")),
        webhook("solo", "researcher", callback.url("solo"), admins=["u1"]),
        webhook("pages", "writer", callback.url("pages")),
    ]
    return settings(model_url=model.base_url, port=port, agents=agents, channels=channels)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def office(
    tmp_path_factory: pytest.TempPathFactory, nursery: Nursery, program_store: str
) -> AsyncIterator[World]:
    async with world(tmp_path_factory.mktemp("office"), _configuration, launcher=nursery) as running:
        yield running


@pytest.fixture
def desk(office: World) -> World:
    office.reset()
    return office


def _host(*members: str) -> Callable[[Request], Reply]:
    """Plans one wave for a question of the test, concludes everything else."""
    plan = act(NARRATION, *dispatches({member: sheet(member) for member in members}))
    return lambda request: plan if is_question(request) and "<member-result" not in request.last else say(WRAP_UP)


async def _bytes(desk: World, url: str, channel: str = "") -> tuple[int, bytes]:
    """What stands at the address, asked for as this channel's other side, or by anybody."""
    headers = headers_for(secret_of(channel), b"") if channel else {}
    async with desk.http.get(url, headers=headers) as response:
        return response.status, await response.read()


def _files(heard: list[Message]) -> list[Message]:
    return [message for message in heard if "attachments" in message.raw]


def _tools(request: Request) -> set[str]:
    return set(request.tools) & {*OWN, "web_fetch"}


async def test_a_member_sends_a_file_into_the_chat(desk: World) -> None:
    """Issue 8, 4: behind its words, under its name, in order; the host knows it and may hand it on."""
    desk.model.play = cast(_host("researcher"), researcher=writes_a_report())
    guest = desk.guest()
    await guest.say(QUESTION, message_id="m")
    heard = await guest.hears_end()
    assert [message.kind for message in heard] == ["host", "notice", "member", "member", "wrapup"]
    words, file = heard[2], heard[3]
    assert (words.text, "attachments" in words.raw) == (DONE, False)
    assert (file.text, file.display_text) == (STAND_IN, f"研究员：{STAND_IN}")
    assert (file.speaker, file.job_id, file.reply_to) == ("researcher", words.job_id, "m")
    [known] = file.raw["attachments"]
    assert (known["name"], known["size"]) == (NAME, len(WHOLE))
    assert await _bytes(desk, known["url"], "hook") == (200, WHOLE)
    told = desk.model.asked_by("studio")[-1].last
    assert STAND_IN in told
    assert known["url"].rsplit("/", 1)[1] in told
    [event] = [e for e in await desk.api.events(file.session_id) if e["kind"] == "member_message"]
    assert [(each["name"], each["size"]) for each in event["data"]["files"]] == [(NAME, len(WHOLE))]
    folder = desk.program.folder / "data/workspaces/researcher/rooms" / file.session_id
    assert await asyncio.to_thread((folder / "out" / NAME).read_bytes) == WHOLE


async def test_the_host_hands_a_members_file_on(desk: World) -> None:
    """Issue 8, 4: what one member sent, another one finds in its own workspace."""

    def host(request: Request) -> Reply:
        told = request.last
        if 'member="writer"' in told:
            return say(WRAP_UP)
        if found := re.search(rf"\[文件 {NAME}, .*?\] id：(\S+)", told):
            return act(use("ask_agent", agent_id="writer", message="润色附件", attachments=[found[1]]))
        return act(NARRATION, *dispatches({"researcher": sheet("researcher")}))

    def reads(request: Request) -> Reply:
        [path] = re.findall(rf"files/\S*{NAME}", request.last)
        return act(use("file_read", path=path))

    desk.model.play = cast(host, researcher=writes_a_report(), writer=in_steps(reads, say("润色好了。")))
    guest = desk.guest()
    await guest.say(QUESTION)
    await guest.hears_end()
    assert desk.model.asked_by("writer")[-1].tool_answers == (WHOLE.decode(),)


async def test_bytes_are_for_whom_they_were_sent_to(desk: World) -> None:
    """X3, contract 4: signed, and only below the channel that the message went to."""
    desk.model.play = cast(_host("researcher"), researcher=writes_a_report())
    guest = desk.guest()
    await guest.say(QUESTION)
    [file] = _files(await guest.hears_end())
    url = file.raw["attachments"][0]["url"]
    assert (await _bytes(desk, url))[0] == 401
    assert (await _bytes(desk, url, "solo"))[0] == 401
    assert (await _bytes(desk, url.replace("/hook/", "/solo/"), "solo"))[0] == 404
    assert (await _bytes(desk, f"{url}x", "hook"))[0] == 404


async def test_a_silent_answer_still_brings_its_file(desk: World) -> None:
    """Contract 3: nothing is said, the file comes; a lone expert has no label."""
    desk.model.play = cast(_host(), researcher=writes_a_report(""))
    guest = desk.guest(channel="solo")
    reply = await guest.say(QUESTION, wait=20)
    assert [message["text"] for message in reply.body["messages"]] == [STAND_IN]
    [file] = await guest.hears(1)
    assert (file.kind, file.display_text) == ("member", STAND_IN)
    assert await _bytes(desk, file.raw["attachments"][0]["url"], "solo") == (200, WHOLE)


async def test_files_stay_with_their_chat(desk: World) -> None:
    """T36, X3: the next turn of the chat finds them, another chat does not; shared/ is for everybody to read."""
    shared = desk.program.folder / "data/workspaces/researcher/shared"
    await asyncio.to_thread(_put, shared / "tone.md", "友好")
    desk.model.play = cast(_host(), researcher=in_steps(act(use("file_write", path="a.md", text="秘密")), say("好")))
    ann, bob = desk.guest(channel="solo"), desk.guest(channel="solo", sender="u2")
    await ann.say("写", wait=20)
    looks = act(
        use("file_list"),
        use("file_read", path="a.md"),
        use("file_read", path="shared/tone.md"),
        use("file_write", path="shared/tone.md", text="凶"),
        use("file_read", path="../../../shared/tone.md"),
    )
    desk.model.play = cast(_host(), researcher=in_steps(looks, say("看了")))
    await ann.say("看", wait=20)
    listed, own, tone, refused, outside = desk.model.asked_by("researcher")[-1].tool_answers
    assert "a.md" in listed
    assert '"shared"' in listed
    assert (own, tone) == ("秘密", "友好")
    assert "only be read" in refused
    assert "lead out" in outside
    await bob.say("看", wait=20)
    listed, own, tone, *_ = desk.model.asked_by("researcher")[-1].tool_answers
    assert "a.md" not in listed
    assert "no such file" in own
    assert tone == "友好"


def _put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


async def test_each_agent_has_the_tools_of_its_own_configuration(desk: World) -> None:
    """C3: on the requests that reach the model; what an agent was not given is not there."""
    desk.model.play = cast(
        _host("researcher", "writer", "critic"),
        researcher=lambda request: say("一"),
        writer=lambda request: say("二"),
        critic=lambda request: say("三"),
    )
    guest = desk.guest()
    await guest.say(QUESTION)
    await guest.hears_end()
    assert _tools(desk.model.asked_by("researcher")[0]) == OWN
    assert _tools(desk.model.asked_by("writer")[0]) == {"web_fetch", "file_read"}
    assert _tools(desk.model.asked_by("critic")[0]) == set()
    assert all(_tools(request) == set() for request in desk.model.asked_by("studio"))


async def test_a_switch_changes_the_tools_and_keeps_the_files(desk: World) -> None:
    """S2, S7: from the next turn on, on the request that reaches the model; the workspace is the old one."""
    session = (await desk.api.post("/api/sessions", {"agent_id": "researcher"})).body["id"]
    desk.model.play = cast(_host(), researcher=in_steps(act(use("file_write", path="a.md", text="甲")), say("好")))
    await desk.api.post(f"/api/sessions/{session}/inputs", {"text": "写"})
    await desk.model.until(lambda model: len(model.asked_by("researcher")) == 2)
    assert _tools(desk.model.asked_by("researcher")[-1]) == OWN
    assert (desk.program.folder / "data/workspaces/researcher/a.md").is_file()
    assert (await desk.api.patch(f"/api/sessions/{session}", {"agent_id": "writer"})).status == 200
    desk.model.play = cast(_host(), writer=in_steps(act(use("file_read", path="a.md")), say("二")))
    await desk.api.post(f"/api/sessions/{session}/inputs", {"text": "再来"})
    await desk.model.until(lambda model: len(model.asked_by("writer")) == 2)
    assert _tools(desk.model.asked_by("writer")[0]) == {"web_fetch", "file_read"}
    assert desk.model.asked_by("writer")[1].tool_answers == ("甲",)


async def test_pages_inside_are_not_fetched(desk: World) -> None:
    """X7: not our own machine, by no spelling, through the real program."""
    own = desk.program.url.replace("http://", "")
    looks = act(*(use("web_fetch", url=f"http://{where}/healthz") for where in (own, f"localhost:{own.split(':')[1]}")))
    desk.model.play = cast(_host(), writer=in_steps(looks, say("打不开")))
    guest = desk.guest(channel="pages")
    await guest.say("看看", wait=20)
    answers = desk.model.asked_by("writer")[-1].tool_answers
    assert ["not a public address" in each for each in answers] == [True, True]


@pytest.mark.parametrize("when", ["before", "after"])
async def test_killed_at_every_commit_of_a_file(tmp_path: Path, nursery: Nursery, when: str) -> None:
    """R1: written in two pieces, sent and delivered once, whatever died between."""
    fuse = Fuse(nursery)
    fuse.burn(at=1, when=when)
    async with world(tmp_path, _configuration, launcher=fuse) as desk:
        desk.model.play = cast(_host(), researcher=writes_a_report())
        for at in range(1, 60):
            guest = desk.guest(channel="solo")
            desk.program.arm()
            died = await _asked_and_died(desk, guest)
            fuse.burn(at=at + 1, when=when)
            if not died:
                break
            await desk.program.start()
            await guest.say(QUESTION, message=f"{guest.chat_id}-q", message_id="m", wait=20)
            heard = await guest.hears(2)
            assert [message.text for message in heard] == [DONE, STAND_IN], (when, at)
            url = heard[1].raw["attachments"][0]["url"]
            assert await _bytes(desk, url, "solo") == (200, WHOLE), (when, at)
        assert 10 < at < 59
        assert not desk.model.faults, desk.model.faults


async def _asked_and_died(desk: World, guest: Guest) -> bool:
    """Whether the fuse burned before everything was stored, the last delivery included."""
    with contextlib.suppress(ClientError):
        await guest.send(QUESTION, message=f"{guest.chat_id}-q", message_id="m")
    over = asyncio.ensure_future(desk.program.wait(within=60))
    ended = asyncio.ensure_future(_settled(desk, guest))
    await asyncio.wait({over, ended}, return_when=asyncio.FIRST_COMPLETED)
    died = over.done()
    for task in (over, ended):
        task.cancel()
    await asyncio.gather(over, ended, return_exceptions=True)
    return died


async def _settled(desk: World, guest: Guest) -> None:
    await guest.hears(2)
    with contextlib.suppress(ClientError):
        while (await desk.api.ok("/api/deliveries", state="pending"))["items"]:
            pass
        return
    await asyncio.Event().wait()
