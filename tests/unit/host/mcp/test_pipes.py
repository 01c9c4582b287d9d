"""Servers over pipes: kept and shared, restarted, floods endured, ended with everything they started."""

import asyncio
import os
import signal
from pathlib import Path

import pytest
import structlog

from host.errors import Interrupted, ServerDown, ToolFault
from host.mcp.offer import Offers
from host.mcp.process import start_child
from host.mcp.server import Server
from host.mcp.spec import Patience, ServerSpec
from tests.support.clock import FakeClock
from tests.support.mcp_server import TOOLS, command, is_alive
from tests.unit.host.mcp.conftest import HASTY, Diary, Hire, eventually

SLOWLY = Patience(run=0.3, opening=0.6, listing=0.3, call=30)


def names(offers: Offers) -> list[str]:
    return [offer.name for offer in offers.fit]


async def said(server: Server, tool: str, **arguments: object) -> object:
    return (await server.call(tool, arguments))["content"]


async def dead(*pids: int) -> None:
    """Until none of them is alive."""
    await eventually(lambda: not any(is_alive(pid) for pid in pids))


async def test_nothing_is_started_before_it_is_needed_and_then_it_is_shared(hire: Hire, diary: Diary) -> None:
    """Issue: opened when the first agent needs them, kept open and shared."""
    server = hire(diary.spec())
    assert diary.pids == []
    both = await asyncio.gather(server.offers(), server.offers())
    assert [names(each) for each in both] == [[tool["name"] for tool in TOOLS]] * 2
    assert await said(server, "echo", text="hi") == [{"type": "text", "text": "echo hi"}]
    assert len(diary.pids) == 1


async def test_a_server_ends_with_all_that_it_started(hire: Hire, diary: Diary) -> None:
    """R7: the whole group goes, also those who ignore a closed input and SIGTERM."""
    server = hire(diary.spec("parent", "stubborn"))
    await server.offers()
    leader, child = diary.pids
    assert os.getpgid(child) == leader
    await server.stop()
    await dead(leader, child)


async def test_a_server_that_dies_takes_what_it_started_with_it(hire: Hire, diary: Diary) -> None:
    server = hire(diary.spec("parent"))
    await server.offers()
    leader, child = diary.pids
    with pytest.raises(Interrupted):
        await server.call("die", {})
    await dead(leader, child)


async def test_a_server_that_is_killed_is_started_again_when_it_is_needed(hire: Hire, diary: Diary) -> None:
    server = hire(diary.spec())
    await server.offers()
    os.kill(diary.pids[0], signal.SIGKILL)
    await eventually(server._is_lost)
    assert len(names(await server.offers())) == len(TOOLS)
    assert len(diary.pids) == 2


async def test_a_call_that_the_server_does_not_survive_is_interrupted(hire: Hire, diary: Diary) -> None:
    """Architecture 8: an unsafe call that was cut is reported as interrupted; the next one finds a new server."""
    server = hire(diary.spec())
    with pytest.raises(Interrupted, match="unknown whether"):
        await server.call("die", {})
    assert await said(server, "echo", text="again") == [{"type": "text", "text": "echo again"}]
    assert len(diary.pids) == 2


async def test_a_server_that_goes_on_failing_is_left_alone_longer_and_longer(
    hire: Hire, diary: Diary, clock: FakeClock
) -> None:
    """Issue: restarted with back-off."""
    server = hire(diary.spec("dead"))

    async def starts() -> int:
        with pytest.raises(ServerDown, match="ended with code 1; it said last: no licence"):
            await server.offers()
        return len(diary.pids)

    assert [await starts() for _ in range(4)] == [1, 2, 2, 2]
    await clock.advance(4)
    assert [await starts() for _ in range(2)] == [3, 3]
    await clock.advance(7)
    assert await starts() == 3
    await clock.advance(1)
    assert await starts() == 4


async def test_what_failed_once_may_come_at_once(hire: Hire, diary: Diary) -> None:
    server = hire(diary.spec("once"))
    with pytest.raises(ServerDown):
        await server.offers()
    assert names(await server.offers())


async def test_a_command_that_is_not_there_says_so(hire: Hire) -> None:
    server = hire(ServerSpec(name="docs", command=("/nowhere/docs-mcp",)))
    with pytest.raises(ServerDown, match="cannot be started: No such file"):
        await server.offers()


async def test_a_server_that_says_nothing_is_waited_for_only_so_long(hire: Hire, diary: Diary) -> None:
    """Issue: a run waits a little, the opening goes on, and is given up in its turn."""
    server = hire(diary.spec("mute"), SLOWLY)
    with pytest.raises(ServerDown, match="does not answer yet"):
        await server.offers()
    async with asyncio.timeout(10):
        while True:
            with pytest.raises(ServerDown) as down:
                await server.offers()
            if down.value.reason == "no answer within 0.6 s":
                break
    await dead(diary.pids[0])


