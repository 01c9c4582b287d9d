"""The app's manifest (docs.slack.dev, "App manifest reference", version 2): pasted once, it sets up all. Pure."""

from typing import Any, Final

from channels.slack.scopes import SCOPES

EVENTS: Final = (
    *("message.channels", "message.groups", "message.im", "message.mpim", "app_mention", "member_joined_channel"),
    *("app_home_opened", "app_context_changed", "agent_session_stopped", "tokens_revoked", "app_uninstalled"),
)
COMMAND: Final = "/team"

_MOST_NAME: Final = 35
_MOST_DESCRIPTION: Final = 140
_MOST_AGENT: Final = 300


def manifest(*, name: str, description: str, hook_url: str = "") -> dict[str, Any]:
    """With a `hook_url` events come over HTTP, else over Socket Mode."""
    return {
        "_metadata": {"major_version": 2, "minor_version": 1},
        "display_information": {
            "name": name[:_MOST_NAME],
            "description": description[:_MOST_DESCRIPTION] or name[:_MOST_DESCRIPTION],
        },
        "features": _features(name, description, hook_url),
        "oauth_config": {"scopes": {"bot": sorted(scope.name for scope in SCOPES)}},
        "settings": _settings(hook_url),
    }


def _features(name: str, description: str, hook_url: str) -> dict[str, Any]:
    command = {"command": COMMAND, "description": "Ask or direct the team", "usage_hint": "[status | stop | question]"}
    address = {"url": hook_url} if hook_url else {}
    return {
        "app_home": {
            "home_tab_enabled": True,
            "messages_tab_enabled": True,
            "messages_tab_read_only_enabled": False,
        },
        "bot_user": {"display_name": name[:_MOST_NAME], "always_online": True},
        "agent_view": {"agent_description": (description or name)[:_MOST_AGENT]},
        "slash_commands": [command | {"should_escape": True} | address],
    }


def _settings(hook_url: str) -> dict[str, Any]:
    address = {"request_url": hook_url} if hook_url else {}
    return {
        "event_subscriptions": {"bot_events": list(EVENTS)} | address,
        "interactivity": {"is_enabled": True} | address,
        "org_deploy_enabled": False,
        "socket_mode_enabled": not hook_url,
        "token_rotation_enabled": False,
    }
