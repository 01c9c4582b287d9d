"""Opening a platform by its settings."""

import subprocess
import sys
from datetime import UTC, datetime

from channels.registry import open_channel
from channels.webhook.settings import WebhookSettings


def now() -> datetime:
    return datetime(2026, 1, 1, tzinfo=UTC)


def test_the_webhook_platform_opens() -> None:
    settings = WebhookSettings(id="hook", secret="whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    assert open_channel(settings, now=now).id == "hook"


def test_only_what_is_opened_is_imported() -> None:
    """A configuration without a platform does not pay for it."""
    check = """
import sys
import channels.registry
heavy = {"aiohttp", "pydantic", "markdown_it", "telegram", "slack_bolt", "lark_oapi", "channels.webhook.channel"}
sys.exit(", ".join(heavy & set(sys.modules)) or None)
"""
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
