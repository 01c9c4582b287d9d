"""What a platform and a network do: everything arrives later, once, in order (R3, R4)."""

from collections.abc import AsyncIterator
from itertools import count
from pathlib import Path

import pytest
import pytest_asyncio

from tests.support.casts import ASK, FINDINGS, NARRATION, WRAP_UP, always, cast, round_of
from tests.support.slack.faults import Fault, busy, refuse
from tests.support.slack.people import Person
from tests.support.slack.world import SlackWorld, slack_world

QUESTION = f"{ASK}，绿茶市场怎么样？"
_channels = count(900)
WHOLE = [NARRATION, FINDINGS["researcher"], FINDINGS["writer"], f"【**主持人总结**】{WRAP_UP}"]


@pytest.fixture
def ann(studio: SlackWorld) -> Person:
    studio.model.play = round_of()
    return studio.member(f"C{next(_channels)}")


def is_whole(person: Person) -> bool:
    """A round, every message once: narration first, wrap-up last."""
    texts = [one.shown for one in person.heard if not one.card]
    cards = [one for one in person.heard if one.card]
    return sorted(texts) == sorted(WHOLE) and texts[0] == WHOLE[0] and texts[-1] == WHOLE[-1] and len(cards) == 2


@pytest.mark.parametrize(
    "faults",
    [
        [busy(1), busy(1)],
        [Fault(kind="status"), Fault(kind="html")],
        [Fault(kind="cut_before"), Fault(kind="cut_after")],
        [Fault(kind="garbage"), refuse("internal_error")],
        [refuse("service_unavailable"), Fault(kind="cut_after", skip=1)],
    ],
    ids=["429", "5xx and a page", "cuts", "garbage", "doubts"],
)
async def test_faults_in_the_middle_of_a_round(studio: SlackWorld, ann: Person, faults: list[Fault]) -> None:
    """R3, R1: nothing lost, nothing twice, in order."""
    for fault in faults:
        fault.channel = ann.chat_id
    studio.slack.script.add("chat.postMessage", *faults)
    ann.mention(QUESTION)
    await ann.hears_end(within=60)
    assert is_whole(ann), ann.texts()


async def test_an_outage_of_slack_is_waited_out(studio: SlackWorld, ann: Person) -> None:
    """R3, R5: sockets cut, calls refused; readyz tells, and everything comes in order when it is back."""
    other = studio.person()
    ann.mention(QUESTION)
    await ann.hears(1)
    await studio.slack.close_port()
    try:
        assert (await _ready(studio))["ready"] is False
    finally:
        await studio.slack.open_port()
    await ann.hears_end(within=60)
    assert is_whole(ann), ann.texts()
    studio.model.play = cast(always("在。"))
    await studio.slack.until(lambda slack: bool(slack.socket.connections), within=60)
    other.say("在吗")
    await other.hears(1)


async def _ready(studio: SlackWorld) -> dict:  # type: ignore[type-arg]
    while True:
        async with studio.api.http.get(f"{studio.program.url}/readyz") as answer:
            told = await answer.json()
        if not told["ready"]:
            assert told["channels"]["slack"]["reason"]
            return dict(told)


async def test_a_slow_channel_delays_no_other(studio: SlackWorld, ann: Person) -> None:
    """R4."""
    studio.model.play = cast(always("在。"))
    stuck = Fault(kind="hang_before", channel=ann.chat_id)
    studio.slack.script.add("chat.postMessage", stuck)
    ann.mention("在吗")
    await studio.slack.until(lambda slack: not slack.script._faults.get("chat.postMessage"))
    other = studio.person()
    other.say("在吗")
    await other.hears(1)
    stuck.gate.set()
    await ann.hears(1, within=60)


async def test_a_poison_event_stops_nobody(studio: SlackWorld, ann: Person) -> None:
    """R4: acknowledged, passed over."""
    poison = studio.slack.bring_event({"type": "message", "channel": ann.chat_id, "user": "U1", "text": "no ts"})
    await studio.slack.until(lambda _: poison.acked)
    ann.mention(QUESTION)
    await ann.hears_end()
    assert is_whole(ann)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def over_http(tmp_path_factory: pytest.TempPathFactory, program_store: str) -> AsyncIterator[SlackWorld]:
    async with slack_world(tmp_path_factory.mktemp("slack-http"), mode="http") as running:
        yield running


async def test_a_round_over_http(over_http: SlackWorld) -> None:
    """Issue 4, 1: the Events API at /hooks/{channel}, signed."""
    over_http.model.play = round_of()
    ann = over_http.member("C1")
    ann.mention(QUESTION)
    await ann.hears_end()
    assert is_whole(ann), ann.texts()
    await ann.acknowledged()


async def test_commands_and_presses_over_http(over_http: SlackWorld) -> None:
    """Issue 4, 6: forms at the same address."""
    ann = over_http.person()
    command = ann.command("status")
    await ann.hears(1)
    await over_http.slack.until(lambda _: command.acked)


async def test_a_restart_over_http_loses_no_event(over_http: SlackWorld) -> None:
    """R1: Slack brings again what got no 2xx."""
    over_http.model.play = cast(always("在。"))
    ann = over_http.person()
    await over_http.program.terminate()
    ann.say("在吗")
    await over_http.slack.until(lambda _: ann.sent[0].attempts >= 1)
    await over_http.program.start()
    await ann.hears(1)


async def test_without_personas_names_stand_in_the_text(tmp_path: Path) -> None:
    """Issue 4, 3: chat:write.customize is not there."""
    async with slack_world(tmp_path, start=False) as studio:
        studio.slack.scopes.remove("chat:write.customize")
        await studio.program.start()
        studio.model.play = round_of()
        ann = studio.member("C1")
        ann.mention(QUESTION)
        heard = await ann.hears_end()
        assert {one.author for one in heard} == {"Studio"}
        shown = [one.shown for one in heard]
        assert f"**研究员**：{FINDINGS['researcher']}" in shown
        assert f"**写手**：{FINDINGS['writer']}" in shown
