"""One request on its way through an endpoint: who asks, for what, and how the answer is written."""

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Annotated, Any, Generic, TypeVar

from aiohttp import web
from pydantic import AfterValidator, BaseModel, ConfigDict

from bridge.api.camel import camel, camel_keys, snake_keys
from bridge.api.errors import ApiError, param_invalid
from bridge.api.parts import Parts
from bridge.notices import Notices
from bridge.shape import Shape
from store.accounts import User
from store.database import Transaction

Model = TypeVar("Model", bound=BaseModel)
T = TypeVar("T")


def storable(value: str) -> str:
    """PostgreSQL takes no NUL, and half of a surrogate pair is no text anywhere."""
    if "\0" in value or any("\ud800" <= character <= "\udfff" for character in value):
        raise ValueError("must be plain text")
    return value


Words = Annotated[str, AfterValidator(storable)]
"""A text that every database can store."""


class Body(Shape):
    """What a request may say: an unknown key is an error, and so is "no" or 0 where true or false is meant."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Page(Shape, Generic[T]):
    """One page of a list; `next` is the cursor of the following one, or null."""

    items: list[T]
    next: str | None


@dataclass(frozen=True, kw_only=True)
class Call:
    """A request that was let in. `known` is its user; None on routes that are open to anybody."""

    request: web.Request
    parts: Parts
    known: User | None
    notices: Notices
    camel: bool = False

    @property
    def user(self) -> User:
        if self.known is None:
            raise ApiError("UNAUTHENTICATED")
        return self.known

    def named(self, name: str) -> str:
        """A part of the path."""
        return self.request.match_info[name].replace("\0", "")

    async def write(self, work: Callable[[Transaction], Awaitable[T]]) -> T:
        return await self.parts.database.write(work)

    async def read(self, work: Callable[[Transaction], Awaitable[T]]) -> T:
        return await self.parts.database.read(work)

    async def raw(self) -> bytes:
        """The body as it came. One that announces more than the limit is not read at all."""
        if (self.request.content_length or 0) > self.request.client_max_size:
            raise ApiError("PAYLOAD_TOO_LARGE")
        return await self.request.read()

    async def body(self, model: type[Model]) -> Model:
        """The body as this model. Raises ApiError and pydantic's ValidationError."""
        raw = await self.raw()
        try:
            value = json.loads(raw)
        except (ValueError, RecursionError):
            raise param_invalid("body", "json_invalid") from None
        return model.model_validate(snake_keys(value) if self.camel else value)

    def query(self, model: type[Model]) -> Model:
        given = dict(self.request.query)
        return model.model_validate(snake_keys(given) if self.camel else given)

    def rendered(self, answer: object, status: int) -> web.StreamResponse:
        """A handler's answer as a response."""
        if isinstance(answer, web.StreamResponse):
            return answer
        if answer is None:
            return web.Response(status=204)
        assert isinstance(answer, BaseModel)
        text = json.dumps(camel_keys(answer.model_dump(mode="json"))) if self.camel else answer.model_dump_json()
        return web.Response(status=status, text=text, content_type="application/json")


def error_response(error: ApiError, notices: Notices, *, in_camel: bool = False) -> web.Response:
    """The error envelope."""
    if in_camel and "path" in error.details:
        error.details["path"] = camel(str(error.details["path"]))
    body: dict[str, Any] = error.envelope(notices)
    return web.json_response(camel_keys(body) if in_camel else body, status=error.status, headers=error.headers)
