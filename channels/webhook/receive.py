"""A verified request body → an inbound event. Pure."""

import hashlib
import json
from typing import Any, Never

from pydantic import ValidationError

from channels.errors import NotJson, Unprocessable
from channels.types import InboundEvent
from channels.webhook.message import ID_LENGTH, Message, is_storable


def parse(event_key: str, body: bytes) -> InboundEvent:
    """The event in `body`, shaped as the contract says. Raises NotJson, Unprocessable."""
    fields = read_object(body)
    if len(event_key) > ID_LENGTH or not is_storable(event_key):
        raise Unprocessable("webhook-id", f"must be at most {ID_LENGTH} characters of UTF-8")
    try:
        message = Message.model_validate(fields)
    except ValidationError as error:
        raise _unprocessable(error) from None
    return message.event(event_key, digest=hashlib.sha256(body).hexdigest())


def read_object(body: bytes) -> dict[str, Any]:
    """The JSON object in `body`; of a repeated key the last value counts, as in most readers. Raises NotJson."""
    try:
        value = json.loads(body.decode("utf-8-sig"), parse_constant=_refuse)
    except (ValueError, RecursionError):
        raise NotJson("the body is not JSON in UTF-8") from None
    if not isinstance(value, dict):
        raise NotJson("the body is not a JSON object")
    return value


def _refuse(constant: str) -> Never:
    raise ValueError(constant)  # NaN and Infinity are Python's, not JSON's


def _unprocessable(error: ValidationError) -> Unprocessable:
    """The first fault, without the value that caused it."""
    fault = error.errors(include_url=False, include_input=False, include_context=False)[0]
    path = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in fault["loc"]).removeprefix(".")
    problem = "must be an object" if fault["type"] == "model_type" else fault["msg"]
    return Unprocessable(path or "text", problem)
