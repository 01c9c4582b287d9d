"""The App Home and the manifest."""

import json
from pathlib import Path

import pytest

from channels.slack.home import home_view
from channels.slack.manifest import EVENTS, manifest
from channels.slack.scopes import SCOPES
from channels.slack.words import Home, HomeMember, Words

WORDS = Words()


def test_the_home_shows_the_team_and_its_members() -> None:
    """Issue 4, 6; X6: a description calls nobody."""
    members = (HomeMember(name="Ada", description="facts & <!channel>"), HomeMember(name="Bob"))
    blocks = home_view(Home(name="Studio", description="Tea", members=members), WORDS)["blocks"]
    assert blocks[0]["text"]["text"] == "Studio"
    shown = [block["text"]["text"] for block in blocks if block["type"] == "section"]
    assert shown[2:] == ["*Ada* — facts &amp; &lt;\u200b!channel&gt;", "*Bob*"]


def test_a_home_of_any_size_is_taken_by_slack() -> None:
    """At most 100 blocks, 3,000 characters each."""
    home = Home(name="x" * 500, members=tuple(HomeMember(name=f"m{n}", description="y" * 5000) for n in range(200)))
    blocks = home_view(home, WORDS)["blocks"]
    assert len(blocks) <= 100
    assert max(len(block["text"]["text"]) for block in blocks if "text" in block) <= 3000
    assert home_view(Home(), WORDS)["blocks"][-1]["type"] == "context"


def test_the_manifest_asks_for_every_scope_and_event_that_is_used() -> None:
    """Issue 4, 6: and keeps to Slack's lengths."""
    app = manifest(name="N" * 60, description="D" * 400)
    assert set(app["oauth_config"]["scopes"]["bot"]) == {scope.name for scope in SCOPES}
    assert app["settings"]["event_subscriptions"]["bot_events"] == list(EVENTS)
    assert len(app["display_information"]["name"]) <= 35
    assert len(app["display_information"]["description"]) <= 140
    assert len(app["features"]["agent_view"]["agent_description"]) <= 300
    assert app["features"]["app_home"]["messages_tab_read_only_enabled"] is False
    assert app["settings"]["socket_mode_enabled"] is True


def test_a_manifest_for_http_names_the_hook_everywhere() -> None:
    app = manifest(name="Studio", description="", hook_url="https://x.y/hooks/slack")
    assert app["settings"]["socket_mode_enabled"] is False
    assert app["settings"]["event_subscriptions"]["request_url"] == "https://x.y/hooks/slack"
    assert app["settings"]["interactivity"]["request_url"] == "https://x.y/hooks/slack"
    assert app["features"]["slash_commands"][0]["url"] == "https://x.y/hooks/slack"


@pytest.mark.parametrize("name", ["slack.md", "slack.zh-CN.md"])
def test_the_manifest_in_the_docs_is_the_one_that_is_written(name: str) -> None:
    """Issue 4, 6: also in docs/slack.md."""
    page = (Path(__file__).parents[4] / "docs" / name).read_text(encoding="utf-8")
    shown = page.rpartition("```json\n")[2].partition("\n```")[0]
    assert json.loads(shown) == manifest(name="Studio", description="A team of experts")
