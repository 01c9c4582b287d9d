"""What must arrive: one message sent, in the first shape that Telegram takes."""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from typing import Final

import structlog
from telegram import InlineKeyboardButton, InlineKeyboardMarkup, InputFile, LinkPreviewOptions, Message
from telegram.error import BadRequest, ChatMigrated

from channels.clock import Clock
from channels.outfile import bytes_of
from channels.telegram.anchor import reply_to
from channels.telegram.api import Api
from channels.telegram.budget import Budget
from channels.telegram.faults import Pause, TooLarge, outcome_of, outcome_of_edit, reason_of
from channels.telegram.forms import Form, is_unchanged, next_form
from channels.telegram.limits import MOST_FILE_BYTES
from channels.telegram.place import Place, anchor_of, place_of
from channels.telegram.render import Document, attachment, buttons, document, is_long, plain, render
from channels.telegram.rich import Rich
from channels.types import OutboundMessage, Outcome, Rejected, Retryable, Sent

log = structlog.get_logger(__name__)

LONGEST_WAIT: Final = 3.0
"""Seconds that an attempt waits for its chat's budget; beyond them it is made later."""

_MOST_TRIES: Final = 6
_KEPT: Final = 256

_QUIET: Final = LinkPreviewOptions(is_disabled=True)
"""Telegram takes `main.py` for a web address, and would show that site."""


