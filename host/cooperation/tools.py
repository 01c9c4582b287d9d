"""The nine tools of an expert, and the two of them that a member at work has (contract 7, C11)."""

from collections.abc import Awaitable, Callable
from functools import partial

from host.agent import Tool, ToolCall
from host.cooperation.arguments import (
    Arguments,
    InputsToAwait,
    Listing,
    NewMessage,
    NewSession,
    NewWork,
    Nothing,
    SessionsToAwait,
    TurnToCancel,
    WhichResult,
    schema_of,
)
from host.cooperation.creating import create_session
from host.cooperation.directory import tell_agents, tell_sessions, tell_side_sessions
from host.cooperation.handing import cancel_turn, send_message, submit_input
from host.cooperation.partaker import Partaker
from host.cooperation.results import get_result, own_side, same_person
from host.cooperation.waiting import wait_inputs, wait_sessions
from host.deps import Deps
from host.permissions import Person
from host.slots import Lease

_SPECS: dict[str, tuple[str, type[Arguments]]] = {
    "list_agents": ("The experts you may have work in a session of their own.", Nothing),
    "create_session": (
        "Start a session below this one that works on its own, at the same time. It knows only the description.",
        NewSession,
    ),
    "submit_input": ("Give a session one more task, after what waits there already.", NewWork),
    "send_message": ("Leave words for a session: it reads them when it works next, and is not woken.", NewMessage),
    "cancel_turn": ("Stop exactly this turn of a session; whatever waits behind it goes on.", TurnToCancel),
    "list_sessions": ("Sessions with their newest turn, the one that changed last first.", Listing),
    "get_result": ("What came of exactly this input, or of exactly this turn.", WhichResult),
    "wait_inputs": ("Wait until all of these inputs are done, and get their results.", InputsToAwait),
    "wait_sessions": (
        "Wait until one of these sessions has ended a turn. Pass the cursor of the last answer to wait for the next.",
        SessionsToAwait,
    ),
}
_SCHEMAS = {name: schema_of(kind) for name, (_, kind) in _SPECS.items()}


def cooperation_tools(deps: Deps, partaker: Partaker, person: Person, lease: Lease) -> list[Tool]:
    """An expert's."""
    mine = partaker.session
    return [
        _tool("list_agents", partial(tell_agents, deps, person)),
        _tool("create_session", partial(create_session, deps, partaker)),
        _tool("submit_input", partial(submit_input, deps, partaker)),
        _tool("send_message", partial(send_message, deps, partaker)),
        _tool("cancel_turn", partial(cancel_turn, deps, partaker)),
        _tool("list_sessions", partial(tell_sessions, deps, mine)),
        _tool("get_result", partial(get_result, deps, same_person(mine))),
        _tool("wait_inputs", partial(wait_inputs, deps, partaker, lease)),
        _tool("wait_sessions", partial(wait_sessions, deps, partaker, lease)),
    ]


def reading_tools(deps: Deps, side_id: str) -> list[Tool]:
    """A member's at work: over its own session of the room and what it asked from there."""
    return [
        _tool("list_sessions", partial(tell_side_sessions, deps, side_id)),
        _tool("get_result", partial(get_result, deps, own_side(side_id))),
    ]


def _tool(name: str, run: Callable[[ToolCall], Awaitable[object]]) -> Tool:
    return Tool(name=name, description=_SPECS[name][0], schema=_SCHEMAS[name], run=run)
