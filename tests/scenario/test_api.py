"""The part of the HTTP API that a round needs (contract 5 and 6)."""

import asyncio
import itertools
from typing import Any

import pytest

from tests.support.api import Api, Frame
from tests.support.casts import ASK, FINDINGS, NARRATION, WRAP_UP, always, cast, planner, round_of
from tests.support.gate import Gate
from tests.support.keys import ADMIN_TOKEN, API_KEY, secret_of
from tests.support.model_reply import say
from tests.support.world import World

QUESTION = f"{ASK}，绿茶市场怎么样？"


async def _session(studio: World, agent_id: str = "studio") -> str:
    reply = await studio.api.post("/api/sessions", {"agent_id": agent_id})
    assert reply.status == 201, reply.body
    return str(reply.body["id"])


async def _ended(studio: World, session_id: str, rounds: int = 1) -> list[Frame]:
    """The events of a session after so many wrap-ups, failures or lone answers."""
    async with studio.api.live(session_id) as live:
        await live.until(lambda frames: _wrap_ups(live.events()) >= rounds)
        return live.events()


def _wrap_ups(events: list[Frame]) -> int:
    return [event["kind"] for event in events].count("wrapup")


def _kinds(events: list[Frame]) -> list[str]:
    return [event["kind"] for event in events if event["kind"] not in ("turn_started", "turn_ended", "tool")]


@pytest.mark.parametrize(
    "path",
    [
        "/api/sessions",
        "/api/sessions/x",
        "/api/sessions/x/events",
        "/api/people",
        "/api/deliveries",
        "/api/sessions/x/jobs",
    ],
)
async def test_every_route_needs_a_token(studio: World, path: str) -> None:
    """Contract 5: 401 before anything else, also for what does not exist."""
    for api in (studio.api.without_token(), Api(studio.http, studio.program.url, "wrong")):
        reply = await api.get(path)
        assert (reply.status, reply.code) == (401, "UNAUTHENTICATED")
    for headers in ({"Authorization": f"Basic {ADMIN_TOKEN}"}, {"Authorization": ADMIN_TOKEN}):
        async with studio.http.get(studio.program.url + path, headers=headers) as response:
            assert response.status == 401


async def test_an_unauthenticated_live_connection_is_refused_at_the_handshake(studio: World) -> None:
    """Contract 5: 401, not a WebSocket that closes."""
    session_id = await _session(studio)
    url = f"{studio.program.url}/api/sessions/{session_id}/live"
    async with studio.http.get(url, headers={"Upgrade": "websocket", "Connection": "Upgrade"}) as response:
        assert response.status == 401


async def test_a_session_has_the_contracts_keys(studio: World) -> None:
    session_id = await _session(studio)
    session = await studio.api.ok(f"/api/sessions/{session_id}")
    assert set(session) >= {
        *("id", "agent_id", "is_git", "model_id", "title", "status", "session_key", "parent_id", "root_id", "path"),
        *("project_id", "workspace", "permission_level", "execution_mode", "updated_at", "phase", "waiting_for"),
    }
    assert (session["agent_id"], session["status"], session["phase"]) == ("studio", "ACTIVE", "IDLE")
    assert (session["path"], session["execution_mode"], session["permission_level"]) == ("/root", "CLOUD", "default")
    listed = await studio.api.ok("/api/sessions")
    assert set(listed) == {"items", "next"}
    assert session_id in [one["id"] for one in listed["items"]]


