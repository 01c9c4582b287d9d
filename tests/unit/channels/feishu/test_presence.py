"""The mark on a question that is being worked on."""

from tests.support.feishu import faults
from tests.unit.channels.feishu.conftest import Bench


async def test_a_mark_is_set_once_and_taken_away(bench: Bench) -> None:
    await bench.start()
    ann = bench.person()
    question = bench.server.state.write(ann.room, "text", {"text": "?"}, ann.open_id)
    for _ in range(2):
        await bench.channel.react(ann.room.id, question.id, seen=True)
    assert list(question.marks.values()) == ["OnIt"]
    for _ in range(2):
        await bench.channel.react(ann.room.id, question.id, seen=False)
    assert question.marks == {}
    assert len(bench.server.of("react", "unreact")) == 2


async def test_a_mark_that_the_app_may_not_set_is_not_tried_again_for_a_while(bench: Bench) -> None:
    """Each try is a call of the month's quota; a question that is gone is another matter."""
    await bench.start()
    ann = bench.person()
    question = bench.server.state.write(ann.room, "text", {"text": "?"}, ann.open_id)
    bench.server.script.add("react", faults.refuse(230110), faults.refuse(99991672))
    for _ in range(3):
        await bench.channel.react(ann.room.id, question.id, seen=True)
        await bench.clock.advance(1)
    assert len(bench.server.of("react")) == 2
    await bench.clock.advance(3600)
    await bench.channel.react(ann.room.id, question.id, seen=True)
    assert list(question.marks.values()) == ["OnIt"]


async def test_a_mark_raises_for_nothing(bench: Bench) -> None:
    await bench.channel.react("oc_1", "om_1", seen=True)
    await bench.start()
    await bench.server.close_port()
    await bench.channel.react("oc_1", "om_1", seen=True)
    await bench.channel.react("oc_1", "", seen=True)
