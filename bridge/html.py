"""What agents say as clean HTML, for pages of our own."""

from functools import cache
from importlib import import_module
from typing import Protocol, cast

from store.events import Event

_SPOKEN = ("host_message", "member_message", "wrapup")


class _Renderer(Protocol):
    def render(self, markdown: str) -> str: ...


def html_of(event: Event) -> str | None:
    """The event's text as sanitised HTML, if it is Markdown of an agent."""
    return _renderer().render(event.text) if event.kind in _SPOKEN else None


@cache
def _renderer() -> _Renderer:
    """Parser and sanitiser take 60 ms to import: only an instance whose console is open pays for them."""
    return cast(_Renderer, import_module("bridge.markup"))
