"""The numbers of `/metrics`. Their names are API."""

from collections import Counter as Tally
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, disable_created_metrics, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4

from store.database import Database, Transaction
from store.jobs import count_open_jobs
from store.outbox import count_pending

CONTENT_TYPE: Final = CONTENT_TYPE_PLAIN_0_0_4

_SECONDS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600, 21600, 86400)


@dataclass(frozen=True, kw_only=True)
class Backlog:
    """What is waiting right now: open jobs by agent, pending deliveries by channel."""

    jobs: Mapping[str, int]
    deliveries: Mapping[str, int]


class Metrics:
    """Counters and histograms of one running program, in a registry of their own. Implements host.deps.Meter."""

    def __init__(self) -> None:
        disable_created_metrics()  # type: ignore[no-untyped-call]
        self.registry = CollectorRegistry()
        self._inbound = Counter(
            "teambridge_inbound_events", "Events from platforms", ("channel", "outcome"), registry=self.registry
        )
        self._turns = Counter("teambridge_turns", "Turns that ended", ("agent", "status"), registry=self.registry)
        self._tokens = Counter(
            "teambridge_model_tokens", "Tokens of the models", ("model", "direction"), registry=self.registry
        )
        self._deliveries = Counter(
            "teambridge_deliveries", "Attempts to deliver a message", ("channel", "outcome"), registry=self.registry
        )
        self._delivery_delay = Histogram(
            "teambridge_delivery_delay_seconds",
            "From the event to the platform's acceptance",
            buckets=_SECONDS,
            registry=self.registry,
        )
        self._answer_delay = Histogram(
            "teambridge_answer_delay_seconds",
            "From the question to the first message of its round",
            buckets=_SECONDS,
            registry=self.registry,
        )
        self._jobs = Gauge(
            "teambridge_jobs_open", "Jobs that are queued or running", ("agent",), registry=self.registry
        )
        self._pending = Gauge(
            "teambridge_deliveries_pending", "Messages that wait for delivery", ("channel",), registry=self.registry
        )
        self._up = Gauge(
            "teambridge_channel_up",
            "Whether events can arrive through the channel",
            ("channel",),
            registry=self.registry,
        )

        self._faults = Counter(
            "teambridge_lane_faults", "Failed attempts to work through a lane", ("lane",), registry=self.registry
        )
        self._failing = Gauge(
            "teambridge_lanes_failing", "Lanes whose last attempt failed", ("lane",), registry=self.registry
        )

    def inbound(self, channel: str, outcome: str) -> None:
        """An event came in; `outcome` says in one word what became of it."""
        self._inbound.labels(channel, outcome).inc()

    def turn_ended(self, agent: str, status: str) -> None:
        self._turns.labels(agent, status).inc()

    def tokens_used(self, model: str, input_tokens: int, output_tokens: int) -> None:
        self._tokens.labels(model, "input").inc(input_tokens)
        self._tokens.labels(model, "output").inc(output_tokens)

    def lane_failed(self, lane: str) -> None:
        """Lanes are counted by their kind: `room` of `room:42`."""
        self._faults.labels(_kind(lane)).inc()

    def delivered(self, channel: str, outcome: str) -> None:
        """An attempt ended as sent, retryable, rejected or uncertain."""
        self._deliveries.labels(channel, outcome).inc()

    def delivery_delay(self, seconds: float) -> None:
        self._delivery_delay.observe(max(0.0, seconds))

    def answer_delay(self, seconds: float) -> None:
        self._answer_delay.observe(max(0.0, seconds))

    def render(self, backlog: Backlog, up: Mapping[str, bool], failing: Iterable[str] = ()) -> bytes:
        """Everything in the text format of Prometheus.

        `up` tells of each channel whether events can arrive, `failing` names the lanes that wait for another try.
        """
        _set(self._failing, Tally(_kind(lane) for lane in failing))
        _set(self._jobs, backlog.jobs)
        _set(self._pending, backlog.deliveries)
        _set(self._up, up)
        return generate_latest(self.registry)


async def read_backlog(database: Database) -> Backlog:
    """Counted in the store when it is asked for, so that it is true after a restart as well."""
    return await database.read(_count)


async def _count(tx: Transaction) -> Backlog:
    return Backlog(jobs=await count_open_jobs(tx), deliveries=await count_pending(tx))


def _kind(lane: str) -> str:
    return lane.partition(":")[0]


def _set(gauge: Gauge, values: Mapping[str, int] | Mapping[str, bool]) -> None:
    gauge.clear()
    for label, value in values.items():
        gauge.labels(label).set(value)
