"""Live text: what it costs, what it never does, and how it ends."""

import asyncio
from dataclasses import replace
from itertools import pairwise

import pytest

from channels.errors import LiveLost
from channels.types import LivePost, Retryable, Sent
from tests.support.telegram.faults import Fault, Kind, busy, refuse
from tests.unit.channels.telegram.conftest import Line, final, post

WORDS = ["很", "长", "的", "话", "。"] * 180
PRIVATE = post(chat_id="42", chat_type="private")


@pytest.fixture(autouse=True)
async def started(line: Line) -> None:
    await line.start()


async def grow(line: Line, opened: LivePost, seconds: float) -> str:
    """900 tokens over so many seconds; the whole text."""
    text = ""
    for word in WORDS:
        text += word
        await line.channel.grow(opened, text)
        await line.clock.advance(seconds / len(WORDS))
        await line.during(_nothing())
    return text


async def begin(line: Line, live: LivePost, text: str = "我") -> LivePost:
    assert line.channel.streams(live)
    return replace(live, handle=await line.channel.open(live, text))


@pytest.mark.parametrize("seconds", [5, 30, 300])
async def test_900_tokens_in_a_group_cost_at_most_six_calls(line: Line, seconds: float) -> None:
    """Issue 3, 4: the first, some edits, and the final words, which are complete."""
    opened = await begin(line, post())
    text = await grow(line, opened, seconds)
    outcome = await line.during(line.channel.finish(opened, final(text, chat_id="-100")))
    assert isinstance(outcome, Sent)
    assert len([call for call in line.api.calls if call.chat == "-100"]) <= 6
    (shown,) = line.api.rooms[-100].heard
    assert shown.text == f"研究员：{text.strip()}"
    assert shown.styled("bold") == ["研究员："]
    assert all(earlier.startswith("研究员：") for earlier in shown.edits)


async def test_a_private_chat_sees_a_draft_once_a_second_at_most(line: Line) -> None:
    """Issue 3, 4: paced, each frame the newest text; the real message ends it."""
    opened = await begin(line, PRIVATE)
    assert opened.handle == ""
    text = await grow(line, opened, 20)
    drafts = line.api.of("sendMessageDraft")
    assert 10 <= len(drafts) <= line.clock.monotonic()
    assert all(later.at - earlier.at > 0.9 for earlier, later in pairwise(drafts))
    assert len({call.args["draft_id"] for call in drafts}) == 1
    assert isinstance(await line.during(line.channel.finish(opened, final(text))), Sent)
    assert line.shown(42) == [f"研究员：{text.strip()}"]
    assert line.api.rooms[42].draft is None
    assert line.api.flood.refused == 0


async def test_one_speaker_at_a_time_writes_a_draft(line: Line) -> None:
    """Issue 3, 4: two drafts would take each other's place; who waits is shown when the other has finished."""
    first = await begin(line, PRIVATE)
    second = await begin(line, replace(PRIVATE, id="00000000-0000-0000-0000-000000000002", label="写手："))
    for text in ("一", "一二", "一二三"):
        await line.channel.grow(first, text)
        await line.channel.grow(second, text)
        await line.clock.advance(2)
    assert {draft["text"][:3] for draft in line.api.rooms[42].drafts} == {"研究员"}
    await line.during(line.channel.finish(first, final()))
    await line.clock.advance(5)
    await line.channel.grow(second, "更多")
    await line.during(line.api.until(lambda api: api.rooms[42].drafts[-1]["text"] == "写手：更多"))


async def test_a_draft_that_stands_still_does_not_vanish(line: Line) -> None:
    """Facts: a draft lives 30 seconds; tools may take longer."""
    await begin(line, PRIVATE)
    await line.during(line.api.until(lambda api: bool(api.rooms[42].drafts)))
    at = line.clock.monotonic()
    await line.during(line.api.until(lambda api: len(api.rooms[42].drafts) > 1))
    assert line.clock.monotonic() - at < 30


