"""The shapes of events and live frames as programs see them (contract 6), made from stored events."""

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, Field

from bridge.shape import Shape
from store.base import Speaker
from store.events import Event

AGENT_ROLES = ("host", "member")
MISSING: str = Field(default="", exclude_if=lambda value: value == "")
"""A key that is left out where it does not apply."""


class SpeakerShape(Shape):
    """Who says it. `role` is host, member, user or system; `icon` a URL, an emoji such as ":mag:" or ""."""

    id: str
    name: str
    role: str
    icon: str


class EventShape(Shape):
    """One durable event. `speaker_agent_id` stands on what hosts and members say, `html` only if it was asked for."""

    seq: int
    id: str
    session_id: str
    kind: str
    at: datetime
    speaker: SpeakerShape
    text: str
    turn_id: str | None
    job_id: str | None
    data: dict[str, Any]
    speaker_agent_id: str = MISSING
    html: str = MISSING


class EventFrame(Shape):
    """A durable event. `agent` and `agent_id` are missing where no agent speaks, and on a host's turn_ended."""

    type: Literal["event"]
    event: EventShape
    agent: str = MISSING
    agent_id: str = MISSING


class DeltaFrame(Shape):
    """More text of a live turn, from `offset` characters on; what was shown from there is replaced."""

    type: Literal["delta"]
    turn_id: str
    speaker: SpeakerShape
    offset: int
    text: str
    speaker_agent_id: str
    agent: str
    agent_id: str


class PingFrame(Shape):
    """Sent when nothing else was for a while."""

    type: Literal["ping"]


PING = PingFrame(type="ping")


def event_shape(event: Event, html: str | None = None) -> EventShape:
    """The event as JSON shows it; keys that do not apply are left out."""
    shape = EventShape(
        seq=event.seq,
        id=event.id,
        session_id=event.session_id,
        kind=event.kind,
        at=event.at,
        speaker=speaker_shape(event.speaker),
        text=event.text,
        turn_id=event.turn_id,
        job_id=event.job_id,
        data=event.data,
    )
    if event.speaker.role in AGENT_ROLES:
        shape.speaker_agent_id = event.speaker.id
    if html is not None:
        shape.html = html
    return shape


def event_frame(event: Event, html: str | None = None) -> EventFrame:
    """A client knows that the host's turn is over by a `turn_ended` that names no agent."""
    frame = EventFrame(type="event", event=event_shape(event, html))
    ends_host = event.kind == "turn_ended" and event.speaker.role == "host"
    if event.speaker.role in AGENT_ROLES and not ends_host:
        frame.agent, frame.agent_id = event.speaker.name, event.speaker.id
    return frame


def delta_frame(turn_id: str, speaker: Speaker, offset: int, text: str) -> DeltaFrame:
    return DeltaFrame(
        type="delta",
        turn_id=turn_id,
        speaker=speaker_shape(speaker),
        offset=offset,
        text=text,
        speaker_agent_id=speaker.id,
        agent=speaker.name,
        agent_id=speaker.id,
    )


def speaker_shape(speaker: Speaker) -> SpeakerShape:
    return SpeakerShape(id=speaker.id, name=speaker.name, role=speaker.role, icon=speaker.icon)


def encode(frame: BaseModel) -> str:
    """The frame as it goes over the wire."""
    return frame.model_dump_json()
