"""A member's lane: its jobs from every room, one after the other (T25)."""

from functools import partial

from host.attachments import files_of, views
from host.deps import Deps
from host.errors import DamagedManifest
from host.jobs import Ending, end_job, task_id
from host.member import MemberSeat
from host.peer import Asker, ask_tool
from host.permissions import account
from host.prompts import task_sheet
from host.running import Driver
from host.team import load_team, member_speaker
from host.turns import MAX_ATTEMPTS, Beginning, begin_turn, resume_turn
from store.agents import Agent, find_agent
from store.database import Transaction
from store.errors import NotFound
from store.inputs import find_input
from store.jobs import Job, find_job, hold_job, next_job, start_job
from store.sessions import Session, lock_session
from store.turns import Turn, live_turn


class MemberLane:
    """Drains `member:<agent id>`."""

    def __init__(self, deps: Deps, driver: Driver) -> None:
        self._deps = deps
        self._driver = driver

    async def drain(self, member_id: str) -> None:
        while (job := await self._deps.database.read(partial(next_job, member_id=member_id))) is not None:
            seat = await self._deps.database.write(partial(self._sit_down, job.id))
            if seat is not None:
                await self._driver.work(seat)

    async def _sit_down(self, job_id: str, tx: Transaction) -> MemberSeat | None:
        """The seat for the job; None if it was closed meanwhile, or cannot be worked on and is closed here."""
        found = await find_job(tx, job_id)
        if found is None:
            raise NotFound(job_id)
        room = await lock_session(tx, found.room_id)
        side = await lock_session(tx, found.side_session_id)
        job = await hold_job(tx, job_id)
        if job is None:
            return None
        member, team = await find_agent(tx, job.member_id), await find_agent(tx, room.agent_id)
        if member is None or team is None:
            await self._give_up(tx, job, self._deps.say("reason.left"))
            return None
        turn = await self._turn(tx, side, job, member)
        return None if turn is None else await self._seat(tx, room, side, job, turn, team, member)

    async def _turn(self, tx: Transaction, side: Session, job: Job, member: Agent) -> Turn | None:
        """The job's turn: a new one, or the one that a dead or parked run left."""
        left = await live_turn(tx, side.id)
        if left is not None and left.waiting_for == "approval":
            return None
        if left is not None:
            if await resume_turn(self._deps, tx, left):
                return left
            await self._give_up(tx, job, self._deps.say("reason.attempts", count=MAX_ATTEMPTS))
            return None
        task = await find_input(tx, task_id(job))
        if task is None:
            raise NotFound(task_id(job))
        files = await files_of(tx, task)
        await start_job(tx, job)
        return await begin_turn(
            self._deps,
            tx,
            side,
            Beginning(
                taken=task,
                agent_id=member.id,
                speaker=member_speaker(member),
                prompt=task_sheet(job.message, views(files, with_paths=bool(member.tools)), self._deps.locale),
                rounds=[job.round_id],
                origin=None,
            ),
        )

    async def _seat(
        self, tx: Transaction, room: Session, side: Session, job: Job, turn: Turn, team: Agent, member: Agent
    ) -> MemberSeat:
        colleagues = await self._colleagues(tx, team.id, member.id)
        asker = Asker(
            session_id=job.side_session_id,
            agent=member,
            person=await account(tx, team.owner_id),
            scope=room.id,
            colleagues=colleagues,
            time_limit=team.member_timeout,
        )
        return MemberSeat(
            deps=self._deps,
            session=side,
            turn=turn,
            job=job,
            team=team,
            agent=member,
            speaker=member_speaker(member),
            time_limit=team.member_timeout,
            colleagues=colleagues,
            ask=ask_tool(self._deps, self._driver, asker),
            files=await files_of(tx, await find_input(tx, turn.input_id)),
        )

    async def _colleagues(self, tx: Transaction, team_id: str, member_id: str) -> tuple[Agent, ...]:
        """Whom a member may ask: the rest of its team. A damaged manifest costs the colleagues, not the job."""
        try:
            team = await load_team(self._deps, tx, team_id)
        except DamagedManifest:
            return ()
        return tuple(each for each in team.members if each.id != member_id and each.enabled) if team else ()

    async def _give_up(self, tx: Transaction, job: Job, reason: str) -> None:
        await end_job(self._deps, tx, job, Ending(state="failed", reason=reason))
