"""Who the bot is."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Me:
    """`open_id` is the bot's own in its app, "" while nobody has told it."""

    app_id: str
    open_id: str = ""
    name: str = ""
