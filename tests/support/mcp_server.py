"""A tool server over pipes in plain JSON-RPC, without any SDK, so that it can behave as badly as it likes.

Run as a program: `python mcp_server.py [MANNER …]`. Each start writes its process id as a line of the file that
DIARY names. Manners: mute (answers nothing), late (no answer to tools/list), dead (ends at once), once (ends at once at
its first start), stubborn (ignores its closed input and SIGTERM), parent (has a stubborn child, whose id stands in the
diary too), babble (writes nonsense between its messages), liar (describes tools wrongly), flood (writes without end).
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

TEXT = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
NOTHING: dict[str, Any] = {"type": "object", "properties": {}}

Message = dict[str, Any]


def command(*manners: str) -> list[str]:
    """How to start one."""
    return [sys.executable, "-S", str(Path(__file__)), *manners]


def tool(name: str, schema: object = NOTHING, **more: object) -> Message:
    return {"name": name, "description": f"does {name}", "inputSchema": schema, **more}


TOOLS = [
    tool("echo", TEXT),
    tool("peek", annotations={"readOnlyHint": True}),
    tool("fail"),
    tool("picture"),
    tool("numbers"),
    tool("long"),
    tool("environment"),
    tool("hang"),
    tool("die"),
    tool("gush"),
    tool("mutter"),
    tool("misdirect", TEXT),
    tool("learn"),
]

LIES = [
    tool("good", TEXT),
    tool("no schema", None),
    tool("a list", ["object"]),
    tool("a string", {"type": "string"}),
    tool("broken", {"type": "object", "properties": ["x"]}),
    tool("huge", {"type": "object", "description": "x" * 60_000}),
    tool("good", TEXT),
    {"description": "has no name"},
    "nothing at all",
]


def deep(levels: int) -> Message:
    schema: Message = {"type": "string"}
    for _ in range(levels):
        schema = {"type": "object", "properties": {"in": schema}}
    return schema


def answer_to(message: Message, tools: list[Any]) -> Message | None:
    """The result of a well-behaved request; None for what has no answer."""
    match message:
        case {"method": "initialize", "params": {"protocolVersion": version}}:
            server = {"name": "scripted", "version": "1"}
            return {"protocolVersion": version, "capabilities": {"tools": {"listChanged": True}}, "serverInfo": server}
        case {"method": "ping"}:
            return {}
        case {"method": "tools/list"}:
            return {"tools": tools}
        case {"method": "tools/call", "params": {"name": name}}:
            return _results(message["params"].get("arguments") or {})[name]
    return None


def text(words: str, **more: object) -> Message:
    return {"content": [{"type": "text", "text": words}], **more}


def _results(arguments: Message) -> dict[str, Message]:
    resource = {"type": "resource", "resource": {"uri": "file:///a.txt", "text": "inside"}}
    return {
        "echo": text(f"echo {arguments.get('text')}"),
        "good": text("good"),
        "peek": text("peeked"),
        "fail": text("the page is locked", isError=True),
        "picture": {"content": [{"type": "image", "mimeType": "image/png", "data": "AAAA"}, resource]},
        "numbers": text("two numbers", structuredContent={"numbers": [1, 2]}),
        "long": text("漫" * 40_000),
        "environment": text(",".join(sorted(os.environ))),
        "misdirect": text("at last"),
        "mutter": text("muttered"),
    }


class Piped:
    """The server as a process."""

    def __init__(self, manners: list[str]) -> None:
        self._manners = manners
        self._tools: list[Any] = [*LIES, tool("deep", deep(40))] if "liar" in manners else list(TOOLS)
        self._own: dict[str, Callable[[Message], None]] = {
            "hang": lambda message: Path(f"{os.environ['DIARY']}.hangs").touch(),
            "die": lambda message: os._exit(3),
            "gush": lambda message: self._gush(),
            "mutter": self._mutter,
            "misdirect": self._misdirect,
            "learn": self._learn,
        }

    def run(self) -> None:
        starts = note(os.getpid())
        if "dead" in self._manners or ("once" in self._manners and starts == 1):
            sys.stderr.write("no licence\n")
            sys.exit(1)
        if "parent" in self._manners:
            child = subprocess.Popen(command("stubborn", "silent"), stdin=subprocess.DEVNULL)
            note(child.pid)
        if "stubborn" in self._manners:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
        if "flood" in self._manners:
            self._gush()
        for line in sys.stdin:
            self._take(json.loads(line))
        while "stubborn" in self._manners:
            time.sleep(1)

    def _take(self, message: Message) -> None:
        if "mute" in self._manners or ("late" in self._manners and message.get("method") == "tools/list"):
            return
        if message.get("method") == "tools/call" and (own := self._own.get(message["params"]["name"])):
            own(message)
        elif (result := answer_to(message, self._tools)) is not None:
            self._say(id=message["id"], result=result)

    def _say(self, **message: object) -> None:
        if "babble" in self._manners:
            sys.stdout.write('ready!\n{"jsonrpc": 3}\n{"half":\n\n[1, 2]\n')
            self._put({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "x"}})
            self._put({"jsonrpc": "2.0", "id": "s1", "method": "roots/list"})
        self._put({"jsonrpc": "2.0", **message})

    def _put(self, message: Message) -> None:
        sys.stdout.write(f"{json.dumps(message)}\n")
        sys.stdout.flush()

    def _gush(self) -> None:
        while True:
            self._put({"jsonrpc": "2.0", "method": "notifications/message", "params": {"data": "x" * 10_000}})

    def _mutter(self, message: Message) -> None:
        sys.stderr.write("x" * 300_000 + "\n" + "a line of complaint\n" * 500)
        sys.stderr.flush()
        self._say(id=message["id"], result=text("muttered"))

    def _misdirect(self, message: Message) -> None:
        for wrong in (message["id"] + 1000, "x", None, -1):
            self._put({"jsonrpc": "2.0", "id": wrong, "result": text("for nobody")})
        self._say(id=message["id"], result=text("at last"))

    def _learn(self, message: Message) -> None:
        """From now on there is one more tool."""
        self._tools.append(tool("peel"))
        self._put({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})
        self._say(id=message["id"], result=text("learnt"))


def note(pid: int) -> int:
    """Enter a process into the diary; how many there are now."""
    with Path(os.environ["DIARY"]).open("a+", encoding="utf-8") as diary:
        if "silent" not in sys.argv:
            diary.write(f"{pid}\n")
        diary.seek(0)
        return len(diary.readlines())


def noted(diary: Path) -> Iterator[int]:
    """The processes of a diary."""
    if diary.exists():
        yield from map(int, diary.read_text(encoding="utf-8").split())


def is_alive(pid: int) -> bool:
    """Whether the process runs; a zombie does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in "ZX"


if __name__ == "__main__":
    Piped(sys.argv[1:]).run()
