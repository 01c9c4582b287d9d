"""Models behind an OpenAI-compatible chat completions endpoint: OpenAI itself and everybody who speaks its language.

Spoken over aiohttp, which the program has loaded anyway, without OpenAI's own client: that takes half a second and
15 MB to import, and checks every token and every message of the past against its types (a quarter of a millisecond
a token, 85 ms for 400 messages).
"""

from host.model import Model
from host.models.openai.model import ChatModel
from host.models.spec import ModelSpec


def load(spec: ModelSpec) -> Model:
    """A model; it connects when it is first asked."""
    return ChatModel(spec)
