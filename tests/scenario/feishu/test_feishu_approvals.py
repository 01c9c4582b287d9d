"""Questions with buttons in Feishu: cards in private chats and groups, and closed once they are answered (C12)."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from tests.scenario.feishu.conftest import ADMIN
from tests.support.feishu.people import Person
from tests.support.feishu.state import Seen
from tests.support.feishu.world import FeishuWorld, feishu_world
from tests.support.letters import TOOLS, letters_of
from tests.support.postbox import letters, server
from tests.support.program import Nursery
from tests.support.settings import expert


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def postal(
    tmp_path_factory: pytest.TempPathFactory, nursery: Nursery, program_store: str
) -> AsyncIterator[FeishuWorld]:
    folder = tmp_path_factory.mktemp("postal")
    agents = (expert("researcher", "研究员"), expert("writer", "写手", **TOOLS), expert("critic", "评审"))

    def change(config: dict[str, Any]) -> None:
        config |= {"agents": list(agents), "mcp": server(folder)}

    async with feishu_world(folder, launcher=nursery, change=change, admins=[ADMIN], notices=False) as running:
        yield running


@pytest.fixture
def lark(postal: FeishuWorld) -> FeishuWorld:
    assert not postal.model.faults, postal.model.faults
    postal.model.play = letters_of("writer", "bob")
    (postal.program.folder / "postbox").unlink(missing_ok=True)
    return postal


def questions(messages: list[Seen]) -> list[Seen]:
    return [each for each in messages if "想使用工具" in each.text]


async def question(person: Person) -> Seen:
    """The card that asks."""
    return questions(await person.hears(lambda messages: bool(questions(messages))))[0]


async def closed(lark: FeishuWorld, person: Person) -> Seen:
    """The card that asked, once there is nothing left to press."""
    await lark.feishu.until(lambda _: not questions(person.heard)[0].buttons)
    return questions(person.heard)[0]


async def test_pressed_in_a_private_chat(lark: FeishuWorld) -> None:
    """C12: the three answers; afterwards the card says what was decided, and nothing is left to press."""
    ann = lark.person()
    await ann.say("请寄信")
    asked = await question(ann)
    labels = [label for label, _ in asked.buttons]
    assert labels == ["允许一次", "本会话都允许", "拒绝"]
    assert "to: bob" in asked.text
    toast = await ann.press(asked, asked.buttons[0][1])
    assert toast["toast"]["content"] == "已收到"
    await ann.hears_end()
    assert letters(lark.program.folder) == ["bob"]
    assert (await closed(lark, ann)).text.rstrip().endswith("已允许 写手 使用 post 的 mail（这一次）。")


async def test_in_a_group_anybody_may_press_and_an_admin_decides(lark: FeishuWorld) -> None:
    """X2: a press needs no mention and carries who pressed; the card stays until somebody decided who may."""
    group = lark.group()
    await group.say("请寄信", at_bot=True)
    asked = await question(group)
    _, _, (_, refuse) = asked.buttons
    await group.press(asked, refuse)
    await group.hears(lambda messages: any("只有管理员" in each.text for each in messages))
    assert (await question(group)).buttons
    await Person(lark.feishu, room=group.room, open_id=ADMIN).press(asked, refuse)
    heard = await group.hears_end()
    assert "已拒绝 写手 使用 post 的 mail。" in [each.text for each in heard]
    assert letters(lark.program.folder) == []
    assert (await closed(lark, group)).text.rstrip().endswith("已拒绝 写手 使用 post 的 mail。")
