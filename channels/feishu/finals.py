"""Messages that must arrive: as cards, else as rich text, else as plain text, else as a file."""

from collections.abc import Callable, Sequence

import structlog

from channels.feishu.api import Api, segment
from channels.feishu.card import dumped
from channels.feishu.directory import Directory
from channels.feishu.faults import AUDITED, FeishuFault, NotSetUp, Refusal, is_about_form, outcome_of
from channels.feishu.messages import MESSAGES, Messages, uuid_of
from channels.feishu.render import (
    Chunk,
    Form,
    card_of,
    chunks,
    divider_form,
    excerpt,
    forms_of,
    is_file,
    words_form,
)
from channels.feishu.uploads import Uploads
from channels.feishu.wording import Wording
from channels.types import OutboundMessage, Outcome, OutFile, Rejected, Sent

log = structlog.get_logger(__name__)


class Finals:
    """Sends messages. Doing it twice shows one: every platform message has an id of ours."""

    def __init__(
        self, api: Api, messages: Messages, directory: Directory, wording: Wording, sent: Callable[[str], None]
    ) -> None:
        self._uploads = Uploads(api)
        self._messages = messages
        self._directory = directory
        self._wording = wording
        self._sent = sent

    async def send(self, message: OutboundMessage) -> Outcome:
        """Never raises for what the platform or the network does."""
        try:
            return Sent(platform_id=await self._send(message))
        except FeishuFault as fault:
            return await self.judge(message, fault)

    async def edit(self, message: OutboundMessage, message_id: str) -> None:
        """Make a card of ours say this; what is no card, or may not change, stays as it is. Never raises."""
        card = card_of(message, chunks(message)[0])
        try:
            path = f"{MESSAGES}/{segment(message_id)}"
            await self._messages.spared(message.chat_id, "PATCH", path, {"content": dumped(card)})
        except FeishuFault as fault:
            log.info("A card was not changed", channel=message.channel_id, reason=str(fault))

    async def rest(self, message: OutboundMessage, left: Sequence[Chunk]) -> None:
        """The cards of a message from the second on. Raises FeishuFault."""
        for part, chunk in enumerate(left, 2):
            await self.chunk(message, chunk, uuid_of(message.delivery_id, part))

    async def judge(self, message: OutboundMessage, fault: FeishuFault) -> Outcome:
        """The outcome of a failed delivery. Words that the content check refused are told to be so."""
        if isinstance(fault, Refusal) and fault.code in AUDITED:
            await self._tell_audited(message)
            return Rejected(reason=f"the content check refused it ({fault.code})")
        return outcome_of(fault)

    async def chunk(self, message: OutboundMessage, chunk: Chunk, uuid: str) -> str:
        """One card, in the first form that is taken; its message id. Raises FeishuFault."""
        for form in forms_of(message, chunk):
            try:
                return await self._put(message, form, uuid)
            except Refusal as refusal:
                if not is_about_form(refusal):
                    raise
                log.warning(
                    "A form was refused",
                    channel=message.channel_id,
                    form=form.kind,
                    code=refusal.code,
                    detail=refusal.detail,
                )
        return await self._put(message, await self._uploads.text(message, chunk.source), uuid)

    async def _send(self, message: OutboundMessage) -> str:
        if message.fresh:
            await self._divide(message)
        if message.file is not None:
            return await self._hand_out(message, message.file)
        if is_file(message):
            return await self._document(message)
        return await self._cards(message)

    async def _cards(self, message: OutboundMessage) -> str:
        first, *left = chunks(message)
        message_id = await self.chunk(message, first, uuid_of(message.delivery_id))
        await self.rest(message, left)
        return message_id

    async def _document(self, message: OutboundMessage) -> str:
        """How it begins, and all of it as a file; where files are not taken, as the cards that it needs."""
        try:
            whole = await self._uploads.text(message, message.text)
        except (Refusal, NotSetUp):
            return await self._cards(message)
        message_id = await self.chunk(message, excerpt(message), uuid_of(message.delivery_id))
        await self._put(message, whole, uuid_of(message.delivery_id, "file"))
        return message_id

    async def _hand_out(self, message: OutboundMessage, file: OutFile) -> str:
        """A file; where it is not taken, the line that stands for it."""
        try:
            form = await self._uploads.file(file)
            if form is not None:
                return await self._put(message, form, uuid_of(message.delivery_id, "file"))
        except NotSetUp as fault:
            log.warning("The app may not send files", channel=message.channel_id, reason=str(fault))
        except Refusal as refusal:
            if not is_about_form(refusal):
                raise
            log.warning("A file was refused", channel=message.channel_id, code=refusal.code)
        return await self._cards(message)

    async def _put(self, message: OutboundMessage, form: Form, uuid: str) -> str:
        message_id = await self._messages.put(message, form, uuid)
        self._sent(message_id)
        return message_id

    async def _divide(self, message: OutboundMessage) -> None:
        """A line across a private chat; where the app may not draw it, the words alone must do."""
        chat = await self._directory.chat(message.chat_id)
        if chat is None or chat.type != "private":
            return
        try:
            await self._messages.put(
                message, divider_form(self._wording.fresh), uuid_of(message.delivery_id, "divider")
            )
        except FeishuFault as fault:
            log.info("No divider was drawn", channel=message.channel_id, reason=str(fault))

    async def _tell_audited(self, message: OutboundMessage) -> None:
        try:
            await self._put(message, words_form(self._wording.audited), uuid_of(message.delivery_id, "audit"))
        except FeishuFault as fault:
            log.info("The chat could not be told", channel=message.channel_id, reason=str(fault))
