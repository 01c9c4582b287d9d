"""Routes as data: what the router, the dispatcher and the OpenAPI document are made of."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from inspect import getdoc
from typing import Any, Final, Literal, TypeVar, get_type_hints

from pydantic import BaseModel

Auth = Literal["user", "admin", "open", "signature", "metrics"]
"""Who may call: an account, an admin, anybody, whoever can sign, a token or this machine."""

Answer = Callable[..., Awaitable[object]]
Handler = TypeVar("Handler", bound=Answer)


@dataclass(frozen=True, kw_only=True)
class Route:
    """One endpoint. `body` and `query` are read from the handler's signature and parsed before it is called.

    `headers` are those that a request may bring; one that `takes_bytes` reads a file from its body. What is `described`
    stands in the document: the same types, unless the handler parses or answers by itself.
    """

    method: str
    path: str
    handler: Answer
    status: int
    auth: Auth
    tag: str
    summary: str
    errors: tuple[str, ...]
    headers: tuple[str, ...]
    body: type[BaseModel] | None
    query: type[BaseModel] | None
    described_query: type[BaseModel] | None
    described_answer: object
    media: str = "application/json"
    takes_bytes: bool = False
    camel: bool = False


class Routes:
    """The routes of one noun, collected by a decorator: `@routes.add("GET", "/api/jobs")`.

    A handler takes a Call, then what it wants of `body` and `query` (pydantic models), and answers with a model,
    None (204) or a response of its own. The first line of its docstring is the summary.
    """

    def __init__(self, tag: str) -> None:
        self.all: list[Route] = []
        self._tag: Final = tag

    def add(
        self,
        method: str,
        path: str,
        *,
        status: int = 200,
        auth: Auth = "user",
        errors: Sequence[str] = (),
        headers: Sequence[str] = (),
        media: str = "application/json",
        takes_bytes: bool = False,
        described_query: type[BaseModel] | None = None,
        described_answer: type[BaseModel] | None = None,
    ) -> Callable[[Handler], Handler]:
        def remember(handler: Handler) -> Handler:
            hints: dict[str, Any] = get_type_hints(handler)
            self.all.append(
                Route(
                    method=method,
                    path=path,
                    handler=handler,
                    status=status,
                    auth=auth,
                    tag=self._tag,
                    summary=(getdoc(handler) or "").partition("\n")[0],
                    errors=tuple(errors),
                    headers=tuple(headers),
                    body=hints.get("body"),
                    query=hints.get("query"),
                    described_query=described_query or hints.get("query"),
                    described_answer=described_answer or hints["return"],
                    media=media,
                    takes_bytes=takes_bytes,
                )
            )
            return handler

        return remember


def mounted(routes: Sequence[Route], prefix: str, new_prefix: str) -> list[Route]:
    """The routes below `prefix` once more, below `new_prefix` and in camelCase."""
    return [
        replace(route, path=new_prefix + route.path.removeprefix(prefix), camel=True)
        for route in routes
        if route.path.startswith(prefix)
    ]
