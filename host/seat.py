"""What all seats share: whose turn it is, how it is held, what the model is told of earlier turns."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from host.agent import Assignment, Response, Tool
from host.approvals.guard import guarded
from host.approvals.words import refusals, unrun
from host.attachments import pictures
from host.compaction import remembered
from host.deps import Deps
from host.events import Said
from host.gallery import Gallery
from host.messages import closing, last_response
from host.scenes import SCENES
from host.traces import settled
from host.turns import finish_turn
from host.unlabel import unlabelled
from host.values import Writing
from store.agents import Agent
from store.approvals import refused_calls
from store.base import Origin, Speaker
from store.database import Transaction
from store.files import File
from store.memory import memories_of
from store.sessions import Session, lock_session
from store.turns import Said as Earlier
from store.turns import Turn, add_checkpoint, begin_tools, checkpoints, history, hold_turn, is_stopping
from store.usage import Usage, add_usage

TITLES: Final = ("【主持人总结】", "[Host wrap-up]")
"""What a host may write over its conclusion; the chat shows its own label."""

DISPATCH: Final = "ask_agent"
"""How a host calls a member."""

Words = str
"""Text without a label."""


@dataclass(frozen=True, kw_only=True)
class Past:
    """The messages of earlier turns of the session, and of this turn so far; `refused`: what people did not allow."""

    history: Sequence[Earlier]
    done: Sequence[bytes]
    refused: Mapping[str, object]


async def read_past(tx: Transaction, turn: Turn) -> Past:
    """What a run begins with: it is read before a tool is opened.

    Raises CancelledError if somebody asked for the turn's end since it was claimed, when no run could be cancelled yet.
    """
    if await is_stopping(tx, turn.id):
        raise asyncio.CancelledError
    return Past(
        history=await history(tx, turn.session_id),
        done=await checkpoints(tx, turn.id) if turn.progress else [],
        refused=refusals(await refused_calls(tx, turn.id)) if turn.progress else {},
    )


@dataclass(kw_only=True)
class OwnSeat:
    """A seat in a session of its own (a room's host, a lone expert, a colleague): one session to lock."""

    deps: Deps
    session: Session
    turn: Turn
    agent: Agent
    speaker: Speaker
    time_limit: float
    files: Sequence[File] = ()
    """What came along with the turn's input."""

    @property
    def writing(self) -> Writing:
        sessions = (self.turn.session_id,)
        kind = "member_message"
        return Writing(
            turn_id=self.turn.id,
            speaker=self.speaker,
            sessions=sessions,
            kind=kind,
            origin=self.turn.origin,
            alone=True,
        )

    async def hold(self, tx: Transaction) -> Turn:
        await lock_session(tx, self.turn.session_id)
        return await hold_turn(tx, self.turn.id, self.turn.run)

    async def heard(self, tx: Transaction, turn: Turn, messages: bytes) -> str:
        return ""

    @property
    def rested(self) -> float:
        return 0.0

    async def recall(self, scope: str) -> tuple[list[str], Past]:
        """What the agent remembers in this scope, and the past, in one look."""
        return await self.deps.database.read(partial(_recall, self.agent.id, scope, self.turn))

    async def assign(self, past: Past, instructions: str, tools: Sequence[Tool], model: str | None) -> Assignment:
        """The assignment with the session's history behind it."""
        name = self.deps.model_name(self.agent, model)
        return await make_assignment(self.deps, self.session, self.turn, past, instructions, tools, name, self.files)

    async def finish(self, tx: Transaction, session: Session, turn: Turn, status: str, **more: object) -> None:
        text = str(more.pop("text", ""))
        await finish_turn(self.deps, tx, session, turn, speaker=self.speaker, status=status, text=text, data=dict(more))

    async def say(self, tx: Transaction, session: Session, turn: Turn, kind: str, text: Words, **data: object) -> None:
        """The speaker's words in its session, posted where the turn came from; not if there are none and no `files`."""
        if text.strip() or data.get("files"):
            await self.deps.scribe.emit(tx, session, spoken(kind, self.speaker, turn, text, turn.origin, **data))


def spoken(kind: str, speaker: Speaker, turn: Turn, text: Words, origin: Origin | None, **data: object) -> Said:
    """A speaker's message in its turn, without a label that the model wrote itself (T35)."""
    return Said(
        kind=kind,
        speaker=speaker,
        text=unlabelled(text, [speaker.name, speaker.id], TITLES if speaker.role == "host" else ()),
        turn_id=turn.id,
        job_id=turn.job_id,
        data=data,
        origin=origin,
        rounds=turn.rounds,
    )


async def trace(deps: Deps, tx: Transaction, turn: Turn, speaker: Speaker, lines: Iterable[Mapping[str, Any]]) -> None:
    """What tools do, as lines of the transcript of the turn's own session; they are posted nowhere.

    A host's dispatches have none: the notices of their jobs say it.
    """
    for each in lines:
        if speaker.role == "host" and each["name"] == DISPATCH:
            continue
        said = Said(kind="tool", speaker=speaker, text=each["title"], turn_id=turn.id, data=dict(each), posted=False)
        await deps.scribe.emit(tx, await lock_session(tx, turn.session_id), said)


async def _recall(agent_id: str, scope: str, turn: Turn, tx: Transaction) -> tuple[list[str], Past]:
    return [each.text for each in await memories_of(tx, agent_id, scope)], await read_past(tx, turn)


async def make_assignment(
    deps: Deps,
    session: Session,
    turn: Turn,
    past: Past,
    instructions: str,
    tools: Sequence[Tool],
    model: str,
    files: Sequence[File] = (),
) -> Assignment:
    """Everything the run needs; the model is loaded when it is first used. Raises UnknownModel."""
    fresh = bool(turn.waiting_for) and await deps.database.write(partial(_begin_tools, turn))
    return Assignment(
        model=await deps.models.load(model),
        instructions=instructions,
        history=await remembered(deps, session, turn.agent_id, past.history),
        prompt=turn.prompt,
        pictures=pictures(files),
        gallery=Gallery(deps.shelf) if deps.models.sees(model) else None,
        done=past.done,
        tools=guarded(deps, turn, tools),
        turn_id=turn.id,
        results=past.refused,
        fresh=fresh,
        clock=deps.clock,
    )


async def _begin_tools(turn: Turn, tx: Transaction) -> bool:
    """The calls that people decided about begin now, for the first time; after a crash that is not sure any more."""
    await lock_session(tx, turn.session_id)
    await begin_tools(tx, await hold_turn(tx, turn.id, turn.run))
    return True


async def close_history(
    tx: Transaction, turn: Turn, partial_text: str = "", results: Mapping[str, object] | None = None
) -> bytes:
    """Leave the turn's messages such that the next prompt may follow them, whatever was cut; what was missing.

    `results` answers calls that were carried out although their tools never returned.
    """
    done = await checkpoints(tx, turn.id)
    if turn.waiting_for and (response := last_response(done)) is not None:
        results = unrun(response.calls)
    rest = closing(turn.prompt, done, partial_text, results=results)
    if rest:
        await add_checkpoint(tx, turn, rest)
    return rest


async def cut_short(
    deps: Deps,
    tx: Transaction,
    turn: Turn,
    speaker: Speaker,
    partial_text: str = "",
    results: Mapping[str, object] | None = None,
) -> None:
    """The same for a turn that ends before its time; the lines of its tools end too."""
    if rest := await close_history(tx, turn, partial_text, results):
        await trace(deps, tx, turn, speaker, settled(rest, deps.say))


async def count_tokens(
    deps: Deps, tx: Transaction, turn: Turn, response: Response, *, owner_id: str, model: str
) -> None:
    """Enter what the response cost into the ledger, and count it once it is durable."""
    usage = Usage(
        at=tx.now,
        owner_id=owner_id,
        agent_id=turn.agent_id,
        session_id=turn.session_id,
        scene=SCENES[turn.kind],
        model=model,
        input_tokens=response.input_tokens,
        output_tokens=response.output_tokens,
    )
    await add_usage(tx, usage)
    tx.after_commit(lambda: deps.meter.tokens_used(model, response.input_tokens, response.output_tokens))
