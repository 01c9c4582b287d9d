"""Files over HTTP: brought, named in an input, taken away again, by those who may."""

from collections.abc import AsyncIterator
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from aiohttp import FormData

from bridge.files import LIMIT
from store.database import Database
from tests.support.api_server import Site, open_site
from tests.support.clock import FakeClock

PNG = b"\x89PNG\r\n\x1a\n" + b"0" * 20


@pytest.fixture
async def site(database: Database, clock: FakeClock, tmp_path: Path) -> AsyncIterator[Site]:
    async with open_site(database, clock, tmp_path) as opened:
        yield opened


async def bring(site: Site, session_id: str, data: Any, name: str = "a.txt", **more: Any) -> dict[str, Any]:
    url = f"/api/sessions/{session_id}/files"
    return dict(await site.body("POST", url, status=201, data=data, params={"name": name}, **more))


async def test_a_file_is_brought_said_and_taken_away(site: Site) -> None:
    """Issue 8 item 4: POST files, then its id in the input; the event carries id, name, size and state."""
    here = await site.open("loner")
    brought = await bring(site, here, b"hello", "../../ä b.txt")
    assert brought == {"file_id": brought["file_id"], "name": "ä b.txt", "size": 5}
    said = {"text": "read", "attachments": [brought["file_id"]]}
    await site.body("POST", f"/api/sessions/{here}/inputs", status=202, json=said)
    await site.house.quiet()
    (asked,) = site.house.models.asked
    assert f"[文件 ä b.txt, 5 B] id：{brought['file_id']}" in asked.prompt
    events = (await site.body("GET", f"/api/sessions/{here}/events", status=200))["items"]
    known = {"id": brought["file_id"], "name": "ä b.txt", "size": 5, "state": "stored"}
    assert events[0]["data"]["attachments"] == [known]
    answer = await site.get(f"/api/sessions/{here}/files/{brought['file_id']}")
    assert (answer.status, await answer.read()) == (200, b"hello")


async def test_a_file_never_becomes_a_page_of_ours(site: Site) -> None:
    """X: what a browser could run is saved, not shown; pictures may be drawn."""
    here = await site.open("loner")
    page = await bring(site, here, b"<script>alert(1)</script>", "x.html", headers={"Content-Type": "text/html"})
    picture = await bring(site, here, PNG, "x.html", headers={"Content-Type": "text/html"})
    for file, kind in ((page, "application/octet-stream"), (picture, "image/png")):
        answer = await site.get(f"/api/sessions/{here}/files/{file['file_id']}")
        assert answer.headers["Content-Type"] == kind
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Content-Disposition"].startswith("attachment;")


async def test_a_form_brings_its_first_file(site: Site) -> None:
    form = FormData()
    form.add_field("note", "not me")
    form.add_field("file", b"hello", filename="b.txt", content_type="text/plain")
    here = await site.open("loner")
    assert (await bring(site, here, form, ""))["name"] == "b.txt"
    url = f"/api/sessions/{here}/files"
    empty = FormData()
    empty.add_field("note", "no file", content_type="text/plain")
    assert await site.refusal("POST", url, status=400, data=empty()) == ("PARAM_INVALID", {"path": "body"})
    broken = {"Content-Type": "multipart/form-data"}
    code, _ = await site.refusal("POST", url, status=400, data=b"--x", headers=broken)
    assert code == "PARAM_INVALID"


async def test_a_file_that_is_too_large_is_refused(site: Site) -> None:
    """X7: by what it announces, and while it streams."""
    here = await site.open("loner")
    url = f"/api/sessions/{here}/files"

    async def stream() -> AsyncIterator[bytes]:
        for _ in range(LIMIT // 65_536 + 1):
            yield b"x" * 65_536

    for data in (BytesIO(b"x" * (LIMIT + 100_000)), stream()):
        error = (await site.body("POST", url, status=413, data=data))["error"]
        assert (error["code"], error["message"]) == ("PAYLOAD_TOO_LARGE", f"文件超过 {LIMIT // 1024**2} MB。")


async def test_nobody_reaches_files_of_another_session(site: Site) -> None:
    """X3: neither to read them nor to say them, whoever asks."""
    here, there = await site.open("loner"), await site.open("loner")
    brought = await bring(site, here, b"mine")
    url = f"/api/sessions/{there}/files/{brought['file_id']}"
    assert (await site.refusal("GET", url, status=404))[0] == "NOT_FOUND"
    said = {"text": "x", "attachments": [brought["file_id"]]}
    assert await site.refusal("POST", f"/api/sessions/{there}/inputs", status=400, json=said) == (
        "PARAM_INVALID",
        {"path": "attachments"},
    )
    stranger = await site.token_of("bob")
    for method, path, more in (
        ("GET", f"/api/sessions/{here}/files/{brought['file_id']}", {}),
        ("POST", f"/api/sessions/{here}/files", {"data": b"x"}),
    ):
        code, _ = await site.refusal(method, path, status=404, token=stranger, **more)
        assert code == "SESSION_NOT_FOUND"


async def test_an_archived_session_takes_no_files(site: Site) -> None:
    here = await site.open("loner")
    await site.body("POST", f"/api/sessions/{here}/archive", status=200)
    url = f"/api/sessions/{here}/files"
    assert (await site.refusal("POST", url, status=409, data=b"x"))[0] == "SESSION_ARCHIVED"


async def test_v1_brings_files_in_camel_case(site: Site) -> None:
    here = await site.open("loner")
    brought = await site.body("POST", f"/v1/sessions/{here}/files", status=201, data=b"x", params={"name": "a"})
    assert set(brought) == {"fileId", "name", "size"}
    said = {"text": "x", "attachments": [brought["fileId"]]}
    await site.body("POST", f"/v1/sessions/{here}/inputs", status=202, json=said)
