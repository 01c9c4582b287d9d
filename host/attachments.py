"""What comes along with a message: each file is a row of its session before anybody fetches its bytes."""

from collections.abc import Sequence
from typing import Any, Final

import structlog

from host.deps import Deps
from host.errors import ToolFault, UnknownFile, WorkspaceFault
from host.filenames import apart, clean_name, folded
from host.pictures import LARGEST, Picture
from host.prompts import FileView, mention
from host.toolbox import Bench
from host.values import Attached
from store.base import Origin
from store.database import Transaction
from store.events import Event
from store.files import File, add_files, find_file, find_files, names_in, stored_files, waits_for_files
from store.inputs import Input
from store.sessions import Session

log = structlog.get_logger(__name__)

MOST: Final = 10
"""Files of one message that are taken; of the others only the names."""

NAMED: Final = 50
"""Files of one message that are taken or named: nobody reads the names of thousands, but a room would wait for them."""

LARGEST_TOLD: Final = 2**31 - 1
"""Bytes that a sender may say a file has: more does not fit into the column, and is too large whatever it is."""

LISTED: Final = 30
"""Files that a model is told of when it named one that is not there."""

FOLDER: Final = "files"
"""Where an agent finds them in its workspace."""


def fetching_lane(input_id: str) -> str:
    """The lane on which the files of an input are fetched."""
    return f"files:{input_id}"


async def attach(
    deps: Deps, tx: Transaction, session: Session, input_id: str, attached: Sequence[Attached], origin: Origin | None
) -> list[File]:
    """The files of a message, in its locked session; their fetching begins once `tx` is durable. Raises UnknownFile."""
    if not attached:
        return []
    taken = {folded(each) for each in await names_in(tx, session.id)}
    files = []
    for number, each in enumerate(attached[:NAMED]):
        file = await _known(deps, tx, session, each) if each.file_id else _new(deps, tx, session, each, taken)
        file.input_id, file.number = input_id, number
        files.append(file)
        if number >= MOST:
            file.state, file.reason = "failed", deps.say("file.too_many", count=MOST)
        elif file.state == "waiting":
            file.source = _source(each, origin)
    await add_files(tx, files)
    if any(each.state == "waiting" for each in files):
        await deps.lanes.wake(tx, fetching_lane(input_id))
    return files


def shown(files: Sequence[File]) -> list[dict[str, Any]]:
    """The files as the event of their message tells them."""
    return [{"id": each.id, "name": each.name, "size": each.size, "state": each.state} for each in files]


async def chosen_files(tx: Transaction, room_id: str, asked: Sequence[str]) -> list[File]:
    """The room's stored files that a model named by id, or by their exact name (X3: nothing else is reachable).

    Raises ToolFault, which lists the ones there are.
    """
    if not asked:
        return []
    there = await stored_files(tx, room_id)
    known = {each.name: each for each in reversed(there)} | {each.id: each for each in there}
    if unknown := [each for each in asked if each not in known]:
        listed = "; ".join(f"{each.id} ({each.name})" for each in there[:LISTED]) or "none"
        raise ToolFault(f"no such file: {', '.join(unknown)}. Files of this chat: {listed}")
    return list({known[each].id: known[each] for each in asked}.values())


def in_words(said: Event, locale: str) -> str:
    """What was said, with the names of the files that came along."""
    files = [*said.data.get("attachments", ()), *said.data.get("files", ())]
    along = [mention(each["name"], each.get("size", 0), locale) for each in files]
    return "\n".join([said.text, *along] if said.text else along)


async def is_held_up(tx: Transaction, found: Input) -> bool:
    """Whether the input, and all that stands behind it, waits for files."""
    return bool(found.data.get("files")) and await waits_for_files(tx, found.id)


async def files_of(tx: Transaction, found: Input | None) -> list[File]:
    """What came along with an input, or was handed over with a task."""
    return await find_files(tx, found.data.get("files", ())) if found is not None else []


def views(files: Sequence[File], *, with_paths: bool = False) -> list[FileView]:
    """The files as a prompt tells them; `with_paths` for an agent that has them in its workspace."""
    return [_view(each, with_path=with_paths) for each in files]


def pictures(files: Sequence[File]) -> list[Picture]:
    """Those that a model with eyes is shown."""
    return [
        Picture(digest=each.digest, mime=each.mime, name=each.name)
        for each in files
        if each.state == "stored" and each.mime.startswith("image/") and each.size <= LARGEST
    ]


def path_of(file: File) -> str:
    """Where the file lies in the workspace of whom it was given to: no two contents at the same place."""
    return f"{FOLDER}/{file.digest[:8]}/{file.name}"


async def hand_out(deps: Deps, bench: Bench, files: Sequence[File]) -> dict[str, str]:
    """Put the files into the workspace, once: what an agent made of them since it began is left alone.

    Answers which paths could not be filled, and why in words: the prompt has named them already.
    """
    unplaced: dict[str, str] = {}
    if bench.turn.progress:
        return unplaced
    workspace = deps.workspaces.of(bench)
    for each in files:
        if each.state != "stored":
            continue
        try:
            await workspace.put(path_of(each), deps.shelf.path(each.digest))
        except (WorkspaceFault, OSError) as fault:
            log.warning("A file could not be put into a workspace", file=each.id, reason=str(fault))
            is_told = isinstance(fault, WorkspaceFault)
            unplaced[path_of(each)] = str(fault) if is_told else deps.say("file.not_kept")
    return unplaced


def _view(file: File, *, with_path: bool) -> FileView:
    path = path_of(file) if with_path and file.state == "stored" else ""
    return FileView(id=file.id, name=file.name, size=file.size, state=file.state, reason=file.reason, path=path)


def _new(deps: Deps, tx: Transaction, session: Session, each: Attached, taken: set[str]) -> File:
    name = apart(clean_name(each.name), taken)
    taken.add(folded(name))
    file = File(
        id=deps.new_id(),
        session_id=session.id,
        name=name,
        created_at=tx.now,
        mime=each.mime,
        size=min(max(each.size, 0), LARGEST_TOLD),
        state="waiting",
        reason="",
    )
    if not each.url and not each.ref:
        file.state, file.reason = "failed", deps.say("file.no_address")
    return file


async def _known(deps: Deps, tx: Transaction, session: Session, each: Attached) -> File:
    """A file that lies in the session already: itself, or its double if it came along before."""
    file = await find_file(tx, each.file_id)
    if file is None or file.session_id != session.id or file.state != "stored":
        raise UnknownFile(each.file_id)
    if file.input_id is None and file.turn_id is None:
        return file
    return File(
        id=deps.new_id(),
        session_id=session.id,
        name=file.name,
        created_at=tx.now,
        mime=file.mime,
        size=file.size,
        digest=file.digest,
        state="stored",
        stored_at=tx.now,
    )


def _source(each: Attached, origin: Origin | None) -> dict[str, Any]:
    channel_id = origin.channel_id if origin is not None else ""
    return {"channel_id": channel_id, "ref": each.ref, "url": each.url, "size": each.size}
