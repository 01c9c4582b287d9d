"""`teambridge check` for Slack: tokens and scopes, and what each missing one costs."""

from collections.abc import AsyncIterator

import pytest
from aiohttp import ClientSession, ClientTimeout
from pydantic import SecretStr

from bridge.cli.probe_channels import probe_channel
from bridge.config import SlackChannel
from channels.slack.scopes import SCOPES
from tests.support.slack.server import APP_TOKEN, BOT_TOKEN, Slack


@pytest.fixture
async def session() -> AsyncIterator[ClientSession]:
    async with ClientSession(timeout=ClientTimeout(total=5)) as opened:
        yield opened


@pytest.fixture
async def slack() -> AsyncIterator[Slack]:
    async with Slack() as opened:
        yield opened


def _channel(base_url: str, *, bot: str = BOT_TOKEN, app: str = APP_TOKEN) -> SlackChannel:
    return SlackChannel(
        id="slack", agent="t", platform="slack", bot_token=SecretStr(bot), app_token=SecretStr(app), base_url=base_url
    )


async def test_a_slack_app_says_who_it_is_and_opens_its_socket(session: ClientSession, slack: Slack) -> None:
    found = await probe_channel(session, "channels[0]", _channel(slack.base_url))
    assert [(one.status, one.place) for one in found] == [("ok", "channels[0]"), ("ok", "channels[0].app_token")]
    assert "studio" in found[0].words
    assert slack.socket.opened == 0


@pytest.mark.parametrize("scope", SCOPES, ids=lambda scope: scope.name)
async def test_a_missing_scope_is_named_with_what_it_is_for(
    session: ClientSession, slack: Slack, scope: object
) -> None:
    """Issue 4, 6; contract 8: a missing necessary permission is a failure, an optional one a warning."""
    wanted = next(one for one in SCOPES if one is scope)
    slack.scopes.remove(wanted.name)
    found = await probe_channel(session, "channels[0]", _channel(slack.base_url))
    [told] = [one for one in found if one.status != "ok"]
    assert told.status == ("failed" if wanted.is_needed else "warning")
    assert wanted.name in told.words
    assert wanted.purpose in told.words


async def test_wrong_tokens_are_failures_that_say_what_to_do(session: ClientSession, slack: Slack) -> None:
    """X5: and no token is shown."""
    found = await probe_channel(session, "channels[0]", _channel(slack.base_url, bot="xoxb-no", app=BOT_TOKEN))
    assert [(one.status, one.place) for one in found] == [
        ("failed", "channels[0].bot_token"),
        ("failed", "channels[0].app_token"),
    ]
    assert "not_allowed_token_type" in found[1].words
    assert not any("xoxb" in one.words for one in found)


async def test_slack_that_cannot_be_reached(session: ClientSession) -> None:
    found = await probe_channel(session, "channels[0]", _channel("http://127.0.0.1:1/api/"))
    assert {one.status for one in found} == {"failed"}
    assert "cannot be reached" in found[0].words
