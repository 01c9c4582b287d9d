"""A model as it is configured."""

from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True)
class ModelSpec:
    """One `[models.NAME]` table. `provider` is openai, anthropic or scripted; an empty `base_url` is the vendor's own.

    `timeout` is seconds without a byte, `vision`: it is shown pictures. The key never shows in a repr.
    """

    name: str
    provider: str
    model: str = ""
    base_url: str = ""
    api_key: str = field(default="", repr=False)
    timeout: float = 120.0
    vision: bool = False
