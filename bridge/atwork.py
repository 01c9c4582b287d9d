"""At work: who is busy in which chat, shown as the platform's typing sign, and the mark on the question."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import structlog

from channels.base import CanReact, CanType, Channel
from channels.types import Speaker
from host.values import Writing
from store import base
from store.events import Event

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class _Place:
    channel_id: str
    chat_id: str
    thread: str


@dataclass
class _Scene:
    """One place while somebody works there: who (by turn or job), and the questions that are marked."""

    busy: dict[str, Speaker] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    task: "asyncio.Task[None] | None" = None


class AtWork:
    """Implements `host.values.Live`: follows what begins and ends. Beauty only: a restart forgets it."""

    def __init__(self, find: Callable[[str], Channel | None]) -> None:
        self._find = find
        self._scenes: dict[_Place, _Scene] = {}

    def delta(self, writing: Writing, offset: int, text: str) -> None:
        """Words are shown elsewhere."""

    def emitted(self, session_id: str, events: Sequence[Event]) -> None:
        for event in events:
            if event.origin is not None:
                self._follow(event, event.origin)

    def stop(self) -> None:
        """The program ends: platforms take their signs away by themselves."""
        for scene in self._scenes.values():
            if scene.task is not None:
                scene.task.cancel()

    def _follow(self, event: Event, origin: base.Origin) -> None:
        place = _Place(origin.channel_id, origin.chat_id, origin.thread)
        scene = self._scenes.get(place) or _Scene()
        if not _note(scene, event, origin):
            return
        channel = self._find(origin.channel_id)
        if not isinstance(channel, (CanType, CanReact)):
            return
        self._scenes[place] = scene
        scene.changed.set()
        if scene.task is None and scene.busy:  # a question alone is marked once somebody begins
            scene.task = asyncio.create_task(self._show(place, scene, channel), name=f"at work {place.chat_id}")

    async def _show(self, place: _Place, scene: _Scene, channel: Channel) -> None:
        """Show each change, the last one only if several come at once; done when nobody is busy any more."""
        try:
            marked: list[str] = []
            while scene.changed.is_set() or scene.busy:
                await scene.changed.wait()
                scene.changed.clear()
                await self._mark(place, scene, channel, marked)
                if isinstance(channel, CanType):
                    await channel.typing(place.chat_id, place.thread, list(scene.busy.values()))
            await self._unmark(place, channel, marked)
        except Exception:
            log.exception("A sign of work could not be shown", channel=place.channel_id)
        finally:
            self._scenes.pop(place, None)

    async def _mark(self, place: _Place, scene: _Scene, channel: Channel, marked: list[str]) -> None:
        asked, scene.asked = scene.asked, []
        if isinstance(channel, CanReact):
            for message_id in asked:
                await channel.react(place.chat_id, message_id, seen=True)
                marked.append(message_id)

    async def _unmark(self, place: _Place, channel: Channel, marked: list[str]) -> None:
        if isinstance(channel, CanReact):
            for message_id in marked:
                await channel.react(place.chat_id, message_id, seen=False)


def _note(scene: _Scene, event: Event, origin: base.Origin) -> bool:
    """Take the event into account; False if it changes nothing."""
    match event.kind:
        case "user_message" if origin.message_id:
            scene.asked.append(origin.message_id)
        case "turn_started":
            scene.busy[event.turn_id or ""] = _voice(event.speaker)
        case "job_dispatched":
            name = str(event.data.get("name", ""))
            scene.busy[event.job_id or ""] = Speaker(id=str(event.data.get("agent_id", "")), name=name, role="member")
        case "turn_ended":
            return scene.busy.pop(event.turn_id or "", None) is not None
        case "member_message" | "job_failed" if event.job_id is not None:
            return scene.busy.pop(event.job_id, None) is not None
        case "notice" if "approval" in event.data:
            return _rest(scene, event, event.data["approval"])
        case _:
            return False
    return True


def _rest(scene: _Scene, event: Event, approval: Mapping[str, str | None]) -> bool:
    """Whoever waits for a person is not at work; decided, it goes on. Children are never shown at work here."""
    if approval["job_id"] is None and approval["session_id"] != event.session_id:
        return False
    key = approval["job_id"] or event.turn_id or ""
    if approval["state"] == "open":
        return scene.busy.pop(key, None) is not None
    if approval["state"] == "dropped" or key in scene.busy:
        return False
    scene.busy[key] = Speaker(id=approval["agent_id"] or "", name=approval["name"] or "", role="member")
    return True


def _voice(speaker: base.Speaker) -> Speaker:
    return Speaker(
        id=speaker.id, name=speaker.name, role="host" if speaker.role == "host" else "member", icon=speaker.icon
    )
