"""The few words that this platform itself shows or tells the host, in the owner's language."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Wording:
    """Names of what cannot be read as text, and what stands on buttons and cards. `{…}` is filled in."""

    sticker: str = "[sticker]"
    card: str = "[card]"
    forwarded: str = "[forwarded messages]"
    folder: str = "[folder: {name}]"
    location: str = "[location: {name}]"
    shared_chat: str = "[shared group: {id}]"
    shared_person: str = "[shared contact: {id}]"
    red_packet: str = "[red packet]"
    event: str = "[calendar event: {name}]"
    vote: str = "[vote: {name}]"
    task: str = "[task: {name}]"
    call: str = "[video call: {name}]"
    system: str = "[system message: {text}]"
    unreadable: str = "[a message of type {type} that cannot be read]"
    everyone: str = "@everyone"
    stop: str = "Stop"
    writing: str = "is writing…"
    interrupted: str = "This answer was interrupted."
    pressed: str = "Got it"
    not_taken: str = "That could not be taken in; please try again."
    fresh: str = "New session"
    audited: str = "The platform's content check refused this message."
