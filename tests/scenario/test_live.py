"""Live frames: what a client sees while it happens, and after it comes back (contract 6)."""

from typing import Any

import pytest
from aiohttp import WSServerHandshakeError

from tests.support.api import Frame, Live
from tests.support.casts import ASK, FINDINGS, WRAP_UP, cast, planner, round_of
from tests.support.gate import Gate
from tests.support.model_reply import Cut, act, say
from tests.support.world import World

QUESTION = f"{ASK}，绿茶市场怎么样？"


async def _session(studio: World) -> str:
    reply = await studio.api.post("/api/sessions", {"agent_id": "studio"})
    return str(reply.body["id"])


async def _asks(studio: World, session_id: str, text: str = QUESTION) -> None:
    reply = await studio.api.post(f"/api/sessions/{session_id}/inputs", {"text": text})
    assert reply.status == 202, reply.body


def _ended(live: Live) -> Any:
    """Until the host's turn after the results is over."""
    return lambda frames: "wrapup" in live.kinds() and live.kinds()[-1] == "turn_ended"


def _deltas(frames: list[Frame]) -> list[Frame]:
    return [frame for frame in frames if frame["type"] == "delta"]


async def test_events_come_without_gap_or_repeat(studio: World) -> None:
    """From the start, and again from the middle: `after` continues exactly there."""
    studio.model.play = round_of()
    session_id = await _session(studio)
    async with studio.api.live(session_id) as live:
        await _asks(studio, session_id)
        await live.until(_ended(live))
        seqs = [event["seq"] for event in live.events()]
        assert seqs == list(range(1, len(seqs) + 1))
    async with studio.api.live(session_id, after=seqs[3]) as resumed:
        await resumed.until(lambda frames: len(resumed.events()) == len(seqs) - seqs[3])
        assert resumed.events() == live.events()[seqs[3] :]


async def test_deltas_add_up_to_the_text_that_is_stored(studio: World) -> None:
    """Offsets count characters, emoji included; what is shown at the end is the message."""
    gate, words = Gate(), ("绿茶🍵", "市场", "很好。")
    studio.model.play = cast(lambda request: say(*words, gate))
    session_id = await _session(studio)
    async with studio.api.live(session_id) as live:
        await _asks(studio, session_id)
        await live.until(lambda frames: live.shown() == "".join(words))
        assert all(set(frame) >= {"turn_id", "speaker", "offset", "text"} for frame in _deltas(live.frames))
        gate.open()
        await live.until(lambda frames: "turn_ended" in live.kinds())
        (message,) = [event for event in live.events() if event["kind"] == "host_message"]
        assert (message["text"], message["turn_id"]) == ("".join(words), _deltas(live.frames)[0]["turn_id"])


async def test_a_joiner_gets_the_text_so_far_first(studio: World) -> None:
    gate, end = Gate(), Gate()
    studio.model.play = cast(lambda request: say("说到一半，", gate, "说完了。", end))
    session_id = await _session(studio)
    async with studio.api.live(session_id) as first:
        await _asks(studio, session_id)
        await first.until(lambda frames: bool(_deltas(frames)))
        async with studio.api.live(session_id) as late:
            await late.until(lambda frames: bool(_deltas(frames)))
            joined = _deltas(late.frames)[0]
            assert (joined["offset"], joined["text"]) == (0, "说到一半，")
            gate.open()
            await late.until(lambda frames: late.shown() == "说到一半，说完了。")
            await first.until(lambda frames: first.shown() == "说到一半，说完了。")
    end.open()


async def test_a_retried_response_starts_over(studio: World) -> None:
    """An offset below what was shown replaces everything from there."""
    first, second = Gate(), Gate()
    answers = iter([act("错误的半句", first, Cut()), say("对的。", second)])
    studio.model.play = cast(lambda request: next(answers))
    session_id = await _session(studio)
    async with studio.api.live(session_id) as live:
        await _asks(studio, session_id)
        await live.until(lambda frames: live.shown() == "错误的半句")
        first.open()
        await live.until(lambda frames: live.shown() == "对的。")
        second.open()
        await live.until(lambda frames: "turn_ended" in live.kinds())
        assert [event["text"] for event in live.events() if event["kind"] == "host_message"] == ["对的。"]


async def test_members_talk_in_the_room_under_their_names(studio: World) -> None:
    """T8, contract 6: members' deltas appear in the room with their speaker; frames carry agent and agent_id."""
    gate = Gate()
    studio.model.play = cast(
        planner(*FINDINGS), **dict.fromkeys(FINDINGS, lambda request: say(FINDINGS[request.asker], gate))
    )
    session_id = await _session(studio)
    async with studio.api.live(session_id) as live:
        await _asks(studio, session_id)
        await live.until(lambda frames: {frame["speaker"]["id"] for frame in _deltas(frames)} >= set(FINDINGS))
        gate.open()
        await live.until(_ended(live))
        for frame in live.frames:
            speaker = frame["speaker"] if frame["type"] == "delta" else frame["event"]["speaker"]
            if speaker["role"] == "member":
                assert (frame["agent_id"], frame["agent"]) == (speaker["id"], speaker["name"])
        ends = [f for f in live.frames if f["type"] == "event" and f["event"]["kind"] == "turn_ended"]
        assert all("agent" not in frame and "agent_id" not in frame for frame in ends)


async def test_two_watchers_see_the_same(studio: World) -> None:
    studio.model.play = round_of()
    session_id = await _session(studio)
    async with studio.api.live(session_id) as one, studio.api.live(session_id) as two:
        await _asks(studio, session_id)
        await one.until(_ended(one))
        await two.until(_ended(two))
        assert one.events() == two.events()
        assert one.events()[-2]["text"] == WRAP_UP or WRAP_UP in [event["text"] for event in one.events()]


async def test_a_client_resumes_after_the_program_was_killed(studio: World) -> None:
    """R1, contract 6: no gap, no repeat over a kill -9."""
    gate = Gate()
    studio.model.play = cast(planner("researcher"), researcher=lambda request: say(gate, FINDINGS["researcher"]))
    session_id = await _session(studio)
    async with studio.api.live(session_id) as before:
        await _asks(studio, session_id)
        await before.until(lambda frames: "job_dispatched" in before.kinds())
        await studio.program.kill()
    await studio.program.start()
    seen = before.events()[-1]["seq"]
    async with studio.api.live(session_id, after=seen) as after:
        gate.open()
        await after.until(_ended(after))
        seqs = [event["seq"] for event in before.events() + after.events()]
        assert seqs == list(range(1, len(seqs) + 1))
        kinds = before.kinds() + after.kinds()
        assert [kinds.count(kind) for kind in ("job_dispatched", "member_message", "wrapup")] == [1, 1, 1]


async def test_an_unknown_session_is_refused_at_the_handshake(studio: World) -> None:
    with pytest.raises(WSServerHandshakeError) as refused:
        async with studio.api.live("none"):
            pass
    assert refused.value.status == 404