async def test_a_round_in_a_session_of_the_api(studio: World) -> None:
    """Contract 6: the same round without any chat; numbers without gaps, speakers, job ids, turn ends."""
    studio.model.play = round_of()
    session_id = await _session(studio)
    accepted = await studio.api.post(f"/api/sessions/{session_id}/inputs", {"text": QUESTION})
    assert accepted.status == 202
    assert accepted.body["input_id"]
    await _ended(studio, session_id)
    events = await studio.api.events(session_id)
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    kinds = _kinds(events)
    assert kinds[:4] == ["user_message", "host_message", "job_dispatched", "job_dispatched"]
    assert kinds[4:] == ["member_message", "member_message", "wrapup"]
    by_kind = {event["kind"]: event for event in events}
    assert by_kind["host_message"]["text"] == NARRATION
    assert by_kind["host_message"]["speaker_agent_id"] == by_kind["host_message"]["speaker"]["id"] == "studio"
    assert by_kind["wrapup"]["text"] == WRAP_UP
    members = [event for event in events if event["kind"] == "member_message"]
    assert {event["speaker"]["id"]: event["text"] for event in members} == dict(FINDINGS)
    assert {event["speaker"]["role"] for event in members} == {"member"}
    assert {event["job_id"] for event in members} == {
        event["job_id"] for event in events if event["kind"] == "job_dispatched"
    }
    assert all(
        set(event) >= {"seq", "id", "session_id", "kind", "at", "speaker", "text", "turn_id"} for event in events
    )
    assert all(event["session_id"] == session_id for event in events)
    ends = [event for event in events if event["kind"] == "turn_ended"]
    assert [event["data"]["status"] for event in ends] == ["completed", "completed"], "a room's turns are the host's"


async def test_nothing_of_a_session_of_the_api_reaches_a_chat(studio: World) -> None:
    """Architecture 4: an event is posted to its origin only, and here there is none."""
    studio.model.play = round_of()
    taken = len(studio.callback.taken)
    session_id = await _session(studio)
    await studio.api.post(f"/api/sessions/{session_id}/inputs", {"text": QUESTION})
    await _ended(studio, session_id)
    guest = studio.guest()
    await guest.say("/whoami")
    await guest.hears(1)
    assert len(studio.callback.taken) == taken + 1


async def test_events_are_read_page_by_page(studio: World) -> None:
    studio.model.play = round_of()
    session_id = await _session(studio)
    await studio.api.post(f"/api/sessions/{session_id}/inputs", {"text": QUESTION})
    await _ended(studio, session_id)
    everything = await studio.api.events(session_id)
    pages, after = [], 0
    for _ in itertools.repeat(None, len(everything)):
        page = (await studio.api.ok(f"/api/sessions/{session_id}/events", after=after, limit=3))["items"]
        if not page:
            break
        assert len(page) <= 3
        pages += page
        after = page[-1]["seq"]
    assert pages == everything


async def test_an_idempotency_key_makes_one_input(studio: World) -> None:
    """Contract 5: the same receipt, also at the same instant; other content conflicts; the scope is the session."""
    studio.model.play = cast(always("好。"))
    session_id, other = await _session(studio), await _session(studio)
    path, body = f"/api/sessions/{session_id}/inputs", {"text": "在吗"}
    replies = await asyncio.gather(*(studio.api.post(path, body, key="k1") for _ in range(5)))
    assert {reply.status for reply in replies} == {202}
    assert len({reply.body["input_id"] for reply in replies}) == 1
    conflict = await studio.api.post(path, {"text": "别的"}, key="k1")
    assert (conflict.status, conflict.code) == (409, "IDEMPOTENCY_CONFLICT")
    elsewhere = await studio.api.post(f"/api/sessions/{other}/inputs", body, key="k1")
    assert elsewhere.body["input_id"] != replies[0].body["input_id"]
    without = [await studio.api.post(path, body) for _ in range(2)]
    assert without[0].body["input_id"] != without[1].body["input_id"]


@pytest.mark.parametrize(
    ("body", "path"), [({}, "text"), ({"text": 7}, "text"), ({"text": "a", "attachments": "b"}, "attachments")]
)
async def test_a_wrong_body_is_param_invalid_with_its_path(studio: World, body: Any, path: str) -> None:
    session_id = await _session(studio)
    reply = await studio.api.post(f"/api/sessions/{session_id}/inputs", body)
    assert (reply.status, reply.code) == (400, "PARAM_INVALID")
    assert reply.body["error"]["details"]["path"] == path


async def test_bodies_that_are_no_json_are_400(studio: World) -> None:
    headers = {"Authorization": f"Bearer {ADMIN_TOKEN}", "Content-Type": "application/json"}
    async with studio.http.post(f"{studio.program.url}/api/sessions", data=b"{", headers=headers) as response:
        assert response.status == 400


