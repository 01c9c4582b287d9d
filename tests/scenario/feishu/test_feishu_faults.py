"""What a platform and a network do: everything arrives later, in order, and readiness tells (R3, R5)."""

import asyncio
from pathlib import Path
from typing import Any

from aiohttp import ClientSession

from tests.support.casts import ASK, FINDINGS, always, cast, round_of
from tests.support.feishu import faults
from tests.support.feishu.people import Person
from tests.support.feishu.server import FeishuServer
from tests.support.feishu.world import FeishuWorld, feishu, feishu_world
from tests.support.gate import DEADLINE, Gate
from tests.support.model_reply import say
from tests.support.program import Nursery

QUESTION = f"{ASK}，绿茶市场怎么样？"


async def _ready(world: FeishuWorld) -> dict[str, Any]:
    async with ClientSession() as http, http.get(f"{world.program.url}/readyz") as answer:
        return dict(await answer.json())


async def _until_reason(world: FeishuWorld, words: str) -> dict[str, Any]:
    """Nothing tells from outside when a channel's state has changed."""
    async with asyncio.timeout(DEADLINE):
        while words not in (told := (await _ready(world))["channels"]["fs"]).get("reason", ""):  # noqa: ASYNC110
            await asyncio.sleep(0.05)
    return dict(told)


async def test_a_whole_round_survives_an_outage(tmp_path: Path, nursery: Nursery) -> None:
    """R3, R5: the platform is gone while members work; the connection and all answers come back, in order."""
    gate = Gate()
    async with feishu_world(tmp_path, launcher=nursery) as lark:
        lark.model.play = round_of()
        ann = lark.person()
        hold = cast(always("?"), researcher=lambda _: say(gate, FINDINGS["researcher"]), writer=always("初稿写好了。"))
        lark.model.play = lambda request: hold(request) if request.asker == "researcher" else round_of()(request)
        await ann.say(QUESTION)
        await gate.reached()
        await lark.feishu.close_port()
        gate.open()
        assert not (await _ready(lark))["ready"]
        await lark.feishu.open_port()
        heard = await ann.hears_end()
        assert len(heard) == 6
        assert heard[-1].title == "【主持人总结】"
        ann.post("/status")
        await ann.hears(7)


async def test_busy_answers_of_the_platform_delay_and_lose_nothing(lark: FeishuWorld) -> None:
    """R3: the app's limit with its pause, a chat's limit at HTTP 200, a worn-out token, a busy server, a cut."""
    lark.model.play = round_of()
    ann = lark.person()
    lark.feishu.script.add(
        "send",
        faults.refuse(230020, "frequency limit", status=200),
        faults.busy(1),
        faults.refuse(99991663, "Invalid access token"),
        faults.Fault(kind="status", status=502),
        faults.Fault(kind="cut_after"),
    )
    await ann.say(QUESTION)
    heard = await ann.hears_end(within=40)
    assert [seen.title for seen in heard].count("【主持人总结】") == 1
    assert len(heard) == 6


async def test_a_lost_answer_of_the_platform_doubles_nothing(lark: FeishuWorld) -> None:
    """R1: the message was sent, its answer was lost; the same uuid shows it once."""
    lark.model.play = cast(always("只说一次。"))
    ann = lark.person()
    lark.feishu.script.add("make_card", faults.refuse(200220, "no live card this time"))
    lark.feishu.script.add("send", faults.Fault(kind="cut_after"), faults.Fault(kind="cut_after"))
    await ann.say("在吗")
    await ann.hears(1)
    await ann.say("/status")
    assert [seen.text for seen in await ann.hears(2)] == ["只说一次。", "当前没有人在处理。"]


async def test_a_card_that_the_platform_refuses_arrives_in_a_plainer_form(lark: FeishuWorld) -> None:
    """Section 7: card, else rich text, else plain text, else a file; the content always arrives."""
    lark.model.play = cast(always("**要紧的话**"))
    refused = faults.refuse(230099, "ext=ErrCode: 11310; ErrMsg: element exceeds the limit;")
    shown = []
    for count in range(4):
        ann = lark.person()
        lark.feishu.script.add("make_card", faults.refuse(200220, "no live card"))
        lark.feishu.script.add("send", *([refused] * count))
        await ann.say("说")
        (heard,) = await ann.hears(1)
        assert "要紧的话" in heard.whole
        shown.append(heard.kind)
    assert shown == ["interactive", "post", "text", "file"]


