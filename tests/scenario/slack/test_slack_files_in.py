"""What people send on Slack comes in through the real program, and what happens without `files:read` (issue 3, 6)."""

from tests.support.casts import always, cast
from tests.support.received import Received, received
from tests.support.slack.world import SlackWorld

ANSWER = "看到了。"


def share(studio: SlackWorld, file_id: str, name: str, mime: str, content: bytes) -> dict[str, object]:
    """A file of the workspace, as `file_share` events tell it."""
    url = f"{studio.slack.url}/files-pri/{file_id}"
    file = {"id": file_id, "name": name, "mimetype": mime, "size": len(content), "url_private_download": url}
    studio.slack.files[file_id] = file
    studio.slack.contents[file_id] = content
    return file


async def test_files_are_kept_and_the_host_is_told(studio: SlackWorld) -> None:
    studio.model.play = cast(always(ANSWER))
    ann = studio.person()
    files = [
        share(studio, "FIN1", "报告.pdf", "application/pdf", b"%PDF-1.7"),
        share(studio, "FIN2", "image.png", "image/png", b"\x89PNG\r\n\x1a\n" + b"p" * 9),
    ]
    ann.say("两个文件", files=files)
    await ann.hears(1)
    assert await received(studio.api, "两个文件") == [
        Received(name="报告.pdf", state="stored", content=b"%PDF-1.7"),
        Received(name="image.png", state="stored", content=b"\x89PNG\r\n\x1a\n" + b"p" * 9),
    ]
    assert "[文件 报告.pdf, 8 B] id：" in studio.model.requests[0].last
    assert not studio.slack.leaked


async def test_without_the_right_to_read_files_the_question_is_answered_at_once(studio: SlackWorld) -> None:
    """Slack shows its login page with status 200: it is never taken for the file."""
    studio.model.play = cast(always(ANSWER))
    ann = studio.person()
    before = studio.slack.scopes
    studio.slack.scopes = [each for each in before if each != "files:read"]
    try:
        ann.say("没有权限", files=[share(studio, "FIN3", "a.txt", "text/plain", b"a")])
        await ann.hears(1)
    finally:
        studio.slack.scopes = before
    assert await received(studio.api, "没有权限") == [Received(name="a.txt", state="failed", content=None)]
    assert "[文件 a.txt: 没能取到（平台没有给出文件）]" in studio.model.requests[0].last
