"""Questions with buttons in Telegram: pressed in private chats and groups, and gone once they are answered (C12)."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.support.letters import TOOLS, letters_of
from tests.support.postbox import letters, server
from tests.support.settings import expert
from tests.support.telegram.people import Person
from tests.support.telegram.state import Shown
from tests.support.telegram.world import TelegramWorld, telegram_world

BOSS = 77


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def postal(tmp_path_factory: pytest.TempPathFactory, program_store: str) -> AsyncIterator[TelegramWorld]:
    folder = tmp_path_factory.mktemp("postal")
    agents = (expert("researcher", "研究员"), expert("writer", "写手", **TOOLS), expert("critic", "评审"))
    more = {"agents": list(agents), "mcp": server(folder)}
    async with telegram_world(folder, admins=[str(BOSS)], notices=False, top=more) as running:
        yield running


@pytest.fixture
def bot(postal: TelegramWorld) -> TelegramWorld:
    assert not postal.model.faults, postal.model.faults
    postal.model.play = letters_of("writer", "bob")
    (postal.program.folder / "postbox").unlink(missing_ok=True)
    return postal


async def question(person: Person) -> Shown:
    """The message that asks, with its buttons."""
    heard = await person.hears(lambda messages: any(each.buttons for each in messages))
    return next(each for each in heard if each.buttons)


async def test_pressed_in_a_private_chat(bot: TelegramWorld) -> None:
    """C12: the three answers; afterwards the message says what was decided, and nothing is left to press."""
    ann = bot.person()
    ann.say("请寄信")
    asked = await question(ann)
    assert [each["text"] for each in asked.buttons] == ["允许一次", "本会话都允许", "拒绝"]
    assert "写手 想使用工具 post 的 mail" in asked.text
    assert "to: bob" in asked.text
    ann.press(asked, "允许一次")
    await ann.hears_end()
    assert letters(bot.program.folder) == ["bob"]
    assert "已允许 写手 使用 post 的 mail（这一次）。" in ann.texts()
    await ann.hears(lambda _: not asked.buttons)
    assert asked.text.endswith("已允许 写手 使用 post 的 mail（这一次）。")
    assert not bot.telegram.presses, "Telegram is told that every press was heard"


async def test_in_a_group_anybody_may_press_and_an_admin_decides(bot: TelegramWorld) -> None:
    """X2: a press needs no mention and carries who pressed; the buttons stay until somebody decided who may."""
    group = bot.group(-1009000, "supergroup", title="SG")
    group.say("@sim_bot 请寄信")
    asked = await question(group)
    group.press(asked, "允许一次")
    await group.hears(lambda messages: any("只有管理员" in each.text for each in messages))
    assert asked.buttons
    assert letters(bot.program.folder) == []
    boss = Person(bot.telegram, room=group.room, user=BOSS, name="Boss")
    boss.press(asked, "拒绝")
    boss.press(asked, "允许一次")
    heard = await group.hears_end()
    texts = [each.text for each in heard]
    assert "已拒绝 写手 使用 post 的 mail。" in texts
    assert "这个请求已经处理过：已拒绝 写手 使用 post 的 mail。" in texts
    assert letters(bot.program.folder) == []