async def test_what_does_not_exist_is_404(studio: World) -> None:
    for path in ("/api/sessions/none", "/api/sessions/none/events", "/api/sessions/none/jobs"):
        reply = await studio.api.get(path)
        assert (reply.status, reply.code) == (404, "SESSION_NOT_FOUND")
    for path, body in (("/api/sessions/none/inputs", {"text": "a"}), ("/api/sessions/none/stop", None)):
        reply = await studio.api.post(path, body)
        assert (reply.status, reply.code) == (404, "SESSION_NOT_FOUND")
    unknown = await studio.api.post("/api/sessions", {"agent_id": "nobody"})
    assert (unknown.status, unknown.code) == (404, "AGENT_NOT_FOUND")
    assert (await studio.api.get("/api/nothing")).status == 404
    assert (await studio.api.post("/api/jobs/none/cancel")).status == 404
    assert (await studio.api.post("/api/deliveries/none/retry")).status == 404
    assert (await studio.api.post("/api/people/none/approve")).status == 404


async def test_errors_speak_the_language_of_the_request(studio: World) -> None:
    """Contract 5: Accept-Language, else the configuration's."""
    path = "/api/sessions/none"
    headers = {"Authorization": f"Bearer {ADMIN_TOKEN}"}
    texts = {}
    for language in ("en", "zh-CN", ""):
        more = headers | ({"Accept-Language": language} if language else {})
        async with studio.http.get(studio.program.url + path, headers=more) as response:
            texts[language] = (await response.json())["error"]["message"]
    assert texts["en"].isascii()
    assert texts["zh-CN"] == texts[""]
    assert not texts["zh-CN"].isascii()


async def test_stop_over_http(studio: World) -> None:
    """Contract 5: 200 with what it found; a stopped turn is marked, the next question is answered (T16)."""
    gate = Gate()
    half = say("说到一半", gate)
    studio.model.play = cast(lambda request: half if QUESTION in request.last else say("在。"))
    session_id = await _session(studio)
    idle = await studio.api.post(f"/api/sessions/{session_id}/stop")
    assert (idle.status, idle.body) == (200, {"stopped": False})
    await studio.api.post(f"/api/sessions/{session_id}/inputs", {"text": QUESTION})
    async with studio.api.live(session_id) as live:
        await live.until(lambda frames: any(frame["type"] == "delta" for frame in frames))
        stopped = await studio.api.post(f"/api/sessions/{session_id}/stop")
        assert (stopped.status, stopped.body) == (200, {"stopped": True})
        await live.until(lambda frames: "turn_ended" in live.kinds())
        (message,) = [event for event in live.events() if event["kind"] == "host_message"]
        assert (message["text"], message["data"]["stopped"]) == ("说到一半", True)
        await studio.api.post(f"/api/sessions/{session_id}/inputs", {"text": "在吗"})
        await live.until(lambda frames: live.kinds().count("turn_ended") == 2)
        statuses = [event["data"]["status"] for event in live.events() if event["kind"] == "turn_ended"]
        assert statuses == ["stopped", "completed"]


async def test_jobs_are_listed_and_cancelled(studio: World) -> None:
    """T29, contract 5: open and closed jobs; cancel 202; the host is told; nothing twice."""
    gate = Gate()
    studio.model.play = cast(planner("researcher"), researcher=lambda request: say(gate, FINDINGS["researcher"]))
    session_id = await _session(studio)
    await studio.api.post(f"/api/sessions/{session_id}/inputs", {"text": QUESTION})
    await gate.reached()
    (job,) = (await studio.api.ok(f"/api/sessions/{session_id}/jobs"))["items"]
    cancelled = await studio.api.post(f"/api/jobs/{job['id']}/cancel")
    assert cancelled.status == 202
    events = await _ended(studio, session_id)
    assert _kinds(events) == ["user_message", "host_message", "job_dispatched", "job_failed", "wrapup"]
    (closed,) = (await studio.api.ok(f"/api/sessions/{session_id}/jobs"))["items"]
    assert closed["id"] == job["id"]
    assert closed["state"] != job["state"]
    again = await studio.api.post(f"/api/jobs/{job['id']}/cancel")
    assert again.status in (202, 409)
    assert _kinds(await studio.api.events(session_id)) == _kinds(events)


