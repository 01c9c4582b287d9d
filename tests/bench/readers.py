"""A room that a thousand people watch, one of whom never reads. `python -m tests.bench readers`"""

import asyncio
import tempfile
import time
from contextlib import AsyncExitStack
from pathlib import Path

from aiohttp import ClientSession, ClientWebSocketResponse, TCPConnector

from tests.bench.figures import Figure
from tests.bench.place import busy
from tests.support.casts import cast
from tests.support.keys import ADMIN_TOKEN
from tests.support.model_reply import say
from tests.support.world import World, world

READERS = 1000
WORDS = 50


async def measure() -> list[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        async with world(Path(folder), busy) as installation:
            installation.model.play = cast(lambda request: say(*["字"] * WORDS))
            session_id = (await installation.api.post("/api/sessions", {"agent_id": "studio"})).body["id"]
            alone = await _until_all_have_it(installation, session_id, 1)
            crowd = await _until_all_have_it(installation, session_id, READERS)
    return [
        Figure(what="message → its only reader", value=alone * 1e3, goal=250, unit="ms"),
        Figure(what=f"message → the last of {READERS} readers", value=crowd, goal=3, unit="s"),
    ]


async def _until_all_have_it(installation: World, session_id: str, readers: int) -> float:
    """Seconds from a question to the last reader's end of the turn; one reader more never reads at all."""
    headers = {"Authorization": f"Bearer {ADMIN_TOKEN}"}
    after = (await installation.api.ok(f"/api/sessions/{session_id}"))["seq"]
    url = f"{installation.program.url}/api/sessions/{session_id}/live?after={after}"
    async with AsyncExitStack() as stack:
        http = await stack.enter_async_context(ClientSession(connector=TCPConnector(limit=0), headers=headers))
        sockets = [await stack.enter_async_context(http.ws_connect(url)) for _ in range(readers + 1)]
        began = time.monotonic()
        await installation.api.post(f"/api/sessions/{session_id}/inputs", {"text": "在吗"})
        await asyncio.gather(*(_turn_ended(socket) for socket in sockets[1:]))
        return time.monotonic() - began


async def _turn_ended(socket: ClientWebSocketResponse) -> None:
    while True:
        frame = await socket.receive_json()
        if frame["type"] == "event" and frame["event"]["kind"] == "turn_ended":
            return
