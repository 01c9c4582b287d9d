"""The methods of the Web API that the program may call, with their rules."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from tests.support.slack.rules import check_content, check_metadata, check_name
from tests.support.slack.state import APP_NAME, BOT, BOT_USER, TEAM, Channel, Json, Message, Refused

if TYPE_CHECKING:
    from tests.support.slack.server import Slack

Method = Callable[["Slack", Json], Awaitable[Json]]

STREAM_BYTES = 10_600
STREAM_LIFE = 300.0


def _place(slack: "Slack", args: Json, key: str = "channel") -> Channel:
    channel = slack.channels.get(str(args.get(key, "")))
    if channel is None:
        raise Refused("channel_not_found")
    if channel.archived:
        raise Refused("is_archived")
    if not channel.has_app:
        raise Refused("not_in_channel")
    return channel


def _need(slack: "Slack", scope: str) -> None:
    if scope not in slack.scopes:
        raise Refused("missing_scope", needed=scope, provided=",".join(slack.scopes))


def _persona(slack: "Slack", args: Json) -> Json:
    """Without the scope the name and the icon are ignored, without a word."""
    if not args.get("username") or "chat:write.customize" not in slack.scopes:
        return {}
    check_name(str(args["username"]))
    icons = {key: args[key] for key in ("icon_emoji", "icon_url") if key in args}
    return {"username": str(args["username"]), "icons": icons}


def _thread(channel: Channel, args: Json) -> str:
    ts = str(args.get("thread_ts") or "")
    if ts and ts not in channel.messages:
        raise Refused("thread_not_found")
    if ts and channel.messages[ts].thread_ts not in ("", ts):
        raise Refused("cannot_reply_to_message")
    return ts


async def auth_test(slack: "Slack", args: Json) -> Json:
    ids = {"user_id": BOT_USER, "bot_id": BOT, "team_id": TEAM, "is_enterprise_install": False}
    return {"url": "https://studio.slack.com/", "team": "Team", "user": APP_NAME.lower(), **ids}


async def connections_open(slack: "Slack", args: Json) -> Json:
    return {"url": slack.socket.new_url()}


async def post_message(slack: "Slack", args: Json) -> Json:
    channel = _place(slack, args)
    _need(slack, "chat:write")
    check_content(args, takes_tables=slack.takes_tables, takes_cards=slack.takes_cards)
    if "metadata" in args:
        check_metadata(args["metadata"])
    slack.flood.take(channel.id)
    message = Message(
        ts=slack.new_ts(),
        text=str(args.get("text") or args.get("markdown_text") or ""),
        thread_ts=_thread(channel, args),
        by_app=True,
        blocks=list(args.get("blocks") or []),
        metadata=args.get("metadata") or {},
        **_persona(slack, args),
    )
    slack.show(channel, message)
    return {"channel": channel.id, "ts": message.ts, "message": message.public()}


def _own(channel: Channel, ts: str, error: str) -> Message:
    message = channel.find(ts)
    if not message.by_app:
        raise Refused(error)
    return message


async def update(slack: "Slack", args: Json) -> Json:
    """Replaces the content. There is no persona any more: the message is the app's own afterwards."""
    channel = _place(slack, args)
    message = _own(channel, str(args["ts"]), "cant_update_message")
    if message.state == "in_progress":
        raise Refused("streaming_state_conflict")
    check_content(args, takes_tables=slack.takes_tables, takes_cards=slack.takes_cards)
    if not args.get("blocks") and len(str(args.get("text", ""))) > 4000:
        raise Refused("msg_too_long")
    message.text, message.blocks = str(args.get("text") or ""), list(args.get("blocks") or [])
    message.metadata = args.get("metadata") or message.metadata
    message.username, message.icons = "", {}
    message.edits += 1
    slack.changed(channel, message)
    return {"channel": channel.id, "ts": message.ts, "text": message.text}


async def delete(slack: "Slack", args: Json) -> Json:
    channel = _place(slack, args)
    message = _own(channel, str(args["ts"]), "cant_delete_message")
    if message.username and not slack.lets_delete_personas:
        raise Refused("cant_delete_message")
    del channel.messages[message.ts]
    return {"channel": channel.id, "ts": message.ts}


