"""Saying something in a session, and stopping what it says."""

import hashlib
from typing import Annotated, Final

from pydantic import BeforeValidator, Field, GetJsonSchemaHandler, field_validator, model_validator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from bridge.api.call import Body, Call, Words
from bridge.api.errors import ApiError, param_invalid
from bridge.api.routes import Routes
from bridge.api.sessions import INNER, ONE, READING, own_session, principal_of, read_session
from bridge.shape import Shape
from channels.addresses import is_web_address
from host.permissions import account, can_use
from host.values import Attached, Submission
from store.agents import find_agent
from store.base import Speaker
from store.database import Transaction
from store.jobs import open_job_of_side
from store.sessions import Session

routes: Final = Routes("sessions")


class NewAttachment(Body):
    """A file that comes along: its name and where it is, or instead of all that the id of one that was brought."""

    name: Words = Field(min_length=1, max_length=255)
    url: Words = ""
    file_id: Words = ""

    @field_validator("url")
    @classmethod
    def _is_on_the_web(cls, value: str) -> str:
        if value and not is_web_address(value):
            raise ValueError("must be a URL that begins with http:// or https://")
        return value


class _OrId:
    """Tells the document what `_by_id` takes."""

    def __get_pydantic_json_schema__(self, core: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return {"anyOf": [handler(core), {"type": "string"}]}


def _by_id(value: object) -> object:
    """An id alone stands for the file, whose name is known."""
    return {"name": "file", "file_id": value} if isinstance(value, str) else value


class NewInput(Body):
    """Something said to the session's host or expert. `mentions` are ids of members, a hint to the host."""

    text: Words = ""
    mentions: list[Words] = Field(default=[], max_length=100)
    attachments: list[Annotated[NewAttachment, BeforeValidator(_by_id), _OrId()]] = Field(default=[], max_length=20)

    @model_validator(mode="before")
    @classmethod
    def _says_something(cls, value: object) -> object:
        if isinstance(value, dict) and not str(value.get("text") or "").strip() and not value.get("attachments"):
            raise param_invalid("text", "missing")
        return value


class Accepted(Shape):
    """The input's receipt: the same for every repetition of the same Idempotency-Key."""

    input_id: str


class StopShape(Shape):
    """Whether something was being generated."""

    stopped: bool


@routes.add(
    "POST",
    "/api/sessions/{id}/inputs",
    status=202,
    errors=("PARAM_INVALID", "FORBIDDEN", "AGENT_NOT_FOUND", "SESSION_ARCHIVED", "IDEMPOTENCY_CONFLICT", *ONE),
    headers=("Idempotency-Key",),
)
async def submit(call: Call, body: NewInput) -> Accepted:
    """Say something in a session; a repeated Idempotency-Key gets the first receipt."""
    submission = Submission(
        session_id=call.named("id"),
        text=body.text,
        sender=Speaker(id=call.user.id, name=call.user.name, role="user"),
        attachments=tuple(Attached(name=one.name, url=one.url, file_id=one.file_id) for one in body.attachments),
        mentions=tuple(body.mentions),
        key=key_of(call),
        digest=hashlib.sha256(body.model_dump_json().encode()).hexdigest(),
    )

    async def work(tx: Transaction) -> Accepted:
        await speaking(call, tx)
        return Accepted(input_id=(await call.parts.host.submit(tx, submission)).input_id)

    return await call.write(work)


async def speaking(call: Call, tx: Transaction) -> Session:
    """The session of the path, if the user may speak there; who it takes words from is its own affair.

    Raises ApiError.
    """
    session = await own_session(call, tx)
    if session.kind in INNER:
        return session
    if session.principal != principal_of(call):
        # The owner of a channel may read its chats, and never speaks there as one of its people (X2).
        raise ApiError("FORBIDDEN")
    await _check_talk(call, tx, session)
    return session


async def _check_talk(call: Call, tx: Transaction, session: Session) -> None:
    """An expert that was deleted, or is not lent any more, is spoken to no longer. Raises ApiError."""
    agent = await find_agent(tx, session.agent_id)
    is_mine = agent is not None and agent.owner_id == call.user.id
    if agent is None or not (is_mine or can_use(await account(tx, call.user.id), agent, "talk")):
        raise ApiError("AGENT_NOT_FOUND")


@routes.add("POST", "/api/sessions/{id}/stop", errors=READING)
async def stop(call: Call) -> StopShape:
    """Stop the current turn; members of a room go on. On a member's side session: cancel its job."""

    async def work(tx: Transaction) -> StopShape:
        session = await read_session(call, tx)
        if session.kind != "side":
            return StopShape(stopped=(await call.parts.host.stop(tx, session.id)).stopped)
        job = await open_job_of_side(tx, session.id)
        if job is not None:
            await call.parts.host.cancel_job(tx, job.id)
        return StopShape(stopped=job is not None)

    return await call.write(work)


def key_of(call: Call) -> str:
    """The request's Idempotency-Key, "" without one."""
    key = call.request.headers.get("Idempotency-Key", "")
    if len(key) > 255:
        raise param_invalid("Idempotency-Key", "too_long")
    return key
