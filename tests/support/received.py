"""What the program has kept of the files that people sent, as its owner sees it over HTTP."""

from dataclasses import dataclass
from typing import Any

from tests.support.api import Api


@dataclass(frozen=True, kw_only=True)
class Received:
    """One file of a message: `content` is None if it was not stored."""

    name: str
    state: str
    content: bytes | None


async def received(api: Api, text: str) -> list[Received]:
    """The files of the message with these words, in order."""
    for session in (await api.ok("/api/sessions", limit=200))["items"]:
        for event in await api.events(session["id"]):
            if event["kind"] == "user_message" and text in event["text"]:
                return [await _received(api, session["id"], each) for each in event["data"]["attachments"]]
    raise AssertionError(f"nobody said {text!r}")


async def _received(api: Api, session_id: str, told: dict[str, Any]) -> Received:
    url = f"{api.url}/api/sessions/{session_id}/files/{told['id']}"
    async with api.http.get(url, headers={"Authorization": f"Bearer {api.token}"}) as answer:
        content = await answer.read() if answer.status == 200 else None
    return Received(name=told["name"], state=told["state"], content=content)
