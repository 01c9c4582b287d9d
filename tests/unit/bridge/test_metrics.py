"""The names of contract 9, with true numbers."""

from prometheus_client.parser import text_string_to_metric_families

from bridge.metrics import Backlog, Metrics, read_backlog
from host.deps import Meter
from store.database import Database, Transaction
from store.jobs import Job
from store.outbox import Delivery


def samples(rendered: bytes) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    """What was measured, without the buckets."""
    measured = [one for family in text_string_to_metric_families(rendered.decode()) for one in family.samples]
    return {
        (one.name, tuple(sorted(one.labels.items()))): one.value
        for one in measured
        if not one.name.endswith("_bucket") and (one.labels or one.value)
    }


def test_every_number_has_its_name_and_labels() -> None:
    """Contract 9."""
    metrics = Metrics()
    metrics.inbound("hook", "accepted")
    metrics.turn_ended("studio", "completed")
    metrics.tokens_used("main", 10, 3)
    metrics.tokens_used("main", 1, 0)
    metrics.delivered("hook", "sent")
    metrics.delivery_delay(0.02)
    metrics.answer_delay(-1)
    backlog = Backlog(jobs={"writer": 2}, deliveries={"hook": 3})
    found = samples(metrics.render(backlog, {"hook": True, "slack": False}))
    expected = {
        ("teambridge_inbound_events_total", (("channel", "hook"), ("outcome", "accepted"))): 1,
        ("teambridge_turns_total", (("agent", "studio"), ("status", "completed"))): 1,
        ("teambridge_jobs_open", (("agent", "writer"),)): 2,
        ("teambridge_deliveries_total", (("channel", "hook"), ("outcome", "sent"))): 1,
        ("teambridge_deliveries_pending", (("channel", "hook"),)): 3,
        ("teambridge_delivery_delay_seconds_count", ()): 1,
        ("teambridge_delivery_delay_seconds_sum", ()): 0.02,
        ("teambridge_answer_delay_seconds_count", ()): 1,
        ("teambridge_model_tokens_total", (("direction", "input"), ("model", "main"))): 11,
        ("teambridge_model_tokens_total", (("direction", "output"), ("model", "main"))): 3,
        ("teambridge_channel_up", (("channel", "hook"),)): 1,
        ("teambridge_channel_up", (("channel", "slack"),)): 0,
    }
    assert found == expected


def test_lanes_that_fail_are_counted_by_their_kind() -> None:
    """A lane that makes no progress is loud: its faults are counted, and it shows as long as it fails."""
    metrics = Metrics()
    metrics.lane_failed("room:1")
    metrics.lane_failed("room:2")
    nothing = Backlog(jobs={}, deliveries={})
    faults = {("teambridge_lane_faults_total", (("lane", "room"),)): 2}
    failing = {("teambridge_lanes_failing", (("lane", "room"),)): 1}
    assert samples(metrics.render(nothing, {}, ["room:2"])) == faults | failing
    assert samples(metrics.render(nothing, {})) == faults


def test_what_is_gone_is_not_shown_any_more() -> None:
    metrics = Metrics()
    metrics.render(Backlog(jobs={"writer": 2}, deliveries={"hook": 3}), {"old": True})
    assert samples(metrics.render(Backlog(jobs={}, deliveries={}), {})) == {}


def test_two_programs_in_one_process_count_apart() -> None:
    one, two = Metrics(), Metrics()
    one.turn_ended("studio", "failed")
    assert samples(two.render(Backlog(jobs={}, deliveries={}), {})) == {}


def test_the_host_counts_through_a_meter() -> None:
    meter: Meter = Metrics()
    meter.turn_ended("studio", "completed")


async def test_the_backlog_is_what_the_store_says(database: Database) -> None:
    async def work(tx: Transaction) -> None:
        for number, state in enumerate(("queued", "running", "done", "queued")):
            member = "writer" if number < 3 else "researcher"
            values = {"side_session_id": "x", "turn_id": "t", "call": f"0.{number}", "round_id": "r", "message": "m"}
            job = Job(id=f"j{number}", number=number, room_id="s1", member_id=member, member_name=member, **values)
            job.state, job.created_at = state, tx.now
            tx.orm.add(job)
        for number, state in enumerate(("pending", "pending", "sent", "dead", "uncertain")):
            where = {"channel_id": "hook", "chat_id": "c1", "session_id": "s1", "seq": number}
            row = Delivery(id=f"d{number}", message={}, created_at=tx.now, due_at=tx.now, state=state, **where)
            tx.orm.add(row)

    await database.write(work)
    assert await read_backlog(database) == Backlog(jobs={"writer": 2, "researcher": 1}, deliveries={"hook": 2})
