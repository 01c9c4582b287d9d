"""A room in the browser: live, shared, and the same after a reload."""

from playwright.async_api import expect

from tests.console.conftest import Visits
from tests.support.browser import Visitor
from tests.support.casts import ASK, FINDINGS, NARRATION, WRAP_UP, always, cast, planner, round_of
from tests.support.gate import Gate
from tests.support.model_reply import say
from tests.support.world import World

QUESTION = f"{ASK}，绿茶市场怎么样？"


async def _open(person: Visitor) -> None:
    await person.go("new/studio")
    await expect(person.composer).to_be_focused()


async def test_a_round_is_seen_as_it_happens(studio: World, visit: Visits) -> None:
    """T8, T20, T22: narration, notices, each member's live words, the wrap-up; the strip is without the host."""
    gate = Gate()
    studio.model.play = cast(
        planner("researcher", "writer"),
        researcher=lambda request: say("查到", gate, "三份资料。"),
        writer=always(FINDINGS["writer"]),
    )
    async with visit() as ann:
        await _open(ann)
        await ann.say(QUESTION)
        strip = ann.page.get_by_role("region", name="成员")
        await expect(strip.get_by_role("listitem")).to_have_count(3)
        await expect(strip).not_to_contain_text("内容工作室")
        await expect(ann.said(NARRATION)).to_have_count(1)
        await expect(ann.page.get_by_text("已请 研究员 处理，请稍候…")).to_have_count(1)
        await expect(ann.page.locator(".drafts .bubble", has_text="查到")).to_be_visible()
        await expect(strip.get_by_role("listitem").filter(has_text="研究员")).to_contain_text("处理中")
        await expect(ann.page.get_by_role("region", name="进行中的任务")).to_contain_text("研究员")
        await expect(ann.said(FINDINGS["writer"]).locator(".who")).to_contain_text("写手")
        gate.open()
        await expect(ann.said(WRAP_UP)).to_contain_text("总结")
        await expect(ann.said(FINDINGS["researcher"])).to_have_count(1)
        await expect(ann.page.locator(".drafts .bubble")).to_have_count(0)
        await expect(strip).not_to_contain_text("处理中")
        await expect(ann.page.get_by_role("region", name="进行中的任务")).to_be_hidden()


async def test_a_reload_in_the_middle_loses_nothing_and_repeats_nothing(studio: World, visit: Visits) -> None:
    gate = Gate()
    studio.model.play = cast(
        planner("researcher"), researcher=lambda request: say("说到一半，", gate, "说完了。"), writer=always("…")
    )
    async with visit() as ann:
        await _open(ann)
        await ann.say(QUESTION)
        half = ann.page.locator(".drafts .bubble", has_text="说到一半，")
        await expect(half).to_be_visible()
        await ann.page.reload()
        await expect(half).to_be_visible()
        await expect(ann.said(QUESTION)).to_have_count(1)
        gate.open()
        await expect(ann.said(WRAP_UP)).to_have_count(1)
        await expect(ann.said("说到一半，说完了。")).to_have_count(1)
        await expect(ann.said(NARRATION)).to_have_count(1)


async def test_a_second_browser_sees_the_same(studio: World, visit: Visits) -> None:
    gate = Gate()
    studio.model.play = cast(lambda request: say("大家都", gate, "看得见。"))
    async with visit() as ann, visit() as bob:
        await _open(ann)
        await ann.say(QUESTION)
        await ann.page.wait_for_url("**/#/s/*")
        await bob.page.goto(ann.page.url)
        for person in (ann, bob):
            await expect(person.page.locator(".drafts .bubble", has_text="大家都")).to_be_visible()
        gate.open()
        for person in (ann, bob):
            await expect(person.said("大家都看得见。")).to_have_count(1)


async def test_after_a_restart_the_room_goes_on(studio: World, visit: Visits) -> None:
    """The tab reconnects by itself, without losing or repeating a line."""
    studio.model.play = round_of()
    async with visit() as ann:
        await _open(ann)
        await ann.say(QUESTION)
        await expect(ann.said(WRAP_UP)).to_have_count(1)
        await studio.program.kill()
        await expect(ann.page.get_by_text("连接断开，正在重试…")).to_be_visible()
        await studio.again()
        ann.problems.clear()  # a server that is away is an error on any console
        await expect(ann.page.get_by_text("连接断开，正在重试…")).to_be_hidden()
        await ann.say(f"{ASK}，再来一次？")
        await expect(ann.said(WRAP_UP)).to_have_count(2)
        await expect(ann.said(QUESTION)).to_have_count(1)
        await expect(ann.said(FINDINGS["researcher"])).to_have_count(2)


async def test_a_job_is_called_off(studio: World, visit: Visits) -> None:
    """T28, T29: the reason stands in the room, once, and the host goes on."""
    gate = Gate()
    studio.model.play = cast(planner("researcher"), researcher=lambda request: say("查", gate, "到"))
    async with visit() as ann:
        await _open(ann)
        await ann.say(QUESTION)
        await ann.button("取消 研究员 的任务").click()
        await expect(ann.page.locator(".said .slim.wrong", has_text="研究员 没能完成")).to_have_count(1)
        await expect(ann.said(WRAP_UP)).to_have_count(1)
    gate.open()


async def test_stop_keeps_what_was_said(studio: World, visit: Visits) -> None:
    """T16: what was visible stays, marked."""
    gate = Gate()
    studio.model.play = cast(lambda request: say("说到这里", gate, "为止"))
    async with visit() as ann:
        await _open(ann)
        await ann.say(QUESTION)
        await expect(ann.page.locator(".drafts .bubble", has_text="说到这里")).to_be_visible()
        await ann.button("停止").click()
        await expect(ann.said("说到这里")).to_contain_text("已停止")
        await expect(ann.button("停止")).to_be_hidden()
    gate.open()


