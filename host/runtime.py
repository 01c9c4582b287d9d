"""The host: the one door to sessions. It knows no platform; what it does is written into the caller's transaction."""

from dataclasses import dataclass

from host.approvals.asking import approval_lane
from host.approvals.deciding import Decided, decide, expire
from host.approvals.policy import Decision
from host.attachments import attach, fetching_lane, shown
from host.cooperation.trees import continue_tree, stop_tree
from host.deps import Deps
from host.errors import AgentUnavailable, Archived, Conflict, NotAccepting, Unknown
from host.events import Said
from host.fetched import Fetched, settle
from host.folders import own_folder
from host.handover import write_note
from host.jobs import Ending, end_job, fail_jobs_of
from host.memberlane import MemberLane
from host.permissions import Person
from host.running import Driver
from host.sessionlane import SessionLane
from host.switching import Choice, reopen, switch
from host.titles import first_words, give_title, writes_titles
from host.values import Opening, Stopped, Submission, Submitted
from store.agents import find_agent
from store.approvals import turns_asking
from store.database import Transaction
from store.errors import NotFound
from store.files import inputs_with_waiting, withdraw_files
from store.inputs import (
    Input,
    add_input,
    add_receipt,
    find_receipt,
    finish_input,
    pending_inputs,
    sessions_with_pending,
)
from store.jobs import Job, find_job, members_with_open_jobs, open_jobs, rooms_with_untaken
from store.sessions import Session, add_session, find_session, lock_session, unpublished_sessions
from store.turns import ask_to_stop, live_turn, live_turns

OUTSIDE = ("room", "direct", "child")
"""Kinds of sessions that take input from outside; side and peer sessions do not."""


@dataclass(frozen=True, kw_only=True)
class OpenWork:
    """The lanes that have work to do after a start."""

    lanes: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Reopened:
    """What a reopening came to; `is_new` is False for a repetition of the same key."""

    old: Session
    fresh: Session
    choice: Choice | None = None
    is_new: bool = True


