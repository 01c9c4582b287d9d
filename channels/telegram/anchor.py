"""The message that another one answers."""

from telegram import ReplyParameters


def reply_to(message: int | None) -> ReplyParameters | None:
    """Without the permission, a question that was deleted meanwhile would cost the answer."""
    return None if message is None else ReplyParameters(message, allow_sending_without_reply=True)