async def test_live_text_leaves_the_budget_to_what_must_arrive(line: Line) -> None:
    """Issue 3, 4: finals first; a busy group gets no live text."""
    for number in range(13):
        await line.during(line.channel.send(final(chat_id="-100", delivery_id=f"d{number}")))
    assert not line.channel.streams(post())
    with pytest.raises(LiveLost):
        await line.channel.open(post(), "我")
    assert isinstance(await line.channel.send(final(chat_id="-100")), Sent)


@pytest.mark.parametrize("fault", [busy(9), refuse(400, "Bad Request: x"), refuse(403, "F")])
async def test_a_live_message_that_cannot_begin_is_lost_and_the_final_is_sent(line: Line, fault: Fault) -> None:
    """Issue 3, 4: the final text is complete, also if every live call failed; a refusal is an answer, so no mark."""
    line.api.script.add("sendMessage", fault)
    with pytest.raises(LiveLost):
        await line.channel.open(post(), "我")
    await line.clock.advance(10)
    assert isinstance(await line.during(line.channel.finish(post(), final(chat_id="-100"))), Sent)
    assert line.shown(-100)[-1] == "研究员：找到了"


async def test_failing_edits_lose_no_word(line: Line) -> None:
    """Issue 3, 4."""
    line.api.script.add("editMessageText", *(Fault(kind="status", code=502) for _ in range(3)))
    opened = await begin(line, post())
    text = await grow(line, opened, 30)
    assert isinstance(await line.during(line.channel.finish(opened, final(text, chat_id="-100"))), Sent)
    assert line.shown(-100) == [f"研究员：{text.strip()}"]


async def test_a_slow_frame_never_arrives_behind_the_final_words(line: Line) -> None:
    """T35: the final waits for the frame that is under way."""
    opened = await begin(line, post())
    slow = Fault(kind="hang_after")
    line.api.script.add("editMessageText", slow)
    await line.channel.grow(opened, "我们")
    await line.during(line.api.until(lambda api: bool(api.of("editMessageText"))))
    finishing = asyncio.ensure_future(line.channel.finish(opened, final(chat_id="-100")))
    for _ in range(50):
        await line.during(_nothing())
    assert len(line.api.of("editMessageText")) == 1
    slow.gate.set()
    assert isinstance(await line.during(finishing), Sent)
    assert line.shown(-100) == ["研究员：找到了"]


async def test_an_edit_that_changes_nothing_is_success(line: Line) -> None:
    """Issue 3, 5: "not modified"; so a final that is repeated after a kill shows one message."""
    opened = await begin(line, post(), "找到了")
    for _ in range(2):
        outcome = await line.during(line.channel.finish(opened, final(chat_id="-100")))
        assert outcome == Sent(platform_id=opened.handle)
    assert line.shown(-100) == ["研究员：找到了"]


async def test_an_edit_in_doubt_is_simply_repeated(line: Line) -> None:
    """Architecture 7: edits are idempotent, so there is no ↻."""
    opened = await begin(line, post())
    line.api.script.add("editMessageText", Fault(kind="cut_after"))
    assert isinstance(await line.channel.finish(opened, final(chat_id="-100")), Retryable)
    outcome = await line.during(line.channel.finish(opened, final(chat_id="-100", again=True)))
    assert outcome == Sent(platform_id=opened.handle)
    assert line.shown(-100) == ["研究员：找到了"]


async def test_a_live_message_that_somebody_deleted_is_sent_anew(line: Line) -> None:
    opened = await begin(line, post())
    line.api.rooms[-100].heard[0].deleted = True
    assert isinstance(await line.during(line.channel.finish(opened, final(chat_id="-100"))), Sent)
    assert line.shown(-100) == ["研究员：找到了"]


async def test_a_final_that_is_a_file_takes_the_place_of_its_live_message(line: Line) -> None:
    opened = await begin(line, post())
    outcome = await line.during(line.channel.finish(opened, final("长" * 30_000, chat_id="-100")))
    assert isinstance(outcome, Sent)
    (shown,) = line.api.rooms[-100].heard
    assert shown.document


async def test_a_turn_without_words_leaves_no_message_open(line: Line) -> None:
    """Contract 8: a crash or a failure leaves no live message open."""
    opened = await begin(line, post())
    assert await line.during(line.channel.abandon(opened)) == Sent()
    assert line.shown(-100) == []
    assert await line.during(line.channel.abandon(opened)) == Sent()
    assert await line.channel.abandon(PRIVATE) == Sent()