class Host:
    """Everything that agents, teams, sessions, turns and jobs can be asked for."""

    def __init__(self, deps: Deps) -> None:
        self._deps = deps
        driver = Driver(deps.database, deps.live, deps.clock, deps.runs)
        self._sessions = SessionLane(deps, driver)
        self._members = MemberLane(deps, driver)

    async def open_session(self, tx: Transaction, opening: Opening) -> Session:
        """A new session: a room if the agent is a team, else a direct one. Raises AgentUnavailable."""
        agent = await find_agent(tx, opening.agent_id)
        if agent is None:
            raise AgentUnavailable("unknown")
        if not agent.enabled:
            raise AgentUnavailable("agent_disabled")
        session_id = self._deps.new_id()
        return await add_session(
            tx,
            Session(
                id=session_id,
                kind="room" if agent.kind == "team" else "direct",
                agent_id=agent.id,
                opened_with=agent.id,
                owner_id=opening.owner_id,
                principal=opening.principal,
                app_id=opening.app_id,
                created_at=tx.now,
                updated_at=tx.now,
                title=opening.title,
                session_key=opening.session_key,
                root_id=session_id,
                project_id=opening.project_id,
                model_id=opening.model_id,
                execution_mode=opening.execution_mode,
                workspace=own_folder(agent, opening.principal, session_id),
            ),
        )

    async def submit(self, tx: Transaction, submission: Submission) -> Submitted:
        """Queue a message for the session's host or expert.

        Raises Unknown, Archived, NotAccepting, Conflict, UnknownFile.
        """
        session = await self._lock(tx, submission.session_id)
        if submission.key and (known := await self._receipt(tx, submission)) is not None:
            return known
        if session.status != "ACTIVE":
            raise Archived(session.id)
        if session.kind not in OUTSIDE:
            raise NotAccepting(session.id)
        return await self._queue(tx, session, submission)

    async def stop(self, tx: Transaction, session_id: str) -> Stopped:
        """Stop the session's current turn once `tx` is durable; members of a room go on. Raises Unknown.

        On a member's side session it cancels the job.
        """
        session = await self._lock(tx, session_id)
        turn = await live_turn(tx, session_id)
        if turn is not None and turn.job_id is not None:
            await self.cancel_job(tx, turn.job_id)
            return Stopped(stopped=True)
        if turn is None or turn.stopping:
            at_work = await open_jobs(tx, session_id) if session.kind == "room" else []
            return Stopped(stopped=turn is not None, at_work=tuple(dict.fromkeys(job.member_name for job in at_work)))
        await ask_to_stop(tx, turn)
        turn_id = turn.id
        tx.after_commit(lambda: self._deps.runs.cancel(turn_id))
        await self._deps.lanes.wake(tx, f"room:{session_id}")
        return Stopped(stopped=True)

    async def stop_tree(self, tx: Transaction, session_id: str) -> int:
        """Stop all turns of the session's tree and hold its queues back until it is told to go on; how many turns.

        Raises Unknown, NotAccepting.
        """
        return await stop_tree(self._deps, tx, await self._find(tx, session_id))

    async def continue_tree(self, tx: Transaction, session_id: str) -> int:
        """Let the queues of the session's tree go on; how many sessions have work. Raises Unknown, NotAccepting."""
        return await continue_tree(self._deps, tx, await self._find(tx, session_id))

    async def cancel_jobs(self, tx: Transaction, room_id: str, member: str | None = None) -> list[Job]:
        """Close the room's open jobs (those of `member`: an id or a name) as cancelled, in this one transaction."""
        await self._lock(tx, room_id)
        named = [job for job in await open_jobs(tx, room_id) if member in (None, job.member_id, job.member_name)]
        for job in named:
            await end_job(self._deps, tx, job, self._cancelled())
        return named

    async def cancel_job(self, tx: Transaction, job_id: str) -> Job:
        """Close one job as cancelled if it is still open. Raises Unknown."""
        job = await find_job(tx, job_id)
        if job is None:
            raise Unknown(job_id)
        await end_job(self._deps, tx, job, self._cancelled())
        return job

    async def decide(
        self, tx: Transaction, approval_id: str, decision: Decision, *, by: str, quiet: bool = False
    ) -> Decided:
        """Decide about a call that waits, once: whoever comes second is told what was decided. Raises Unknown.

        The turn goes on with the last decision it needs. Whether `by` may decide is the caller's to check
        (`host.approvals.policy.may_decide`). `quiet`: the question's chat is answered by the caller.
        """
        return await decide(self._deps, tx, approval_id, decision, by=by, quiet=quiet)

    async def switch(self, tx: Transaction, session_id: str, person: Person, agent_id: str) -> Choice:
        """The session goes on with another agent from its next turn on (S1–S6).

        Raises Unknown, Archived, NotSwitchable, AgentUnavailable.
        """
        return await switch(self._deps, tx, await self._lock(tx, session_id), person, agent_id)

    async def reopen(
        self, tx: Transaction, session_id: str, person: Person, agent_id: str, *, key: str = ""
    ) -> Reopened:
        """A new session with another agent; the old one is archived (S7). The same `key` gives the same session.

        Raises Unknown, AgentUnavailable, NotSwitchable, Archived, Busy.
        """
        old = await self._lock(tx, session_id)
        scope = f"reopen:{session_id}"
        if key and (known := await find_receipt(tx, scope, key)) is not None:
            if known.digest != agent_id:
                raise Conflict(key)
            fresh = await lock_session(tx, known.input_id)
            return Reopened(old=old, fresh=fresh, is_new=False)
        fresh, choice = await reopen(self._deps, tx, old, person, agent_id)
        if key:
            await add_receipt(tx, scope=scope, key=key, digest=agent_id, input_id=fresh.id)
        return Reopened(old=old, fresh=fresh, choice=choice)

    async def write_note(self, reopened: Reopened) -> str | None:
        """The hand-over note for a session that was just reopened, within half a minute; None if there is none."""
        if not reopened.is_new:
            return reopened.fresh.handover_note
        return await write_note(self._deps, reopened.old, reopened.fresh)

    async def recall(self, tx: Transaction, session_id: str, message_id: str) -> bool:
        """A person took a message back: if nobody has taken it up yet, nobody will. Whether that was so."""
        await self._lock(tx, session_id)
        for each in await pending_inputs(tx, session_id):
            if each.origin is not None and each.origin.message_id == message_id:
                await finish_input(tx, each.id, "cancelled")
                await withdraw_files(tx, each.id)
                await self._deps.lanes.wake(tx, f"room:{session_id}")  # what stood behind its files goes on
                await self._deps.lanes.wake(tx, f"publish:{session_id}")
                return True
        return False

    async def settle_file(self, tx: Transaction, file_id: str, fetched: Fetched) -> None:
        """A file that came along was brought in, or will not come; its session goes on when no other is missing."""
        await settle(self._deps, tx, file_id, fetched)

    async def fail_jobs_of(self, tx: Transaction, member_id: str, reason: str) -> int:
        """Close every open job of a member that is gone; how many there were."""
        return await fail_jobs_of(self._deps, tx, member_id, reason)

    async def open_work(self, tx: Transaction) -> OpenWork:
        """Every lane that has work to do: for the start."""
        turns = await live_turns(tx)
        rooms = {
            *await sessions_with_pending(tx),
            *await rooms_with_untaken(tx),
            *(turn.session_id for turn in turns if turn.kind in ("user", "wake_up", "coop")),
        }
        return OpenWork(
            lanes=(
                *(f"room:{each}" for each in sorted(rooms)),
                *(f"member:{each}" for each in await members_with_open_jobs(tx)),
                *(approval_lane(each) for each in await turns_asking(tx)),
                *(f"publish:{each}" for each in await unpublished_sessions(tx)),
                *(fetching_lane(each) for each in await inputs_with_waiting(tx)),
            )
        )

    async def drain_room(self, session_id: str) -> None:
        """Lane `room:<id>`: work until the session has no due input."""
        await self._sessions.drain(session_id)

    async def drain_member(self, agent_id: str) -> None:
        """Lane `member:<id>`: work until the member has no open job."""
        await self._members.drain(agent_id)

    async def drain_approval(self, turn_id: str) -> None:
        """Lane `approval:<turn id>`: what nobody decided in time counts as denied."""
        await expire(self._deps, turn_id)

    async def drain_title(self, session_id: str) -> None:
        """Lane `title:<id>`: the session is given its title."""
        await give_title(self._deps, session_id)

    async def _find(self, tx: Transaction, session_id: str) -> Session:
        session = await find_session(tx, session_id)
        if session is None:
            raise Unknown(session_id)
        return session

    async def _lock(self, tx: Transaction, session_id: str) -> Session:
        try:
            session = await lock_session(tx, session_id)
        except NotFound as fault:
            raise Unknown(session_id) from fault
        if session.deleted_at is not None:
            raise Unknown(session_id)
        return session

    async def _receipt(self, tx: Transaction, submission: Submission) -> Submitted | None:
        known = await find_receipt(tx, submission.session_id, submission.key)
        if known is None:
            return None
        if known.digest != submission.digest:
            raise Conflict(submission.key)
        return Submitted(session_id=submission.session_id, input_id=known.input_id, duplicate=True)

    async def _queue(self, tx: Transaction, session: Session, submission: Submission) -> Submitted:
        input_id = self._deps.new_id()
        if not session.title and not writes_titles(self._deps):
            session.title = first_words(submission.text)
        files = await attach(self._deps, tx, session, input_id, submission.attachments, submission.origin)
        await self._deps.scribe.emit(
            tx,
            session,
            Said(
                kind="user_message",
                speaker=submission.sender,
                text=submission.text,
                data={"input_id": input_id, "mentions": list(submission.mentions), "attachments": shown(files)},
                origin=submission.origin,
                posted=False,
                rounds=[input_id],
            ),
        )
        await add_input(
            tx,
            Input(
                id=input_id,
                session_id=session.id,
                kind="user",
                position=session.seq,
                round_id=input_id,
                created_at=tx.now,
                text=submission.text,
                sender=submission.sender,
                origin=submission.origin,
                data={
                    "mentions": list(submission.mentions),
                    "files": [each.id for each in files],
                    "context": list(submission.context),
                },
            ),
        )
        if submission.key:
            await add_receipt(tx, scope=session.id, key=submission.key, digest=submission.digest, input_id=input_id)
        await self._deps.lanes.wake(tx, f"room:{session.id}")
        return Submitted(session_id=session.id, input_id=input_id)

    def _cancelled(self) -> Ending:
        return Ending(state="cancelled", reason=self._deps.say("reason.cancelled"))
