"""Making experts and teams in the browser."""

from playwright.async_api import Browser, expect

from tests.console.conftest import Visits
from tests.support.browser import Visitor, visitor
from tests.support.casts import ASK, FINDINGS, WRAP_UP, always, cast, planner
from tests.support.gate import Gate
from tests.support.model_reply import say
from tests.support.model_request import mark
from tests.support.world import World

QUESTION = f"{ASK}，绿茶市场怎么样？"


async def _make_expert(person: Visitor, agent_id: str, name: str) -> None:
    await person.go("experts/+")
    await person.page.get_by_label("名称", exact=True).fill(name)
    await person.page.get_by_label("标识").fill(agent_id)
    await person.page.get_by_label("说明", exact=True).fill(f"{mark('expert', agent_id)} 你是{name}。")
    await person.button("创建").click()
    await expect(person.page.get_by_role("heading", name=name)).to_be_visible()


async def test_a_newcomer_makes_a_team_and_talks_to_it(studio: World, visit: Visits) -> None:
    """Experts, a team of them with looks and guidelines, a conversation from the sidebar: one whole round."""
    studio.model.play = cast(planner("scout", "poet"), scout=always(FINDINGS["researcher"]), poet=always("写好了。"))
    async with visit() as ann:
        await _make_expert(ann, "scout", "侦察员")
        await _make_expert(ann, "poet", "诗人")
        await ann.go("teams/+")
        await ann.page.get_by_label("团队名称").fill("茶社")
        await ann.pick("rocket")
        await ann.page.get_by_role("searchbox", name="搜索专家").fill("侦察")
        await ann.pick("侦察员", "checkbox")
        await ann.button("创建团队").click()
        await expect(ann.page.get_by_text("至少选择两位成员。")).to_be_visible()
        await ann.page.get_by_role("searchbox", name="搜索专家").fill("诗人")
        await ann.pick("诗人", "checkbox")
        await ann.page.get_by_label("欢迎语").fill("喝茶吗？")
        await ann.page.get_by_label("协作规则").fill(mark("team", "teahouse"))
        await ann.button("创建团队").click()
        await expect(ann.page.locator(".card", has_text="茶社")).to_contain_text("2 位成员")
        await ann.button("新对话").click()
        await ann.page.get_by_role("dialog").get_by_role("link", name="茶社").click()
        await expect(ann.page.locator(".greeting")).to_contain_text("喝茶吗？")
        await ann.say(QUESTION)
        await expect(ann.said(WRAP_UP)).to_be_visible()
        await expect(ann.said("写好了。").locator(".who")).to_contain_text("诗人")


async def test_who_has_work_cannot_leave(studio: World, visit: Visits) -> None:
    """T7: locked in the editor, with the reason, as long as the job is open."""
    gate = Gate()
    studio.model.play = cast(planner("runner"), runner=lambda request: say("跑", gate, "完了"))
    for agent_id in ("runner", "walker", "sleeper"):
        expert = {"id": agent_id, "name": agent_id, "instructions": mark("expert", agent_id)}
        assert (await studio.api.post("/api/agents", expert)).status == 201
    team = {"name": "接力", "member_ids": ["runner", "walker", "sleeper"], "guidelines": mark("team", "relay")}
    team_id = (await studio.api.post("/api/teams", team)).body["team_id"]
    async with visit() as ann:
        await ann.go(f"new/{team_id}")
        await ann.say(QUESTION)
        await expect(ann.page.get_by_role("region", name="进行中的任务")).to_contain_text("runner")
        await ann.go(f"teams/{team_id}")
        row = ann.page.locator(".roster-row", has_text="runner")
        await expect(row).to_contain_text("有进行中的任务，完成后才能移出")
        await expect(row.get_by_role("checkbox")).to_be_disabled()
        await ann.pick("walker", "checkbox")
        await ann.button("保存").click()
        await expect(ann.page.get_by_text("已保存")).to_be_visible()
        await expect(ann.page.locator(".group .badge.good")).to_have_text("2 位成员")
        gate.open()


