"""The agent loop with the openai provider against a real server on loopback: streams, faults, cancellation."""

import asyncio
import time
from collections.abc import AsyncIterator

import pytest
from structlog.testing import capture_logs

from host.agent import ToolCall, run_agent
from host.errors import ModelUnavailable
from host.model import Model
from host.models.registry import Models
from host.models.spec import ModelSpec
from tests.support.agent_run import Recorder, answering, assert_valid, assignment, messages, run, tool
from tests.support.clock import FakeClock
from tests.support.gate import Gate
from tests.support.model_reply import Reply, Use, act, cut, fault, garbage, hang, nothing, say, use
from tests.support.model_server import ModelServer

KEY = "sk-very-secret-1234567890"


@pytest.fixture
async def server() -> AsyncIterator[ModelServer]:
    async with ModelServer() as served:
        yield served


@pytest.fixture
async def model(server: ModelServer) -> AsyncIterator[Model]:
    models = Models([ModelSpec(name="main", provider="openai", model="m1", base_url=server.base_url, api_key=KEY)])
    yield await models.load("main")
    await models.close()


def play(server: ModelServer, *replies: Reply) -> None:
    given = iter(replies)
    server.play = lambda _: next(given)


async def turned(recorder_task: "asyncio.Task[Recorder]", clock: FakeClock) -> Recorder:
    """Turn the clock whenever the run waits for a retry."""
    while not recorder_task.done():
        await asyncio.sleep(0.001)
        if clock.sleepers:
            await clock.advance(0.5)
    return await recorder_task


async def test_a_run_with_tools_over_the_wire(server: ModelServer, model: Model) -> None:
    play(
        server,
        act("I look", use("clock", call_id="", zone="UTC"), Use(name="clock", arguments="{oops", id="dup"), use("nix")),
        act(use("clock", call_id="dup", pieces=3)),
        say("It is ", "noon."),
    )
    recorder = await run(model, answering("clock", {"now": "noon"}), instructions="be brief")
    assert [each.text for each in recorder.responses] == ["I look", "", "It is noon."]
    assert recorder.responses[0].calls[0].arguments == {"zone": "UTC"}
    assert recorder.deltas[0] == (0, "I look")
    assert "".join(text for _, text in recorder.deltas[1:]) == "It is noon."
    assert (recorder.responses[0].input_tokens, recorder.responses[0].output_tokens) == (11, 7)
    assert_valid(messages(recorder.checkpoints))
    last = server.requests[-1]
    assert last.system == "be brief"
    assert last.authorization == f"Bearer {KEY}"
    sent = [call["id"] for said in last.body["messages"] for call in said.get("tool_calls", [])]
    answered = [said["tool_call_id"] for said in last.body["messages"] if said["role"] == "tool"]
    assert sent == answered
    assert len(set(sent)) == 4


async def test_text_behind_a_call_is_a_paragraph_of_its_own(server: ModelServer, model: Model) -> None:
    play(server, act("before", use("clock"), "after"), say("end"))
    recorder = await run(model, answering("clock", "noon"))
    assert recorder.responses[0].text == "before\n\nafter"
    assert recorder.deltas[:2] == [(0, "before"), (6, "\n\nafter")]


async def test_an_empty_answer_costs_one_call_and_the_next_request_is_valid(server: ModelServer, model: Model) -> None:
    play(server, nothing(), say("hello"))
    first = await run(model)
    assert [each.text for each in first.responses] == [""]
    assert len(server.requests) == 1
    await run(model, history=first.checkpoints, prompt="again", turn_id="t2")
    assert all(said.get("content") for said in server.requests[1].body["messages"])


@pytest.mark.parametrize(
    "reply",
    [
        fault(429),
        fault(500),
        fault(503),
        fault(408),
        fault(409),
        cut(),
        cut("Half an "),
        garbage(),
        Reply(body="data: {broken\n\n", headers={"Content-Type": "text/event-stream"}),
        Reply(body='data: {"error": {"message": "overloaded"}}\n\n', headers={"Content-Type": "text/event-stream"}),
        Reply(
            body='data: {"choices": [{"index": 0, "delta": {"content": "Half"}}]}\n\ndata: [DONE]\n\n',
            headers={"Content-Type": "text/event-stream"},
        ),
        Reply(body='data: {"choices": 7}\n\ndata: [1]\n\n', headers={"Content-Type": "text/event-stream"}),
        Reply(body="[]"),
    ],
)
async def test_transient_faults_stay_invisible(
    server: ModelServer, model: Model, clock: FakeClock, reply: Reply
) -> None:
    """Contract 3, R3."""
    play(server, reply, say("whole"))
    recorder = await turned(asyncio.ensure_future(run(model, clock=clock)), clock)
    assert [each.text for each in recorder.responses] == ["whole"]
    assert recorder.deltas[-1] == (0, "whole")
    assert len(server.requests) == 2


