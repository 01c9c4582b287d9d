"""The official SDK, unmodified: it agrees with our frames and our decryption, and it works with the simulator."""

import asyncio
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from channels.feishu.hook import decrypt
from channels.feishu.wire import Frame, decode, encode
from tests.support.feishu import sdk
from tests.support.feishu.events import dumped
from tests.support.feishu.hook import encrypt
from tests.support.feishu.people import Person
from tests.support.feishu.server import APP_ID, APP_SECRET, FeishuServer

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def lark() -> Any:
    return sdk.load()


_TEXTS = st.text(st.characters(codec="utf-8"), max_size=40)
_FRAMES = st.builds(
    Frame,
    seq_id=st.integers(0, 2**64 - 1),
    log_id=st.integers(0, 2**64 - 1),
    service=st.integers(-(2**31), 2**31 - 1),
    method=st.integers(0, 1),
    headers=st.lists(st.tuples(_TEXTS, _TEXTS), max_size=5).map(tuple),
    payload_encoding=_TEXTS,
    payload_type=_TEXTS,
    payload=st.binary(max_size=300),
    log_id_new=_TEXTS,
)


@pytest.mark.usefixtures("lark")
@given(frame=_FRAMES)
def test_the_sdk_reads_and_writes_the_same_frames(frame: Frame) -> None:
    theirs = sdk.part("ws.pb.pbbp2_pb2").Frame()
    theirs.ParseFromString(encode(frame))
    assert theirs.IsInitialized()
    assert (theirs.SeqID, theirs.LogID, theirs.service) == (frame.seq_id, frame.log_id, frame.service)
    assert tuple((header.key, header.value) for header in theirs.headers) == frame.headers
    assert (theirs.method, theirs.payload, theirs.LogIDNew) == (frame.method, frame.payload, frame.log_id_new)
    assert decode(theirs.SerializeToString()) == frame


@pytest.mark.usefixtures("lark")
def test_the_sdk_decrypts_what_the_simulator_encrypts_and_so_do_we() -> None:
    """The second text is the documentation's."""
    sent = json.loads(encrypt("你好".encode(), "test key"))["encrypt"]
    assert sdk.part("core.utils").AESCipher("test key").decrypt_str(sent) == "你好"
    assert decrypt(sent, "test key").decode() == "你好"
    assert decrypt("P37w+VZImNgPEO1RBhJ6RtKl7n6zymIbEG1pReEzghk=", "test key") == b"hello world"


async def test_the_sdk_sends_and_replies_over_the_simulator(lark: Any) -> None:
    """One uuid is one message; a reply in a thread opens one."""
    im = sdk.part("api.im.v1")
    async with FeishuServer() as server:
        ann = Person(server)
        client = lark.Client.builder().app_id(APP_ID).app_secret(APP_SECRET).domain(server.base_url).build()

        def send() -> Any:
            body = im.CreateMessageRequestBody.builder().receive_id(ann.room.id).msg_type("text").uuid("u1")
            made = im.CreateMessageRequest.builder().receive_id_type("chat_id")
            return client.im.v1.message.create(made.request_body(body.content('{"text":"hi"}').build()).build())

        def reply(message_id: str) -> Any:
            body = im.ReplyMessageRequestBody.builder().msg_type("text").content('{"text":"re"}')
            made = im.ReplyMessageRequest.builder().message_id(message_id)
            return client.im.v1.message.reply(made.request_body(body.reply_in_thread(True).build()).build())

        first = await asyncio.to_thread(send)
        assert first.success()
        assert (await asyncio.to_thread(send)).data.message_id == first.data.message_id
        assert (await asyncio.to_thread(reply, first.data.message_id)).data.thread_id.startswith("omt_")
        assert [seen.text for seen in ann.heard] == ["hi", "re"]


async def test_the_sdk_streams_a_card_over_the_simulator(lark: Any) -> None:
    """The sequence must rise; the same uuid again changes nothing. (The SDK keeps tokens by app id, across servers.)"""
    kit = sdk.part("api.cardkit.v1")
    card = {
        "schema": "2.0",
        "config": {"streaming_mode": True, "update_multi": True},
        "body": {"elements": [{"tag": "markdown", "content": "…", "element_id": "md"}]},
    }
    async with FeishuServer(app_id="cli_streams") as server:
        client = lark.Client.builder().app_id("cli_streams").app_secret(APP_SECRET).domain(server.base_url).build()

        def make() -> Any:
            body = kit.CreateCardRequestBody.builder().type("card_json").data(json.dumps(card)).build()
            return client.cardkit.v1.card.create(kit.CreateCardRequest.builder().request_body(body).build())

        def say(card_id: str, uuid: str, text: str) -> Any:
            body = kit.ContentCardElementRequestBody.builder().uuid(uuid).content(text).sequence(1).build()
            made = kit.ContentCardElementRequest.builder().card_id(card_id).element_id("md").request_body(body)
            return client.cardkit.v1.card_element.content(made.build())

        def close(card_id: str) -> Any:
            body = kit.SettingsCardRequestBody.builder().settings('{"config":{"streaming_mode":false}}').sequence(9)
            made = kit.SettingsCardRequest.builder().card_id(card_id).request_body(body.uuid("s").build())
            return client.cardkit.v1.card.settings(made.build())

        card_id = (await asyncio.to_thread(make)).data.card_id
        codes = [
            (await asyncio.to_thread(say, card_id, uuid, text)).code
            for uuid, text in (("c1", "你好"), ("c1", "你好"), ("c2", "你好吗"))
        ]
        assert codes == [0, 0, 300317]
        assert (await asyncio.to_thread(close, card_id)).success()
        shown = server.state.cards.all[card_id]
        assert (shown.frames, shown.is_streaming) == (["你好"], False)


@pytest.mark.usefixtures("lark")
async def test_the_sdks_long_connection_answers_the_simulators_events() -> None:
    """Whole, and in parts that come in the wrong order."""
    heard: list[str] = []
    async with FeishuServer() as server:
        ann = Person(server)
        async with sdk.long_connection(
            APP_ID, APP_SECRET, server.base_url, lambda data: heard.append(data.event.message.content)
        ):
            await server.connections.until(lambda c: bool(c.clients) and c.clients[0].pings == 1)
            whole = await ann.push(ann.event_of("whole")[1])
            event = dumped(ann.event_of("parts")[1])
            parts = await server.connections.push(event, parts=3, order=lambda frames: frames[::-1])
            assert whole is not None
            assert parts is not None
            assert (whole.code, parts.code) == (200, 200)
    assert [json.loads(content)["text"] for content in heard] == ["whole", "parts"]