class Finals:
    """Sends and edits. One of them at a time in a chat (the caller's promise), many chats at once."""

    def __init__(self, api: Api, budget: Budget, clock: Clock) -> None:
        self._api = api
        self._budget = budget
        self._clock = clock
        self._moved: OrderedDict[int, int] = OrderedDict()
        self._progress: OrderedDict[str, int] = OrderedDict()

    async def send(self, message: OutboundMessage) -> Outcome:
        """Never raises. What was sent before and may have arrived goes only when Telegram answers again."""
        place = self._place(message)
        if place is None:
            return Rejected(reason="this chat is not one of Telegram's")
        if message.again and (silent := await self._silence()):
            return silent
        form = Form(
            style="upload" if message.file else "file" if is_long(message) else "rich",
            thread=place.thread,
            anchor=anchor_of(message.reply_to) if _answers(message, place) else None,
        )
        return await self._try(place, message, form)

    async def replace(self, message: OutboundMessage, target: int) -> Outcome:
        """Make a live message say exactly this. What does not fit into it is sent in its place.

        Never raises. An edit may be repeated, so it carries no mark.
        """
        place = self._place(message)
        if place is None:
            return Rejected(reason="this chat is not one of Telegram's")
        if (outcome := await self._rewritten(place, message, target)) is not None:
            return outcome
        gone = await self.delete(place, target)
        return gone if isinstance(gone, Retryable) else await self.send(message)

    async def edit(self, message: OutboundMessage, target: int) -> None:
        """Make a message of ours say this; where that is refused it stays as it is. Never raises."""
        place = self._place(message)
        outcome = None if place is None else await self._rewritten(place, message, target)
        if not isinstance(outcome, Sent):
            log.info("A message was not changed", chat=message.chat_id, outcome=type(outcome).__name__)

    async def _rewritten(self, place: Place, message: OutboundMessage, target: int) -> Outcome | None:
        """None if Telegram refuses these words for that message, or they are too many."""
        bare = replace(message, again=False)
        for pieces in () if is_long(message) else (render(bare), plain(bare)):
            outcome = await self._edit(place, target, pieces[0], message) if len(pieces) == 1 else None
            if outcome is not None:
                return outcome
        return None

    async def delete(self, place: Place, target: int) -> Outcome:
        """Take a message back; one that is gone already is no harm."""
        if later := await self._turn(place.chat):
            return later
        self._budget.take(place.chat)
        try:
            await self._api.call(self._api.bot.delete_message(place.chat, target))
        except BadRequest:
            return Sent()
        except Exception as fault:
            return self._outcome(place.chat, fault, outcome_of_edit)
        return Sent()

    def _place(self, message: OutboundMessage) -> Place | None:
        place = place_of(message.chat_id, message.thread)
        return place and replace(place, chat=self._moved.get(place.chat, place.chat))

    async def _silence(self) -> Outcome | None:
        """Why Telegram does not answer; None if it does."""
        try:
            await self._api.me()
        except Exception as fault:
            return outcome_of_edit(fault)
        return None

    async def _try(self, place: Place, message: OutboundMessage, form: Form) -> Outcome:
        """Through the forms, until one is taken."""
        for _ in range(_MOST_TRIES):
            if later := await self._turn(place.chat):
                return later
            try:
                return await self._send(place, message, form)
            except ChatMigrated as moved:
                place = self._move(place, moved.new_chat_id)
            except BadRequest as refusal:
                following = next_form(form, str(refusal))
                if following is None:
                    return Rejected(reason=reason_of(refusal))
                log.info("Telegram refused a message's form", chat=place.chat, form=form.style, reason=str(refusal))
                form = following
            except Exception as fault:
                if not (isinstance(fault, TooLarge) and form.style == "upload"):
                    return self._outcome(place.chat, fault, outcome_of)
                form = replace(form, style="rich")
        return Rejected(reason="Telegram refused the message in every form")

    async def _send(self, place: Place, message: OutboundMessage, form: Form) -> Outcome:
        if form.style == "upload":
            return await self._send_file(place, message, form)
        if form.style == "file":
            return _sent(await self._send_document(place, message, form, document(message)))
        pieces = render(message) if form.style == "rich" else plain(message)
        if not pieces:
            return Sent()
        return await self._send_pieces(place, message, form, pieces)

    async def _send_pieces(
        self, place: Place, message: OutboundMessage, form: Form, pieces: tuple[Rich, ...]
    ) -> Outcome:
        """Usually one. What was sent of several is remembered, so that a later attempt goes on behind it."""
        done = self._progress.pop(message.delivery_id, 0)
        sent: Outcome = Sent()
        for number, piece in list(enumerate(pieces))[done:]:
            if number > done and (later := await self._turn(place.chat)):
                self._remember(message.delivery_id, number)
                return later
            last = number == len(pieces) - 1
            try:
                sent = _sent(await self._send_text(place, piece, form, message, is_first=number == 0, is_last=last))
            except Exception:
                self._remember(message.delivery_id, number)
                raise
        return sent

    async def _send_text(
        self, place: Place, piece: Rich, form: Form, message: OutboundMessage, *, is_first: bool, is_last: bool
    ) -> Message:
        self._budget.take(place.chat)
        return await self._api.call(
            self._api.bot.send_message(
                place.chat,
                piece.text,
                entities=piece.wire() or None,
                message_thread_id=form.thread,
                reply_parameters=reply_to(form.anchor) if is_first else None,
                reply_markup=_keyboard(message) if is_last else None,
                link_preview_options=_QUIET,
            )
        )

    async def _send_file(self, place: Place, message: OutboundMessage, form: Form) -> Outcome:
        """A file that is handed out; what cannot be sent is told in words."""
        file = message.file
        content = await bytes_of(file, MOST_FILE_BYTES) if file else None
        if file is None or content is None:
            return await self._send(place, message, replace(form, style="rich"))
        paper = attachment(message, file.name, content)
        return _sent(await self._send_document(place, message, form, paper))

    async def _send_document(self, place: Place, message: OutboundMessage, form: Form, paper: Document) -> Message:
        """Bytes, never a name: the library would open a file of that name here."""
        self._budget.take(place.chat)
        return await self._api.upload(
            self._api.bot.send_document(
                place.chat,
                InputFile(paper.content, filename=paper.name),
                caption=paper.caption.text or None,
                caption_entities=paper.caption.wire() or None,
                message_thread_id=form.thread,
                reply_parameters=reply_to(form.anchor),
                reply_markup=_keyboard(message),
                disable_content_type_detection=True if form.style == "upload" else None,
            )
        )

    async def _edit(self, place: Place, target: int, piece: Rich, message: OutboundMessage) -> Outcome | None:
        """None if Telegram refuses this text for this message."""
        if later := await self._turn(place.chat):
            return later
        self._budget.take(place.chat)
        try:
            await self._api.call(
                self._api.bot.edit_message_text(
                    piece.text,
                    chat_id=place.chat,
                    message_id=target,
                    entities=piece.wire() or None,
                    link_preview_options=_QUIET,
                    reply_markup=_keyboard(message),
                )
            )
        except BadRequest as refusal:
            return Sent(platform_id=str(target)) if is_unchanged(str(refusal)) else None
        except Exception as fault:
            return self._outcome(place.chat, fault, outcome_of_edit)
        return Sent(platform_id=str(target))

    async def _turn(self, chat: int) -> Retryable | None:
        """Wait until the chat may be called; None when it may."""
        seconds = self._budget.wait(chat)
        if seconds > LONGEST_WAIT:
            return Retryable(reason="the chat's budget is used up", retry_after=seconds)
        while seconds > 0:
            await self._clock.sleep(seconds)
            seconds = self._budget.wait(chat)
        return None

    def _outcome(self, chat: int, fault: Exception, judge: Callable[[Exception], Outcome]) -> Outcome:
        if isinstance(fault, Pause):
            self._budget.silence(chat, fault.seconds)
        return judge(fault)

    def _move(self, place: Place, new_chat: int) -> Place:
        """A group became a supergroup: until the bridge has moved its records, messages for the old one go there."""
        self._moved[place.chat] = new_chat
        if len(self._moved) > _KEPT:
            self._moved.popitem(last=False)
        return Place(chat=new_chat)

    def _remember(self, delivery_id: str, done: int) -> None:
        self._progress[delivery_id] = done
        if len(self._progress) > _KEPT:
            self._progress.popitem(last=False)


def _answers(message: OutboundMessage, place: Place) -> bool:
    """In a group it matters whose question is answered; notices and further parts need no anchor."""
    return place.is_group and message.kind != "notice" and message.part == 1


def _sent(message: Message) -> Sent:
    return Sent(platform_id=str(message.message_id))


def _keyboard(message: OutboundMessage) -> InlineKeyboardMarkup | None:
    row = [InlineKeyboardButton(label, callback_data=command) for label, command in buttons(message.actions).items()]
    return InlineKeyboardMarkup([row]) if row else None