async def test_a_side_session_is_only_looked_at(studio: World, visit: Visits) -> None:
    """T17, T20: the member's own part, read-only, with the way back to the room."""
    studio.model.play = round_of()
    async with visit() as ann:
        await _open(ann)
        await ann.say(QUESTION)
        await expect(ann.said(WRAP_UP)).to_be_visible()
        room = ann.page.url
        await ann.page.get_by_role("region", name="成员").get_by_role("link", name="研究员").click()
        await expect(ann.page.get_by_role("heading", level=1)).to_contain_text("来自团队 内容工作室")
        await expect(ann.said(FINDINGS["researcher"])).to_have_count(1)
        await expect(ann.said("任务单（researcher）")).to_have_count(1)
        await expect(ann.composer).to_have_count(0)
        await ann.link("回到房间").click()
        await expect(ann.said(WRAP_UP)).to_be_visible()
        assert ann.page.url == room


async def test_lines_and_mentions(studio: World, visit: Visits) -> None:
    """T10: Shift+Enter begins a line, @ offers the members, and the host is told whom it was."""
    studio.model.play = cast(always("好的。"))
    async with visit() as ann:
        await _open(ann)
        await ann.composer.press_sequentially("第一行")
        await ann.composer.press("Shift+Enter")
        await ann.composer.press_sequentially("@写")
        await expect(ann.page.get_by_role("option")).to_have_accessible_name("写手")
        await ann.composer.press("Enter")
        await expect(ann.composer).to_have_value("第一行\n@写手 ")
        async with ann.page.expect_request("**/inputs") as sent:
            await ann.button("发送").click()
        body = (await sent.value).post_data_json
        assert body == {"text": "第一行\n@写手", "mentions": ["writer"]}
        await expect(ann.composer).to_have_value("")
        await expect(ann.said("好的。")).to_have_count(1)


async def test_what_was_not_seen_has_a_dot(studio: World, visit: Visits) -> None:
    """T21: a room stands in the list of conversations, with its badge; what happens elsewhere is marked unread."""
    studio.model.play = cast(always("好的。"))
    other = (await studio.api.post("/api/sessions", {"agent_id": "studio", "title": "另一个房间"})).body["id"]
    async with visit() as ann:
        await _open(ann)
        row = ann.page.get_by_role("navigation", name="对话").get_by_role("link").filter(has_text="另一个房间")
        await expect(row).to_contain_text("团队")
        await expect(row.get_by_role("img", name="有新消息")).to_have_count(0)
        await studio.api.post(f"/api/sessions/{other}/inputs", {"text": f"{ASK}，在吗？"})
        async with studio.api.live(other) as live:
            await live.until(lambda frames: "turn_ended" in live.kinds())
        await ann.again()
        await expect(row.get_by_role("img", name="有新消息")).to_have_count(1)
        await row.click()
        await expect(ann.said("好的。")).to_be_visible()
        await expect(row.get_by_role("img", name="有新消息")).to_have_count(0)


async def test_what_was_typed_survives_a_reload(studio: World, visit: Visits) -> None:
    async with visit() as ann:
        await _open(ann)
        await ann.composer.fill("还没说完")
        await ann.page.reload()
        await expect(ann.composer).to_have_value("还没说完")


async def test_words_stay_words(studio: World, visit: Visits) -> None:
    """What people and models say never becomes markup that acts, and asks no other host for anything."""
    picture, script = "<img src=x onerror=alert(1)> ![p](https://evil.example/p.png)", "<script>alert(2)</script>"
    evil = f"{picture} {script} [go](javascript:alert(3))"
    studio.model.play = cast(always(f"{evil} **fett**"))
    async with visit() as ann:
        ann.page.on("dialog", lambda dialog: ann.problems.append(dialog.message))
        await _open(ann)
        await ann.say(f"{ASK} {evil}")
        await expect(ann.page.locator(".said strong", has_text="fett")).to_have_count(1)
        await expect(ann.said(ASK)).to_contain_text("<script>alert(2)</script>")
        await expect(ann.page.locator(".said :is(img, script, [onerror], a[href^=javascript])")).to_have_count(0)


async def test_a_conversation_is_renamed_put_away_and_deleted(studio: World, visit: Visits) -> None:
    studio.model.play = cast(always("好的。"))
    session_id = (await studio.api.post("/api/sessions", {"agent_id": "studio"})).body["id"]
    async with visit() as ann:
        await ann.go(f"s/{session_id}")
        await ann.button("对话选项").click()
        await ann.page.get_by_role("menuitem", name="重命名").click()
        await ann.page.get_by_label("标题").fill("茶叶调研")
        await ann.button("保存").click()
        row = ann.page.get_by_role("navigation", name="对话").locator(".session-list").first.get_by_role("link")
        await expect(row.filter(has_text="茶叶调研")).to_have_count(1)
        await expect(ann.page).to_have_title("茶叶调研 · teambridge")
        await ann.button("对话选项").click()
        await ann.page.get_by_role("menuitem", name="归档").click()
        await expect(row.filter(has_text="茶叶调研")).to_have_count(0)
        await ann.page.get_by_text("这个对话已归档").wait_for()
        await ann.button("恢复").click()
        await expect(ann.composer).to_be_visible()
        await expect(row.filter(has_text="茶叶调研")).to_have_count(1)
        await ann.button("对话选项").click()
        await ann.page.get_by_role("menuitem", name="删除").click()
        await ann.page.get_by_role("dialog").get_by_role("button", name="删除").click()
        await expect(row.filter(has_text="茶叶调研")).to_have_count(0)
        assert (await studio.api.get(f"/api/sessions/{session_id}")).status == 404
