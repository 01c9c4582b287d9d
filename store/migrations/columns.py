"""How our column types are written into revisions: as the plain types beneath them, which never change later."""

from typing import Any, Literal

from sqlalchemy.types import TypeDecorator


def render_item(kind: str, item: Any, _context: Any) -> str | Literal[False]:
    """alembic's hook: the source text of `item`, or False to let alembic write it."""
    if kind == "type" and isinstance(item, TypeDecorator):
        return f"sa.{item.impl_instance!r}"
    return False
