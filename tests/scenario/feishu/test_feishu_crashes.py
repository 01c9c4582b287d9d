"""kill -9, restarts and two copies at once: nothing lost, nothing twice, no card left open (R1, R2, R7)."""

import asyncio
from pathlib import Path

import pytest

from tests.support.casts import ASK, FINDINGS, NARRATION, WRAP_UP, always, cast, planner, round_of
from tests.support.feishu.faults import Fault
from tests.support.feishu.people import Person
from tests.support.feishu.world import FeishuWorld, feishu_world
from tests.support.gate import Gate
from tests.support.model_reply import say
from tests.support.program import Fuse, Nursery

QUESTION = f"{ASK}，绿茶市场怎么样？"
WHOLE = sorted(
    [
        f"内容工作室\n{NARRATION}",
        "已请 研究员 处理，请稍候…",
        "已请 写手 处理，请稍候…",
        f"研究员\n{FINDINGS['researcher']}",
        f"写手\n{FINDINGS['writer']}",
        f"【主持人总结】\n{WRAP_UP}",
    ]
)


def is_whole(person: Person) -> bool:
    return sorted(seen.whole for seen in person.heard) == WHOLE


@pytest.mark.parametrize(
    ("when", "at"),
    [("before", 1), ("after", 1), ("after", 4), ("before", 6), ("after", 10), ("before", 15), ("after", 20)],
)
async def test_killed_in_the_middle_of_a_round(tmp_path: Path, nursery: Nursery, when: str, at: int) -> None:
    """R1, T30: the platform brings what was not answered; what was sent but not recorded is not shown twice."""
    fuse = Fuse(nursery)
    fuse.burn(at=at, when=when)
    async with feishu_world(tmp_path, launcher=fuse) as lark:
        lark.model.play = round_of()
        ann = lark.person()
        lark.program.arm()
        ann.post(QUESTION)
        assert await lark.program.wait(within=60) == -9
        fuse.burn(at=0, when="never")
        await lark.program.start()
        await lark.feishu.until(lambda _: is_whole(ann) and len(ann.finished) == 6, within=40)
        assert not any(card.is_streaming for card in lark.feishu.state.cards.all.values() if card.message_id)
        assert not lark.model.faults


async def test_killed_while_a_card_grows(tmp_path: Path, nursery: Nursery) -> None:
    """Contract 8: after the restart the same card says the final words; the numbers still rise."""
    gate = Gate()
    async with feishu_world(tmp_path, launcher=nursery) as lark:
        lark.model.play = cast(lambda _: say("第一句。", gate, "第二句。"))
        ann = lark.person()
        await ann.say("说两句")
        await lark.feishu.until(lambda _: [seen.text for seen in ann.heard] == ["第一句。"])
        await lark.program.kill()
        lark.model.play = cast(always("第一句。第二句。"))
        await lark.program.start()
        (heard,) = await ann.hears(1)
        assert (heard.text, heard.is_growing) == ("第一句。第二句。", False)
        assert lark.feishu.state.cards.refused == []
        gate.open()


async def test_killed_between_sending_a_live_card_and_keeping_its_name(tmp_path: Path, nursery: Nursery) -> None:
    """Section 4: the intent without a handle; with the same uuid the platform tells which card it is."""
    gate = Gate()
    async with feishu_world(tmp_path, launcher=nursery) as lark:
        hold = Fault(kind="hold")
        lark.feishu.script.add("send", hold)
        lark.model.play = cast(lambda _: say("开头", gate))
        ann = lark.person()
        await ann.say("说")
        await lark.feishu.until(lambda _: bool(ann.heard))
        await lark.program.kill()
        hold.gate.set()
        lark.model.play = cast(always("开头和结尾"))
        await lark.program.start()
        (heard,) = await ann.hears(1)
        assert (heard.text, heard.is_growing, heard.buttons) == ("开头和结尾", False, ())
        gate.open()


async def test_messages_sent_while_the_program_was_down_are_answered(tmp_path: Path, nursery: Nursery) -> None:
    """R1, R2: what nobody answered comes again."""
    async with feishu_world(tmp_path, launcher=nursery) as lark:
        lark.model.play = cast(lambda request: say(f"答{request.last.strip()[-1]}"))
        await lark.program.terminate()
        ann = lark.person()
        ann.post("一")
        await lark.program.start()
        assert [seen.text for seen in await ann.hears(1)] == ["答一"]


async def test_a_redelivery_after_a_restart_is_the_same_message(tmp_path: Path, nursery: Nursery) -> None:
    """R2: by event id, and by message id under another event id."""
    async with feishu_world(tmp_path, launcher=nursery) as lark:
        lark.model.play = cast(always("一次。"))
        ann = lark.person()
        _, event = ann.event_of("在吗")
        await ann.push(event)
        await ann.hears(1)
        await lark.program.terminate()
        await lark.program.start()
        await _connected(lark)
        other = event | {"header": event["header"] | {"event_id": "another"}}
        for copy in (event, other):
            ack = await ann.push(copy)
            assert ack is not None
            assert ack.code == 200
        await ann.say("/status")
        assert [seen.text for seen in await ann.hears(2)] == ["一次。", "当前没有人在处理。"]


async def test_two_copies_at_the_same_instant_are_one_message(tmp_path: Path, nursery: Nursery) -> None:
    """R2."""
    async with feishu_world(tmp_path, launcher=nursery) as lark:
        lark.model.play = cast(always("一次。"))
        ann = lark.person()
        _, event = ann.event_of("在吗")
        acks = await asyncio.gather(*(ann.push(event) for _ in range(5)))
        assert all(ack is not None and ack.code == 200 for ack in acks)
        await ann.hears(1)
        await ann.say("/status")
        assert len(await ann.hears(2)) == 2
        assert len(lark.model.requests) == 1


async def test_stopped_in_the_middle_and_started_again(tmp_path: Path, nursery: Nursery) -> None:
    """R7: within ten seconds, and the next start goes on."""
    gate = Gate()
    async with feishu_world(tmp_path, launcher=nursery) as lark:
        lark.model.play = cast(planner("researcher"), researcher=lambda _: say("查", gate, "到三份资料。"))
        ann = lark.person()
        await ann.say(QUESTION)
        await gate.reached()
        await lark.program.terminate()
        gate.open()
        await lark.program.start()
        heard = await ann.hears_end()
        assert [seen.title for seen in heard].count("研究员") == 1


async def _connected(lark: FeishuWorld) -> None:
    await lark.feishu.connections.until(lambda connections: bool(connections.clients))
