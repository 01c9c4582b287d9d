"""The official SDK, unmodified: imported when a test asks for it (it takes seconds), its client in a thread of its own.

Its long-connection client asks for its address with a blocking call on its loop, so it cannot live in ours.
"""

import asyncio
import sys
import threading
import warnings
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from importlib import import_module
from typing import Any


def load() -> Any:
    """The package; imported in a thread without a loop, for one of its modules captures the loop that it finds."""
    found: list[Any] = []

    def run() -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if "lark_oapi.ws.client" not in sys.modules:
                import_module("lark_oapi.ws.client").loop.close()
            found.append(import_module("lark_oapi"))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    return found[0]


def part(name: str) -> Any:
    """A module of the SDK that `load` has imported."""
    return import_module(f"lark_oapi.{name}")


@asynccontextmanager
async def long_connection(app_id: str, secret: str, domain: str, hear: Callable[[Any], None]) -> AsyncIterator[None]:
    """Its client, connected until the block ends; `hear` gets messages in its thread."""
    sdk, module = load(), part("ws.client")
    loop = asyncio.new_event_loop()

    async def connect() -> Any:
        handler = sdk.EventDispatcherHandler.builder("", "").register_p2_im_message_receive_v1(hear).build()
        client = sdk.ws.Client(app_id, secret, event_handler=handler, domain=domain, auto_reconnect=False)
        await client._connect()
        client.ping = asyncio.ensure_future(client._ping_loop())
        return client

    async def end(client: Any) -> None:
        client.ping.cancel()
        await client._disconnect()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    module.loop = loop
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    try:
        client = await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(connect(), loop))
        yield
        await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(end(client), loop))
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
