"""The wake-up decision as a table."""

import pytest

from host.waking import Sleep, Wake, decide_wake_up

QUIET = {"open_jobs": 0, "untaken": 1, "any_failed": False, "oldest_untaken_age": 0.0, "host_turn_live": False}


@pytest.mark.parametrize(
    ("policy", "change", "decision"),
    [
        ("wave", {}, Wake()),
        ("wave", {"untaken": 0}, Sleep()),
        ("wave", {"host_turn_live": True}, Sleep()),
        ("wave", {"open_jobs": 1}, Sleep(seconds=120.0)),
        ("wave", {"open_jobs": 1, "oldest_untaken_age": 50.0}, Sleep(seconds=70.0)),
        ("wave", {"open_jobs": 1, "oldest_untaken_age": 120.0}, Wake()),
        ("wave", {"open_jobs": 1, "any_failed": True}, Wake()),
        ("wave", {"open_jobs": 1, "any_failed": True, "host_turn_live": True}, Sleep()),
        ("each", {"open_jobs": 3}, Wake()),
        ("each", {"open_jobs": 3, "untaken": 0}, Sleep()),
        ("each", {"open_jobs": 3, "host_turn_live": True}, Sleep()),
    ],
)
def test_decision(policy: str, change: dict[str, object], decision: Wake | Sleep) -> None:
    """T11, T15: a wave waits for its last job; a failure, a long wait or policy "each" call at once."""
    assert decide_wake_up(policy, wave_timeout=120.0, **{**QUIET, **change}) == decision  # type: ignore[arg-type]
