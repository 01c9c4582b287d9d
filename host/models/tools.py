"""Running the tool calls of one response: together, and whatever happens in one of them, every call gets its answer."""

import asyncio
from collections import Counter
from collections.abc import Coroutine, Iterable, Mapping, Sequence
from typing import Any

import structlog

from host.errors import Refused, ToolFault
from host.messages import ToolCall, as_text
from host.model import Tool
from store.errors import Lost, StoreUnavailable

BROKEN_TOOL = "The tool failed with an internal error, which has been logged. Go on without its result."

log = structlog.get_logger(__name__)


def short_names(tools: Iterable[Tool]) -> dict[str, str]:
    """Full names by what models make of them: many leave the server's name (`docs__search`) away.

    Only where it is clear which tool is meant.
    """
    full = [tool.name for tool in tools]
    tails = Counter(name.partition("__")[2] for name in full)
    short = {name.partition("__")[2]: name for name in full}
    return {tail: name for tail, name in short.items() if tail and tails[tail] == 1 and tail not in full}


async def run_tools(
    tools: Iterable[Tool], calls: Sequence[ToolCall], known: Mapping[str, object], *, resumed: bool
) -> dict[str, object]:
    """Each call's answer by call id: text, or an exception with words for the model. `known` ones are not run.

    With `resumed` a crash may have cut the calls in their middle: unsafe tools do not run again and have no answer.
    """
    by_name = {tool.name: tool for tool in tools}
    results = {call.id: known[call.id] for call in calls if call.id in known}

    async def answer(call: ToolCall) -> None:
        results[call.id] = await _run(by_name, call)

    due = [call for call in calls if call.id not in results and not (resumed and _unsafe(by_name, call))]
    await _together([answer(call) for call in due])
    return results


async def _together(answers: Iterable[Coroutine[Any, Any, None]]) -> None:
    """Only faults of the store and refusals come out, as themselves: they are the run's business, not the model's."""
    try:
        async with asyncio.TaskGroup() as group:
            for each in answers:
                group.create_task(each)
    except BaseExceptionGroup as faults:
        raise faults.exceptions[0] from None


def _unsafe(by_name: Mapping[str, Tool], call: ToolCall) -> bool:
    return call.name in by_name and not by_name[call.name].safe


async def _run(by_name: Mapping[str, Tool], call: ToolCall) -> object:
    try:
        return as_text(await _chosen(by_name, call).run(call))
    except ToolFault as fault:
        return fault
    except (Lost, StoreUnavailable, Refused):
        raise
    except Exception:
        log.exception("tool failed", tool=call.name, call=call.id)
        return ToolFault(BROKEN_TOOL)


def _chosen(by_name: Mapping[str, Tool], call: ToolCall) -> Tool:
    """The tool that may run for this call. Raises ToolFault."""
    tool = by_name.get(call.name)
    if tool is None:
        raise ToolFault(f"There is no tool {call.name!r}. The tools are: {', '.join(by_name) or 'none'}.")
    if call.fault:
        raise ToolFault(call.fault)
    return tool
