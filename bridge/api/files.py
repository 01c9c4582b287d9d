"""Files of a session: brought by its people before they say something, and taken away by who may read it."""

from collections.abc import AsyncIterator
from functools import partial
from typing import Final

from aiohttp import BodyPartReader, web

from bridge.api.call import Call, Words
from bridge.api.downloads import download
from bridge.api.errors import ApiError, param_invalid
from bridge.api.inputs import speaking
from bridge.api.routes import Routes
from bridge.api.sessions import INNER, ONE, READING, read_session
from bridge.files import LIMIT
from bridge.shape import Shape
from host.errors import Archived, NotAccepting
from host.filenames import clean_name
from host.shelf import Kept
from store.database import Transaction
from store.files import File, add_files, find_file

routes: Final = Routes("sessions")

_PIECE: Final = 65_536


class Naming(Shape):
    """What the file is called; a part of a form has its own name."""

    name: Words = ""


class FileShape(Shape):
    """A file that lies ready: its id stands among the `attachments` of an input. `size` in bytes."""

    file_id: str
    name: str
    size: int


@routes.add(
    "POST",
    "/api/sessions/{id}/files",
    status=201,
    errors=("PARAM_INVALID", "FORBIDDEN", "AGENT_NOT_FOUND", "SESSION_ARCHIVED", "STORE_UNAVAILABLE", *ONE),
    takes_bytes=True,
)
async def upload(call: Call, query: Naming) -> FileShape:
    """Bring a file of at most 25 MB: as the whole body with a `name`, or as the first file of a form."""
    await call.read(partial(_check, call))
    if (call.request.content_length or 0) > LIMIT + _PIECE:
        raise ApiError("PAYLOAD_TOO_LARGE", sentence="error.file_too_large")
    name, mime, pieces = await _opened(call, query.name)
    try:
        kept = await call.parts.shelf.put(pieces, LIMIT)
    except OSError as fault:
        raise ApiError("STORE_UNAVAILABLE") from fault
    except ValueError as fault:
        raise param_invalid("body") from fault
    return await call.write(partial(_add, call, clean_name(name), mime, kept))


@routes.add(
    "GET", "/api/sessions/{id}/files/{file_id}", errors=("NOT_FOUND", *READING), media="application/octet-stream"
)
async def fetch(call: Call) -> web.StreamResponse:
    """The bytes of a file that came along with a message or an answer; they are kept for 30 days."""
    return await download(call.parts.shelf, await call.read(partial(_find, call)))


async def _check(call: Call, tx: Transaction) -> None:
    session = await speaking(call, tx)
    if session.kind in INNER:
        raise NotAccepting(session.id)
    if session.status != "ACTIVE":
        raise Archived(session.id)


async def _add(call: Call, name: str, mime: str, kept: Kept, tx: Transaction) -> FileShape:
    session = await speaking(call, tx)
    file = File(
        id=call.parts.new_id(),
        session_id=session.id,
        name=name,
        created_at=tx.now,
        stored_at=tx.now,
        mime=kept.picture or ("" if mime.startswith("image/") else mime),
        size=kept.size,
        digest=kept.digest,
        state="stored",
    )
    await add_files(tx, [file])
    return FileShape(file_id=file.id, name=file.name, size=file.size)


async def _find(call: Call, tx: Transaction) -> File | None:
    """In a member's session its room's files are found too: the task names them."""
    session = await read_session(call, tx)
    file = await find_file(tx, call.named("file_id"))
    places = (session.id, session.parent_id) if session.kind == "side" else (session.id,)
    return file if file is not None and file.session_id in places else None


async def _opened(call: Call, name: str) -> tuple[str, str, AsyncIterator[bytes]]:
    """Name, type and bytes of what is sent. Raises ApiError."""
    if not call.request.content_type.startswith("multipart/"):
        return name, _mime(call.request.content_type), call.request.content.iter_chunked(_PIECE)
    try:
        part = await _first_file(call.request)
    except ValueError:
        part = None
    if part is None:
        raise param_invalid("body", "missing")
    return part.filename or name, part.headers.get("Content-Type", ""), _pieces(part)


def _mime(told: str) -> str:
    """What clients say when nobody told them says nothing."""
    return "" if told in ("application/x-www-form-urlencoded", "application/octet-stream") else told


async def _first_file(request: web.Request) -> BodyPartReader | None:
    form = await request.multipart()
    while (part := await form.next()) is not None:
        if isinstance(part, BodyPartReader) and (part.filename or part.name == "file"):
            return part
    return None


async def _pieces(part: BodyPartReader) -> AsyncIterator[bytes]:
    while piece := await part.read_chunk(_PIECE):
        yield piece
