"""What people send on Telegram comes in through the real program: photos, documents, voice, albums (issue 3, 6)."""

from pathlib import Path
from typing import Any

import pytest

from tests.support.casts import always, cast
from tests.support.gate import Gate
from tests.support.program import Fuse, Nursery
from tests.support.received import Received, received
from tests.support.telegram.world import TelegramWorld, telegram_world

ANSWER = "看到了。"
JPEG = b"\xff\xd8\xff\xe0" + b"j" * 50


async def test_photos_documents_and_voice_are_kept_and_the_host_is_told(bot: TelegramWorld) -> None:
    bot.model.play = cast(always(ANSWER))
    bot.telegram.files |= {"P1": JPEG, "D1": b"%PDF-1.7", "V1": b"OggS"}
    sizes = [{"file_id": "P0", "file_unique_id": "s", "width": 9, "height": 9}]
    photo = [*sizes, {"file_id": "P1", "file_unique_id": "l", "width": 90, "height": 90, "file_size": len(JPEG)}]
    document = {"file_id": "D1", "file_unique_id": "d", "file_name": "季度 报告.pdf", "mime_type": "application/pdf"}
    voice = {"file_id": "V1", "file_unique_id": "v", "duration": 1, "mime_type": "audio/ogg"}
    ann = bot.person()
    sent: list[tuple[str, dict[str, Any]]] = [
        ("一张照片", {"photo": photo}),
        ("一份文件", {"document": document}),
        ("一段语音", {"voice": voice}),
    ]
    for number, (caption, content) in enumerate(sent, 1):
        bot.telegram.updates.put(message=ann.message(caption=caption, **content))
        await ann.hears(number)
    assert await received(bot.api, "一张照片") == [Received(name="photo.jpg", state="stored", content=JPEG)]
    assert await received(bot.api, "一份文件") == [Received(name="季度 报告.pdf", state="stored", content=b"%PDF-1.7")]
    assert await received(bot.api, "一段语音") == [Received(name="voice.ogg", state="stored", content=b"OggS")]
    assert "[文件 季度 报告.pdf, 8 B] id：" in bot.model.requests[1].last


async def test_an_album_is_one_message_with_several_files(bot: TelegramWorld) -> None:
    bot.model.play = cast(always(ANSWER))
    ann = bot.person()
    for piece in ann.album("我的相册", "", ""):
        file_id = piece["message"]["photo"][0]["file_id"]
        bot.telegram.files[file_id] = JPEG + file_id.encode()
    await ann.hears(1)
    names = [each.name for each in await received(bot.api, "我的相册") if each.state == "stored"]
    assert names == ["photo.jpg", "photo (2).jpg", "photo (3).jpg"]
    assert len(bot.model.requests) == 1


async def test_a_file_that_telegram_does_not_give_costs_the_file_only(bot: TelegramWorld) -> None:
    """Issue 8 item 4: too large for a bot, and not there any more; the question is answered at once."""
    bot.model.play = cast(always(ANSWER))
    bot.telegram.files["BIG"] = b"x" * (21 * 1024 * 1024)
    ann = bot.person()
    for file_id in ("BIG", "LOST"):
        document = {"file_id": file_id, "file_unique_id": file_id, "file_name": f"{file_id}.bin"}
        bot.telegram.updates.put(message=ann.message(caption=f"文件 {file_id}", document=document))
    await ann.hears(2)
    assert [each.state for each in await received(bot.api, "文件 BIG")] == ["failed"]
    assert "[文件 BIG.bin: 没能取到（大于 20 MB）]" in bot.model.requests[0].last
    assert "[文件 LOST.bin: 没能取到（平台没有给出文件）]" in bot.model.requests[1].last


