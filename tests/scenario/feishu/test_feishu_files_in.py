"""What people send on Feishu comes in through the real program: images, files, voice, pictures in posts."""

from tests.support.casts import always, cast
from tests.support.feishu.answers import Json
from tests.support.feishu.world import FeishuWorld
from tests.support.received import Received, received

ANSWER = "看到了。"
PNG = b"\x89PNG\r\n\x1a\n" + b"p" * 9


async def sent(lark: FeishuWorld, kind: str, content: Json) -> list[Received]:
    """What is kept of a message of this kind, once it was answered."""
    ann = lark.person()
    await ann.send(kind, content)
    await ann.hears(1)
    return await received(lark.api, "")


async def test_images_files_and_voice_are_kept_and_the_host_is_told(lark: FeishuWorld) -> None:
    lark.model.play = cast(always(ANSWER))
    lark.feishu.state.files |= {"img_v3_1": PNG, "file_v3_in": b"%PDF-1.7", "file_v3_voice": b"OggS"}
    image = await sent(lark, "image", {"image_key": "img_v3_1"})
    assert image == [Received(name="image", state="stored", content=PNG)]
    file = await sent(lark, "file", {"file_key": "file_v3_in", "file_name": "报告.pdf"})
    assert file == [Received(name="报告.pdf", state="stored", content=b"%PDF-1.7")]
    voice = await sent(lark, "audio", {"file_key": "file_v3_voice", "duration": 2000})
    assert voice == [Received(name="voice.opus", state="stored", content=b"OggS")]
    assert "[文件 报告.pdf, 8 B] id：" in lark.model.requests[1].last


async def test_pictures_in_a_post_come_along_with_its_words(lark: FeishuWorld) -> None:
    lark.model.play = cast(always(ANSWER))
    lark.feishu.state.files["img_v3_2"] = PNG
    line = [{"tag": "text", "text": "图文消息", "style": []}, {"tag": "img", "image_key": "img_v3_2"}]
    post = await sent(lark, "post", {"title": "", "content": [line]})
    assert post == [Received(name="image", state="stored", content=PNG)]
    assert "图文消息" in lark.model.requests[0].last


async def test_a_file_that_feishu_does_not_give_costs_the_file_only(lark: FeishuWorld) -> None:
    lark.model.play = cast(always(ANSWER))
    lost = await sent(lark, "file", {"file_key": "file_v3_lost", "file_name": "a.txt"})
    assert lost == [Received(name="a.txt", state="failed", content=None)]
    assert "[文件 a.txt: 没能取到（平台没有给出文件）]" in lark.model.requests[0].last
