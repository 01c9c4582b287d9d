"""Questions with buttons in Slack: in threads and direct messages, and gone once they are answered (C12)."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.support.letters import TOOLS, letters_of
from tests.support.postbox import letters, server
from tests.support.settings import expert
from tests.support.slack.people import Person
from tests.support.slack.state import Message
from tests.support.slack.world import SlackWorld, slack_world


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def postal(tmp_path_factory: pytest.TempPathFactory, program_store: str) -> AsyncIterator[SlackWorld]:
    folder = tmp_path_factory.mktemp("postal")
    agents = (expert("researcher", "研究员"), expert("writer", "写手", **TOOLS), expert("critic", "评审"))
    more = {"agents": list(agents), "mcp": server(folder)}
    async with slack_world(folder, admins=["UBOSS"], notices=False, top=more) as running:
        yield running


@pytest.fixture
def studio(postal: SlackWorld) -> SlackWorld:
    assert not postal.model.faults, postal.model.faults
    postal.model.play = letters_of("writer", "bob")
    (postal.program.folder / "postbox").unlink(missing_ok=True)
    return postal


def is_question(message: Message) -> bool:
    return "想使用工具" in message.shown


async def question(person: Person) -> Message:
    """The message that asks."""
    heard = await person.hears(lambda messages: any(is_question(each) for each in messages))
    return next(each for each in heard if is_question(each))


async def test_pressed_in_direct_messages(studio: SlackWorld) -> None:
    """C12: the three answers; afterwards the message says what was decided, and nothing is left to press."""
    ann = studio.person()
    ann.say("请寄信")
    asked = await question(ann)
    assert [each["text"]["text"] for each in asked.buttons] == ["允许一次", "本会话都允许", "拒绝"]
    assert "to: bob" in asked.shown
    ann.press(asked, "本会话都允许")
    await ann.hears_end()
    assert letters(studio.program.folder) == ["bob"]
    await studio.slack.until(lambda _: not asked.buttons)
    assert asked.shown.rstrip().endswith("已允许 写手 在本会话中使用 post 的 mail，不再询问。")
    ann.say("再寄信")
    await ann.hears_end(2)
    assert sum(is_question(each) for each in ann.heard) == 1


async def test_in_a_thread_anybody_may_press_and_an_admin_decides(studio: SlackWorld) -> None:
    """X2, T34: a press in the thread carries who pressed; `/team approve` has no thread, so the thread hears of it."""
    ann = studio.member("C901")
    ann.mention("请寄信")
    asked = await question(ann)
    ann.press(asked, "允许一次")
    await ann.hears(lambda messages: any("只有管理员" in each.shown for each in messages))
    assert asked.buttons
    code = asked.buttons[0]["value"].removeprefix("/approve ")
    boss = studio.member("C901", user="UBOSS", name="Boss", thread=ann.thread)
    boss.command(f"approve {code}")
    heard = await ann.hears_end()
    assert "已允许 写手 使用 post 的 mail（这一次）。" in [each.shown for each in heard]
    assert letters(studio.program.folder) == ["bob"]
    await studio.slack.until(lambda _: not asked.buttons)
