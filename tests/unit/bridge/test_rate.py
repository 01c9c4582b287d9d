"""Messages a minute: exact per sender and per channel, with bounded memory."""

from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from bridge.rate import CHANNEL_FACTOR, RateLimits
from tests.support.clock import START


def serve(rates: RateLimits, second: float, sender: str = "ann", limit: int = 2, channel: str = "hook") -> float | None:
    """Ask, and count if it is welcome."""
    at = START + timedelta(seconds=second)
    wait = rates.wait(channel, sender, limit, at)
    if wait is None:
        rates.count(channel, sender, limit, at)
    return wait


def test_the_message_above_the_limit_waits_until_the_oldest_is_a_minute_old() -> None:
    """Contract 2: rate_limit is messages a minute from one sender; Retry-After tells when."""
    rates = RateLimits()
    assert [serve(rates, second) for second in (0, 10)] == [None, None]
    assert serve(rates, 15) == 45
    assert serve(rates, 59.5) == 0.5
    assert serve(rates, 60) is None
    assert serve(rates, 61) == 9


def test_refused_messages_do_not_count() -> None:
    rates = RateLimits()
    for second in (0, 1, 2, 3, 4):
        serve(rates, second)
    assert serve(rates, 61) is None


def test_senders_and_channels_do_not_share_a_limit() -> None:
    """R4: one loud sender leaves the others alone."""
    rates = RateLimits()
    assert [serve(rates, 0), serve(rates, 0), serve(rates, 0)] == [None, None, 60]
    assert serve(rates, 0, "bob") is None
    assert serve(rates, 0, channel="other") is None


def test_a_channel_takes_five_times_as_much() -> None:
    rates = RateLimits()
    assert [serve(rates, second, f"s{second}") for second in range(10)] == [None] * 10
    assert serve(rates, 20, "late") == 40
    assert serve(rates, 60, "late") is None


def test_what_waited_in_the_inbox_counts_in_its_own_minute() -> None:
    """Nothing is lost: a backlog of a slow hour is no burst when it is worked through at once."""
    rates = RateLimits()
    assert [serve(rates, second, "ann") for second in (0, 60, 120, 180)] == [None] * 4
    assert [serve(rates, second, "bob") for second in (0, 1, 2)] == [None, None, 58]


def test_a_changed_limit_holds_at_once() -> None:
    rates = RateLimits()
    assert [serve(rates, 0, limit=1), serve(rates, 1, limit=1)] == [None, 59]
    assert serve(rates, 2, limit=3) is None
    assert serve(rates, 3, limit=1) is not None


def test_a_chat_is_told_once_a_minute() -> None:
    rates = RateLimits()
    at = START
    assert rates.may_tell("hook", "c1", at)
    rates.tell("hook", "c1", at)
    assert not rates.may_tell("hook", "c1", at + timedelta(seconds=59))
    assert rates.may_tell("hook", "c2", at)
    assert rates.may_tell("hook", "c1", at + timedelta(seconds=60))


def test_memory_is_bounded() -> None:
    """R6: neither many senders nor many chats leave anything behind."""
    rates = RateLimits()
    for second in range(10_000):
        serve(rates, second / 100, f"s{second}")
        rates.tell("hook", f"c{second}", START + timedelta(seconds=second))
    assert len(rates._served["hook"]) <= 2 * CHANNEL_FACTOR
    assert len(rates._told) <= 61


@given(st.lists(st.tuples(st.integers(0, 300), st.sampled_from("abc")), max_size=60))
def test_no_minute_ever_has_more_than_the_limit(messages: list[tuple[int, str]]) -> None:
    rates = RateLimits()
    served = [(second, who) for second, who in sorted(messages) if serve(rates, second, who) is None]
    for begin, sender in served:
        assert sum(begin <= second < begin + 60 and who == sender for second, who in served) <= 2