async def start_stream(slack: "Slack", args: Json) -> Json:
    channel = _place(slack, args)
    _need(slack, "chat:write")
    if not slack.streams:
        raise Refused("channel_type_not_supported")
    if not args.get("thread_ts"):
        raise Refused("invalid_thread_ts")
    if channel.kind != "im" and not args.get("recipient_user_id"):
        raise Refused("missing_recipient_user_id")
    text = _chunk(args)
    message = Message(
        ts=slack.new_ts(),
        text=text,
        thread_ts=_thread(channel, args),
        by_app=True,
        state="in_progress",
        mode=_mode(args),
        began=slack.now(),
        **_persona(slack, args),
    )
    slack.show(channel, message)
    return {"channel": channel.id, "ts": message.ts}


def _mode(args: Json) -> str:
    if "chunks" in args and "markdown_text" in args:
        raise Refused("cannot_provide_both_markdown_text_and_chunks")
    return "chunks" if "chunks" in args else "text" if "markdown_text" in args else ""


def _chunk(args: Json) -> str:
    text = str(args.get("markdown_text") or "".join(str(one.get("text", "")) for one in args.get("chunks", [])))
    if len(text) > 12_000:
        raise Refused("msg_too_long")
    return text


def _streaming(slack: "Slack", args: Json) -> tuple[Channel, Message]:
    """The open stream. It dies five minutes after its start, whatever was appended."""
    channel = _place(slack, args)
    message = _own(channel, str(args["ts"]), "message_not_owned_by_app")
    if message.state == "in_progress" and slack.now() - message.began > STREAM_LIFE:
        message.state = "errored"
    if message.state == "stopped":
        raise Refused("stopped_by_user")
    if message.state != "in_progress":
        raise Refused("message_not_in_streaming_state")
    mode = _mode(args)
    if mode and message.mode and mode != message.mode:
        raise Refused("streaming_mode_mismatch")
    message.mode = message.mode or mode
    return channel, message


def _extend(message: Message, args: Json) -> None:
    """White space at the beginning of a chunk is lost when the chunks are joined."""
    text = message.text + (_chunk(args).lstrip() if message.text else _chunk(args))
    if len(text.encode()) > STREAM_BYTES:
        raise Refused("msg_too_long")
    message.text = text


async def append_stream(slack: "Slack", args: Json) -> Json:
    channel, message = _streaming(slack, args)
    if not _chunk(args):
        raise Refused("no_text")
    _extend(message, args)
    return {"channel": channel.id, "ts": message.ts}


async def stop_stream(slack: "Slack", args: Json) -> Json:
    channel, message = _streaming(slack, args)
    if "metadata" in args:
        check_metadata(args["metadata"])
    _extend(message, args)
    message.metadata = args.get("metadata") or message.metadata
    message.state = "completed"
    slack.changed(channel, message)
    return {"channel": channel.id, "ts": message.ts, "message": message.public()}


def _page(slack: "Slack", found: list[Message], args: Json) -> Json:
    with_metadata = str(args.get("include_all_metadata", "")) in ("1", "true", "True")
    at, limit = int(args.get("cursor") or 0), min(int(args.get("limit") or 100), 999, slack.page)
    told = [message.public(with_metadata=with_metadata) for message in found[at : at + limit]]
    cursor = str(at + limit) if at + limit < len(found) else ""
    return {"messages": told, "has_more": bool(cursor), "response_metadata": {"next_cursor": cursor}}


def _within(messages: list[Message], args: Json) -> list[Message]:
    oldest, latest = str(args.get("oldest") or ""), str(args.get("latest") or "")
    return [one for one in messages if (not oldest or one.ts > oldest) and (not latest or one.ts < latest)]


def _history_scope(slack: "Slack", channel: Channel) -> None:
    _need(slack, {"im": "im:history", "group": "groups:history"}.get(channel.kind, "channels:history"))


async def replies(slack: "Slack", args: Json) -> Json:
    """The first message of the thread always comes first; oldest first."""
    channel = _place(slack, args)
    _history_scope(slack, channel)
    first, *rest = channel.thread(str(args["ts"]))
    if slack.blind:
        slack.blind -= 1
        rest = []
    return _page(slack, [first, *_within(rest, args)], args)


async def history(slack: "Slack", args: Json) -> Json:
    """Newest first."""
    channel = _place(slack, args)
    _history_scope(slack, channel)
    found = _within(channel.top(), args)
    if slack.blind:
        slack.blind -= 1
        found = []
    return _page(slack, found[::-1], args)


