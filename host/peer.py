"""Synchronous asks: a colleague answers inside the asker's run, in a session that only this asker uses."""

import asyncio
from collections import defaultdict
from dataclasses import dataclass
from functools import partial

from pydantic import BaseModel, ConfigDict, ValidationError

from host.agent import Tool, ToolCall
from host.cooperation.configuration import Configuration
from host.deps import Deps
from host.errors import ToolFault
from host.events import Said
from host.expert import ExpertSeat
from host.folders import colleague_folder
from host.permissions import Person
from host.prompts import peer_prompt
from host.running import Driver, Failure
from host.team import member_speaker, obstacle, resolve
from host.turns import Beginning, begin_turn, finish_turn, resume_turn
from store.agents import Agent
from store.base import Speaker
from store.database import Transaction
from store.inputs import Input, add_input, find_input
from store.sessions import Session, add_session, lock_session, revive_session
from store.turns import Turn, live_turn

MAX_DEPTH = 3
"""How many asks may be inside each other."""

SCHEMA = {
    "type": "object",
    "properties": {
        "agent_id": {"type": "string", "description": "id of the colleague"},
        "message": {"type": "string", "description": "a self-contained question"},
    },
    "required": ["agent_id", "message"],
}


class Question(BaseModel):
    """The arguments of a synchronous `ask_agent`; anything else a model sends is ignored."""

    model_config = ConfigDict(extra="ignore", str_strip_whitespace=True, frozen=True)

    agent_id: str
    message: str


@dataclass(frozen=True, kw_only=True)
class Asker:
    """Who asks, for whom, from which session, whom it may ask. `chain` names the agents above it that wait for it."""

    session_id: str
    agent: Agent
    person: Person
    scope: str
    colleagues: tuple[Agent, ...]
    time_limit: float
    chain: tuple[str, ...] = ()

    @property
    def waiting(self) -> tuple[str, ...]:
        """Everyone who waits once this asker asks."""
        return (*self.chain, self.agent.id)


def ask_tool(deps: Deps, driver: Driver, asker: Asker) -> tuple[Tool, ...]:
    """The asker's `ask_agent`; none if there is nobody to ask or the chain is long enough."""
    if not asker.colleagues or len(asker.chain) >= MAX_DEPTH:
        return ()
    who = "; ".join(f"{each.id}: {each.name} — {each.description}" for each in asker.colleagues)
    tool = Tool(
        name="ask_agent",
        description=f"Ask a colleague and wait for the answer. Colleagues: {who}",
        schema=SCHEMA,
        run=_Asking(deps, driver, asker).ask,
    )
    return (tool,)


