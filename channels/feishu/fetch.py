"""The bytes of what people sent: only from the platform itself, and never more than wanted."""

from collections.abc import AsyncIterator

from channels.errors import ChannelError, FileRefused, FileTooLarge
from channels.feishu.api import Api, segment
from channels.feishu.faults import FeishuFault, Refusal
from channels.types import Attachment


async def fetch(api: Api, attachment: Attachment, limit: int) -> AsyncIterator[bytes]:
    """The file in pieces, at most `limit` bytes in all. Raises ChannelError."""
    kind, _, rest = attachment.ref.partition(":")
    message_id, _, key = rest.partition(":")
    if kind not in ("image", "file") or not message_id or not key:
        raise FileRefused("this is no file of a Feishu message")
    path = f"/open-apis/im/v1/messages/{segment(message_id)}/resources/{segment(key)}"
    left = limit
    try:
        async with api.download(path, {"type": kind}) as response:
            async for piece in response.content.iter_chunked(65536):
                left -= len(piece)
                if left < 0:
                    raise FileTooLarge(f"the file has more than {limit} bytes", limit)
                yield piece
    except FeishuFault as fault:
        named = FileRefused if isinstance(fault, Refusal) else ChannelError
        raise named(f"the file could not be fetched: {fault}") from fault
