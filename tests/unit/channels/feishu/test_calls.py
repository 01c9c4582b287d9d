"""Calls of the platform's API: the token, the codes, the month's quota, the files."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from channels.errors import ChannelError
from channels.feishu.api import Api, segment
from channels.feishu.faults import Exhausted, FeishuFault, Later, NotSetUp, Refusal, fault_of, is_about_form, pause_of
from channels.feishu.fetch import fetch
from channels.feishu.http import Patience
from channels.feishu.settings import FeishuSettings
from channels.types import Attachment
from tests.support.clock import FakeClock
from tests.support.feishu import faults
from tests.support.feishu.people import Person
from tests.support.feishu.server import APP_ID, APP_SECRET, FeishuServer

INFO = "/open-apis/bot/v3/info"


@pytest.fixture
async def server() -> AsyncIterator[FeishuServer]:
    async with FeishuServer() as running:
        yield running


@pytest.fixture
async def api(server: FeishuServer, clock: FakeClock) -> AsyncIterator[Api]:
    settings = FeishuSettings(id="fs", app_id=APP_ID, app_secret=APP_SECRET, domain=server.base_url)
    made = Api(settings, clock, Patience(call=1.0, connect=0.3))
    yield made
    await made.close()


async def test_everybody_waits_for_the_same_token(server: FeishuServer, api: Api) -> None:
    await asyncio.gather(*(api.call("GET", INFO) for _ in range(20)))
    assert len(server.of("token")) == 1
    assert len(server.of("info")) == 20


async def test_a_token_is_renewed_before_it_ends(server: FeishuServer, api: Api, clock: FakeClock) -> None:
    await api.call("GET", INFO)
    await clock.advance(7200 - 301)
    await api.call("GET", INFO)
    assert len(server.of("token")) == 1
    await clock.advance(2)
    await api.call("GET", INFO)
    assert len(server.of("token")) == 2


async def test_a_token_that_is_not_good_any_more_is_replaced_and_the_call_repeated(
    server: FeishuServer, api: Api
) -> None:
    """99991663."""
    await api.call("GET", INFO)
    server.expire_tokens()
    await asyncio.gather(*(api.call("GET", INFO) for _ in range(5)))
    assert len(server.of("token")) == 2


async def test_a_token_that_is_never_good_ends_the_trying(server: FeishuServer, api: Api) -> None:
    server.script.add("info", *(faults.refuse(99991663, "no") for _ in range(4)))
    with pytest.raises(Later):
        await api.call("GET", INFO)
    assert len(server.of("info")) == 2


async def test_after_the_months_last_call_no_other_is_made(server: FeishuServer, api: Api, clock: FakeClock) -> None:
    """Issue 5.5: for an hour, then one tries."""
    server.script.add("info", faults.refuse(99991403, "quota"))
    with pytest.raises(Exhausted):
        await api.call("GET", INFO)
    spent = len(server.calls)
    await clock.advance(3599)
    with pytest.raises(Exhausted) as told:
        await api.call("GET", INFO)
    assert told.value.retry_after == 1
    assert len(server.calls) == spent
    assert api.is_exhausted
    await clock.advance(1)
    await api.call("GET", INFO)
    assert not api.is_exhausted


async def test_a_platform_that_is_not_there_is_later(server: FeishuServer, api: Api) -> None:
    await server.close_port()
    with pytest.raises(Later, match="not reachable"):
        await api.call("GET", INFO)


@pytest.mark.parametrize("kind", ["garbage", "cut_after", "hang_after"])
async def test_an_unusable_answer_is_later(server: FeishuServer, api: Api, kind: faults.Kind) -> None:
    """A GET that was cut is asked once more by the HTTP client itself."""
    await api.call("GET", INFO)
    server.script.add("info", faults.Fault(kind=kind), faults.Fault(kind=kind))
    with pytest.raises(Later):
        await api.call("GET", INFO)


@pytest.mark.parametrize(
    ("status", "code", "kind", "pause"),
    [
        (429, 99991400, Later, 3.0),
        (400, 99991400, Later, 3.0),
        (200, 230020, Later, 3.0),
        (400, 11232, Later, 3.0),
        (400, 230049, Later, 0.0),
        (502, -1, Later, 0.0),
        (200, -1, Later, 0.0),
        (404, -1, Refusal, 0.0),
        (400, 230002, Refusal, 0.0),
        (400, 99991672, NotSetUp, 300.0),
        (200, 10014, NotSetUp, 300.0),
        (400, 99991403, Exhausted, 3600.0),
    ],
)
def test_what_a_code_means(status: int, code: int, kind: type[FeishuFault], pause: float) -> None:
    """Facts 3.4: the code counts, whatever the status."""
    fault = fault_of(status, code, "m", {"x-ogw-ratelimit-reset": "3"})
    assert type(fault) is kind
    assert getattr(fault, "retry_after", 0.0) == pause


@pytest.mark.parametrize(
    ("text", "pause"), [("7", 7.0), ("1.5", 1.5), ("", 0.0), ("-1", 0.0), ("soon", 0.0), ("9" * 9, 43200.0)]
)
def test_the_pause_that_an_answer_asks_for(text: str, pause: float) -> None:
    assert pause_of({"Retry-After": text}) == pause


def test_which_refusals_are_about_the_form() -> None:
    assert is_about_form(Refusal(230099, "ErrCode: 11310; ErrMsg: x;"))
    assert Refusal(230099, "ext=ErrCode: 11310; ErrMsg: x;").detail == 11310
    assert not any(is_about_form(Refusal(code, "")) for code in (230002, 230011, 230028, 230053))


def test_an_id_is_one_segment_whatever_it_holds() -> None:
    """X7."""
    assert segment("om_a/../b?x#y") == "om_a%2F..%2Fb%3Fx%23y"


async def test_an_id_with_a_slash_reaches_no_other_route(server: FeishuServer, api: Api) -> None:
    with pytest.raises(Refusal):
        await api.call("GET", f"/open-apis/im/v1/messages/{segment('../../bot/v3/info')}")
    assert server.of("info") == []


async def _read(api: Api, attachment: Attachment, limit: int) -> bytes:
    return b"".join([piece async for piece in fetch(api, attachment, limit)])


async def test_a_file_that_somebody_sent_is_fetched(server: FeishuServer, api: Api) -> None:
    """X7: in pieces, from the platform itself, with a cap."""
    server.state.files["file_v3_1"] = b"x" * 100_000
    ann = Person(server)
    message = server.state.write(ann.room, "file", {"file_key": "file_v3_1"}, ann.open_id)
    attachment = Attachment(name="a", ref=f"file:{message.id}:file_v3_1")
    assert await _read(api, attachment, 100_000) == b"x" * 100_000
    with pytest.raises(ChannelError, match="more than"):
        await _read(api, attachment, 99_999)


@pytest.mark.parametrize("ref", ["", "file:om_1", "https://evil.example/x", "file:om_9:nothing"])
async def test_what_is_no_file_of_ours_is_not_fetched(api: Api, ref: str) -> None:
    with pytest.raises(ChannelError):
        await _read(api, Attachment(name="a", ref=ref), 10)
