"""The OpenAPI document and the pages."""

import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from store.database import Database
from tests.support.api_server import Site, open_site
from tests.support.clock import FakeClock


@pytest.fixture
async def site(database: Database, clock: FakeClock, tmp_path: Path) -> AsyncIterator[Site]:
    async with open_site(database, clock, tmp_path) as opened:
        yield opened


async def document(site: Site) -> Any:
    return await site.body("GET", "/api/openapi.json", token="", status=200)


async def test_the_document_lists_every_route(site: Site) -> None:
    """Contract 5: health and `/v1` included."""
    app: web.Application = site.client.server.app  # type: ignore[attr-defined]
    served = {
        (route.method.lower(), route.resource.canonical) for route in app.router.routes() if route.resource is not None
    }
    described = {(method, path) for path, methods in (await document(site))["paths"].items() for method in methods}
    assert described == served
    assert {("get", "/healthz"), ("get", "/v1/sessions/{id}/live"), ("post", "/hooks/{channel_id}")} <= described


async def test_every_reference_leads_somewhere(site: Site) -> None:
    found = await document(site)
    assert found["openapi"] == "3.1.0"
    references = set(re.findall(r"#/components/schemas/([^'\"]+)", str(found)))
    assert references <= set(found["components"]["schemas"])
    for methods in found["paths"].values():
        for operation in methods.values():
            assert operation["summary"]
            assert operation["responses"]


async def test_answers_are_what_the_document_says(site: Site) -> None:
    """The document is made of the types that serve: keys of an answer are those of its schema, in either case."""
    session_id, found = await site.open(), await document(site)
    for prefix in ("/api", "/v1"):
        answer = await site.body("GET", f"{prefix}/sessions/{session_id}", status=200)
        operation = found["paths"][f"{prefix}/sessions/{{id}}"]["get"]
        reference = operation["responses"]["200"]["content"]["application/json"]["schema"]["$ref"]
        assert set(answer) == set(found["components"]["schemas"][reference.rpartition("/")[2]]["properties"])


async def test_unknown_addresses_and_methods_have_the_envelope(site: Site) -> None:
    assert (await site.refusal("GET", "/nothing", status=404))[0] == "NOT_FOUND"
    code, details = await site.refusal("PUT", "/api/sessions", status=405)
    assert (code, details) == ("METHOD_NOT_ALLOWED", {"allowed": ["GET", "POST"]})


async def test_pages_come_from_the_package(site: Site) -> None:
    for path, kind in (("/", "text/html"), ("/api/docs", "text/html"), ("/console/app.js", "text/javascript")):
        response = await site.get(path, token="")
        assert (response.status, response.content_type) == (200, kind)
        assert await response.text()
    for name in ("nothing.js", "..%2Fapi%2Fauth.py", "%2e%2e%2flive.py", "__init__.py"):
        assert (await site.get(f"/console/{name}", token="")).status == 404


async def test_pages_ask_no_other_host_for_anything(site: Site) -> None:
    """Every file is ours, and no markup or script names another host."""
    page = await (await site.get("/", token="")).text()
    names = re.findall(r'(?:src|href)="([^"]+)"', page)
    assert names
    for name in names:
        response = await site.get(name, token="")
        assert response.status == 200, name
        for address in re.findall(r"https?://[^\s\"'`)]+", await response.text()):
            assert address.startswith("http://www.w3.org/"), address
    assert "<script>" not in page
    assert "style=" not in page