async def conversation_info(slack: "Slack", args: Json) -> Json:
    channel = _place(slack, args)
    return {"channel": {"id": channel.id, "name": channel.name, "is_im": channel.kind == "im"}}


async def user_info(slack: "Slack", args: Json) -> Json:
    _need(slack, "users:read")
    name = slack.users.get(str(args.get("user", "")))
    if name is None:
        raise Refused("user_not_found")
    profile = {"display_name": name, "real_name": f"{name} Real"}
    return {"user": {"id": args["user"], "name": name.lower(), "is_bot": False, "profile": profile}}


async def add_reaction(slack: "Slack", args: Json) -> Json:
    _need(slack, "reactions:write")
    message = _place(slack, args).find(str(args["timestamp"]))
    if args["name"] in message.reactions:
        raise Refused("already_reacted")
    message.reactions.add(args["name"])
    return {}


async def remove_reaction(slack: "Slack", args: Json) -> Json:
    _need(slack, "reactions:write")
    message = _place(slack, args).find(str(args["timestamp"]))
    if args["name"] not in message.reactions:
        raise Refused("no_reaction")
    message.reactions.remove(args["name"])
    return {}


async def set_status(slack: "Slack", args: Json) -> Json:
    channel = _place(slack, args, "channel_id")
    if str(args.get("thread_ts")) not in channel.messages:
        raise Refused("invalid_thread_ts")
    place = (channel.id, str(args["thread_ts"]))
    slack.statuses[place] = str(args["status"])
    slack.told_statuses.setdefault(place, []).append(str(args["status"]))
    return {}


async def set_session(slack: "Slack", args: Json) -> Json:
    channel = _place(slack, args, "channel_id")
    if args["status"] not in ("active", "processing", "suspended", "closed"):
        raise Refused("invalid_arguments")
    slack.sessions[channel.id, str(args["thread_ts"])] = str(args["status"])
    return {}


async def set_prompts(slack: "Slack", args: Json) -> Json:
    """Without a thread: the agent view answers with an inner error, an app without it with a clear one."""
    _place(slack, args, "channel_id")
    if not slack.has_agent_view:
        raise Refused("not_agent_app")
    if not args.get("thread_ts"):
        raise Refused("internal_error")
    return {}


async def publish_view(slack: "Slack", args: Json) -> Json:
    slack.homes[str(args["user_id"])] = args["view"]
    return {"view": args["view"]}


async def upload_url(slack: "Slack", args: Json) -> Json:
    _need(slack, "files:write")
    file_id = f"F{len(slack.files) + 1:03}"
    slack.files[file_id] = {
        "id": file_id,
        "name": args["filename"],
        "size": int(args["length"]),
        "mimetype": "text/plain",
    }
    return {"upload_url": f"{slack.url}/upload/{file_id}", "file_id": file_id}


async def complete_upload(slack: "Slack", args: Json) -> Json:
    _need(slack, "files:write")
    channel = _place(slack, args, "channel_id")
    files = args["files"]
    for file in files:
        if file["id"] not in slack.contents:
            raise Refused("file_not_found")
    message = Message(
        ts=slack.new_ts(),
        text=str(args.get("initial_comment") or ""),
        thread_ts=_thread(channel, args),
        by_app=True,
        files=[slack.files[file["id"]] for file in files],
    )
    slack.show(channel, message)
    return {"files": files}


async def file_info(slack: "Slack", args: Json) -> Json:
    file = slack.files.get(str(args["file"]))
    if file is None:
        raise Refused("file_not_found")
    return {"file": file}


METHODS: dict[str, Method] = {
    "auth.test": auth_test,
    "apps.connections.open": connections_open,
    "chat.postMessage": post_message,
    "chat.update": update,
    "chat.delete": delete,
    "chat.startStream": start_stream,
    "chat.appendStream": append_stream,
    "chat.stopStream": stop_stream,
    "conversations.replies": replies,
    "conversations.history": history,
    "conversations.info": conversation_info,
    "users.info": user_info,
    "reactions.add": add_reaction,
    "reactions.remove": remove_reaction,
    "assistant.threads.setStatus": set_status,
    "assistant.threads.setSuggestedPrompts": set_prompts,
    "agents.sessions.setStatus": set_session,
    "views.publish": publish_view,
    "files.getUploadURLExternal": upload_url,
    "files.completeUploadExternal": complete_upload,
    "files.info": file_info,
}
