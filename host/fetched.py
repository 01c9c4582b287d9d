"""What became of a file that was to be fetched: it stands on the shelf, or it will not come."""

from host.attachments import shown
from host.deps import Deps
from host.shelf import Kept
from store.database import Transaction
from store.events import find_event, tell_later
from store.files import File, fail_file, files_of_input, find_file, hold_file, store_file
from store.inputs import find_input
from store.sessions import lock_session

Fetched = Kept | str
"""What is on the shelf, or why nothing is, in words."""


async def settle(deps: Deps, tx: Transaction, file_id: str, fetched: Fetched) -> None:
    """Write it down; with the last file of an input its session goes on. A file that was settled before stays so."""
    seen = await find_file(tx, file_id)
    if seen is None:
        return
    await lock_session(tx, seen.session_id)
    file = await hold_file(tx, file_id)
    if file.state != "waiting" or file.input_id is None:
        return
    if isinstance(fetched, Kept):
        await store_file(tx, file, digest=fetched.digest, size=fetched.size, mime=_mime(file, fetched))
    else:
        await fail_file(tx, file, fetched)
    await _go_on(deps, tx, file.session_id, file.input_id)


async def _go_on(deps: Deps, tx: Transaction, session_id: str, input_id: str) -> None:
    files = await files_of_input(tx, input_id)
    if any(each.state == "waiting" for each in files):
        return
    asked = await find_input(tx, input_id)
    if asked is not None and (said := await find_event(tx, session_id, asked.position)) is not None:
        await tell_later(said, attachments=shown(files))
    await deps.lanes.wake(tx, f"room:{session_id}")


def _mime(file: File, kept: Kept) -> str:
    """A picture is what its bytes are; of anything else the sender's word is passed on."""
    if kept.picture:
        return kept.picture
    return "" if file.mime.startswith("image/") else file.mime
