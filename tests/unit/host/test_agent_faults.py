"""What happens when a model fails: which faults are retried, how long, and what is said about them."""

import asyncio
from collections.abc import Awaitable

import pytest
from structlog.testing import capture_logs

from host.errors import ModelUnavailable
from host.models.faults import (
    WAITS,
    WINDOW,
    CutAnswerError,
    GarbledAnswerError,
    RefusedError,
    describe,
    is_transient,
    next_wait,
    refusal,
)
from tests.support.agent_run import Call, PlayedModel, Recorder, answering, assignment, run
from tests.support.clock import FakeClock


def http_fault(status: int, retry_after: float | None = None) -> RefusedError:
    return refusal(status, '{"message": "no"}', retry_after)


@pytest.mark.parametrize(
    "fault",
    [
        *(http_fault(status) for status in (408, 409, 425, 429, 500, 502, 503, 504, 529)),
        ConnectionResetError(),
        TimeoutError(),
        CutAnswerError(),
        GarbledAnswerError("garbage"),
        ValueError("anything else"),
    ],
)
def test_faults_that_pass(fault: Exception) -> None:
    assert is_transient(fault)


@pytest.mark.parametrize(
    "fault",
    [
        *(http_fault(status) for status in (400, 401, 403, 404, 405, 413, 422)),
        *(refusal(429, f'{{"error": {{"code": "{code}"}}}}') for code in ("insufficient_quota", "invalid_api_key")),
        refusal(429, '{"error": {"type": "exceeded_current_quota_error"}}'),
        RefusedError("wrong use", transient=False),
    ],
)
def test_faults_that_stay(fault: Exception) -> None:
    assert not is_transient(fault)


def test_waits_grow_and_fit_into_the_window_even_when_spread() -> None:
    assert list(WAITS) == sorted(WAITS)
    assert sum(wait * 1.2 for wait in WAITS) <= WINDOW


@pytest.mark.parametrize(
    ("retries", "since_first", "asked", "wait"),
    [
        (0, 0.0, None, 0.5),
        (1, 1.0, None, 2.0),
        (3, 9.0, None, 16.0),
        (4, 25.0, None, None),
        (0, 0.0, 7.0, 7.0),
        (2, 1.0, 2.0, 6.0),
        (0, 0.0, 31.0, None),
        (1, 29.0, None, None),
        (0, 0.0, 30.0, 30.0),
    ],
)
def test_next_wait(retries: int, since_first: float, asked: float | None, wait: float | None) -> None:
    assert next_wait(retries, since_first, asked) == wait


async def ended(work: Awaitable[Recorder], clock: FakeClock) -> asyncio.Task[Recorder]:
    """Turn the clock until the run is over."""
    task = asyncio.ensure_future(work)
    while not task.done():
        await clock.advance(0.25)
    return task


async def waiting(clock: FakeClock) -> None:
    """Until the run waits for its next try."""
    for _ in range(1000):
        await asyncio.sleep(0)
        if clock.sleepers:
            return
    pytest.fail("nobody waits")


async def test_a_retried_response_starts_over_and_nobody_is_told(clock: FakeClock) -> None:
    """Contract 3, 6: transient faults stay invisible; the text starts at 0 again."""
    played = PlayedModel(["Hel", CutAnswerError()], ["Good", http_fault(503)], ["Good day"])
    recorder = (await ended(run(played.model, clock=clock), clock)).result()
    assert recorder.deltas == [(0, "Hel"), (0, "Good"), (0, "Good day")]
    assert [(each.number, each.text) for each in recorder.responses] == [(1, "Good day")]
    assert [len(asked) for asked in played.asked] == [1, 1, 1]


async def test_after_four_retries_the_model_is_unavailable(clock: FakeClock) -> None:
    played = PlayedModel(*([http_fault(500)] for _ in range(9)))
    task = await ended(run(played.model, clock=clock), clock)
    assert isinstance(task.exception(), ModelUnavailable)
    assert len(played.asked) == 5
    assert clock.monotonic() <= WINDOW


async def test_retry_after_is_honoured(clock: FakeClock) -> None:
    played = PlayedModel([http_fault(429, retry_after=20.0)], ["ok"])
    task = asyncio.ensure_future(run(played.model, clock=clock))
    await waiting(clock)
    await clock.advance(19.9)
    assert not task.done()
    await clock.advance(0.1)
    assert (await task).responses[0].text == "ok"


async def test_a_pause_longer_than_the_window_is_not_waited_for(clock: FakeClock) -> None:
    played = PlayedModel([http_fault(429, retry_after=3600.0)])
    with pytest.raises(ModelUnavailable):
        await run(played.model, clock=clock)
    assert clock.monotonic() == 0


async def test_a_clear_refusal_is_final_at_once(clock: FakeClock) -> None:
    played = PlayedModel([http_fault(401)])
    with capture_logs() as logs, pytest.raises(ModelUnavailable) as refused:
        await run(played.model, clock=clock)
    assert len(played.asked) == 1
    assert len(refused.value.error_id) == 8
    assert logs[-1]["error_id"] == refused.value.error_id
    assert "401" in logs[-1]["cause"]


async def test_each_response_has_its_own_retries(clock: FakeClock) -> None:
    broken = [[http_fault(500)] for _ in range(4)]
    played = PlayedModel(*broken, [Call(name="clock")], *broken, ["end"])
    recorder = (await ended(run(played.model, answering("clock", "noon"), clock=clock), clock)).result()
    assert recorder.responses[-1].text == "end"


async def test_stopping_while_it_waits_for_a_retry_is_immediate(clock: FakeClock) -> None:
    played = PlayedModel([http_fault(500)])
    task = asyncio.ensure_future(run(played.model, clock=clock))
    await waiting(clock)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert clock.sleepers == 0


@pytest.mark.parametrize(
    "text",
    [
        "Incorrect API key provided: sk-abcdef1234567890. See https://x",
        "Incorrect API key provided: sk-ab**********90.",
        "header Authorization: Bearer abcdef1234567890",
        "GET https://x/v1?api_key=abcdef1234567890&x=1",
        "the key was abcdef1234567890",
    ],
)
def test_a_key_is_never_named(text: str) -> None:
    """X5."""
    described = describe(RuntimeError(text), "abcdef1234567890")
    assert "1234567890" not in described
    assert "sk-ab" not in described


def test_a_cause_is_one_line_and_not_endless() -> None:
    described = describe(RuntimeError("a\nb " + "x" * 10_000), "")
    assert described.startswith("RuntimeError: a b x")
    assert len(described) <= 500


async def test_the_assignment_needs_no_clock() -> None:
    assert assignment(None, max_responses=1).clock.monotonic() > 0
