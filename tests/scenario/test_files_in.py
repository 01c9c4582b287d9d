"""Files through the real program: over the API to a member's tools, from addresses, to models that see."""

from collections.abc import AsyncIterator
from functools import partial
from typing import Any

import pytest
import pytest_asyncio

from tests.support.api import Api, Live
from tests.support.callback import Receiver
from tests.support.casts import ASK, always, cast
from tests.support.model_reply import Reply, act, say, use
from tests.support.model_request import Request
from tests.support.model_server import ModelServer
from tests.support.program import Nursery
from tests.support.settings import EXPERTS, expert
from tests.support.world import World, usual, world

PNG = b"\x89PNG\r\n\x1a\n" + b"p" * 9
READERS = (expert("researcher", "研究员", tools=["file_read"]), *EXPERTS[1:])


def with_eyes(model: ModelServer, callback: Receiver, port: int) -> dict[str, Any]:
    return usual(model, callback, port, agents=READERS, model_keys={"vision": True})


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def office(
    tmp_path_factory: pytest.TempPathFactory, nursery: Nursery, program_store: str
) -> AsyncIterator[World]:
    async with world(tmp_path_factory.mktemp("files"), with_eyes, launcher=nursery) as running:
        yield running


@pytest.fixture
def studio(office: World) -> World:
    office.reset()
    return office


async def bring(api: Api, session_id: str, name: str, content: bytes) -> str:
    url = f"{api.url}/api/sessions/{session_id}/files"
    headers = {"Authorization": f"Bearer {api.token}"}
    async with api.http.post(url, data=content, params={"name": name}, headers=headers) as answer:
        assert answer.status == 201, await answer.text()
        return str((await answer.json())["file_id"])


async def opened(api: Api, agent_id: str = "studio") -> str:
    return str((await api.post("/api/sessions", {"agent_id": agent_id})).body["id"])


async def tell(api: Api, session_id: str, text: str, *files: str) -> None:
    reply = await api.post(f"/api/sessions/{session_id}/inputs", {"text": text, "attachments": list(files)})
    assert reply.status == 202, reply.body


async def over(api: Api, session_id: str, kind: str = "wrapup") -> None:
    async with api.live(session_id) as live:
        await live.until(lambda _: kind in live.kinds())


def _has_said(live: Live, said: list[str], _: object) -> bool:
    return [kind for kind in live.kinds() if kind == "member_message"] == said


async def test_a_member_reads_the_file_that_its_host_hands_over(studio: World) -> None:
    """Issue 8 item 4: from the API over the host's `ask_agent` into the member's workspace, read by its tool."""
    here = await opened(studio.api)
    file_id = await bring(studio.api, here, "事实.txt", "绿茶产自杭州".encode())

    def host(request: Request) -> Reply:
        if ASK in request.last and "<member-result" not in request.last:
            return act("我来安排。", use("ask_agent", agent_id="researcher", message="读文件", attachments=[file_id]))
        return say("好。")

    def researcher(request: Request) -> Reply:
        if request.answers_tools:
            return say("文件说：" + ("杭州" if "绿茶产自杭州" in request.tool_answers[0] else request.tool_answers[0]))
        path = request.last.rpartition("在你的工作区：")[2].strip()
        return act("", use("file_read", path=path))

    studio.model.play = cast(host, researcher=researcher)
    await tell(studio.api, here, f"{ASK}，文件里说什么？", file_id)
    await over(studio.api, here)
    said = [each["text"] for each in await studio.api.events(here) if each["kind"] == "member_message"]
    assert said == ["文件说：杭州"]
    assert f"[文件 事实.txt, 18 B] id：{file_id}" in studio.model.requests[0].last


async def test_a_host_cannot_hand_over_a_file_of_another_room(studio: World) -> None:
    """X3: the refusal lists the room's own files."""
    there, here = await opened(studio.api), await opened(studio.api)
    foreign = await bring(studio.api, there, "秘密.txt", b"secret")
    own = await bring(studio.api, here, "自己.txt", b"own")

    def host(request: Request) -> Reply:
        if request.answers_tools:
            return say(request.tool_answers[0])
        return act("", use("ask_agent", agent_id="researcher", message="读", attachments=[foreign]))

    studio.model.play = cast(host)
    await tell(studio.api, here, f"{ASK}，看看别人的文件", own)
    await over(studio.api, here, "host_message")
    (said,) = [each["text"] for each in await studio.api.events(here) if each["kind"] == "host_message"]
    assert "no such file" in said
    assert f"{own} (自己.txt)" in said
    assert "秘密" not in said


async def test_a_picture_reaches_the_request_of_a_model_that_sees(studio: World) -> None:
    """Issue 8 item 4: as an image part, in this turn and from the history; never twice in the store."""
    studio.model.play = cast(always("一只猫。"), researcher=always("一只猫。"))
    here = await opened(studio.api, "researcher")
    for text in ("这是什么？", "再看一次"):
        file_id = await bring(studio.api, here, "猫.png", PNG) if text == "这是什么？" else ""
        await tell(studio.api, here, text, *([file_id] if file_id else []))
        async with studio.api.live(here) as live:
            said = ["member_message"] if file_id else ["member_message"] * 2
            await live.until(partial(_has_said, live, said))
    for request in studio.model.requests:
        content = request.body["messages"][1]["content"]
        assert [part["type"] for part in content] == ["text", "image_url"]
        assert content[1]["image_url"]["url"] == "data:image/png;base64,iVBORw0KGgpwcHBwcHBwcHA="


async def test_an_address_inside_is_refused_and_the_question_is_answered(studio: World) -> None:
    """X7: a sender cannot make the program fetch from its own machine."""
    studio.model.play = cast(always("好。"))
    guest = studio.guest()
    url = f"{studio.program.url}/healthz"
    await guest.say("看看这个", attachments=[{"name": "a.txt", "url": url}])
    await guest.hears(1)
    assert "[文件 a.txt: 没能取到（这个地址不允许访问）]" in studio.model.requests[0].last
