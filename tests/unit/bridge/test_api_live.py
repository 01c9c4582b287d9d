"""Live frames over a real WebSocket."""

import asyncio
import json
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientWebSocketResponse, WSMsgType, WSServerHandshakeError

from bridge.api.live import RECHECK
from store.accounts import revoke_token
from store.base import Speaker
from store.database import Database
from store.events import Event
from tests.support.api_server import ADMIN, Site, open_site
from tests.support.clock import FakeClock, settle
from tests.support.writing import writing

BEARER = {"Authorization": f"Bearer {ADMIN}"}
HOST = Speaker(id="studio", name="Studio", role="host")


@pytest.fixture
async def site(database: Database, clock: FakeClock, tmp_path: Path) -> AsyncIterator[Site]:
    async with open_site(database, clock, tmp_path) as opened:
        yield opened


async def say(site: Site, session_id: str, text: str) -> None:
    await site.body("POST", f"/api/sessions/{session_id}/inputs", status=202, json={"text": text})
    await site.house.quiet()


async def seated(site: Site, *, gone: bool = False) -> None:
    """Wait until the server has taken the reader in, or has let it go."""
    async with asyncio.timeout(10):
        while bool(site.hub._readers) is gone:  # noqa: ASYNC110 - the hub has no event for tests
            await asyncio.sleep(0)


async def frames(socket: ClientWebSocketResponse, count: int) -> list[dict[str, Any]]:
    return [await socket.receive_json(timeout=10) for _ in range(count)]


async def test_a_round_is_seen_as_it_happens_and_again_after_a_break(site: Site) -> None:
    """Contract 6: `after` resumes without gap or repeat."""
    session_id = await site.open()
    url = f"/api/sessions/{session_id}/live"
    async with site.client.ws_connect(url, headers=BEARER) as socket:
        await say(site, session_id, "one")
        seen = [frame["event"] for frame in await frames(socket, 4) if frame["type"] == "event"]
    assert [event["kind"] for event in seen] == ["user_message", "turn_started", "host_message", "turn_ended"]
    await say(site, session_id, "two")
    async with site.client.ws_connect(f"{url}?after={seen[-1]['seq']}", headers=BEARER) as socket:
        await say(site, session_id, "three")
        later = [frame["event"]["seq"] for frame in await frames(socket, 8)]
    assert later == list(range(5, 13))


async def test_live_text_reaches_the_client(site: Site, clock: FakeClock) -> None:
    session_id = await site.open()
    site.hub.delta(writing(session_id, "t", HOST), 0, "你好")
    async with site.client.ws_connect(f"/api/sessions/{session_id}/live", headers=BEARER) as socket:
        (frame,) = await frames(socket, 1)
        assert (frame["type"], frame["text"], frame["agent_id"]) == ("delta", "你好", "studio")


async def test_v1_frames_are_in_camel_case(site: Site) -> None:
    session_id = await site.open()
    site.hub.delta(writing(session_id, "t", HOST), 0, "你好")
    async with site.client.ws_connect(f"/v1/sessions/{session_id}/live", headers=BEARER) as socket:
        (frame,) = await frames(socket, 1)
        assert (frame["turnId"], frame["speakerAgentId"]) == ("t", "studio")


async def test_frames_come_as_html_on_request(site: Site) -> None:
    session_id = await site.open()
    await say(site, session_id, "hi")
    async with site.client.ws_connect(f"/api/sessions/{session_id}/live?render=html", headers=BEARER) as socket:
        html = [frame["event"].get("html") for frame in await frames(socket, 4)]
    assert html == [None, None, "<p>好的。</p>\n", None]


async def test_a_bad_resume_is_refused_at_the_handshake(site: Site) -> None:
    session_id = await site.open()
    for query, status in (("after=-1", 400), ("after=x", 400)):
        with pytest.raises(WSServerHandshakeError) as refused:
            await site.client.ws_connect(f"/api/sessions/{session_id}/live?{query}", headers=BEARER)
        assert refused.value.status == status
    plain = await site.get(f"/api/sessions/{session_id}/live")
    assert plain.status == 400


