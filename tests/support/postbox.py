"""A tool server over pipes with one tool, `mail`, that needs a person's approval: every letter is a line of a file.

Run as a program; POSTBOX names the file. `server(folder)` is its table in a configuration, `letters(folder)` what went
out.
"""

import json
import os
import sys
from pathlib import Path
from typing import Any

NAME = "post__mail"
"""What the model calls the tool."""

_SCHEMA = {"type": "object", "properties": {"to": {"type": "string"}}, "required": ["to"]}


def server(folder: Path) -> dict[str, Any]:
    """The `[mcp]` table with this server."""
    command = [sys.executable, "-S", str(Path(__file__))]
    return {"post": {"command": command, "env": {"POSTBOX": str(_box(folder))}, "approval": ["mail"]}}


def letters(folder: Path) -> list[str]:
    """To whom letters went out, in order."""
    box = _box(folder)
    return [json.loads(line)["to"] for line in box.read_text().splitlines()] if box.exists() else []


def _box(folder: Path) -> Path:
    return folder / "postbox"


def _answer(message: dict[str, Any]) -> dict[str, Any] | None:
    match message:
        case {"method": "initialize", "params": {"protocolVersion": version}}:
            info = {"name": "post", "version": "1"}
            return {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info}
        case {"method": "tools/list"}:
            return {"tools": [{"name": "mail", "description": "sends a letter", "inputSchema": _SCHEMA}]}
        case {"method": "tools/call", "params": {"arguments": arguments}}:
            with Path(os.environ["POSTBOX"]).open("a", encoding="utf-8") as box:
                box.write(f"{json.dumps(arguments)}\n")
            return {"content": [{"type": "text", "text": "sent"}]}
        case {"method": "ping"}:
            return {}
    return None


def _serve() -> None:
    for line in sys.stdin:
        message = json.loads(line)
        if (result := _answer(message)) is not None:
            sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    _serve()