async def test_live_text_longer_than_a_message_shows_its_end(line: Line) -> None:
    opened = await begin(line, PRIVATE)
    await line.channel.grow(opened, "长" * 9000 + "尾")
    await line.during(line.api.until(lambda api: bool(api.rooms[42].drafts)))
    shown = line.api.rooms[42].drafts[-1]["text"]
    assert shown.startswith("研究员：…")
    assert shown.endswith("尾")
    assert line.api.of("sendMessageDraft")[-1].executed


async def test_an_old_server_is_asked_for_drafts_once(line: Line) -> None:
    """Issue 3, 4: no cascade; the chat gets typing signs."""
    line.api.has_drafts = False
    opened = await begin(line, PRIVATE)
    await line.during(line.api.until(lambda api: bool(api.of("sendMessageDraft"))))
    for _ in range(20):
        await line.clock.advance(0.1)
        await line.during(_nothing())
    with pytest.raises(LiveLost):
        await line.channel.grow(opened, "我们")
    assert not line.channel.streams(replace(PRIVATE, id="00000000-0000-0000-0000-000000000002"))
    assert len(line.api.of("sendMessageDraft")) == 1
    assert isinstance(await line.during(line.channel.finish(opened, final())), Sent)


async def _nothing() -> None:
    """Lets the network catch up."""


async def test_typing_lasts_as_long_as_the_work_and_is_the_first_to_be_left_out(line: Line) -> None:
    """Issue 3, 4: in a topic, the sign is shown there."""
    room = line.api.room(-1008, "supergroup", is_forum=True)
    await line.channel.typing("42", "", [post().speaker])
    await line.channel.typing("-1008", "7", [post().speaker])
    for _ in range(20):
        await line.clock.advance(1)
        await line.during(_nothing())
    signs = len(line.api.rooms[42].actions)
    assert 4 <= signs <= 6
    assert {action["thread"] for action in room.actions} == {7}
    assert len(room.actions) <= 3
    await line.channel.typing("42", "", [])
    await line.channel.typing("-1008", "7", [])
    for _ in range(20):
        await line.clock.advance(1)
    assert len(line.api.rooms[42].actions) == signs


async def test_a_mark_is_set_and_taken_away(line: Line) -> None:
    """Issue 3, 7: 👀 while somebody works; taken away even if the budget is short just then."""
    question = line.ann().message(text="?")["message_id"]
    await line.channel.react("42", str(question), seen=True)
    mark = line.api.rooms[42].find(question)
    assert mark is not None
    assert mark.reactions == ["👀"]
    for number in range(3):
        await line.during(line.channel.send(final(delivery_id=f"d{number}")))
    await line.channel.react("42", str(question), seen=False)
    await line.during(line.api.until(lambda _: mark.reactions == []))


async def test_a_group_that_forbids_marks_is_left_in_peace(line: Line) -> None:
    line.api.script.add("setMessageReaction", refuse(400, "Bad Request: REACTION_INVALID"))
    await line.channel.react("-100", "1", seen=True)


@pytest.mark.parametrize("kind", ["cut_after", "garbage"])
async def test_first_words_that_may_stand_there_are_followed_by_marked_final_words(line: Line, kind: Kind) -> None:
    """R1, contract 3: found by a campaign; nobody knows the number of the live message, so the final one says ↻."""
    line.api.script.add("sendMessage", Fault(kind=kind))
    with pytest.raises(LiveLost):
        await line.during(line.channel.open(post(), "找"))
    assert isinstance(await line.during(line.channel.finish(post(), final(chat_id="-100"))), Sent)
    assert line.shown(-100) == ["研究员：找", "↻ 研究员：找到了"]


async def test_words_of_a_killed_process_whose_number_was_not_kept_may_stand_there(line: Line) -> None:
    """R1: the intent is known, the answer is not."""
    line.group()
    assert isinstance(await line.during(line.channel.finish(post(), final(chat_id="-100"))), Sent)
    assert line.shown(-100) == ["↻ 研究员：找到了"]