class _Asking:
    """One asker's questions: to different colleagues side by side, to the same one in turn."""

    def __init__(self, deps: Deps, driver: Driver, asker: Asker) -> None:
        self._deps = deps
        self._driver = driver
        self._asker = asker
        self._turn_of: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def ask(self, call: ToolCall) -> object:
        question = _parse(call)
        colleague = self._resolve(question.agent_id)
        async with self._turn_of[colleague.id]:
            seat = await self._deps.database.write(partial(self._sit_down, call, question, colleague))
            if seat is not None:
                await self._driver.work(seat)
        return await self._deps.database.read(partial(self._answer, call, colleague))

    def _resolve(self, target: str) -> Agent:
        colleague = resolve(target, self._asker.colleagues)
        if colleague.id in self._asker.waiting:
            raise ToolFault(f"{colleague.id} is waiting for your own answer and cannot be asked")
        if why := obstacle(self._asker.person, colleague, self._deps.models.names):
            raise ToolFault(self._deps.say(why, model=colleague.model))
        return colleague

    async def _answer(self, call: ToolCall, colleague: Agent, tx: Transaction) -> str:
        done = await find_input(tx, self._input_id(call, colleague))
        if done is None or "answer" not in done.data:
            raise ToolFault(f"{colleague.id} could not answer")
        return str(done.data["answer"])

    async def _sit_down(
        self, call: ToolCall, question: Question, colleague: Agent, tx: Transaction
    ) -> ExpertSeat | None:
        """The colleague's seat; None if it has answered this call before."""
        session = await self._session(tx, colleague)
        input_id = self._input_id(call, colleague)
        asked = await find_input(tx, input_id)
        if asked is not None and asked.state == "done":
            return None
        left = await live_turn(tx, session.id)
        if left is not None and left.input_id == input_id:
            return await self._go_on(tx, session, left, colleague)
        if left is not None:  # an earlier question whose asker was stopped
            await finish_turn(self._deps, tx, session, left, speaker=member_speaker(colleague), status="stopped")
        asked = asked or await self._queue(tx, session, input_id, question)
        turn = await begin_turn(self._deps, tx, session, self._beginning(asked, colleague, question))
        return self._seat(session, turn, colleague)

    async def _go_on(self, tx: Transaction, session: Session, left: Turn, colleague: Agent) -> ExpertSeat | None:
        seat = self._seat(session, left, colleague)
        if await resume_turn(self._deps, tx, left):
            return seat
        await seat.fail(tx, left, Failure(state="failed", error_id=left.id[:8]))
        return None

    async def _queue(self, tx: Transaction, session: Session, input_id: str, question: Question) -> Input:
        asker = member_speaker(self._asker.agent)
        await self._deps.scribe.emit(
            tx, session, Said(kind="user_message", speaker=_as_user(asker), text=question.message)
        )
        added = Input(
            id=input_id,
            session_id=session.id,
            kind="ask",
            position=session.seq,
            round_id=input_id,
            created_at=tx.now,
            text=question.message,
            sender=asker,
        )
        return await add_input(tx, added)

    def _beginning(self, asked: Input, colleague: Agent, question: Question) -> Beginning:
        return Beginning(
            taken=asked,
            agent_id=colleague.id,
            speaker=member_speaker(colleague),
            prompt=peer_prompt(asker_name=self._asker.agent.name, message=question.message, locale=self._deps.locale),
            rounds=[asked.round_id],
            origin=None,
        )

    def _seat(self, session: Session, turn: Turn, colleague: Agent) -> ExpertSeat:
        asker = self._asker
        deeper = Asker(
            session_id=session.id,
            agent=colleague,
            person=asker.person,
            scope=asker.scope,
            colleagues=tuple(
                each for each in (*asker.colleagues, asker.agent) if each.id not in (*asker.waiting, colleague.id)
            ),
            time_limit=asker.time_limit,
            chain=asker.waiting,
        )
        return ExpertSeat(
            deps=self._deps,
            turn=turn,
            agent=colleague,
            speaker=member_speaker(colleague),
            time_limit=asker.time_limit,
            session=session,
            person=asker.person,
            scope=asker.scope,
            config=Configuration.of(colleague),
            ask=ask_tool(self._deps, self._driver, deeper),
            answers=True,
        )

    async def _session(self, tx: Transaction, colleague: Agent) -> Session:
        session_id = f"peer:{self._asker.session_id}~{colleague.id}"
        if (known := await revive_session(tx, session_id)) is not None:
            return known
        asking = await lock_session(tx, self._asker.session_id)
        return await add_session(
            tx,
            Session(
                id=session_id,
                kind="peer",
                agent_id=colleague.id,
                owner_id=colleague.owner_id,
                principal=asking.principal,
                app_id=asking.app_id,
                created_at=tx.now,
                updated_at=tx.now,
                title=asking.title,
                session_key=session_id,
                parent_id=asking.id,
                root_id=asking.root_id or asking.id,
                project_id=asking.project_id,
                workspace=colleague_folder(asking, colleague),
            ),
        )

    def _input_id(self, call: ToolCall, colleague: Agent) -> str:
        return f"peer:{self._asker.session_id}~{colleague.id}:{call.id}"


def _parse(call: ToolCall) -> Question:
    try:
        question = Question.model_validate(call.arguments or {})
    except ValidationError as fault:
        raise ToolFault(f"ask_agent needs agent_id and message: {fault.errors()[0]['msg']}") from fault
    if not question.message:
        raise ToolFault("message must not be empty")
    return question


def _as_user(asker: Speaker) -> Speaker:
    return Speaker(id=asker.id, name=asker.name, role="user", icon=asker.icon)
