"""What Feishu takes in one message."""

from typing import Final

from channels.types import Limits

LIMITS: Final = Limits(text=12_000, unit="bytes", whole_above=120_000)
"""About 4000 Chinese characters: as a card, with all that escaping adds, well below the platform's 30 kB. Longer than
ten cards is a document."""

MOST_BYTES: Final = 28_000
"""Bytes of a request that carries a card or a post; the platform refuses more than 30 kB."""

MOST_TABLES: Final = 5
"""Tables in one card (230099/11310 beyond)."""

TABLES_OF_ELEMENT: Final = 4
"""Tables in one Markdown element."""

ROWS_OF_TABLE: Final = 40
"""Rows of one table; with more than about 50 the whole card is refused."""

ELEMENT: Final = 4000
"""Characters of one Markdown element: clients cut far longer ones silently."""
