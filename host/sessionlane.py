"""The lane of a session: its inputs one after the other, each as a turn. Rooms and experts' own chats alike."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial

import structlog

from host.attachments import files_of, is_held_up, views
from host.cooperation.configuration import Configuration, agent_of
from host.cooperation.partaker import grows, lock_sessions, root_of
from host.cooperation.policy import person_of
from host.deps import Deps
from host.errors import DamagedManifest
from host.expert import ExpertSeat, expert_prompt
from host.jobs import call_host, wake_up_decision
from host.peer import Asker, ask_tool
from host.permissions import Account, Person, account, can_use
from host.room import HostSeat, concludes, room_prompt, round_list
from host.running import Driver, Failure, Seat
from host.slots import Lease
from host.team import Team, host_speaker, load_team, member_speaker
from host.turns import Beginning, begin_turn, resume_turn
from host.waking import Wake
from store.agents import Agent, find_agent, known_agent, list_agents
from store.base import Origin, Speaker
from store.database import Transaction
from store.errors import NotFound
from store.inputs import Input, find_input, finish_input, next_input, take_messages
from store.jobs import Finished, Job, session_with_work, take_jobs, unsettled_jobs
from store.sessions import Session, lock_session
from store.turns import Turn, live_turn

log = structlog.get_logger(__name__)


@dataclass(frozen=True, kw_only=True)
class _Taken:
    """An input with the results that its turn takes, and the jobs that are still open."""

    input: Input
    finished: Sequence[Finished] = ()
    still_open: Sequence[Job] = ()

    @property
    def origin(self) -> Origin | None:
        """A wake-up carries the origin of the newest job it takes."""
        return self.finished[-1].job.origin if self.input.kind == "wake_up" else self.input.origin

    @property
    def rounds(self) -> list[str]:
        newest = self.finished[-1].job.round_id if self.input.kind == "wake_up" else self.input.round_id
        return round_list(newest, self.finished)


class SessionLane:
    """Drains `room:<session id>`."""

    def __init__(self, deps: Deps, driver: Driver) -> None:
        self._deps = deps
        self._driver = driver

    async def drain(self, session_id: str) -> None:
        while (session := await self._glance(session_id)) is not None:
            async with self._slot(session) as lease:
                seat = await self._deps.database.write(partial(self._next, session, lease))
                if seat is None:
                    return
                await self._driver.work(seat)

    async def _glance(self, session_id: str) -> Session | None:
        return await self._deps.database.read(partial(session_with_work, session_id=session_id))

    @asynccontextmanager
    async def _slot(self, session: Session) -> AsyncIterator[Lease | None]:
        """A run in a tree of experts needs one of its slots; what waits for one is not even claimed."""
        if not grows(session):
            yield None
            return
        async with self._deps.slots.held(root_of(session), self._deps.clock) as lease:
            yield lease

    async def _next(self, seen: Session, lease: Lease | None, tx: Transaction) -> Seat | None:
        """The turn to work on now: one that a dead or parked run left, else a new one for the next input."""
        await lock_sessions(tx, [seen])
        session = await lock_session(tx, seen.id)
        seat = await self._seat_to_take(tx, session)
        if isinstance(seat, ExpertSeat):
            seat.lease = lease
        return seat

    async def _seat_to_take(self, tx: Transaction, session: Session) -> Seat | None:
        left = await live_turn(tx, session.id)
        if left is not None and left.waiting_for == "approval" and not left.stopping:
            return None
        if left is not None and (seat := await self._resume(tx, session, left)) is not None:
            return seat
        return await self._claim(tx, session)

    async def _resume(self, tx: Transaction, session: Session, left: Turn) -> Seat | None:
        seat = await self._seat(tx, session, left)
        if left.stopping:
            await seat.stop(tx, left, "")
            return None
        if not await resume_turn(self._deps, tx, left):
            failure = Failure(state="failed", error_id=left.id[:8])
            log.error("Too many runs of a turn have died", turn=left.id, error_id=failure.error_id)
            await seat.fail(tx, left, failure)
            return None
        return seat

    async def _claim(self, tx: Transaction, session: Session) -> Seat | None:
        if grows(session) and (await lock_session(tx, root_of(session))).paused:
            return None
        while (taken := await self._take(tx, session)) is not None:
            turn = await self._begin(tx, session, taken)
            seat = await self._seat(tx, session, turn)
            failure = await _hindrance(tx, seat)
            if failure is None:
                return seat
            await seat.fail(tx, turn, failure)
        return None

    async def _take(self, tx: Transaction, session: Session) -> _Taken | None:
        """The next input that has something to do; wake-ups that have nothing to do end silently."""
        if session.kind != "room":
            plain = await next_input(tx, session.id)
            return None if plain is None or await is_held_up(tx, plain) else _Taken(input=plain)
        jobs = await unsettled_jobs(tx, session.id)
        await call_host(self._deps, tx, session, jobs.finished)
        while (found := await next_input(tx, session.id)) is not None:
            if await is_held_up(tx, found):
                return None
            if found.kind != "wake_up" or await self._is_due(tx, session, jobs.finished):
                return _Taken(input=found, finished=jobs.finished, still_open=jobs.open)
            await finish_input(tx, found.id)
            await self._deps.lanes.wake(tx, f"publish:{session.id}")
        return None

    async def _is_due(self, tx: Transaction, room: Session, finished: Sequence[Finished]) -> bool:
        untaken = [each.job for each in finished if not each.kept]
        return isinstance(await wake_up_decision(tx, room, untaken), Wake)

    async def _begin(self, tx: Transaction, session: Session, taken: _Taken) -> Turn:
        is_group = session.principal.startswith("chat:")
        agent = await self._agent(tx, session, agent_of(session, taken.input))
        config = Configuration.at_claim(session, agent, taken.input, self._deps.default_model)
        files = await files_of(tx, taken.input)
        if session.kind == "room":
            prompt = room_prompt(
                taken.input, views(files), taken.finished, taken.still_open, is_group=is_group, locale=self._deps.locale
            )
        else:
            letters = await take_messages(tx, session.id)
            seen = views(files, with_paths=bool(config.tools))
            prompt = expert_prompt(taken.input, seen, letters, is_group=is_group, locale=self._deps.locale)
        turn = await begin_turn(
            self._deps,
            tx,
            session,
            Beginning(
                taken=taken.input,
                agent_id=agent.id,
                speaker=_speaker(session, agent),
                prompt=prompt,
                rounds=taken.rounds,
                origin=taken.origin,
                took_results=bool(taken.finished),
                frozen=None if session.kind == "room" else config.frozen(),
            ),
        )
        await take_jobs(tx, [each.job for each in taken.finished], turn.id)
        return turn

    async def _seat(self, tx: Transaction, session: Session, turn: Turn) -> HostSeat | ExpertSeat:
        agent = await self._agent(tx, session, turn.agent_id)
        if session.kind == "room":
            return await self._host_seat(tx, session, turn, agent)
        return await self._expert_seat(tx, session, turn, agent)

    async def _host_seat(self, tx: Transaction, session: Session, turn: Turn, agent: Agent) -> HostSeat:
        damaged = False
        try:
            team = await load_team(self._deps, tx, agent.id)
        except DamagedManifest:
            team, damaged = None, True
        return HostSeat(
            deps=self._deps,
            turn=turn,
            agent=agent,
            speaker=host_speaker(agent),
            time_limit=agent.member_timeout,
            team=team or Team(agent=agent, members=(), person=Account(id=agent.owner_id)),
            session=session,
            concludes=await concludes(tx, turn),
            damaged=damaged,
            files=await files_of(tx, await find_input(tx, turn.input_id)),
        )

    async def _expert_seat(self, tx: Transaction, session: Session, turn: Turn, agent: Agent) -> ExpertSeat:
        scope = session.session_key or session.id
        person = await self._person(tx, session)
        asker = Asker(
            session_id=session.id,
            agent=agent,
            person=person,
            scope=scope,
            colleagues=await self._colleagues(tx, person, agent),
            time_limit=agent.member_timeout,
        )
        return ExpertSeat(
            deps=self._deps,
            turn=turn,
            agent=agent,
            speaker=member_speaker(agent),
            time_limit=agent.member_timeout,
            session=session,
            person=person,
            scope=scope,
            config=Configuration.read(turn.frozen or {}),
            ask=ask_tool(self._deps, self._driver, asker),
            files=await files_of(tx, await find_input(tx, turn.input_id)),
        )

    async def _colleagues(self, tx: Transaction, person: Person, agent: Agent) -> tuple[Agent, ...]:
        """T17a: the other experts that the person may use."""
        return tuple(
            each
            for each in await list_agents(tx)
            if each.id != agent.id and each.enabled and can_use(person, each, "enlist")
        )

    async def _person(self, tx: Transaction, session: Session) -> Person:
        person = person_of(session)
        return await account(tx, person.id) if isinstance(person, Account) else person

    async def _agent(self, tx: Transaction, session: Session, agent_id: str) -> Agent:
        """The agent of a turn: a turn keeps its own, a new one takes the session's (S5).

        An expert that was deleted is found too: its turn fails with that reason.
        """
        agent = await (known_agent if grows(session) else find_agent)(tx, agent_id)
        if agent is None:
            raise NotFound(agent_id)
        return agent


async def _hindrance(tx: Transaction, seat: HostSeat | ExpertSeat) -> Failure | None:
    """Why a turn that was just begun cannot be worked on."""
    if isinstance(seat, HostSeat):
        return Failure(state="failed", error_id=seat.turn.id[:8]) if seat.damaged else None
    reason = await seat.obstacle(tx)
    return Failure(state="failed", error_id="", reason=reason) if reason else None


def _speaker(session: Session, agent: Agent) -> Speaker:
    return host_speaker(agent) if session.kind == "room" else member_speaker(agent)