async def test_a_slow_reader_is_closed_with_4008(site: Site) -> None:
    """Never buffered without bound: the client is told, and everybody else goes on."""
    session_id = await site.open()
    async with site.client.ws_connect(f"/api/sessions/{session_id}/live", headers=BEARER, max_msg_size=0) as socket:
        await seated(site)
        await say(site, session_id, "hi")
        await frames(socket, 4)
        for seq in range(5, 40):
            site.hub.emitted(session_id, [_huge(session_id, seq)])
            await settle()  # the server writes until the connection is full, and waits there
        while (message := await socket.receive(timeout=10)).type is WSMsgType.TEXT:
            json.loads(message.data)
        assert (message.type, socket.close_code) == (WSMsgType.CLOSE, 4008)
    await seated(site, gone=True)


def _huge(session_id: str, seq: int) -> Event:
    return Event(
        session_id=session_id,
        seq=seq,
        id=f"e{seq}",
        kind="host_message",
        at=FakeClock().now(),
        speaker=HOST,
        text="x" * 1_000_000,
        turn_id=None,
        job_id=None,
        data={},
    )


async def test_a_client_that_leaves_is_forgotten(site: Site) -> None:
    """R6: no reader and no task stays behind."""
    session_id = await site.open()
    async with site.client.ws_connect(f"/api/sessions/{session_id}/live", headers=BEARER):
        await seated(site)
    await seated(site, gone=True)


async def _closed(socket: ClientWebSocketResponse) -> int | None:
    """The code with which the server ends the connection."""
    while (await socket.receive(timeout=10)).type is WSMsgType.TEXT:
        pass
    return socket.close_code


async def test_who_is_shut_out_reads_no_further(site: Site) -> None:
    """X3: at once; other readers of the instance go on."""
    ann = await site.token_of("ann")
    mine, hers = await site.open(), await _hers(site, ann)
    async with (
        site.client.ws_connect(f"/api/sessions/{mine}/live", headers=BEARER) as owner,
        site.client.ws_connect(f"/api/sessions/{hers}/live", headers={"Authorization": f"Bearer {ann}"}) as socket,
    ):
        await site.body("PATCH", "/api/users/ann", status=200, json={"enabled": False})
        assert await _closed(socket) == 1008
        await say(site, mine, "still here")
        assert (await frames(owner, 1))[0]["type"] == "event"


async def test_a_revoked_token_reads_no_further(site: Site, clock: FakeClock) -> None:
    """At once over the API; within seconds if it was revoked elsewhere, as `teambridge token revoke` does."""
    session_id = await site.open()
    url = f"/api/sessions/{session_id}/live"
    for elsewhere in (False, True):
        issued = await site.body("POST", "/api/tokens", status=201, json={"name": "t"})
        async with site.client.ws_connect(url, headers={"Authorization": f"Bearer {issued['token']}"}) as socket:
            await seated(site)
            if elsewhere:
                await site.parts.database.write(partial(revoke_token, token_id=issued["id"]))
                await clock.advance(RECHECK)
            else:
                assert (await site.ask("DELETE", f"/api/tokens/{issued['id']}")).status == 204
            assert await _closed(socket) == 1008
        await seated(site, gone=True)


async def _hers(site: Site, token: str) -> str:
    """A session of this user with an expert of her own."""
    await site.body("POST", "/api/agents", status=201, token=token, json={"id": "hers", "name": "Hers"})
    made = await site.body("POST", "/api/sessions", status=201, token=token, json={"agent_id": "hers"})
    return str(made["id"])


async def test_stopping_the_server_tells_clients_to_come_back(site: Site) -> None:
    """R7: code 1001."""
    session_id = await site.open()
    async with site.client.ws_connect(f"/api/sessions/{session_id}/live", headers=BEARER) as socket:
        await seated(site)
        site.hub.close()
        message = await socket.receive(timeout=10)
        assert (message.type, message.data) == (WSMsgType.CLOSE, 1001)