async def test_two_editors_do_not_overwrite_each_other(studio: World, visit: Visits) -> None:
    """The second one is told, and can look at what is there now."""
    expert = {"id": "shared-desk", "name": "同桌", "instructions": "…"}
    assert (await studio.api.post("/api/agents", expert)).status == 201
    async with visit() as ann, visit() as bob:
        bob.refusals_expected = True
        for person in (ann, bob):
            await person.go("experts/shared-desk")
            await expect(person.page.get_by_label("名称", exact=True)).to_have_value("同桌")
        await ann.page.get_by_label("名称", exact=True).fill("安的同桌")
        await ann.button("保存").click()
        await expect(ann.page.get_by_text("已保存")).to_be_visible()
        await bob.page.get_by_label("名称", exact=True).fill("鲍勃的同桌")
        await bob.button("保存").click()
        await bob.button("载入最新").click()
        await expect(bob.page.get_by_label("名称", exact=True)).to_have_value("安的同桌")


async def test_what_the_file_manages_is_shown_only(studio: World, visit: Visits) -> None:
    async with visit() as ann:
        for place in ("teams/studio", "experts/researcher"):
            await ann.go(place)
            await expect(ann.page.get_by_text("由 config.toml 管理")).to_be_visible()
            await expect(ann.page.locator("form input[type=text]").first).to_be_disabled()
            await expect(ann.button("保存")).to_have_count(0)
            await expect(ann.page.get_by_role("radiogroup", name="头像")).to_be_hidden()


async def test_a_borrowed_expert_had_an_empty_field_of_instructions(
    studio: World, visit: Visits, browser: Browser
) -> None:
    """T5: who borrows sees what it is, and neither a blank where its instructions are nor signs to choose from."""
    assert (await studio.api.post("/api/users", {"id": "lin", "name": "林晓"})).status == 201
    lent = {"id": "lent", "name": "借出", "instructions": "秘密", "shared_with": ["lin"]}
    assert (await studio.api.post("/api/agents", lent)).status == 201
    link = (await studio.api.post("/api/users/lin/login-links")).body["url"]
    async with visitor(browser, studio.program.url, token="") as lin:
        await lin.page.goto(link)
        await lin.go("experts/lent")
        await expect(lin.page.get_by_label("名称", exact=True)).to_have_value("借出")
        await expect(lin.page.get_by_label("说明", exact=True)).to_have_count(0)
        await expect(lin.page.get_by_role("radiogroup", name="头像")).to_be_hidden()


async def test_experts_and_teams_stand_apart(studio: World, visit: Visits) -> None:
    """My experts are no teams; a team is only made and changed on its page, one talks to it from the sidebar."""
    async with visit() as ann:
        await ann.go("experts")
        await expect(ann.page.locator(".card", has_text="研究员")).to_be_visible()
        await expect(ann.page.locator(".card", has_text="内容工作室")).to_have_count(0)
        await ann.link("我的团队").click()
        card = ann.page.locator(".card", has_text="内容工作室")
        await expect(card).to_be_visible()
        await expect(card.get_by_role("link")).to_have_count(1)
        await expect(card.get_by_role("link")).to_have_attribute("href", "#/teams/studio")


async def test_a_template_becomes_an_expert_of_mine(studio: World, visit: Visits) -> None:
    """The market: use one, then publish it for others, then take it back."""
    async with visit() as ann:
        await ann.go("market")
        card = ann.page.locator(".card").first
        name = await card.get_by_role("heading").inner_text()
        await card.get_by_role("button").click()
        await expect(ann.page.get_by_role("heading", level=1)).to_have_text(name)
        await ann.button("发布到专家市场").click()
        await expect(ann.button("从专家市场撤下")).to_be_visible()
        await ann.go("market")
        await expect(ann.page.locator(".card", has_text="大家发布")).to_have_count(1)


async def test_an_expert_is_deleted_after_a_question(studio: World, visit: Visits) -> None:
    assert (await studio.api.post("/api/agents", {"id": "guest", "name": "过客"})).status == 201
    async with visit() as ann:
        await ann.go("experts/guest")
        await ann.button("删除").click()
        await ann.page.get_by_role("dialog").get_by_role("button", name="取消").click()
        await ann.button("删除").click()
        await ann.page.get_by_role("dialog").get_by_role("button", name="删除").click()
        await expect(ann.page.get_by_role("heading", name="专家与团队")).to_be_visible()
        await expect(ann.page.locator(".card", has_text="过客")).to_have_count(0)
