"""What can go wrong in the store, named by what the caller must do.

StoreError
├── StoreUnavailable   try again later; nothing was written
├── StoreTooNew        install the newer program; nothing was written (`revision`)
├── Lost               another owner took this work over; drop it, change nothing
├── Taken              choose another id; nothing was written
└── NotFound           there is no such row for this caller
"""


class StoreError(Exception):
    """Any fault of the store."""


class StoreUnavailable(StoreError):
    """The database did not answer, is locked or has no room: nothing was written, try again later."""


class StoreTooNew(StoreError):
    """A newer program has worked on this store; `revision` is one that this program does not know."""

    def __init__(self, revision: str) -> None:
        super().__init__(f"the store was made by a newer teambridge (revision {revision}); install that version")
        self.revision = revision


class Lost(StoreError):
    """The work belongs to another owner or attempt by now: drop it."""


class Taken(StoreError):
    """Somebody else has this id, perhaps since a moment ago."""


class NotFound(StoreError):
    """No such row."""
