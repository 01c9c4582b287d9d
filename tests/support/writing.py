"""Writings for tests of live text."""

from host.values import Writing
from store.base import Speaker


def writing(session_id: str, turn_id: str, speaker: Speaker) -> Writing:
    """Somebody writes in one session, posted nowhere."""
    return Writing(turn_id=turn_id, speaker=speaker, sessions=(session_id,), kind="host_message")
