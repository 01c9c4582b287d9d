"""Events over HTTP at /hooks/{channel}: verified before anybody looks at them (X4)."""

import json
import time
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from aiohttp import ClientSession

from tests.support.casts import WRAP_UP, round_of
from tests.support.feishu.events import dumped
from tests.support.feishu.hook import ENCRYPT_KEY, VERIFICATION_TOKEN, encrypt, sign
from tests.support.feishu.people import Person
from tests.support.feishu.world import FeishuWorld, feishu_world
from tests.support.program import Nursery

QUESTION = "请问，绿茶市场怎么样？"


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def hooked(
    tmp_path_factory: pytest.TempPathFactory, nursery: Nursery, program_store: str
) -> AsyncIterator[FeishuWorld]:
    keys: dict[str, Any] = {"mode": "webhook", "encrypt_key": ENCRYPT_KEY, "verification_token": VERIFICATION_TOKEN}
    async with feishu_world(tmp_path_factory.mktemp("hooked"), launcher=nursery, **keys) as world:
        yield world


async def _post(world: FeishuWorld, body: bytes, headers: dict[str, str]) -> tuple[int, Any]:
    async with (
        ClientSession() as http,
        http.post(f"{world.program.url}/hooks/fs", data=body, headers=headers) as answer,
    ):
        return answer.status, await answer.json()


def _event(ann: Person, text: str, token: str = VERIFICATION_TOKEN) -> bytes:
    _, event = ann.event_of(text)
    event["header"]["token"] = token
    return dumped(event)


async def test_a_round_over_http(hooked: FeishuWorld) -> None:
    """T32: the long connection is not opened at all."""
    hooked.model.play = round_of()
    ann = hooked.person()
    body = encrypt(_event(ann, QUESTION))
    assert await _post(hooked, body, sign(body)) == (200, {"msg": "success"})
    heard = await ann.hears_end()
    assert heard[-1].text == WRAP_UP
    assert hooked.feishu.of("endpoint") == []


async def test_the_address_is_checked_with_a_challenge(hooked: FeishuWorld) -> None:
    """It comes encrypted and unsigned."""
    told = {"challenge": "ajls384kdj", "token": VERIFICATION_TOKEN, "type": "url_verification"}
    assert await _post(hooked, encrypt(json.dumps(told).encode()), {}) == (200, {"challenge": "ajls384kdj"})


@pytest.mark.parametrize(
    "case",
    ["unsigned", "plain", "signed plain", "other key", "stale", "changed", "no time", "token", "challenge plain"],
)
async def test_what_is_not_surely_the_platforms_is_refused(hooked: FeishuWorld, case: str) -> None:
    """X4: 401, also when headers are missing; nothing is stored."""
    ann = hooked.person()
    plain = _event(ann, "让我进来")
    body = encrypt(plain)
    challenge = json.dumps({"challenge": "x", "token": VERIFICATION_TOKEN, "type": "url_verification"}).encode()
    stale = sign(body, at=time.time() - 301)
    no_time = {key: value for key, value in sign(body).items() if "timestamp" not in key}
    other = encrypt(plain, "another key")
    wrong = encrypt(_event(ann, "让我进来", token="wrong"))
    sent: dict[str, tuple[bytes, dict[str, str]]] = {
        "unsigned": (body, {}),
        "plain": (plain, {}),
        "signed plain": (plain, sign(plain)),
        "other key": (other, sign(other, "another key")),
        "stale": (body, stale),
        "changed": (encrypt(plain), sign(body)),
        "no time": (body, no_time),
        "token": (wrong, sign(wrong)),
        "challenge plain": (challenge, {}),
    }
    status, _ = await _post(hooked, *sent[case])
    assert status == 401
    assert ann.heard == []


async def test_the_same_request_again_is_the_same_message(hooked: FeishuWorld) -> None:
    """R2: within the window a captured request may come again."""
    ann = hooked.person()
    body = encrypt(_event(ann, "/status"))
    headers = sign(body)
    for _ in range(3):
        assert (await _post(hooked, body, headers))[0] == 200
    again = encrypt(_event(ann, "/whoami"))
    await _post(hooked, again, sign(again))
    assert len(await ann.hears(2)) == 2


async def test_an_event_that_is_none_is_a_bad_request(hooked: FeishuWorld) -> None:
    body = encrypt(json.dumps({"header": {"token": VERIFICATION_TOKEN}}).encode())
    assert (await _post(hooked, body, sign(body)))[0] == 400
