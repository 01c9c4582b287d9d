"""Short texts that a model writes for the program itself: titles and hand-over notes. One answer, no tools."""

import asyncio
from dataclasses import dataclass
from typing import Final

import structlog

from host.agent import Assignment, Response, run_agent
from host.deps import Deps
from host.errors import HostError
from store.database import Transaction
from store.usage import Usage, add_usage

log = structlog.get_logger(__name__)

TIME: Final = 30.0
"""Seconds for the whole text."""


@dataclass(frozen=True, kw_only=True)
class Request:
    """What to write: `scene` says what for; agent, session and owner are for the ledger."""

    scene: str
    model: str
    instructions: str
    prompt: str
    owner_id: str
    agent_id: str
    session_id: str


class _Listener:
    """Keeps the answer."""

    def __init__(self) -> None:
        self.response: Response | None = None

    def text(self, offset: int, text: str) -> None:
        """Nobody watches."""

    async def responded(self, response: Response) -> bool:
        self.response = response
        return False

    async def tools_ran(self, messages: bytes) -> None:
        """There are none."""


async def write(deps: Deps, request: Request) -> str | None:
    """The text, or None if the model could not write it in time."""
    listener = _Listener()
    asking = asyncio.create_task(_ask(deps, request, listener), name=f"write {request.scene}")
    timer = asyncio.create_task(deps.clock.sleep(TIME))
    try:
        await asyncio.wait((asking, timer), return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in (asking, timer):
            task.cancel()
        await asyncio.gather(asking, timer, return_exceptions=True)
    if listener.response is None:
        log.warning("A text was not written", scene=request.scene, session=request.session_id)
        return None
    await _enter(deps, request, listener.response)
    return listener.response.text.strip() or None


async def _ask(deps: Deps, request: Request, listener: _Listener) -> None:
    try:
        assignment = Assignment(
            model=await deps.models.load(request.model),
            instructions=request.instructions,
            history=(),
            prompt=request.prompt,
            done=(),
            tools=(),
            turn_id=deps.new_id(),
            clock=deps.clock,
        )
        await run_agent(assignment, listener)
    except HostError as fault:
        log.info("A model could not write", scene=request.scene, reason=type(fault).__name__)


async def _enter(deps: Deps, request: Request, response: Response) -> None:
    async def enter(tx: Transaction) -> None:
        await add_usage(
            tx,
            Usage(
                at=tx.now,
                owner_id=request.owner_id,
                agent_id=request.agent_id,
                session_id=request.session_id,
                scene=request.scene,
                model=request.model,
                input_tokens=response.input_tokens,
                output_tokens=response.output_tokens,
            ),
        )

    await deps.database.write(enter)
    deps.meter.tokens_used(request.model, response.input_tokens, response.output_tokens)
