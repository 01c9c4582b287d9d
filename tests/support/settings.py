"""Configuration files for scenarios: a small team on scripted models, as TOML."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from tests.support.keys import ADMIN_TOKEN, API_KEY, secret_of
from tests.support.model_request import mark

Table = dict[str, Any]


def expert(agent_id: str, name: str, **more: Any) -> Table:
    instructions = f"{mark('expert', agent_id)} 你是{name}。"
    return {"id": agent_id, "name": name, "description": f"{name}的工作", "instructions": instructions} | more


def team(team_id: str, name: str, members: Sequence[str], **more: Any) -> Table:
    return {"id": team_id, "name": name, "members": list(members), "guidelines": mark("team", team_id)} | more


def webhook(channel_id: str, agent: str, callback_url: str = "", **more: Any) -> Table:
    """An open webhook channel; without a callback its messages are kept."""
    base: Table = {"id": channel_id, "platform": "webhook", "agent": agent, "access": "open"}
    base |= {"secret": secret_of(channel_id)}
    return base | ({"callback_url": callback_url} if callback_url else {}) | more


EXPERTS = (expert("researcher", "研究员"), expert("writer", "写手"), expert("critic", "评审"))
STUDIO = team("studio", "内容工作室", ["researcher", "writer", "critic"])


def settings(
    *,
    model_url: str,
    channels: Sequence[Table],
    agents: Sequence[Table] = EXPERTS,
    teams: Sequence[Table] = (STUDIO,),
    model_keys: Mapping[str, Any] | None = None,
    port: int,
    **top: Any,
) -> Table:
    """A whole configuration; `model_keys` override keys of the one model, `top` are top-level keys."""
    main = {"provider": "openai", "model": "scripted-main", "base_url": model_url, "api_key": API_KEY, "timeout": 20}
    return {
        "locale": "zh-CN",
        "data_dir": "data",
        **top,
        "server": {"host": "127.0.0.1", "port": port, "admin_token": ADMIN_TOKEN},
        "models": {"main": main | dict(model_keys or {})},
        "agents": list(agents),
        "teams": list(teams),
        "channels": list(channels),
    }


def to_toml(table: Mapping[str, Any], path: tuple[str, ...] = ()) -> str:
    """A table as TOML: plain values first, then tables and arrays of tables."""
    nested = {key: value for key, value in table.items() if _is_nested(value)}
    lines = [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in table.items() if key not in nested]
    for key, value in nested.items():
        inner = (*path, key)
        head = ".".join(inner)
        tables = [(f"\n[{head}]", value)] if isinstance(value, Mapping) else [(f"\n[[{head}]]", one) for one in value]
        lines += [f"{title}\n{to_toml(one, inner)}" for title, one in tables]
    return "\n".join(lines)


def _is_nested(value: object) -> bool:
    return isinstance(value, Mapping) or (isinstance(value, list) and bool(value) and isinstance(value[0], Mapping))
