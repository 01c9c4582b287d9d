"""Live cards: they grow, they end, and none is left on "generating"."""

from tests.support.casts import ASK, FINDINGS, always, cast, planner, round_of
from tests.support.feishu.cards import Card
from tests.support.feishu.faults import refuse
from tests.support.feishu.world import FeishuWorld
from tests.support.gate import Gate
from tests.support.model_reply import cut, fault, say

QUESTION = f"{ASK}，绿茶市场怎么样？"


def _cards(lark: FeishuWorld, chat: str) -> list[Card]:
    state = lark.feishu.state
    return [
        card for card in state.cards.all.values() if card.message_id and state.messages[card.message_id].chat_id == chat
    ]


async def test_the_live_card_is_the_final_message(lark: FeishuWorld) -> None:
    """T35: one message, its text extended; the numbers rise, at most five updates a second."""
    first, second = Gate(), Gate()
    lark.model.play = cast(lambda _: say("春眠", first, "不觉晓，", second, "处处闻啼鸟。"))
    ann = lark.person()
    await ann.say("念诗")
    await lark.feishu.until(lambda _: [seen.text for seen in ann.heard] == ["春眠"])
    assert ann.heard[0].is_growing
    first.open()
    await lark.feishu.until(lambda _: [seen.text for seen in ann.heard] == ["春眠不觉晓，"])
    second.open()
    (heard,) = await ann.hears(1)
    assert (heard.title, heard.text, heard.is_growing) == ("内容工作室", "春眠不觉晓，处处闻啼鸟。", False)
    (card,) = _cards(lark, ann.room.id)
    assert card.sequences == sorted(set(card.sequences))
    assert all(after.startswith(before) for before, after in zip(card.frames, card.frames[1:], strict=False))
    assert max(sum(at <= other < at + 1 for other in card.times) for at in card.times) <= 5
    assert card.content["config"]["summary"]["content"].startswith("内容工作室 春眠")


async def test_a_code_block_that_is_still_open_is_closed_in_every_frame(lark: FeishuWorld) -> None:
    gate = Gate()
    lark.model.play = cast(lambda _: say("看：\n```py\nprint(1)\n", gate, "```\n完"))
    ann = lark.person()
    await ann.say("写代码")
    await lark.feishu.until(lambda _: bool(ann.heard))
    assert ann.heard[0].text == "看：\n```python\nprint(1)\n\n```" or ann.heard[0].text.count("```") == 2
    gate.open()
    (heard,) = await ann.hears(1)
    assert heard.text == "看：\n```python\nprint(1)\n```\n完"


async def test_members_grow_side_by_side_each_under_its_own_name(lark: FeishuWorld) -> None:
    """T8, T35: a card for each, and the wrap-up below them."""
    gate = Gate()
    lark.model.play = cast(
        planner(*FINDINGS),
        researcher=lambda _: say("查到", gate, "三份资料。"),
        writer=lambda _: say("初稿", gate, "写好了。"),
    )
    ann = lark.person()
    await ann.say(QUESTION)
    await lark.feishu.until(lambda _: sum(seen.is_growing for seen in ann.heard) == 2)
    growing = {(seen.title, seen.text) for seen in ann.heard if seen.is_growing}
    assert growing == {("研究员", "查到"), ("写手", "初稿")}
    assert all(seen.buttons == () for seen in ann.heard if seen.is_growing)
    gate.open()
    heard = await ann.hears_end()
    assert [seen.title for seen in heard][-1] == "【主持人总结】"
    assert len(heard) == 6


async def test_an_answer_that_fails_leaves_no_card_open(lark: FeishuWorld) -> None:
    """Contract 8: the card says what became of it, in the colour of a failure."""
    answers = iter([cut("开头"), fault(401, message="no")])
    lark.model.play = cast(lambda _: next(answers))
    ann = lark.person()
    await ann.say("讲")
    (heard,) = await ann.hears(1)
    assert "模型暂时无法回答" in heard.text
    assert heard.colour == "red"
    assert not any(card.is_streaming for card in _cards(lark, ann.room.id))
    assert not any(seen.buttons for seen in ann.heard)


async def test_no_call_is_made_while_nothing_happens(lark: FeishuWorld) -> None:
    """Issue 5.5: the month's quota of calls is not spent on watching."""
    lark.model.play = round_of()
    ann = lark.person()
    question = await ann.say(QUESTION)
    await ann.hears_end()
    await lark.feishu.until(lambda server: bool(server.of("unreact", chat=ann.room.id)))
    assert question.marks == {}
    spent = len(lark.feishu.calls)
    await lark.feishu.connections.push(b'{"schema":"2.0","header":{"event_type":"x.y"},"event":{}}')
    assert len(lark.feishu.calls) == spent


async def test_a_question_is_marked_while_it_is_worked_on(lark: FeishuWorld) -> None:
    """The first words may take a while; afterwards the mark is gone."""
    gate = Gate()
    lark.model.play = cast(lambda _: say(gate, "好。"))
    ann = lark.person()
    question = await ann.say("想一想")
    await lark.feishu.until(lambda _: list(question.marks.values()) == ["OnIt"])
    gate.open()
    await ann.hears(1)
    await lark.feishu.until(lambda _: question.marks == {})


async def test_live_cards_that_the_app_may_not_make_are_done_without(lark: FeishuWorld) -> None:
    """A missing permission costs beauty, never content."""
    lark.feishu.script.add("make_card", refuse(99991672, "Access denied: cardkit:card:write"))
    lark.model.play = cast(always("照样", "回答。"))
    ann = lark.person()
    await ann.say("在吗")
    (heard,) = await ann.hears(1)
    assert heard.text == "照样回答。"
