"""`file_list`, `file_read`, `file_write` and `send_file`: an agent's way to its workspace."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Annotated, Any, Final, Literal

from pydantic import Field, StringConstraints

from host.decoding import LOOKED_AT, decoded, encoding_of
from host.filenames import size_in_words
from host.handingout import send_tool
from host.messages import ToolCall
from host.model import Tool
from host.shelf import Shelf
from host.toolbox import Bench
from host.tools import Arguments, arguments, schema
from host.workspace import Entry, Workspace, Workspaces
from store.database import Database, Transaction
from store.inputs import add_receipt, find_receipt

READ_AT_ONCE: Final = 50_000
"""Bytes of a file that a model gets in one answer."""

WRITTEN_AT_ONCE: Final = 1_000_000
"""Characters that one call may write."""

LISTED_AT_ONCE: Final = 500

PATH: Final = {"type": "string", "description": "relative to your workspace, such as notes/plan.md"}
Path = Annotated[str, StringConstraints(max_length=4096)]


class ListArguments(Arguments):
    path: Path = ""
    offset: int = Field(default=0, ge=0)


class ReadArguments(Arguments):
    path: Path
    offset: int = Field(default=0, ge=0, lt=2**62)
    limit: int = Field(default=READ_AT_ONCE, ge=1)


class WriteArguments(Arguments):
    path: Path
    text: Annotated[str, StringConstraints(strip_whitespace=False, max_length=WRITTEN_AT_ONCE)]
    mode: Literal["replace", "append"] = "replace"


class FileTools:
    """The tools of workspaces; an agent that may write files may also send them."""

    def __init__(self, *, database: Database, workspaces: Workspaces, shelf: Shelf, new_id: Callable[[], str]) -> None:
        self._database = database
        self._workspaces = workspaces
        self._shelf = shelf
        self._new_id = new_id

    async def tools(self, names: Sequence[str], bench: Bench) -> list[Tool]:
        """Those that `names` ask for, in the run's own folder."""
        here = self._workspaces.of(bench)
        found = []
        if "file_list" in names:
            found.append(_list_tool(here))
        if "file_read" in names:
            found.append(_read_tool(here))
        if "file_write" in names:
            found.append(_write_tool(here, partial(_keep, self._database, bench.turn.id)))
            found.extend(send_tool(self._database, self._shelf, self._new_id, bench, here))
        return found


def _list_tool(here: Workspace) -> Tool:
    async def look(call: ToolCall) -> object:
        asked = arguments(ListArguments, call)
        found = await here.entries(asked.path)
        listed = found[asked.offset : asked.offset + LISTED_AT_ONCE]
        left = len(found) - asked.offset - len(listed)
        more = {"more": left, "next_offset": asked.offset + len(listed)} if left > 0 else {}
        return {"path": asked.path, "entries": [_shown(each) for each in listed], **more}

    return Tool(
        name="file_list",
        description="List the files and folders of your workspace, or of one folder in it. Attachments you were given "
        "lie in files/; shared/, where it exists, holds what your owner put there for you to read.",
        schema=schema(
            path={"type": "string", "description": "a folder; left out: the workspace itself"},
            offset={"type": "integer", "description": "entries to skip, as an earlier answer said"},
        ),
        run=look,
    )


def _read_tool(here: Workspace) -> Tool:
    async def read(call: ToolCall) -> object:
        asked = arguments(ReadArguments, call)
        return await _text_of(here, asked.path, asked.offset, min(asked.limit, READ_AT_ONCE))

    return Tool(
        name="file_read",
        description=f"Read a text file of your workspace, at most {READ_AT_ONCE} bytes at once; a longer one goes on "
        "at the offset that the answer names.",
        schema=schema(
            "path",
            path=PATH,
            offset={"type": "integer", "description": "bytes to skip; default 0"},
            limit={"type": "integer", "description": f"bytes to read, at most {READ_AT_ONCE}"},
        ),
        run=read,
    )


def _write_tool(here: Workspace, keep: Callable[[str, int], Any]) -> Tool:
    """Both ways of writing may be repeated after a crash: what an addition stands behind is noted before it."""

    async def write(call: ToolCall) -> object:
        asked = arguments(WriteArguments, call)
        behind = partial(keep, call.id) if asked.mode == "append" else None
        return {"path": asked.path, "size": await here.write(asked.path, asked.text.encode(), behind=behind)}

    return Tool(
        name="file_write",
        description="Write a text file into your workspace (UTF-8); folders are made as needed. It replaces the file, "
        "or with mode append goes on at its end: long texts are best written in several calls.",
        schema=schema(
            "path",
            "text",
            path=PATH,
            text={"type": "string", "maxLength": WRITTEN_AT_ONCE},
            mode={"type": "string", "enum": ["replace", "append"], "description": "default replace"},
        ),
        run=write,
    )


async def _text_of(here: Workspace, path: str, offset: int, limit: int) -> str:
    """What `file_read` answers: the text, and in brackets what there is beside it."""
    encoding = encoding_of((await here.read(path, limit=LOOKED_AT)).data)
    piece = await here.read(path, offset=offset, limit=limit)
    if not encoding:
        return f"[{path} is no text but {size_in_words(piece.size)} of binary data, which cannot be read here]"
    is_end = offset + len(piece.data) >= piece.size
    text, count = decoded(piece.data, encoding, is_end=is_end)
    if is_end and offset == 0:
        return text or "[the file is empty]"
    rest = "the end" if is_end else f"it goes on at offset {offset + count}"
    return f"{text}\n[bytes {offset} to {offset + count} of {piece.size}; {rest}]"


async def _keep(database: Database, turn_id: str, call_id: str, size: int) -> int:
    """How many bytes stood in the file when this call first came to it: a repetition writes behind the same ones."""

    async def note(tx: Transaction) -> int:
        scope = f"turn:{turn_id}"
        if (known := await find_receipt(tx, scope, call_id)) is not None:
            return int(known.result["size"])
        await add_receipt(tx, scope=scope, key=call_id, digest="", input_id="", result={"size": size})
        return size

    return await database.write(note)


def _shown(entry: Entry) -> dict[str, Any]:
    size = {"size": entry.size} if entry.kind == "file" else {}
    return {"name": entry.name, "kind": entry.kind, **size, "changed": entry.changed.isoformat(timespec="seconds")}