async def test_a_hanging_list_is_given_up(hire: Hire, diary: Diary) -> None:
    server = hire(diary.spec("late"), HASTY)
    with pytest.raises(ServerDown, match="no answer to tools/list within"):
        await server.offers()


async def test_a_call_has_its_time(hire: Hire, diary: Diary) -> None:
    """Issue: a call has a time cap; the server lives on."""
    server = hire(diary.spec(), HASTY)
    await server.offers()
    with pytest.raises(ToolFault, match=r"no answer within 0\.5 seconds"):
        await server.call("hang", {})
    assert await said(server, "peek") == [{"type": "text", "text": "peeked"}]
    assert len(diary.pids) == 1


async def test_a_run_that_ends_takes_its_call_along(hire: Hire, diary: Diary) -> None:
    """Issue: a call is cancelled with the run, and costs the others nothing."""
    server = hire(diary.spec())
    await server.offers()
    hanging = asyncio.create_task(server.call("hang", {}))
    await said(server, "peek")
    hanging.cancel()
    await asyncio.wait({hanging}, timeout=1)
    assert hanging.cancelled()
    assert await said(server, "peek") == [{"type": "text", "text": "peeked"}]


async def test_stopping_in_the_middle_of_an_opening_leaves_nothing(hire: Hire, diary: Diary) -> None:
    """R7: stop at any moment."""
    server = hire(diary.spec("mute", "stubborn"), Patience(run=0.2, opening=60))
    with pytest.raises(ServerDown):
        await server.offers()
    await server.stop()
    await dead(*diary.pids)


@pytest.mark.parametrize("manner", ["flood", ""])
async def test_a_flood_ends_the_server_and_nothing_else(hire: Hire, diary: Diary, manner: str) -> None:
    """R6: memory is bounded, also against a server that writes without end."""
    server = hire(diary.spec(manner))
    with pytest.raises((ServerDown, Interrupted), match=r"floods its output|was lost during this call"):
        await server.call("gush", {})
    await dead(diary.pids[0])


async def test_complaints_are_logged_but_not_without_end(hire: Hire, diary: Diary) -> None:
    """Issue: stderr goes line by line into our log, capped."""
    server = hire(diary.spec())
    with structlog.testing.capture_logs() as entries:
        assert await said(server, "mutter")
        await eventually(lambda: bool(entries))
        await server.stop()
    lines = [entry["line"] for entry in entries if entry["event"] == "A tool server said"]
    assert len(lines) == 60
    assert lines[:2] == ["x" * 1000, "a line of complaint"]


async def test_nonsense_between_the_messages_is_passed_over(hire: Hire, diary: Diary) -> None:
    server = hire(diary.spec("babble"))
    assert names(await server.offers())
    assert await said(server, "echo", text="hi") == [{"type": "text", "text": "echo hi"}]


async def test_answers_to_nobody_are_passed_over(hire: Hire, diary: Diary) -> None:
    server = hire(diary.spec())
    assert await said(server, "misdirect") == [{"type": "text", "text": "at last"}]


async def test_new_tools_are_seen_in_the_next_run(hire: Hire, diary: Diary) -> None:
    server = hire(diary.spec())
    await server.offers()
    await server.call("learn", {})
    assert names(await server.offers())[-1] == "peel"


async def test_a_silent_server_is_asked_for_a_sign_of_life(hire: Hire, diary: Diary, clock: FakeClock) -> None:
    """Issue: ping; a server that hangs is replaced before a run relies on it."""
    server = hire(diary.spec(), HASTY)
    await server.offers()
    os.kill(diary.pids[0], signal.SIGSTOP)
    await clock.advance(HASTY.idle + 1)
    assert names(await server.offers())
    first, second = diary.pids
    assert is_alive(second)
    await dead(first)


async def test_a_child_sees_nothing_of_our_secrets(hire: Hire, diary: Diary, monkeypatch: pytest.MonkeyPatch) -> None:
    """X5: keys in our environment are not a tool server's business."""
    monkeypatch.setenv("MODEL_API_KEY", "sk-secret")
    server = hire(diary.spec())
    [part] = (await server.call("environment", {}))["content"]
    seen = part["text"].split(",")
    assert {"DIARY", "PATH"} <= set(seen)
    assert "MODEL_API_KEY" not in seen


async def test_a_child_whose_parent_is_gone_goes_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """R1: after kill -9 nothing is left: the child's input closes with us."""
    diary = Diary(tmp_path / "diary")
    child = await start_child(command(), {"DIARY": str(diary.path)})
    await eventually(lambda: bool(diary.pids))
    assert child._process.stdin is not None
    child._process.stdin.close()
    await asyncio.wait_for(child.exited.wait(), 10)
    await child.end()
