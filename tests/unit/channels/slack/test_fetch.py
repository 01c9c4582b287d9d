"""Files that people send: brought with our token, which goes to Slack alone (X7)."""

import pytest

from channels.errors import ChannelError
from channels.slack.fetch import may_have_token
from channels.slack.settings import SlackSettings
from channels.types import Attachment
from tests.support.slack.app import App

FILE = Attachment(name="a.png", ref="F1", mime="image/png", size=9)


@pytest.fixture(autouse=True)
def stored(app: App) -> None:
    app.slack.contents["F1"] = b"picture!!"
    app.slack.files["F1"] = {
        "id": "F1",
        "name": "a.png",
        "mimetype": "image/png",
        "url_private_download": f"{app.slack.url}/files-pri/F1",
    }


async def _fetch(app: App, file: Attachment = FILE, limit: int = 100) -> bytes:
    return b"".join([piece async for piece in app.channel.fetch(file, limit)])


async def test_a_file_is_fetched_with_the_token(app: App) -> None:
    """Issue 4, 5."""
    assert await _fetch(app) == b"picture!!"


async def test_the_login_page_is_no_file(app: App) -> None:
    """Issue 4, 5: without files:read Slack shows it with status 200."""
    app.slack.scopes.remove("files:read")
    with pytest.raises(ChannelError, match="login page"):
        await _fetch(app)


async def test_a_file_larger_than_allowed_is_not_taken(app: App) -> None:
    """X7: by what is told, and while it comes."""
    with pytest.raises(ChannelError):
        await _fetch(app, limit=5)
    with pytest.raises(ChannelError):
        await _fetch(app, Attachment(name="a", ref="F1"), limit=5)


async def test_an_address_elsewhere_never_sees_the_token(app: App) -> None:
    """X7."""
    app.slack.files["F1"]["url_private_download"] = "http://127.0.0.1:1/evil"
    with pytest.raises(ChannelError, match="Slack's hosts"):
        await _fetch(app)


async def test_an_unknown_file_is_an_ordinary_fault(app: App) -> None:
    with pytest.raises(ChannelError):
        await _fetch(app, Attachment(name="x", ref="F404"))


@pytest.mark.parametrize(
    ("url", "may"),
    [
        ("https://files.slack.com/files-pri/x", True),
        ("https://slack.com/x", True),
        ("https://x.slack-edge.com/y", True),
        ("http://files.slack.com/x", False),
        ("https://slack.com.evil.example/x", False),
        ("https://evilslack.com/x", False),
        ("https://files.slack.com@evil.example/x", False),
        ("https://evil.example/slack.com", False),
        ("", False),
    ],
)
def test_who_may_see_the_token(url: str, may: bool) -> None:
    """X7."""
    settings = SlackSettings(id="s", bot_token="xoxb-1", app_token="xapp-1")
    assert may_have_token(url, settings) is may
