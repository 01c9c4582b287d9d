"""What Telegram takes in one message."""

from typing import Final

from channels.types import Limits

LIMITS: Final = Limits(text=4000, unit="utf16", whole_above=24_000)
"""A little less than Telegram's 4096, for what formatting adds. Longer than six messages is a document."""

MOST_FILE_BYTES: Final = 50_000_000
"""Of a file that a bot sends."""
