"""What alembic runs for every command: the connection and its transaction belong to the caller."""

from alembic import context

import store.schema  # noqa: F401  maps every table
from store.base import Row
from store.migrations.columns import render_item

context.configure(
    **context.config.attributes,
    target_metadata=Row.metadata,
    render_item=render_item,
    render_as_batch=True,
)
context.run_migrations()
