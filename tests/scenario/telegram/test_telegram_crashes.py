"""kill -9, restarts and two copies at once: nothing lost, nothing twice without its mark (R1, R2, R7)."""

from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.support.casts import ASK, FINDINGS, NARRATION, WRAP_UP, always, cast, planner, round_of
from tests.support.gate import Gate
from tests.support.model_reply import say
from tests.support.program import Fuse, Nursery, Program, free_port
from tests.support.telegram.people import Person
from tests.support.telegram.state import Shown
from tests.support.telegram.world import telegram_world

QUESTION = f"{ASK}，绿茶市场怎么样？"
MARK = "↻ "
WHOLE = {
    NARRATION,
    "已请 研究员 处理，请稍候…",
    "已请 写手 处理，请稍候…",
    f"研究员：{FINDINGS['researcher']}",
    f"写手：{FINDINGS['writer']}",
    f"【主持人总结】{WRAP_UP}",
}


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def nursery(program_store: str) -> AsyncIterator[Nursery]:
    async with Nursery() as forks:
        yield forks


def is_whole(person: Person) -> bool:
    """Everything of a round was shown; what was shown twice says so the second time."""
    texts = [message.text for message in person.heard]
    bare = [text.removeprefix(MARK) for text in texts]
    unmarked = [text for text in texts if not text.startswith(MARK)]
    return set(bare) == WHOLE and len(unmarked) == len(set(unmarked)) and bare[0] == NARRATION and "总结" in bare[-1]


@pytest.mark.parametrize(("when", "at"), [("before", 1), ("after", 1), ("before", 6), ("after", 10), ("before", 15)])
async def test_killed_in_the_middle_of_a_round(tmp_path: Path, nursery: Nursery, when: str, at: int) -> None:
    """R1, T30: Telegram brings what was not confirmed; the outbox sends what was not recorded, marked."""
    fuse = Fuse(nursery)
    fuse.burn(at=at, when=when)
    async with telegram_world(tmp_path, launcher=fuse) as bot:
        bot.model.play = round_of()
        ann = bot.person()
        bot.program.arm()
        ann.say(QUESTION)
        assert await bot.program.wait(within=60) == -9
        fuse.burn(at=0, when="never")
        await bot.program.start()
        await ann.hears_end(within=40)
        assert is_whole(ann), ann.texts()
        assert not bot.model.faults


async def test_killed_while_a_group_sees_a_message_grow(tmp_path: Path) -> None:
    """Contract 8: the live message becomes the final one after the restart; none is left open."""
    begun, gate = Gate(), Gate()
    async with telegram_world(tmp_path) as bot:
        bot.model.play = cast(lambda _: say("第一句。", begun, "第二", gate, "句。"))
        group = bot.group(-8101)
        group.say("@sim_bot 说两句")
        await group.hears(1)
        begun.open()
        await group.hears(lambda messages: messages[0].text == "第一句。第二")
        await bot.program.kill()
        bot.model.play = cast(always("第一句。第二句。"))
        await bot.program.start()
        await group.hears(lambda messages: [one.text for one in messages] == ["第一句。第二句。"])


async def test_messages_sent_while_the_program_was_down_are_answered(tmp_path: Path) -> None:
    """R1: the queue at Telegram is never thrown away."""
    async with telegram_world(tmp_path) as bot:
        bot.model.play = cast(lambda request: say(f"答{len(bot.model.requests)}"))
        await bot.program.terminate()
        ann = bot.person()
        ann.say("一")
        ann.say("二")
        await bot.program.start()
        assert [message.text for message in await ann.hears(2)] == ["答1", "答2"]


async def test_stopped_while_telegram_hangs(tmp_path: Path) -> None:
    """R7: within ten seconds, and the next start goes on."""
    gate = Gate()
    async with telegram_world(tmp_path) as bot:
        bot.model.play = cast(planner("researcher"), researcher=lambda _: say(gate, FINDINGS["researcher"]))
        ann = bot.person()
        ann.say(QUESTION)
        await gate.reached()
        await bot.program.terminate()
        gate.open()
        await bot.program.start()
        await ann.hears_end()
        assert sum("研究员：" in text for text in ann.texts()) == 1


async def test_two_programs_with_one_token_answer_what_each_was_given_once(tmp_path: Path) -> None:
    """Facts 1.1: each of them gets 409 now and then; neither stops, and what one lets go of, the other answers.

    Two installations know nothing of each other, and Telegram gives the second what the first has not confirmed yet:
    so a message may be answered by both, but by none twice, and by nobody never.
    """
    async with telegram_world(tmp_path / "one") as bot:
        bot.model.play = cast(lambda request: say(request.last.strip()[-2:]))
        config = bot.config | {"server": bot.config["server"] | {"port": free_port()}}
        ann = bot.person()
        numbers: dict[str, int] = {}

        def each_was_answered(messages: list[Shown]) -> bool:
            given = Counter({text: bot.telegram.handed[number] for text, number in numbers.items()})
            return min(given.values()) > 0 and Counter(message.text[-2:] for message in messages) == given

        async with Program(tmp_path / "two", config):
            for text in ("问0", "问1", "问2"):
                numbers[text] = ann.say(text)["update_id"]
            await ann.hears(each_was_answered)
        numbers["问3"] = ann.say("问3")["update_id"]
        await ann.hears(each_was_answered)
        assert bot.telegram.handed[numbers["问3"]] == 1
