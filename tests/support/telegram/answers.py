"""How the server answers, and how it refuses."""

from typing import Any

from aiohttp import web


class Refusal(Exception):
    """An error of the Bot API: code, description, parameters."""

    def __init__(self, code: int, description: str, **parameters: Any) -> None:
        super().__init__(description)
        self.code = code
        self.description = description
        self.parameters = parameters


def bad(description: str, **parameters: Any) -> Refusal:
    return Refusal(400, f"Bad Request: {description}", **parameters)


def success(result: Any) -> web.Response:
    return web.json_response({"ok": True, "result": result})


def failure(refusal: Refusal) -> web.Response:
    """The HTTP status is the error code."""
    body: dict[str, Any] = {"ok": False, "error_code": refusal.code, "description": refusal.description}
    headers = {}
    if refusal.parameters:
        body["parameters"] = refusal.parameters
    if retry_after := refusal.parameters.get("retry_after"):
        headers["Retry-After"] = str(retry_after)
    return web.json_response(body, status=refusal.code, headers=headers)
