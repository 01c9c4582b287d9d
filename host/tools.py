"""The simple tools that every agent has: its memory within one scope, and the time."""

import re
import unicodedata
from collections.abc import Callable
from functools import partial
from typing import Annotated, Any, TypeVar
from zoneinfo import ZoneInfo

from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError

from host.agent import Tool, ToolCall
from host.errors import ToolFault
from store.clock import Clock
from store.database import Database, Transaction
from store.memory import Memory, keep_memory, memories_of

MEMORY_LENGTH = 4_000
MEMORIES_KEPT = 1_000
FOUND_AT_MOST = 20

_CJK = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]+")
_WORD = re.compile(r"\w+")

A = TypeVar("A", bound="Arguments")


class Arguments(BaseModel):
    """What a model sent; keys that no tool asked for are ignored."""

    model_config = ConfigDict(extra="ignore", frozen=True, str_strip_whitespace=True)


class SearchArguments(Arguments):
    query: str = ""


class SaveArguments(Arguments):
    text: Annotated[str, StringConstraints(min_length=1, max_length=MEMORY_LENGTH)]


class TimeArguments(Arguments):
    timezone: str = "UTC"


def memory_tools(database: Database, new_id: Callable[[], str], *, agent_id: str, scope: str) -> list[Tool]:
    """`memory_search` and `memory_save` of one agent in one scope: nothing of another room is reachable (X3)."""

    async def search(call: ToolCall) -> object:
        asked = arguments(SearchArguments, call)
        known = await database.read(partial(memories_of, agent_id=agent_id, scope=scope, limit=MEMORIES_KEPT))
        found = [memory for memory in known if matches(asked.query, memory.text)]
        return {"memories": [_shown(memory) for memory in found[:FOUND_AT_MOST]], "found": len(found)}

    async def save(call: ToolCall) -> object:
        text = arguments(SaveArguments, call).text

        async def keep(tx: Transaction) -> None:
            memory = Memory(id=new_id(), agent_id=agent_id, scope=scope, text=text, created_at=tx.now)
            await keep_memory(tx, memory, at_most=MEMORIES_KEPT)

        await database.write(keep)
        return {"saved": True}

    return [
        Tool(
            name="memory_search",
            description="Search what you saved in this conversation's memory, newest first. An empty query lists the "
            "newest entries.",
            schema=schema(query={"type": "string", "description": "a few key words"}),
            run=search,
        ),
        Tool(
            name="memory_save",
            description="Remember a lasting fact, preference or decision for later turns of this conversation. "
            "One self-contained sentence; no secrets.",
            schema=schema("text", text={"type": "string", "maxLength": MEMORY_LENGTH}),
            run=save,
        ),
    ]


def time_tool(clock: Clock) -> Tool:
    """`current_time`."""

    async def tell(call: ToolCall) -> object:
        asked = arguments(TimeArguments, call)
        zone = asked.timezone or "UTC"
        here = clock.now().astimezone(_zone(zone))
        return {"time": here.isoformat(timespec="seconds"), "weekday": f"{here:%A}", "timezone": zone}

    zone = {"type": "string", "description": "IANA name such as Asia/Shanghai; default UTC"}
    return Tool(name="current_time", description="The present date and time.", schema=schema(timezone=zone), run=tell)


def matches(query: str, text: str) -> bool:
    """Whether `text` contains at least half of the query's words; Chinese, which has no spaces, counts in pairs."""
    terms = _terms(query)
    folded = _folded(text)
    return 2 * sum(term in folded for term in terms) >= len(terms)


def _terms(query: str) -> set[str]:
    folded = _folded(query)
    words = set(_WORD.findall(_CJK.sub(" ", folded)))
    for run in _CJK.findall(folded):
        words |= {run[start : start + 2] for start in range(max(1, len(run) - 1))}
    return words


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def _shown(memory: Memory) -> dict[str, str]:
    return {"text": memory.text, "saved_at": memory.created_at.isoformat(timespec="seconds")}


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError) as fault:
        problem = f"unknown timezone {name!r}; use an IANA name such as Asia/Shanghai, Europe/Berlin or UTC"
        raise ToolFault(problem) from fault


def arguments(kind: type[A], call: ToolCall) -> A:
    """The call's arguments, checked. Raises ToolFault, which says where they are wrong."""
    try:
        return kind.model_validate(call.arguments or {})
    except ValidationError as fault:
        first = fault.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise ToolFault(f"{call.name}: {place}: {first['msg']}") from fault


def schema(*required: str, **properties: dict[str, Any]) -> dict[str, Any]:
    """The JSON schema of a tool's arguments."""
    return {"type": "object", "properties": properties, "required": list(required)}
