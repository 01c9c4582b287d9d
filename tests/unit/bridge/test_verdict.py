"""What follows from an attempt."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.verdict import PATIENCE, Again, Dead, Decision, Done, Doubt, Open, decide_after, pause_after
from channels.types import Outcome, Rejected, Retryable, Sent, Uncertain
from store.outbox import Delivery
from tests.support.clock import START


def tried(attempts: int = 1, *, since: timedelta = timedelta(), doubt: Doubt = "") -> Delivery:
    """A delivery after that many attempts, the first of them that long ago."""
    return Delivery(attempts=attempts, first_attempt_at=START - since, doubt=doubt)


def later(seconds: float, reason: str, doubt: Doubt = "") -> Again:
    return Again(due_at=START + timedelta(seconds=seconds), reason=reason, doubt=doubt)


@pytest.mark.parametrize(
    ("outcome", "repeatable", "decision"),
    [
        (Sent(platform_id="7"), True, Done(platform_id="7")),
        (Sent(), False, Done()),
        (Rejected(reason="410"), True, Dead(reason="410")),
        (Rejected(reason="410"), False, Dead(reason="410")),
        (Retryable(reason="503"), True, later(1, "503")),
        (Retryable(reason="503"), False, later(1, "503")),
        (Retryable(reason="429", retry_after=7.5), True, later(7.5, "429")),
        (Uncertain(reason="cut"), True, later(1, "cut")),
        (Uncertain(reason="cut"), False, later(1, "cut", "cut")),
        (Uncertain(reason="500", answered=True), False, later(1, "500", "answered")),
    ],
)
def test_every_outcome_has_its_decision(outcome: Outcome, repeatable: bool, decision: Decision) -> None:
    assert decide_after(outcome, tried(), START, repeatable=repeatable) == decision


@pytest.mark.parametrize(
    ("attempts", "seconds"), [(1, 1), (2, 2), (3, 4), (9, 256), (10, 512), (11, 600), (12, 600), (5000, 600)]
)
def test_the_back_off_doubles_up_to_ten_minutes(attempts: int, seconds: float) -> None:
    """Contract 4: 1 s … 10 min."""
    assert pause_after(attempts, 0) == seconds


@given(attempts=st.integers(1, 10_000), jitter=st.floats(0, 1))
def test_jitter_never_leaves_the_bounds(attempts: int, jitter: float) -> None:
    assert 1 <= pause_after(attempts, 0) <= pause_after(attempts, jitter) <= 600


@pytest.mark.parametrize(("retry_after", "seconds"), [(0, 4), (3, 4), (4.5, 4.5), (30 * 3600, 30 * 3600)])
def test_the_later_of_back_off_and_retry_after_counts(retry_after: float, seconds: float) -> None:
    """R3: any Retry-After, even one beyond the day: the attempt after it is made."""
    outcome = Retryable(reason="429", retry_after=retry_after)
    assert decide_after(outcome, tried(3), START) == later(seconds, "429")


@pytest.mark.parametrize("retry_after", [1e12, float("inf")])
def test_an_absurd_retry_after_is_a_year(retry_after: float) -> None:
    outcome = Retryable(reason="429", retry_after=retry_after)
    assert decide_after(outcome, tried(), START) == later(366 * 86_400, "429")


@pytest.mark.parametrize("outcome", [Retryable(reason="503", retry_after=9), Uncertain(reason="503")])
def test_after_a_day_from_its_own_first_attempt_it_is_dead(outcome: Outcome) -> None:
    almost = PATIENCE - timedelta(seconds=1)
    assert isinstance(decide_after(outcome, tried(150, since=almost), START), Again)
    assert decide_after(outcome, tried(150, since=PATIENCE), START) == Dead(reason="503")


def test_sent_after_a_day_is_sent() -> None:
    assert decide_after(Sent(), tried(150, since=PATIENCE * 2), START) == Done()


@pytest.mark.parametrize(
    ("doubt", "answered", "decision"),
    [
        ("cut", False, Open(reason="gone")),
        ("cut", True, later(2, "gone", "cut")),
        ("answered", True, later(2, "gone", "answered")),
        ("answered", False, later(2, "gone", "cut")),
    ],
)
def test_what_may_be_shown_twice_is_sent_again_once_after_a_cut_and_on_and_on_after_a_5xx(
    doubt: Doubt, answered: bool, decision: Decision
) -> None:
    """R1, architecture 7: never a second copy silently, never a third."""
    outcome = Uncertain(reason="gone", answered=answered)
    assert decide_after(outcome, tried(2, doubt=doubt), START, repeatable=False) == decision


def test_what_was_doubtful_for_a_day_stays_uncertain() -> None:
    """Architecture 7: it may have arrived, so it is no dead letter."""
    outcome = Uncertain(reason="500", answered=True)
    late = tried(150, since=PATIENCE, doubt="answered")
    assert decide_after(outcome, late, START, repeatable=False) == Open(reason="500")
