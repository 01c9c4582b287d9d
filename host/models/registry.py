"""The configured models by name. A provider's module is imported when one of its models is first needed.

pydantic-ai and a vendor's SDK take most of two seconds to import. So the server is ready before that: `warm` and `load`
import and build in a thread, and nothing is imported that is not configured.
"""

import asyncio
import os
from collections.abc import Iterable

import structlog

from host.errors import UnknownModel
from host.model import Model
from host.models.spec import ModelSpec

os.environ.setdefault("PYDANTIC_AI_NO_BANNER", "1")

log = structlog.get_logger(__name__)


class Models:
    """Built from plain values; after `warm` every look-up is cheap."""

    def __init__(self, specs: Iterable[ModelSpec]) -> None:
        self._specs = {spec.name: spec for spec in specs}
        self._loaded: dict[str, Model] = {}
        self._tried: set[str] = set()
        self._lock = asyncio.Lock()

    @property
    def names(self) -> tuple[str, ...]:
        """The configured names, in the order of the file."""
        return tuple(self._specs)

    def sees(self, name: str) -> bool:
        """Whether the model of this name is shown pictures."""
        spec = self._specs.get(name)
        return spec is not None and spec.vision

    def get(self, name: str) -> Model:
        """The model of this name, at once; its first use may import for a second. Raises UnknownModel."""
        if name not in self._loaded:
            self._loaded[name] = _load(self._spec(name))
        return self._loaded[name]

    async def load(self, name: str) -> Model:
        """The same, but the first use imports in a thread and holds nobody up. Raises UnknownModel."""
        async with self._lock:
            if name not in self._loaded:
                self._loaded[name] = await asyncio.to_thread(_load, self._spec(name))
        return self.get(name)

    async def warm(self) -> None:
        """Have every configured model ready before it is asked. One that cannot be built says so again when it is."""
        for name in [each for each in self._specs if each not in self._tried]:
            try:
                await self.load(name)
            except Exception:
                log.exception("model cannot be loaded", model=name)
            self._tried.add(name)

    async def close(self) -> None:
        """Close every model's connections. The models are built anew if somebody asks again."""
        loaded, self._loaded = list(self._loaded.values()), {}
        for each in loaded:
            await each.close()

    def _spec(self, name: str) -> ModelSpec:
        if name not in self._specs:
            raise UnknownModel(name)
        return self._specs[name]


def _load(spec: ModelSpec) -> Model:
    """Import the provider and build the model. Raises UnknownModel for a provider that does not exist."""
    match spec.provider:
        case "openai":
            from host.models.openai import load
        case "anthropic":
            from host.models.anthropic import load
        case "scripted":
            from host.models.scripted import load
        case _:
            raise UnknownModel(spec.name)
    return load(spec)