async def test_the_sdk_makes_no_retries_of_its_own(server: ModelServer, model: Model, clock: FakeClock) -> None:
    play(server, *(fault(500) for _ in range(20)))
    with pytest.raises(ModelUnavailable):
        await turned(asyncio.ensure_future(run(model, clock=clock)), clock)
    assert len(server.requests) <= 5


@pytest.mark.parametrize("status", [400, 401, 403, 404])
async def test_refusals_are_final_and_name_no_key(server: ModelServer, model: Model, status: int) -> None:
    """X5: providers like to repeat the key in their answer."""
    play(server, fault(status, message=f"wrong key {KEY} for model"))
    with capture_logs() as logs, pytest.raises(ModelUnavailable) as refused:
        await run(model)
    assert len(server.requests) == 1
    assert KEY not in f"{refused.value} {refused.value!r} {logs}"
    assert refused.value.__cause__ is None
    assert refused.value.__suppress_context__


async def test_nobody_there_is_a_transient_fault(clock: FakeClock) -> None:
    async with ModelServer() as gone:
        spec = ModelSpec(name="main", provider="openai", model="m1", base_url=gone.base_url)
    models = Models([spec])
    with pytest.raises(ModelUnavailable) as unavailable:
        await turned(asyncio.ensure_future(run(await models.load("main"), clock=clock)), clock)
    assert "onnect" in str(unavailable.value)
    await models.close()


async def test_silence_is_a_fault_after_the_timeout(server: ModelServer, clock: FakeClock) -> None:
    spec = ModelSpec(name="main", provider="openai", model="m1", base_url=server.base_url, timeout=0.05)
    models = Models([spec])
    gate = Gate()
    play(server, hang(gate), say("part ", gate), say("awake"))
    recorder = await turned(asyncio.ensure_future(run(await models.load("main"), clock=clock)), clock)
    assert recorder.deltas[-1] == (0, "awake")
    gate.open()
    await models.close()


async def test_cancelling_is_quick_closes_the_connection_and_leaves_no_task(server: ModelServer, model: Model) -> None:
    """R7, T16."""
    gate = Gate()
    play(server, say("thinking", gate, "never"))
    recorder = Recorder()
    before = asyncio.all_tasks()
    task = asyncio.ensure_future(run_agent(assignment(model), recorder))
    await gate.reached()
    await recorder.shown.wait()
    began = time.perf_counter()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert time.perf_counter() - began < 0.5
    await server.until(lambda served: len(served.dropped) == 1)
    assert {each for each in asyncio.all_tasks() if "aiohttp" not in repr(each)} <= before | {asyncio.current_task()}


async def test_a_long_answer_comes_whole_and_in_order(server: ModelServer, model: Model) -> None:
    """Its pieces are read together once it is long."""
    words = [f"{number} " for number in range(400)]
    play(server, say(*words))
    recorder = await run(model)
    assert recorder.responses[0].text == "".join(words)
    assert "".join(text for _, text in recorder.deltas) == "".join(words)
    assert [offset for offset, _ in recorder.deltas] == _offsets(recorder)


async def test_cancelling_in_a_long_answer_closes_the_connection(server: ModelServer, model: Model) -> None:
    gate = Gate()
    play(server, say(*(f"{number} " for number in range(400)), gate, "never"))
    task = asyncio.ensure_future(run_agent(assignment(model), Recorder()))
    await gate.reached()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await server.until(lambda served: len(served.dropped) == 1)


async def test_cancelling_before_the_first_byte(server: ModelServer, model: Model) -> None:
    gate = Gate()
    play(server, hang(gate))
    task = asyncio.ensure_future(run_agent(assignment(model), Recorder()))
    await gate.reached()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await server.until(lambda served: len(served.dropped) == 1)


async def test_cancelling_while_tools_run_ends_them(server: ModelServer, model: Model) -> None:
    started, ended = asyncio.Event(), asyncio.Event()

    async def forever(_: ToolCall) -> object:
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()
        return ""

    play(server, act(use("forever")))
    recorder = Recorder()
    task = asyncio.ensure_future(run_agent(assignment(model, tool("forever", forever)), recorder))
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert ended.is_set()
    assert recorder.log == ["responded 1"]


async def test_many_runs_share_a_client(server: ModelServer, model: Model) -> None:
    """R4: one stuck answer delays nobody else."""
    gate = Gate()
    server.play = lambda request: hang(gate) if request.last == "stuck" else say("quick")
    stuck = asyncio.ensure_future(run(model, prompt="stuck"))
    await gate.reached()
    quick = await asyncio.gather(*(run(model, prompt="quick", turn_id=str(each)) for each in range(30)))
    assert all(each.responses[0].text == "quick" for each in quick)
    stuck.cancel()
    with pytest.raises(asyncio.CancelledError):
        await stuck


def _offsets(recorder: Recorder) -> list[int]:
    """Where each delta must begin if none is lost or repeated."""
    lengths = [len(text) for _, text in recorder.deltas]
    return [sum(lengths[:place]) for place in range(len(lengths))]