async def test_a_members_side_session_shows_its_own_part(studio: World) -> None:
    """T17, T20: listed beside the room, `{room}~{member}`, with the task sheet; it takes no input from outside."""
    studio.model.play = round_of()
    session_id = await _session(studio)
    await studio.api.post(f"/api/sessions/{session_id}/inputs", {"text": QUESTION})
    await _ended(studio, session_id)
    side_id = f"{session_id}~researcher"
    side = await studio.api.ok(f"/api/sessions/{side_id}")
    assert (side["agent_id"], side["session_key"]) == ("researcher", f"team:{session_id}")
    assert side["title"] == "来自团队 内容工作室"
    events = await studio.api.events(side_id)
    assert FINDINGS["researcher"] in [event["text"] for event in events]
    assert any("任务单（researcher）" in event["text"] for event in events)
    refused = await studio.api.post(f"/api/sessions/{side_id}/inputs", {"text": "私下说"})
    assert 400 <= refused.status < 500


async def test_people_are_listed_without_secrets(studio: World) -> None:
    studio.model.play = cast(always("好。"))
    guest = studio.guest(sender="u-listed")
    await guest.say("在吗", wait=20)
    people = (await studio.api.ok("/api/people"))["items"]
    assert "u-listed" in [person["external_id"] for person in people]


async def test_deliveries_are_listed(studio: World) -> None:
    studio.model.play = cast(always("好。"))
    guest = studio.guest()
    await guest.say("在吗", wait=20)
    (message,) = await guest.hears(1)

    async def sent() -> list[str]:
        return [one["id"] for one in (await studio.api.ok("/api/deliveries", state="sent"))["items"]]

    await studio.guest().say("在吗", wait=20)
    assert message.delivery_id in await sent()
    assert (await studio.api.get("/api/deliveries", state="nonsense")).status == 400


async def test_health_needs_no_token(studio: World) -> None:
    """Contract 5: the shape of /readyz, and a bare process probe."""
    api = studio.api.without_token()
    assert (await api.get("/healthz")).status == 200
    ready = await api.get("/readyz")
    assert ready.status == 200
    assert set(ready.body) == {"ready", "store", "channels"}
    assert set(ready.body["channels"]) == {"hook", "second", "kept", "solo"}
    assert all(set(channel) == {"state", "reason"} for channel in ready.body["channels"].values())


async def test_metrics_have_the_names_of_the_contract(studio: World) -> None:
    """Contract 9: from loopback without a token, but not through a proxy without one."""
    studio.model.play = round_of()
    await studio.guest().say(QUESTION, wait=20)
    url = f"{studio.program.url}/metrics"
    async with studio.http.get(url) as response:
        text = await response.text()
        assert response.status == 200
    names = (
        *("inbound_events_total", "turns_total", "jobs_open", "deliveries_total", "deliveries_pending"),
        *("delivery_delay_seconds", "answer_delay_seconds", "model_tokens_total", "channel_up"),
    )
    assert [name for name in names if f"teambridge_{name}" not in text] == []
    assert 'teambridge_channel_up{channel="hook"} 1' in text
    async with studio.http.get(url, headers={"X-Forwarded-For": "203.0.113.9"}) as response:
        assert response.status in (401, 403)


async def test_a_foreign_host_name_is_421(studio: World) -> None:
    """Contract 5: no DNS rebinding."""
    headers = {"Host": "evil.example.com", "Authorization": f"Bearer {ADMIN_TOKEN}"}
    async with studio.http.get(f"{studio.program.url}/api/sessions", headers=headers) as response:
        assert response.status == 421


async def test_openapi_lists_the_routes(studio: World) -> None:
    document = await studio.api.ok("/api/openapi.json")
    assert document["openapi"].startswith("3.1")
    assert {"/api/sessions", "/api/sessions/{id}/inputs", "/healthz", "/readyz"} <= set(document["paths"])


async def test_no_answer_of_the_api_holds_a_secret(studio: World) -> None:
    """X5: what was listed above, once more, as text."""
    paths = ("/api/sessions", "/api/people", "/api/deliveries", "/readyz", "/api/openapi.json")
    texts = [str((await studio.api.get(path)).body) for path in paths]
    for secret in (API_KEY, secret_of("hook"), ADMIN_TOKEN):
        assert all(secret not in text for text in texts)
        assert secret not in studio.program.stderr + studio.program.stdout
