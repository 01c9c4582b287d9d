"""What Slack takes in one message."""

from typing import Final

from channels.types import Limits

LIMITS: Final = Limits(text=9000, unit="bytes", whole_above=72_000)
"""A markdown block takes 12,000 characters, a whole payload about 13,200 and a stream about 10,600 bytes of UTF-8; what
is shown live must fit as well as what is posted. Longer than eight messages is a document."""

MOST_FILE_BYTES: Final = 100_000_000
"""Slack takes a gigabyte; more than this is held in memory by nobody here."""
