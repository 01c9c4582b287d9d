"""Answers in the platform's envelope."""

import json
from collections.abc import Mapping
from typing import Any

from aiohttp import web

Json = dict[str, Any]
LOG_ID = "20260101120000SIMULATED"


class Refusal(Exception):
    """An error of the platform: its code, and the HTTP status that it comes with."""

    def __init__(
        self, code: int, message: str = "", *, status: int = 400, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(f"{code} {message}")
        self.code = code
        self.message = message or f"error {code}"
        self.status = status
        self.headers = dict(headers or {})


def card_refusal(detail: int, message: str) -> Refusal:
    """What is wrong inside a card stands in the message."""
    return Refusal(230099, f"Failed to create card content, ext=ErrCode: {detail}; ErrMsg: {message}; ErrorValue: ;")


def success(data: Any = None, **top: Any) -> web.Response:
    body = {"code": 0, "msg": "success", **({"data": data} if data is not None else {}), **top}
    return _response(body, 200, {})


def failure(refusal: Refusal) -> web.Response:
    body = {"code": refusal.code, "msg": refusal.message, "error": {"log_id": LOG_ID, "troubleshooter": ""}}
    return _response(body, refusal.status, refusal.headers)


def _response(body: Json, status: int, headers: Mapping[str, str]) -> web.Response:
    return web.Response(
        text=json.dumps(body, ensure_ascii=False),
        status=status,
        headers={"X-Tt-Logid": LOG_ID, **headers},
        content_type="application/json",
    )
