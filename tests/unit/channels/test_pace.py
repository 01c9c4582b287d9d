"""Pacing budgets: never more than a platform takes, finals first, and nothing remembered of idle chats."""

from hypothesis import given
from hypothesis import strategies as st

from channels.pace import Budget, Pace, Window


def test_a_window_lets_its_calls_go_at_once_and_then_waits_for_the_oldest() -> None:
    window = Window(Budget(calls=2, seconds=10))
    for now in (0.0, 3.0):
        assert window.wait(now) == 0
        window.take(now)
    assert window.wait(4.0) == 6
    assert window.wait(10.0) == 0


@given(st.integers(1, 5), st.lists(st.floats(0, 3), max_size=60))
def test_no_span_ever_holds_more_calls_than_the_budget(calls: int, gaps: list[float]) -> None:
    budget, now, times = Budget(calls=calls, seconds=5), 0.0, list[float]()
    window = Window(budget)
    for gap in gaps:
        now += gap
        now += window.wait(now)
        window.take(now)
        times.append(now)
    for first, later in zip(times, times[calls:], strict=False):
        assert later - first >= budget.seconds - 1e-6


def test_what_may_be_dropped_leaves_room_for_finals() -> None:
    pace = Pace(bot=(Budget(calls=3, seconds=1),))
    for _ in range(2):
        assert pace.wait("c1", 0.0, spare=1) == 0
        pace.take("c1", 0.0)
    assert pace.wait("c1", 0.0, spare=1) == 1
    assert pace.wait("c1", 0.0) == 0


def test_chats_have_budgets_of_their_own_and_share_the_bots() -> None:
    """R4: a busy chat delays the others by the bot's budget only."""
    pace = Pace(bot=(Budget(calls=3, seconds=1),), chat=(Budget(calls=1, seconds=1), Budget(calls=20, seconds=60)))
    pace.take("c1", 0.0)
    assert pace.wait("c1", 0.0) == 1
    assert pace.wait("c2", 0.0) == 0
    pace.take("c2", 0.0)
    pace.take("c3", 0.0)
    assert pace.wait("c4", 0.25) == 0.75


def test_the_longest_of_several_budgets_counts() -> None:
    pace = Pace(chat=(Budget(calls=1, seconds=1), Budget(calls=3, seconds=60)))
    for now in (0.0, 1.0, 2.0):
        assert pace.wait("c1", now) == 0
        pace.take("c1", now)
    assert pace.wait("c1", 3.0) == 57


def test_during_a_flood_ban_nothing_goes() -> None:
    pace = Pace()
    pace.silence(30, 0.0)
    pace.silence(5, 1.0)
    assert pace.wait("c1", 1.0) == 29
    assert pace.wait("c2", 29.0) == 1
    assert pace.wait("c1", 31.0) == 0


def test_a_silence_of_one_chat_is_its_own() -> None:
    pace = Pace()
    pace.silence(30, 0.0, chat="c1")
    assert pace.wait("c1", 10.0) == 20
    assert pace.wait("c2", 10.0) == 0


def test_idle_chats_are_forgotten() -> None:
    """R6: memory is bounded by what happened within the longest span."""
    pace = Pace(bot=(Budget(calls=30, seconds=1),), chat=(Budget(calls=1, seconds=1), Budget(calls=20, seconds=60)))
    for number in range(10_000):
        pace.silence(5, float(number), chat=f"c{number}")
        pace.take(f"c{number}", float(number))
        pace.take("busy", float(number))
    assert pace.remembered <= 62
