"""Files in the browser: chosen, dropped and pasted; brought with the message, and shown in it."""

import asyncio
import base64
from collections.abc import Sequence

from playwright.async_api import Route, expect

from tests.console.conftest import Visits
from tests.support.browser import Visitor
from tests.support.casts import always, cast
from tests.support.world import World

PICTURE = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
DROP = """(area, files) => {
    const brought = new DataTransfer();
    for (const [name, type, text] of files) brought.items.add(new File([text], name, { type }));
    const about = { dataTransfer: brought, bubbles: true, cancelable: true };
    for (const kind of ["dragover", "drop"]) area.closest("form").dispatchEvent(new DragEvent(kind, about));
}"""
PASTE = """(area, [name, type, text]) => {
    const brought = new DataTransfer();
    brought.items.add(new File([text], name, { type }));
    area.dispatchEvent(new ClipboardEvent("paste", { clipboardData: brought, bubbles: true, cancelable: true }));
}"""

LARGE = """(area) => {
    const file = Object.defineProperty(new File(["…"], "big.bin"), "size", { value: 26 * 1024 * 1024 });
    area.closest("tb-composer").tray.add([file]);
}"""


async def _open(studio: World, person: Visitor) -> str:
    studio.model.play = cast(always("好的。"), researcher=always("收到。"))
    session = str((await studio.api.post("/api/sessions", {"agent_id": "studio"})).body["id"])
    await person.go(f"s/{session}")
    await expect(person.composer).to_be_visible()
    return session


async def _drop(person: Visitor, files: Sequence[tuple[str, str, str]]) -> None:
    await person.composer.evaluate(DROP, [list(each) for each in files])


async def test_a_file_goes_with_the_message(studio: World, visit: Visits) -> None:
    """A chip with name and size, then a link in the message that saves the same bytes."""
    async with visit() as ann:
        await _open(studio, ann)
        await ann.page.locator("tb-composer input[type=file]").set_input_files(
            {"name": "报告.txt", "mimeType": "text/plain", "buffer": "绿茶".encode()}
        )
        tray = ann.page.get_by_role("list", name="文件")
        await expect(tray.get_by_role("listitem")).to_contain_text("报告.txt")
        await expect(tray.get_by_role("listitem")).to_contain_text("6 B")
        await ann.say("请看附件")
        await expect(tray.locator(".file-chip button")).to_have_count(0)
        link = ann.said("请看附件").get_by_role("link", name="报告.txt")
        await expect(link).to_contain_text("6 B")
        async with ann.page.expect_download() as saved:
            await link.click()
        download = await saved.value
        assert download.suggested_filename == "报告.txt"
        assert (await download.path()).read_bytes() == "绿茶".encode()
        await expect(ann.said("好的。")).to_be_visible()


async def test_dropped_and_pasted_without_a_word(studio: World, visit: Visits) -> None:
    """Two dropped, one pasted, one taken out again; a message may be files alone."""
    async with visit() as ann:
        await _open(studio, ann)
        await expect(ann.button("发送")).to_be_disabled()
        await _drop(ann, [("a.txt", "text/plain", "A"), ("b.txt", "text/plain", "B")])
        await ann.composer.evaluate(PASTE, ["c.txt", "text/plain", "C"])
        await ann.button("移除 b.txt").click()
        await ann.button("发送").click()
        await expect(ann.page.locator(".said .mine .attached li")).to_have_count(2)
        await expect(ann.page.locator(".said .mine .attached")).to_contain_text("c.txt")
        await expect(ann.page.locator(".said .mine .text")).to_have_count(0)


async def test_a_picture_is_shown_small(studio: World, visit: Visits) -> None:
    """From our own server only, under the same rules as everything else; what is no picture stays a link."""
    async with visit() as ann:
        await _open(studio, ann)
        chooser = ann.page.locator("tb-composer input[type=file]")
        await chooser.set_input_files({"name": "点.png", "mimeType": "image/png", "buffer": PICTURE})
        await chooser.set_input_files({"name": "假.png", "mimeType": "image/png", "buffer": b"<svg onload=alert(1)>"})
        await ann.say("看图")
        bubble = ann.said("看图")
        await expect(bubble.get_by_role("img", name="点.png")).to_be_visible()
        assert await bubble.get_by_role("img", name="点.png").evaluate("image => image.naturalWidth") == 1
        await expect(bubble.get_by_role("img", name="假.png")).to_have_count(0)
        await expect(bubble.get_by_role("link", name="假.png")).to_be_visible()


async def test_a_picture_pushes_nothing_out_of_sight(studio: World, visit: Visits) -> None:
    """It is drawn later than its message: the newest words stay at the bottom."""
    drawn = asyncio.Event()

    async def slowly(route: Route) -> None:
        await drawn.wait()
        await route.continue_()

    async with visit(height=400) as ann:
        session = await _open(studio, ann)
        tall = await ann.page.screenshot(clip={"x": 0, "y": 0, "width": 100, "height": 380})
        await ann.page.locator("tb-composer input[type=file]").set_input_files(
            {"name": "高.png", "mimeType": "image/png", "buffer": tall}
        )
        await ann.say("看图")
        await expect(ann.said("好的。")).to_be_visible()
        await ann.go("settings")
        await ann.page.route("**/files/*", slowly)
        await ann.go(f"s/{session}")
        await expect(ann.said("好的。")).to_be_in_viewport(ratio=1)
        drawn.set()
        await expect(ann.page.locator(".attached img")).to_have_js_property("naturalHeight", 380)
        await expect(ann.said("好的。")).to_be_in_viewport(ratio=1)


async def test_a_conversation_begins_with_a_file(studio: World, visit: Visits) -> None:
    """Before there is a conversation files wait; they are brought when it begins."""
    studio.model.play = cast(always("好的。"), researcher=always("收到。"))
    async with visit() as ann:
        await ann.go("new/researcher")
        await _drop(ann, [("a.txt", "text/plain", "A")])
        await ann.say("第一句")
        await expect(ann.said("第一句").get_by_role("link", name="a.txt")).to_be_visible()
        await expect(ann.said("收到。")).to_be_visible()


async def test_what_is_too_large_is_refused_with_a_sentence(studio: World, visit: Visits) -> None:
    """Before it is sent; and what the server refuses is said at the file, and the message stays."""
    async with visit() as ann:
        ann.refusals_expected = True
        session = await _open(studio, ann)
        await ann.composer.evaluate(LARGE)
        await expect(ann.page.get_by_role("alert").get_by_text("「big.bin」超过了 25 MB，没有添加。")).to_be_visible()
        await studio.api.post(f"/api/sessions/{session}/archive")
        await _drop(ann, [("late.txt", "text/plain", "L")])
        chip = ann.page.get_by_role("list", name="文件").get_by_role("listitem")
        await expect(chip).to_contain_text("会话已归档，请先恢复。")
        await ann.composer.fill("还在")
        await expect(ann.button("发送")).to_be_disabled()
        await ann.button("移除 late.txt").click()
        await expect(ann.button("发送")).to_be_enabled()
        await expect(ann.composer).to_have_value("还在")