async def test_killed_in_the_middle_of_fetching(tmp_path: Path) -> None:
    """R1: the file comes after the restart, the question is answered once, nothing half stands on the shelf."""
    gate = Gate()
    async with telegram_world(tmp_path) as bot:
        bot.model.play = cast(always(ANSWER))
        bot.telegram.files["D1"] = b"%PDF"
        bot.telegram.gates["D1"] = gate
        ann = bot.person()
        document = {"file_id": "D1", "file_unique_id": "d", "file_name": "a.pdf"}
        bot.telegram.updates.put(message=ann.message(caption="读一下", document=document))
        await gate.reached()
        ann.say("还有一句")
        await bot.program.kill()
        gate.open()
        await bot.program.start()
        await ann.hears(2)
        assert ann.texts() == [ANSWER, ANSWER]
        assert ["读一下" in each.last for each in bot.model.requests] == [True, False]
        assert await received(bot.api, "读一下") == [Received(name="a.pdf", state="stored", content=b"%PDF")]
        assert len(list((tmp_path / "data" / "files").glob("??/*"))) == 1


async def test_stopped_in_the_middle_of_fetching(tmp_path: Path) -> None:
    """R7: a stop takes no longer for it, and the next start goes on."""
    gate = Gate()
    async with telegram_world(tmp_path) as bot:
        bot.model.play = cast(always(ANSWER))
        bot.telegram.files["D1"] = b"%PDF"
        bot.telegram.gates["D1"] = gate
        ann = bot.person()
        document = {"file_id": "D1", "file_unique_id": "d", "file_name": "a.pdf"}
        bot.telegram.updates.put(message=ann.message(caption="读一下", document=document))
        await gate.reached()
        await bot.program.terminate()
        gate.open()
        await bot.program.start()
        await ann.hears(1)
        assert [each.state for each in await received(bot.api, "读一下")] == ["stored"]


async def test_commands_work_while_a_file_is_fetched_and_other_chats_do_not_wait(bot: TelegramWorld) -> None:
    """Issue 8 item 4, R4: what stands behind the file waits for it, nothing else does."""
    bot.model.play = cast(always(ANSWER))
    gate = bot.telegram.gates["SLOW"] = Gate()
    bot.telegram.files["SLOW"] = b"slow"
    ann, ben = bot.person(), bot.person(name="Ben")
    document = {"file_id": "SLOW", "file_unique_id": "s", "file_name": "slow.txt"}
    bot.telegram.updates.put(message=ann.message(caption="慢文件", document=document))
    await gate.reached()
    ann.say("排在后面")
    ann.say("/stop")
    await ann.hears(1)
    ben.say("另一个人")
    await ben.hears(1)
    assert (ann.texts(), ben.texts()) == (["当前没有进行中的生成。"], [ANSWER])
    gate.open()
    await ann.hears(3)
    assert ["慢文件" in each.last for each in bot.model.requests] == [False, True, False]


@pytest.mark.parametrize(("when", "at"), [("before", 2), ("after", 2), ("before", 3), ("after", 3), ("before", 4)])
async def test_killed_around_the_commits_of_a_file(tmp_path: Path, nursery: Nursery, when: str, at: int) -> None:
    """R1: whether it was just counted, just stored or just written down, it comes and is answered once."""
    fuse = Fuse(nursery)
    fuse.burn(at=at, when=when)
    async with telegram_world(tmp_path, launcher=fuse) as bot:
        bot.model.play = cast(always(ANSWER))
        bot.telegram.files["D1"] = b"%PDF"
        ann = bot.person()
        bot.program.arm()
        document = {"file_id": "D1", "file_unique_id": "d", "file_name": "a.pdf"}
        bot.telegram.updates.put(message=ann.message(caption="读一下", document=document))
        assert await bot.program.wait(within=60) == -9
        fuse.burn(at=0, when="never")
        await bot.program.start()
        await ann.hears(1, within=40)
        assert ann.texts() == [ANSWER]
        assert await received(bot.api, "读一下") == [Received(name="a.pdf", state="stored", content=b"%PDF")]
        assert not bot.model.faults
