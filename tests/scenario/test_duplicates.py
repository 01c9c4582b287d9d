"""The same message again: whatever the platform or the network repeats is handled once (R2, contract 4)."""

import asyncio

from tests.support.casts import ASK, round_of
from tests.support.world import World

QUESTION = f"{ASK}，绿茶市场怎么样？"


async def test_the_same_webhook_id_gets_the_same_receipt(studio: World) -> None:
    """R2: same ids, duplicate true, nothing more happens."""
    studio.model.play = round_of()
    guest = studio.guest()
    first = await guest.say(QUESTION, message="evt-1")
    again = await guest.say(QUESTION, message="evt-1")
    await guest.hears_end()
    late = await guest.say(QUESTION, message="evt-1")
    assert first.body["duplicate"] is False
    assert again.body == late.body == first.body | {"duplicate": True}
    assert (again.status, late.status) == (202, 202)
    assert len(studio.model.requests) == 4


async def test_the_same_webhook_id_with_another_body_is_a_conflict(studio: World) -> None:
    """Contract 4: 409, and the first one stands."""
    studio.model.play = round_of()
    guest = studio.guest()
    await guest.say(QUESTION, message="evt-2")
    other = await guest.send("别的问题", message="evt-2")
    assert (other.status, other.code) == (409, "IDEMPOTENCY_CONFLICT")
    await guest.hears_end()
    assert len(studio.model.requests) == 4


async def test_the_same_message_under_another_webhook_id_is_the_same_message(studio: World) -> None:
    """R2: the message id counts within its chat; in another chat it is another message."""
    studio.model.play = round_of()
    guest, stranger = studio.guest(), studio.guest()
    first = await guest.say(QUESTION, message="evt-3a", message_id="m1")
    again = await guest.say(QUESTION, message="evt-3b", message_id="m1")
    assert again.body == first.body | {"duplicate": True}
    elsewhere = await stranger.say(QUESTION, message="evt-3c", message_id="m1")
    assert elsewhere.body["duplicate"] is False
    assert elsewhere.body["session_id"] != first.body["session_id"]
    await guest.hears_end()
    await stranger.hears_end()


async def test_copies_at_the_same_instant_are_one(studio: World) -> None:
    """R2: two copies at once, ten copies at once: one round."""
    studio.model.play = round_of()
    guest = studio.guest()
    replies = await asyncio.gather(*(guest.say(QUESTION, message="evt-4") for _ in range(10)))
    assert sorted(reply.body["duplicate"] for reply in replies) == [False] + [True] * 9
    assert len({reply.body["input_id"] for reply in replies}) == 1
    await guest.hears_end()
    assert len(studio.model.requests) == 4


async def test_copies_of_a_message_under_different_ids_at_the_same_instant_are_one(studio: World) -> None:
    """R2: the same message id in the same chat, however the events are called."""
    studio.model.play = round_of()
    guest = studio.guest()
    replies = await asyncio.gather(*(guest.say(QUESTION, message=f"evt-5-{n}", message_id="m") for n in range(5)))
    assert sorted(reply.body["duplicate"] for reply in replies) == [False] + [True] * 4
    assert len({reply.body["input_id"] for reply in replies}) == 1
    await guest.hears_end()


async def test_duplicates_are_known_after_a_restart(studio: World) -> None:
    """R2: a clean restart in between changes nothing, for messages and for commands."""
    studio.model.play = round_of()
    guest = studio.guest()
    first = await guest.say(QUESTION, message="evt-6", wait=20)
    command = await guest.say("/whoami", message="evt-7")
    heard = await guest.hears(7)
    await studio.program.terminate()
    await studio.program.start()
    again = await guest.say(QUESTION, message="evt-6", wait=20)
    assert again.body["messages"] == first.body["messages"]
    same = await guest.say("/whoami", message="evt-7")
    assert same.body == command.body | {"duplicate": True}
    await studio.guest().say("/whoami")
    assert guest.heard == heard
    assert len(studio.model.requests) == 4