async def test_words_that_the_content_check_refuses_are_said_to_be_so(lark: FeishuWorld) -> None:
    """The delivery is a dead letter, and the chat is told."""
    lark.model.play = cast(always("敏感"))
    ann = lark.person()
    lark.feishu.script.add("make_card", faults.refuse(200220, "no live card"))
    lark.feishu.script.add("send", faults.refuse(230028, "DLP"))
    await ann.say("说")
    (heard,) = await ann.hears(1)
    assert "内容审核" in heard.text
    async with asyncio.timeout(DEADLINE):
        while not (dead := await lark.deliveries("dead")):  # noqa: ASYNC110  # it is recorded after the chat was told
            await asyncio.sleep(0.02)
    assert [each["channel_id"] for each in dead] == ["fs"]


async def test_the_months_quota_is_used_up(tmp_path: Path, nursery: Nursery) -> None:
    """Issue 5.5: nothing more is called, readiness says why, events are still taken in."""
    async with feishu_world(tmp_path, launcher=nursery) as lark:
        lark.model.play = cast(always("好。"))
        ann = lark.person()
        quota = faults.refuse(99991403, "This month's API call quota has been exceeded")
        for name in ("send", "make_card", "people", "chat"):
            lark.feishu.script.add(name, *([quota] * 10))
        await ann.say("一")
        told = await _until_reason(lark, "99991403")
        assert told["state"] != "connected"
        spent = len(lark.feishu.calls)
        await ann.say("二")
        await lark.model.until(lambda model: len(model.requests) == 2)
        assert len(lark.feishu.calls) == spent


async def test_an_app_of_the_other_brand_is_told_apart(tmp_path: Path, nursery: Nursery) -> None:
    """Issue 5.1: the sentence says what to set."""
    async with feishu_world(tmp_path, launcher=nursery) as lark:
        lark.feishu.endpoint_answer = {"code": 1000040351, "msg": "Incorrect domain name"}
        await lark.feishu.connections.kick()
        told = await _until_reason(lark, "1000040351")
        assert 'set domain = "lark"' in told["reason"]


async def test_a_wrong_secret_is_said_to_be_wrong(tmp_path: Path, nursery: Nursery) -> None:
    async with feishu_world(tmp_path, launcher=nursery, start=False, app_secret="wrong") as lark:
        starting = asyncio.create_task(lark.program.start())
        await lark.feishu.until(lambda server: bool(server.of("endpoint")))
        await _until_reason(lark, "app_secret")
        starting.cancel()


async def test_two_apps_in_one_process_hear_only_their_own(tmp_path: Path, nursery: Nursery) -> None:
    """Issue 5.1: no loop, token or connection is shared."""
    async with FeishuServer(app_id="cli_other", app_secret="another-secret") as other:

        def both(config: dict[str, Any]) -> None:
            keys = {"id": "fs2", "app_id": "cli_other", "app_secret": "another-secret"}
            config["channels"].append(feishu("researcher", domain=other.base_url, **keys))

        async with feishu_world(tmp_path, launcher=nursery, change=both) as lark:
            lark.model.play = cast(always("我是主持人。"), researcher=always("我是研究员。"))
            here, there = lark.person(), Person(other)
            await asyncio.gather(here.say("谁"), there.say("谁"))
            assert (await here.hears(1))[0].text == "我是主持人。"
            assert (await there.hears(1))[0].text == "我是研究员。"


async def test_no_secret_is_logged(tmp_path: Path, nursery: Nursery) -> None:
    """X5: neither the secret, nor tokens, nor the keys in the connection's address."""
    async with feishu_world(tmp_path, launcher=nursery) as lark:
        lark.model.play = cast(always("好。"))
        ann = lark.person()
        await ann.say("在吗")
        await ann.hears(1)
        await lark.feishu.close_port()
        await lark.program.terminate()
        said = lark.program.stderr + lark.program.stdout
        for secret in ("simulated-secret", "access_key", "ticket=", *lark.feishu.tokens):
            assert secret not in said
