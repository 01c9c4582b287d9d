"""The first calls of a bot, each repeated until Telegram takes it."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Final, TypeVar

import structlog
from telegram import BotCommand
from telegram.error import TelegramError

from channels.clock import Clock
from channels.telegram.api import Api
from channels.telegram.faults import REFUSED, outcome_of_edit
from channels.telegram.parse import WANTED
from channels.telegram.settings import MenuEntry, TelegramSettings
from channels.types import Rejected, Retryable

T = TypeVar("T")

log = structlog.get_logger(__name__)

MOST_CONNECTIONS: Final = 40
"""How many webhook calls Telegram may make at once (1 to 100)."""

_FIRST_PAUSE: Final = 1.0
_LONGEST_PAUSE: Final = 60.0


async def until_it_works(step: Callable[[], Awaitable[T]], clock: Clock, tell: Callable[[str], None]) -> T:
    """What the step returns, however long that takes; `tell` hears why it does not work yet."""
    pause = _FIRST_PAUSE
    while True:
        try:
            return await step()
        except Exception as fault:
            outcome = outcome_of_edit(fault)
        reason = outcome.reason if isinstance(outcome, Retryable | Rejected) else ""
        asked = min(outcome.retry_after, REFUSED) if isinstance(outcome, Retryable) else REFUSED
        log.warning("Telegram is not ready", reason=reason)
        tell(reason)
        await clock.sleep(max(pause, asked))
        pause = min(_LONGEST_PAUSE, pause * 2)


async def set_hook(api: Api, settings: TelegramSettings) -> None:
    """Telegram shall call us from now on. Raises TelegramError."""
    await api.call(
        api.bot.set_webhook(
            settings.hook_url,
            secret_token=settings.hook_secret,
            allowed_updates=list(WANTED),
            max_connections=MOST_CONNECTIONS,
        )
    )


async def drop_hook(api: Api) -> None:
    """We shall ask from now on; what waits is kept and comes with the first poll. Raises TelegramError."""
    await api.call(api.bot.delete_webhook(drop_pending_updates=False))


async def show_menu(api: Api, menu: Sequence[MenuEntry]) -> None:
    """The commands that people are offered. Comfort only: a bot works without."""
    if not menu:
        return
    english = [BotCommand(each.name, each.english) for each in menu]
    chinese = [BotCommand(each.name, each.chinese) for each in menu]
    try:
        await api.call(api.bot.set_my_commands(english))
        await api.call(api.bot.set_my_commands(chinese, language_code="zh"))
    except (TelegramError, TimeoutError) as fault:
        log.info("The menu could not be set", fault=type(fault).__name__)
