"""The methods of the Bot API that a bridge calls, with the server's own checks."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from tests.support.telegram.answers import Refusal, bad
from tests.support.telegram.rules import REACTIONS, check_keyboard, check_text
from tests.support.telegram.state import Json, Room, Shown

if TYPE_CHECKING:
    from tests.support.telegram.server import BotApi

Method = Callable[["BotApi", Json], Awaitable[Any]]
NOW = 1767225600


def room_of(api: "BotApi", args: Json) -> Room:
    """The chat that is written to. Raises Refusal."""
    room = api.rooms.get(int(args["chat_id"]))
    if room is None:
        raise bad("chat not found")
    if room.moved_to:
        raise bad("group chat was upgraded to a supergroup chat", migrate_to_chat_id=room.moved_to)
    if room.blocked:
        raise Refusal(403, f"Forbidden: {room.blocked}")
    return room


def described(api: "BotApi", room: Room, message: Shown) -> Json:
    told: Json = {"message_id": message.id, "date": NOW, "chat": room.public(), "from": api.me, "text": message.text}
    return told | ({"message_thread_id": message.thread, "is_topic_message": True} if message.thread else {})


async def get_me(api: "BotApi", args: Json) -> Json:
    return api.me


async def set_my_commands(api: "BotApi", args: Json) -> bool:
    api.menus[args.get("language_code", "")] = [each["command"] for each in args["commands"]]
    return True


async def send_message(api: "BotApi", args: Json) -> Json:
    room = room_of(api, args)
    text = check_text(args.get("text", ""), args.get("entities", []))
    return described(api, room, _post(api, room, args, text=text, entities=args.get("entities", [])))


async def send_document(api: "BotApi", args: Json) -> Json:
    room = room_of(api, args)
    name, content = args["document"]
    caption = check_text(args.get("caption", ""), args.get("caption_entities", []), most=1024, empty_ok=True)
    entities = args.get("caption_entities", [])
    message = _post(api, room, args, text=caption, entities=entities, document=content, file_name=name)
    told = described(api, room, message)
    del told["text"]
    return told | {"document": {"file_id": "D", "file_unique_id": "D", "file_name": name}}


def _post(api: "BotApi", room: Room, args: Json, **content: Any) -> Shown:
    thread = room.check_thread(args.get("message_thread_id"))
    reply = args.get("reply_parameters") or {}
    target = reply.get("message_id")
    if target is not None and room.find(target) is None:
        if not reply.get("allow_sending_without_reply"):
            raise bad("message to be replied not found")
        target = None
    check_keyboard(args.get("reply_markup"))
    message = Shown(id=room.new_id(), thread=thread, reply_to=target, buttons=_buttons(args), **content)
    room.messages.append(message)
    room.draft = None
    return message


def _buttons(args: Json) -> list[Json]:
    return [button for row in (args.get("reply_markup") or {}).get("inline_keyboard", ()) for button in row]


async def edit_message_text(api: "BotApi", args: Json) -> Json:
    room = room_of(api, args)
    message = room.find(args["message_id"])
    if message is None:
        raise bad("message to edit not found")
    if not message.by_bot:
        raise bad("message can't be edited")
    text, entities = check_text(args.get("text", ""), args.get("entities", [])), args.get("entities", [])
    if (text, entities, _buttons(args)) == (message.text, message.entities, message.buttons):
        raise bad("message is not modified: specified new message content and reply markup are exactly the same")
    message.edits.append(message.text)
    message.text, message.entities = text, entities
    check_keyboard(args.get("reply_markup"))
    message.buttons = _buttons(args)
    return described(api, room, message)


async def delete_message(api: "BotApi", args: Json) -> bool:
    message = room_of(api, args).find(args["message_id"])
    if message is None:
        raise bad("message to delete not found")
    message.deleted = True
    return True


async def send_message_draft(api: "BotApi", args: Json) -> bool:
    if not api.has_drafts:
        raise Refusal(404, "Not Found: method not found")
    room = room_of(api, args)
    if room.type != "private":
        raise bad("TEXTDRAFT_PEER_INVALID")
    if not args.get("draft_id"):
        raise bad("TEXTDRAFT_ID_INVALID")
    room.check_thread(args.get("message_thread_id"))
    text = check_text(args.get("text", ""), args.get("entities", []), empty_ok=True)
    room.draft = {"id": args["draft_id"], "text": text, "thread": args.get("message_thread_id")}
    room.drafts.append(room.draft)
    return True


async def send_chat_action(api: "BotApi", args: Json) -> bool:
    room = room_of(api, args)
    room.actions.append({"action": args["action"], "thread": args.get("message_thread_id")})
    return True


async def set_message_reaction(api: "BotApi", args: Json) -> bool:
    room = room_of(api, args)
    message = room.find(args["message_id"])
    if message is None:
        raise bad("message to react not found")
    emoji = [each["emoji"] for each in args.get("reaction", [])]
    if not set(emoji) <= REACTIONS:
        raise bad("REACTION_INVALID")
    message.reactions = emoji
    return True


async def answer_callback_query(api: "BotApi", args: Json) -> bool:
    if args["callback_query_id"] not in api.presses:
        raise bad("query is too old and response timeout expired or query ID is invalid")
    api.presses.remove(args["callback_query_id"])
    return True


async def get_file(api: "BotApi", args: Json) -> Json:
    if args["file_id"] not in api.files:
        raise bad("wrong file_id or the file is temporarily unavailable")
    content = api.files[args["file_id"]]
    if len(content) > 20 * 1024 * 1024:
        raise bad("file is too big")
    told = {"file_id": args["file_id"], "file_unique_id": "u", "file_size": len(content)}
    return told | {"file_path": api.paths.get(args["file_id"], f"documents/{args['file_id']}")}


async def set_webhook(api: "BotApi", args: Json) -> bool:
    api.begin_hook(args["url"], args.get("secret_token", ""), args.get("allowed_updates"))
    return True


async def delete_webhook(api: "BotApi", args: Json) -> bool:
    api.end_hook()
    return True


async def get_webhook_info(api: "BotApi", args: Json) -> Json:
    told = {"url": api.hook_url, "has_custom_certificate": False, "pending_update_count": len(api.updates.waiting)}
    return told | ({"last_error_message": api.hook_trouble} if api.hook_trouble else {})


async def get_updates(api: "BotApi", args: Json) -> list[Json]:
    return await api.poll(args.get("offset", 0), args.get("limit", 100), args.get("timeout", 0), args)


METHODS: dict[str, Method] = {
    "getme": get_me,
    "setmycommands": set_my_commands,
    "sendmessage": send_message,
    "senddocument": send_document,
    "editmessagetext": edit_message_text,
    "deletemessage": delete_message,
    "sendmessagedraft": send_message_draft,
    "sendchataction": send_chat_action,
    "setmessagereaction": set_message_reaction,
    "answercallbackquery": answer_callback_query,
    "getfile": get_file,
    "setwebhook": set_webhook,
    "deletewebhook": delete_webhook,
    "getwebhookinfo": get_webhook_info,
    "getupdates": get_updates,
}
