"""The shape of an incoming webhook message. Generous in what does no harm: null is absent, numbers serve as ids."""

import re
from typing import Annotated, Literal, Self
from urllib.parse import unquote, urlsplit

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    StringConstraints,
    model_validator,
)
from pydantic_core import PydanticCustomError

from channels.addresses import is_web_address
from channels.types import Attachment, Chat, InboundEvent, Sender

ID_LENGTH = 255
"""Characters of an identifier; a much longer one does not fit into a database index."""

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
"""What databases refuse: NUL and lone halves of surrogate pairs. JSON can spell both."""


def is_storable(text: str) -> bool:
    """Whether every database takes the text."""
    return _UNSTORABLE.search(text) is None


def _storable(value: object) -> object:
    return _UNSTORABLE.sub("\N{REPLACEMENT CHARACTER}", value) if isinstance(value, str) else value


def _exact(value: object) -> object:
    """Identifiers are never repaired: two different ones must not become the same."""
    if isinstance(value, str) and not is_storable(value):
        raise PydanticCustomError("unstorable", "must not contain NUL or lone surrogates")
    return value


def _number_as_text(value: object) -> object:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _null_as(default: object) -> BeforeValidator:
    return BeforeValidator(lambda value: default if value is None else value)


def _not_blank(value: str) -> str:
    if not value.strip():
        raise PydanticCustomError("blank", "must not be blank")
    return value


def _web_address(value: str) -> str:
    if not is_web_address(value):
        raise PydanticCustomError("url", "must be a URL that begins with http:// or https://")
    return value


# The "before" validator that stands last runs first.
_Words = Annotated[str, BeforeValidator(_storable), _null_as("")]
_AnyId = Annotated[
    str, StringConstraints(max_length=ID_LENGTH), BeforeValidator(_exact), BeforeValidator(_number_as_text)
]
_Id = Annotated[_AnyId, AfterValidator(_not_blank)]
_OptionalId = Annotated[_AnyId, AfterValidator(lambda value: value if value.strip() else ""), _null_as("")]
_Address = Annotated[str, StringConstraints(max_length=8192), BeforeValidator(_exact), AfterValidator(_web_address)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True, frozen=True)


class _Chat(_Part):
    id: _Id
    type: Annotated[Literal["private", "group"], _null_as("private")] = "private"
    title: _Words = ""


class _Sender(_Part):
    id: _Id
    name: _Words = ""


class _Attachment(_Part):
    name: _Words = ""
    url: _Address

    def value(self) -> Attachment:
        return Attachment(name=self.name.strip() or _file_name(self.url), url=self.url)


class Message(_Part):
    """One message; unknown keys are ignored."""

    chat: _Chat
    thread: _OptionalId = ""
    sender: _Sender
    text: _Words = ""
    mentioned: Annotated[bool, _null_as(False)] = False
    message_id: _OptionalId = ""
    attachments: Annotated[list[_Attachment], _null_as([])] = []

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not self.text.strip() and not self.attachments:
            raise PydanticCustomError("empty", "a text or an attachment is required")
        return self

    def event(self, event_key: str, *, digest: str) -> InboundEvent:
        """The platform-neutral value."""
        return InboundEvent(
            event_key=event_key,
            chat=Chat(id=self.chat.id, type=self.chat.type, title=self.chat.title),
            sender=Sender(id=self.sender.id, name=self.sender.name),
            text=self.text,
            message_id=self.message_id,
            thread=self.thread,
            mentioned=self.mentioned,
            attachments=tuple(attachment.value() for attachment in self.attachments),
            digest=digest,
        )


def _file_name(url: str) -> str:
    """The last piece of the path, for an attachment without a name."""
    path = unquote(urlsplit(url).path).rstrip("/")
    return _UNSTORABLE.sub("", path.rpartition("/")[2]) or "file"
