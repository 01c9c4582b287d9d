"""`send_file`: a file of the workspace, as it is now, comes along with the agent's answer."""

import mimetypes
from collections.abc import Callable, Sequence
from functools import partial
from typing import Annotated, Any, Final

import structlog
from pydantic import StringConstraints

from host.errors import TooLarge, ToolFault
from host.filenames import clean_name, size_in_words
from host.messages import ToolCall
from host.model import Tool
from host.prompts import FileView, answer_with_files
from host.shelf import Kept, Shelf
from host.toolbox import Bench
from host.tools import Arguments, arguments, schema
from host.workspace import Workspace
from store.database import Database, Transaction
from store.files import File, add_files, files_of_turn
from store.sessions import lock_session
from store.turns import Turn, hold_turn

log = structlog.get_logger(__name__)

LARGEST: Final = 50_000_000
"""Bytes: what the narrowest of the platforms takes from a bot."""

MOST: Final = 10
"""Files of one answer."""


_CALLS: Final = 1000
"""More than one response has: files stand in the order of their calls, whichever was read first."""


class SendArguments(Arguments):
    path: Annotated[str, StringConstraints(min_length=1, max_length=4096)]


def send_tool(database: Database, shelf: Shelf, new_id: Callable[[], str], bench: Bench, here: Workspace) -> list[Tool]:
    """`send_file`, where the answer is one that people read: not inside of a colleague's run."""
    if bench.session.kind == "peer":
        return []

    async def send(call: ToolCall) -> object:
        path = arguments(SendArguments, call).path
        known = await database.read(partial(_find, bench.turn.id, call.id))
        if known is None:
            kept = await _keep(shelf, here, path)
            known = await database.write(partial(_add, new_id, bench, call, path, kept))
        return {"path": path, "name": known.name, "size": known.size, "sent": "with your final answer"}

    return [
        Tool(
            name="send_file",
            description="Send a file of your workspace to the people in this chat, as it is now. It is shown below "
            "your final answer, which may say what it is; do not repeat its content there.",
            schema=schema("path", path={"type": "string", "description": "relative to your workspace"}),
            run=send,
        )
    ]


async def handed_out(tx: Transaction, turn: Turn) -> list[File]:
    """What comes along with the turn's final answer."""
    return await files_of_turn(tx, turn.id) if turn.tool_calls else []


def told(files: Sequence[File]) -> dict[str, Any]:
    """The files as the event of their answer tells them: `files`; nothing if there are none."""
    shown = [{"id": each.id, "name": each.name, "size": each.size, "mime": each.mime} for each in files]
    return {"files": shown} if shown else {}


def with_files(text: str, files: Sequence[File], locale: str) -> str:
    """The answer as the host reads it, who may hand its files on."""
    views = [FileView(id=each.id, name=each.name, size=each.size, state=each.state) for each in files]
    return answer_with_files(text, views, locale)


async def _keep(shelf: Shelf, here: Workspace, path: str) -> Kept:
    try:
        return await shelf.put(here.pieces(path), LARGEST)
    except TooLarge:
        raise ToolFault(f"{path} is too large to be sent: at most {size_in_words(LARGEST)}") from None
    except OSError as fault:
        log.warning("A file could not be handed out", reason=str(fault))
        raise ToolFault(
            f"{path} cannot be sent now: this machine could not store it. Say so, or try again later"
        ) from fault


async def _find(turn_id: str, call_id: str, tx: Transaction) -> File | None:
    sent = await files_of_turn(tx, turn_id)
    return next((each for each in sent if each.source.get("call") == call_id), None)


async def _add(new_id: Callable[[], str], bench: Bench, call: ToolCall, path: str, kept: Kept, tx: Transaction) -> File:
    """The row; the room is where a member's file is seen. Raises Lost."""
    session_id = bench.room_id or bench.session.id
    await lock_session(tx, session_id)
    await hold_turn(tx, bench.turn.id, bench.turn.run)
    sent = await files_of_turn(tx, bench.turn.id)
    if len(sent) >= MOST:
        raise ToolFault(f"at most {MOST} files come along with one answer")
    name = clean_name(path)
    file = File(
        id=new_id(),
        session_id=session_id,
        turn_id=bench.turn.id,
        number=call.number * _CALLS + call.position,
        name=name,
        mime=kept.picture or mimetypes.guess_type(name)[0] or "application/octet-stream",
        size=kept.size,
        digest=kept.digest,
        state="stored",
        source={"call": call.id},
        created_at=tx.now,
        stored_at=tx.now,
    )
    await add_files(tx, [file])
    return file
