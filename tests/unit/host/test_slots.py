"""C8: the slots of a tree, in themselves: who comes first, who rests, who is cancelled."""

import asyncio
from contextlib import AsyncExitStack

from host.slots import MOST, Lease, Slots
from tests.support.clock import FakeClock, settle


async def fill(slots: Slots, clock: FakeClock, stack: AsyncExitStack, count: int = MOST) -> list[Lease]:
    return [await stack.enter_async_context(slots.held("tree", clock)) for _ in range(count)]


async def test_of_two_runs_for_the_last_slot_the_first_gets_it(clock: FakeClock) -> None:
    slots, order = Slots(), list[str]()
    let_go = asyncio.Event()

    async def run(name: str) -> None:
        async with slots.held("tree", clock):
            order.append(name)
            await let_go.wait()

    async with AsyncExitStack() as stack:
        await fill(slots, clock, stack, MOST - 1)
        both = [asyncio.create_task(run(name)) for name in ("first", "second")]
        await settle()
        assert order == ["first"]
        assert slots.is_full("tree")
        let_go.set()
        await asyncio.gather(*both)
        assert order == ["first", "second"]


async def test_trees_do_not_share(clock: FakeClock) -> None:
    slots = Slots()
    async with AsyncExitStack() as stack:
        await fill(slots, clock, stack)
        async with slots.held("another", clock):
            assert not slots.is_full("another")
    assert not slots.is_full("tree")


async def test_who_rests_makes_room_and_waits_for_its_return(clock: FakeClock) -> None:
    slots = Slots()
    async with AsyncExitStack() as stack:
        lease, *_ = await fill(slots, clock, stack)
        guest = AsyncExitStack()

        async def rest() -> None:
            async with lease.resting():
                await fill(slots, clock, guest, 1)
                clock._seconds += 60

        back = asyncio.create_task(rest())
        await settle()
        clock._seconds += 30
        assert not back.done()
        await guest.aclose()
        await back
        assert lease.rested == 90
        assert slots.is_full("tree")


async def test_two_calls_that_wait_side_by_side_come_back_once(clock: FakeClock) -> None:
    slots, ends = Slots(), [asyncio.Event(), asyncio.Event()]
    async with AsyncExitStack() as stack:
        lease, *_ = await fill(slots, clock, stack)

        async def rest(end: asyncio.Event) -> None:
            async with lease.resting():
                await end.wait()

        both = [asyncio.create_task(rest(end)) for end in ends]
        await settle()
        ends[0].set()
        await both[0]
        assert not slots.is_full("tree")
        ends[1].set()
        await both[1]
        assert slots.is_full("tree")
    assert not slots.is_full("tree")


async def test_a_run_that_is_cancelled_while_it_rests_takes_no_slot(clock: FakeClock) -> None:
    slots = Slots()
    async with AsyncExitStack() as stack:
        await fill(slots, clock, stack, MOST - 1)

        async def run() -> None:
            async with slots.held("tree", clock) as lease, lease.resting():
                await asyncio.Event().wait()

        running = asyncio.create_task(run())
        await settle()
        running.cancel()
        await asyncio.wait([running])
        await fill(slots, clock, stack, 1)
        assert slots.is_full("tree")
