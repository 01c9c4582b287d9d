"""When the host is called back: one pure decision over the jobs of a room."""

from dataclasses import dataclass
from typing import Literal

Policy = Literal["wave", "each"]


@dataclass(frozen=True, kw_only=True)
class Wake:
    """Call the host now."""


@dataclass(frozen=True, kw_only=True)
class Sleep:
    """Leave the host alone; look again after `seconds` (None: when something happens)."""

    seconds: float | None = None


def decide_wake_up(
    policy: Policy,
    *,
    open_jobs: int,
    untaken: int,
    any_failed: bool,
    oldest_untaken_age: float,
    host_turn_live: bool,
    wave_timeout: float,
) -> Wake | Sleep:
    """Whether the untaken results of a room call the host; ages and time-outs are in seconds.

    Never while a host turn is live: its end decides again. Policy "wave" waits for the last open job, but not after
    a failure and not longer than `wave_timeout`; policy "each" wakes for every job.
    """
    if untaken == 0 or host_turn_live:
        return Sleep()
    if policy == "each" or open_jobs == 0 or any_failed or oldest_untaken_age >= wave_timeout:
        return Wake()
    return Sleep(seconds=wave_timeout - oldest_untaken_age)
