"""Every sentence that the bridge itself says to people, in both languages, in one place.

A key names the occasion; fields stand in braces. `Notices(locale).say(key, **fields)` gives the sentence.
"""

from typing import Final, Literal

Locale = Literal["zh-CN", "en"]

CATALOGUE: Final[dict[str, tuple[str, str]]] = {
    # what the chat shows of a round
    "job.dispatched": ("已请 {name} 处理，请稍候…", "Asked {name} to handle this — please wait…"),
    "job.failed": ("{name} 没能完成：{reason}", "{name} could not finish: {reason}"),
    "label.member": ("{name}：", "{name}: "),
    "label.wrapup": ("【主持人总结】", "[Host wrap-up] "),
    "side.title": ("来自团队 {team}", "From team {team}"),
    "speaker.system": ("系统", "System"),
    # why a delivery was given up
    "delivery.no_channel": ("配置中已没有渠道 {channel}", "the channel {channel} is no longer configured"),
    # why a job or a turn could not be finished
    "reason.timeout": ("处理超过了 {minutes} 分钟", "it took longer than {minutes} minutes"),
    "reason.timeout_seconds": ("处理超过了 {seconds} 秒", "it took longer than {seconds} seconds"),
    "reason.attempts": ("连续中断 {count} 次", "it was interrupted {count} times in a row"),
    "reason.cancelled": ("已被取消", "it was cancelled"),
    "reason.not_shared": ("该专家不再共享给这个团队", "this expert is no longer shared with the team"),
    "reason.disabled": ("该专家已停用", "this expert is disabled"),
    "reason.left": ("该专家已不在团队中", "this expert is no longer in the team"),
    "reason.model": ("模型暂时不可用（错误编号 {error}）", "the model is unavailable for now (error {error})"),
    "reason.unknown_model": ("没有名为 {model} 的模型", "there is no model named {model}"),
    "reason.person_gone": ("该用户已停用", "the person it worked for is disabled"),
    "reason.agent_gone": ("该专家已被删除", "this expert was deleted"),
    "reason.withdrawn": ("该专家不再共享给你", "this expert is no longer shared with you"),
    "turn.failed": (
        "抱歉，模型暂时无法回答，请稍后再试（错误编号 {error}）。",
        "Sorry, the model cannot answer right now. Please try again later (error {error}).",
    ),
    # why a file that came along is not there
    "file.sent": ("[文件 {name}, {size}]", "[file {name}, {size}]"),
    "file.too_large": ("大于 {limit} MB", "it is larger than {limit} MB"),
    "file.too_many": ("一条消息最多收 {count} 个文件", "only {count} files of one message are taken"),
    "file.no_address": ("没有给出地址", "no address was given"),
    "file.refused": ("这个地址不允许访问", "this address may not be fetched from"),
    "file.unreachable": ("这个地址打不开", "this address could not be reached"),
    "file.not_given": ("平台没有给出文件", "the platform did not give it"),
    "file.not_kept": ("暂时无法保存文件", "it could not be stored"),
    "file.time": ("{seconds} 秒内没有取完", "it did not come within {seconds} seconds"),
    "file.interrupted": ("取文件时多次中断", "fetching it was interrupted several times"),
    # what experts do with sessions, one line each in the transcript
    "tool.list_agents": ("查看智能体", "Viewed agents"),
    "tool.list_sessions.project": ("查看了本项目会话", "Viewed this project's sessions"),
    "tool.list_sessions.all": ("查看了历史会话", "Viewed past sessions"),
    "tool.create_session": ("创建会话", "Started a session"),
    "tool.submit_input": ("派发任务", "Gave a session a task"),
    "tool.send_message": ("发送消息", "Left a message for a session"),
    "tool.cancel_turn": ("取消运行", "Cancelled a turn"),
    "tool.get_result": ("查看结果", "Read a result"),
    "tool.wait_inputs": ("等待任务结果", "Waited for tasks"),
    "tool.wait_sessions": ("等待会话", "Waited for sessions"),
    "tool.agent_list": ("查看智能体", "Viewed agents"),
    "tool.ask_agent": ("请教了同事", "Asked a colleague"),
    "tool.memory_search": ("查阅了记忆", "Searched the memory"),
    "tool.memory_save": ("记下了一条记忆", "Saved to the memory"),
    "tool.current_time": ("查看了时间", "Looked at the time"),
    "tool.file_list": ("查看了文件列表", "Listed files"),
    "tool.file_read": ("读取了文件", "Read a file"),
    "tool.file_write": ("写入了文件", "Wrote a file"),
    "tool.send_file": ("发送了文件", "Sent a file"),
    "tool.web_fetch": ("读取了网页", "Read a web page"),
    "tool.of_server": ("调用了 {server} 的 {tool}", "Used {tool} of {server}"),
    "tool.other": ("调用了工具 {name}", "Used the tool {name}"),
    "tools.server_down": (
        "工具服务 {server} 暂时不可用，本轮没有它的工具。",
        "The tool server {server} cannot be reached: its tools are missing from this turn.",
    ),
    # what a model is asked for, as the usage ledger names it
    "scene.chat": ("对话", "Chat"),
    "scene.dispatch": ("成员任务", "Members' jobs"),
    "scene.wake_up": ("主持人总结", "Host called back"),
    "scene.ask": ("同事问答", "Colleagues' answers"),
    "scene.compaction": ("历史压缩", "Digests of long histories"),
    "scene.title": ("标题生成", "Titles"),
    "scene.agent_handover_summary": ("接手说明生成", "Hand-over note"),
    # switching and reopening
    "session.reopened_title": ("未命名会话", "Untitled session"),
    "switch.usage": (
        "用法：/switch ID（可用的智能体见 /agents）",
        "Usage: /switch ID (see /agents for what you can use)",
    ),
    "switch.done": (
        "已切换到 {name}，下一轮起由它回答，使用模型 {model}。",
        "Switched to {name}: it answers from the next turn on, with the model {model}.",
    ),
    "switch.refused": ("这个会话不能切换智能体。", "This session cannot change its agent."),
    "switch.unknown": (
        "没有可用的智能体 {id}，/agents 列出可用的。",
        "There is no agent {id} for you; /agents lists them.",
    ),
    "reopen.usage": (
        "用法：/reopen ID（可用的智能体见 /agents）",
        "Usage: /reopen ID (see /agents for what you can use)",
    ),
    "reopen.done": (
        "已用 {name} 重开会话（模型 {model}），原会话已归档。正在生成接手说明…",
        "Reopened with {name} (model {model}); the old session is archived. A hand-over note is being written…",
    ),
    "reopen.note": (
        "接手说明（可修改后作为第一条消息发送）：\n\n{note}",
        "Hand-over note (edit it, and send it as your first message):\n\n{note}",
    ),
    "reopen.no_note": (
        "接手说明生成失败，可直接描述需求。",
        "No hand-over note could be written; just say what you need.",
    ),
    "reopen.refused": ("这个会话不能重开。", "This session cannot be reopened."),
    "reopen.busy": (
        "还有工作在进行，完成或取消后再重开。",
        "Work is still going on; reopen when it is done or cancelled.",
    ),
    # tools that wait for a person; `approval.<state>` is what came of it
    "approval.ask": ("{name} 想使用工具 {tool}，需要批准：", "{name} wants to use the tool {tool} and needs approval:"),
    "approval.tool": ("{server} 的 {tool}", "{tool} of {server}"),
    "approval.how": (
        "/approve {code} 允许一次，/approve {code} session 本会话都允许，/deny {code} 拒绝。一小时内没有答复视为拒绝。",
        (
            "/approve {code} allows it once, /approve {code} session for this session, /deny {code} refuses. "
            "No answer within an hour means no."
        ),
    ),
    "approval.once": ("已允许 {name} 使用 {tool}（这一次）。", "{name} may use {tool} this once."),
    "approval.session": (
        "已允许 {name} 在本会话中使用 {tool}，不再询问。",
        "{name} may use {tool} in this session without asking again.",
    ),
    "approval.denied": ("已拒绝 {name} 使用 {tool}。", "{name} may not use {tool}."),
    "approval.timed_out": (
        "一小时内没有人批准，{name} 没有使用 {tool}。",
        "Nobody approved it within an hour: {name} did not use {tool}.",
    ),
    "approval.dropped": (
        "{name} 的这轮工作已经结束，{tool} 不再需要批准。",
        "What {name} was doing has ended; {tool} needs no approval any more.",
    ),
    "approval.already": ("这个请求已经处理过：{outcome}", "That was decided before: {outcome}"),
    "approval.nothing": ("这里没有等待批准的请求。", "Nothing waits for approval here."),
    "approval.several": (
        "有多个请求在等待批准，请写明编号：{codes}",
        "Several requests wait for approval; say which one: {codes}",
    ),
    "approval.unknown": ("这里没有编号为 {code} 的批准请求。", "There is no request {code} here."),
    "approval.not_yours": (
        "只有管理员或提出任务的人可以决定，请联系他们。",
        "Only an admin or the person it works for can decide this; please ask them.",
    ),
    "approval.not_yours_in_group": (
        "群聊里只有管理员可以决定，请联系他们；所有者也可以在控制台决定。",
        "In a group only an admin can decide this; please ask one. The owner can decide it in the console too.",
    ),
    "button.allow_once": ("允许一次", "Allow once"),
    "button.allow_session": ("本会话都允许", "Allow for this session"),
    "button.deny": ("拒绝", "Deny"),
    # commands
    "stop.nothing": ("当前没有进行中的生成。", "Nothing is being generated."),
    "stop.stopped": ("已停止。", "Stopped."),
    "stop.members": (
        "主持人没有在生成；{names} 仍在处理，可用 /cancel 取消。",
        "The host is not generating; {names} are still working, /cancel cancels them.",
    ),
    "command.admins_only": ("这个命令需要管理员权限。", "This command needs an admin."),
    "new.started": (
        "已开始新会话；之前的工作完成后仍会发到这里。",
        "A new session has begun; earlier work will still be posted here when it is done.",
    ),
    "cancel.done": ("已取消 {count} 项工作：{names}。", "Cancelled {count} jobs: {names}."),
    "cancel.earlier": ("已停止之前会话中的生成。", "Stopped what an earlier session was generating."),
    "cancel.nothing": ("当前没有可取消的工作。", "There is nothing to cancel."),
    "cancel.nothing_of": ("{member} 没有可取消的工作。", "{member} has nothing to cancel."),
    "status.idle": ("当前没有人在处理。", "Nobody is working right now."),
    "status.host": ("主持人", "The host"),
    "status.turn": ("• {name} 正在生成（已 {since}）", "• {name} is generating (for {since})"),
    "status.running": ("• {name} 正在处理（已 {since}）：{task}", "• {name} is working (for {since}): {task}"),
    "status.queued": ("• {name} 排队中（已等 {since}）：{task}", "• {name} is queued (for {since}): {task}"),
    "status.approval": (
        "• {name} 在等待批准（已 {since}）：{tool}，/approve {code} 或 /deny {code}",
        "• {name} waits for approval (for {since}): {tool}, /approve {code} or /deny {code}",
    ),
    "duration.seconds": ("{seconds} 秒", "{seconds} s"),
    "duration.minutes": ("{minutes} 分 {seconds} 秒", "{minutes} min {seconds} s"),
    "duration.hours": ("{hours} 小时 {minutes} 分", "{hours} h {minutes} min"),
    "team.title": ("团队成员（{count}）", "Team members ({count})"),
    "team.member": ("• {name}（{id}）：{state}", "• {name} ({id}): {state}"),
    "team.ready": ("可用", "ready"),
    "team.at_work": ("处理中", "at work"),
    "team.stopped": ("已停用", "stopped"),
    "team.none": ("这里是一位专家，没有团队成员。", "This is a single expert without a team."),
    "team.damaged": (
        "团队名单暂时读不出来，请联系管理员。",
        "The team's roster cannot be read right now; please tell an admin.",
    ),
    "agents.title": ("可用的智能体", "Agents you can use"),
    "agents.line": ("• {name}（{id}）{description}", "• {name} ({id}) {description}"),
    "sessions.title": ("会话（{count}）", "Sessions ({count})"),
    "sessions.untitled": ("未命名会话", "Untitled session"),
    "sessions.current": (
        "• ▶ {title} · {agent} · {since}前 · {id}（当前）",
        "• ▶ {title} · {agent} · {since} ago · {id} (current)",
    ),
    "sessions.line": ("• {title} · {agent} · {since}前 · {id}", "• {title} · {agent} · {since} ago · {id}"),
    "sessions.archived": (
        "• {title} · {agent} · {since}前 · {id}（已归档）",
        "• {title} · {agent} · {since} ago · {id} (archived)",
    ),
    "whoami.text": (
        "{name}（{role}）\n发送者 ID：{sender}\n人员 ID：{person}\n渠道：{channel}\n会话地点：{chat}（{kind}）",
        "{name} ({role})\nSender id: {sender}\nPerson id: {person}\nChannel: {channel}\nChat id: {chat} ({kind})",
    ),
    "whoami.admin": ("管理员", "admin"),
    "whoami.member": ("非管理员", "not an admin"),
    "whoami.private": ("私聊", "private"),
    "whoami.group": ("群聊", "group"),
    "pair.usage": ("用法：/pair 配对码", "Usage: /pair CODE"),
    "pair.unknown": ("没有找到配对码 {code}，它可能已过期。", "There is no pairing code {code}; it may have expired."),
    "pair.person": ("已批准 {name}。", "{name} is approved."),
    "pair.group": ("已批准群聊 {name}。", "The group {name} is approved."),
    "help.title": ("可用命令：", "Commands:"),
    "help.help": ("/help 显示本帮助", "/help shows this"),
    "help.new": ("/new 开始新会话", "/new starts a new session"),
    "help.stop": ("/stop 停止当前生成", "/stop stops what is being generated"),
    "help.cancel": ("/cancel [成员] 取消未完成的工作", "/cancel [member] cancels open work"),
    "help.approve": (
        "/approve [编号] [session] 允许成员使用一个工具（session：本会话都允许）",
        "/approve [CODE] [session] allows a tool that waits (session: for this session)",
    ),
    "help.deny": ("/deny [编号] 拒绝使用一个工具", "/deny [CODE] refuses a tool that waits"),
    "help.status": ("/status 谁在处理什么", "/status shows who is working on what"),
    "help.team": ("/team 团队成员", "/team shows the members"),
    "help.agents": ("/agents 可用的智能体", "/agents shows the agents you can use"),
    "help.switch": (
        "/switch ID 从下一轮起换一个智能体回答",
        "/switch ID has another agent answer from the next turn on",
    ),
    "help.reopen": (
        "/reopen ID 归档这个会话，用另一个智能体重开",
        "/reopen ID archives this session and starts a new one with another agent",
    ),
    "help.sessions": ("/sessions [all] 会话列表", "/sessions [all] shows the sessions"),
    "help.whoami": ("/whoami 我的身份与 ID", "/whoami shows your ids"),
    "help.pair": ("/pair 配对码 批准一个人或群聊", "/pair CODE approves a person or a group"),
    # strangers, unknown groups, and too many messages
    "pairing.person": (
        (
            "你好，我还不认识你。你的配对码是 {code}，24 小时内有效。请把它交给管理员，"
            "由管理员向本机器人发送 /pair {code}，或在服务器上运行 teambridge people approve {code}。"
        ),
        (
            "Hello, I do not know you yet. Your pairing code is {code}, valid for 24 hours. Give it to an admin, "
            "who sends /pair {code} to this bot or runs teambridge people approve {code} on the server."
        ),
    ),
    "pairing.group": (
        (
            "这个群聊还没有获批。配对码 {code}，24 小时内有效：管理员发送 /pair {code}，"
            "或在服务器上运行 teambridge people approve {code}。"
        ),
        (
            "This group is not approved yet. Pairing code {code}, valid for 24 hours: an admin sends /pair {code} "
            "or runs teambridge people approve {code} on the server."
        ),
    ),
    "rate.limited": (
        "消息太多了，请在 {seconds} 秒后再试。",
        "That was too many messages; please try again in {seconds} seconds.",
    ),
    "agent.unavailable": (
        "抱歉，这里的智能体已停用，请联系管理员。",
        "Sorry, the agent behind this chat is switched off; please tell an admin.",
    ),
    # what Slack shows around messages: the status line behind the app's name, task cards, the App Home
    "slack.thinking": ("正在思考…", "is thinking…"),
    "slack.working": ("：{names} 正在处理…", "has {names} at work…"),
    "slack.comma": ("、", ", "),
    "slack.done": ("{name} 已完成", "{name} is done"),
    "slack.failed": ("{name} 没能完成", "{name} could not finish"),
    "slack.home_members": ("团队成员", "Members"),
    "slack.home_hint": (
        "在“消息”里直接写给我，或在频道里提到我。",
        "Write to me under Messages, or mention me in a channel.",
    ),
    "slack.prompts": (
        "你们团队能做什么？\n现在谁在处理什么？",
        "What can your team do?\nWho is working on what right now?",
    ),
    # buttons under messages
    "button.stop": ("停止", "Stop"),
    "button.approve": ("批准", "Approve"),
    # the Feishu channel: what is no text, and what stands on cards and buttons
    "feishu.sticker": ("[表情包]", "[sticker]"),
    "feishu.card": ("[卡片消息]", "[card]"),
    "feishu.forwarded": ("[合并转发的消息]", "[forwarded messages]"),
    "feishu.folder": ("[文件夹：{name}]", "[folder: {name}]"),
    "feishu.location": ("[位置：{name}]", "[location: {name}]"),
    "feishu.shared_chat": ("[群名片：{id}]", "[shared group: {id}]"),
    "feishu.shared_person": ("[个人名片：{id}]", "[shared contact: {id}]"),
    "feishu.red_packet": ("[红包]", "[red packet]"),
    "feishu.event": ("[日程：{name}]", "[calendar event: {name}]"),
    "feishu.vote": ("[投票：{name}]", "[vote: {name}]"),
    "feishu.task": ("[任务：{name}]", "[task: {name}]"),
    "feishu.call": ("[视频会议：{name}]", "[video call: {name}]"),
    "feishu.system": ("[系统消息：{text}]", "[system message: {text}]"),
    "feishu.unreadable": (
        "[收到一条无法读取的消息，类型 {type}]",
        "[a message of type {type} that cannot be read]",
    ),
    "feishu.everyone": ("@所有人", "@everyone"),
    "feishu.stop": ("停止", "Stop"),
    "feishu.writing": ("正在输入…", "is writing…"),
    "feishu.interrupted": ("这条回复中断了。", "This answer was interrupted."),
    "feishu.pressed": ("已收到", "Got it"),
    "feishu.not_taken": ("没有收到，请再试一次。", "That was not taken in; please try again."),
    "feishu.fresh": ("新会话", "New session"),
    "feishu.audited": (
        "这条消息没有通过平台的内容审核，无法显示。",
        "The platform's content check refused this message.",
    ),
    # what the API refuses; `error.<CODE>` of contract 5
    "error.PARAM_INVALID": ("参数 {path} 不正确：{problem}。", "{path} is not valid: {problem}."),
    "error.UNAUTHENTICATED": ("未登录或凭证无效。", "Sign in first, or check the token."),
    "error.unverified": ("签名缺失、不对或已过期。", "The signature is missing, wrong or too old."),
    "error.FORBIDDEN": ("没有权限。", "This is not allowed."),
    "error.PAIRING_REQUIRED": ("需要先批准这个配对码。", "The pairing code must be approved first."),
    "error.NOT_FOUND": ("找不到。", "There is nothing here."),
    "error.SESSION_NOT_FOUND": ("会话不存在。", "There is no such session."),
    "error.AGENT_NOT_FOUND": ("Agent 不存在。", "There is no such agent."),
    "error.TEAM_NOT_FOUND": ("团队不存在。", "There is no such team."),
    "error.TEAM_MEMBERS_TOO_FEW": ("团队至少需要两位专家。", "A team needs at least two experts."),
    "error.TEAM_MEMBER_INVALID": (
        "有些成员不能加入团队：只能选自己的或共享给自己的专家，每位一次。",
        "Some members cannot join: choose experts of your own or shared with you, each once.",
    ),
    "error.TEAM_MEMBER_BUSY": (
        "有成员正在为团队工作，请等其完成或取消后再试。",
        "A member still works for a team. Wait until it is done, or cancel its work.",
    ),
    "error.TEAM_NOT_SHAREABLE": ("团队不能共享。", "Teams cannot be shared."),
    "error.TEAM_DAMAGED": (
        "团队名单文件损坏，需要先手动修复。",
        "The team's roster file is damaged and must be mended by hand first.",
    ),
    "error.MANAGED_BY_CONFIG": (
        "这一项由配置文件管理，请在文件里修改。",
        "This is managed by the configuration file. Change it there.",
    ),
    "error.EDIT_CONFLICT": (
        "别人刚刚修改过，请刷新后再改。",
        "Somebody else changed this meanwhile. Reload it and try again.",
    ),
    "error.METHOD_NOT_ALLOWED": ("这个地址不支持该方法。", "This address does not take that method."),
    "error.SESSION_BUSY": ("会话正在进行中，请稍后再试。", "The session is busy. Try again when it is idle."),
    "error.SESSION_ARCHIVED": ("会话已归档，请先恢复。", "The session is archived. Restore it first."),
    "error.IDEMPOTENCY_CONFLICT": (
        "同一个标识已用于另一份内容。",
        "The same id was already used for other content.",
    ),
    "error.PAYLOAD_TOO_LARGE": ("内容超过 1 MiB。", "The body is larger than 1 MiB."),
    "error.file_too_large": ("文件超过 25 MB。", "The file is larger than 25 MB."),
    "error.MISDIRECTED": ("这个主机名不属于本服务。", "This host name is not ours."),
    "error.RATE_LIMITED": ("请求太频繁，请稍后再试。", "Too many requests. Try again later."),
    "error.INTERNAL": ("服务内部错误，已记录。", "Something went wrong here; it was recorded."),
    "error.STORE_UNAVAILABLE": ("存储暂时不可用，请稍后再试。", "The store is not available. Try again later."),
    "error.CHANNEL_UNAVAILABLE": ("渠道尚未就绪，请稍后再试。", "The channel is not ready. Try again later."),
    "problem.form": ("格式或取值不对", "it has the wrong form or value"),
    "problem.missing": ("缺少内容", "it is missing"),
    "problem.unknown": ("没有这个字段", "there is no such field"),
    "problem.too_long": ("太长", "it is too long"),
    "problem.not_json": ("不是 JSON", "it is not JSON"),
    "problem.inner_session": (
        "成员的工作会话跟随团队会话，不能单独删除",
        "A member's work session stays with its room",
    ),
    "problem.blank": ("不能为空", "it must not be blank"),
    "problem.taken": ("已被使用", "it is already taken"),
    "problem.secret_taken": ("另一个渠道已在使用这个密钥", "another channel uses the same secret"),
    "problem.unknown_model": ("没有这个模型", "there is no such model"),
    "problem.unknown_tool": ("没有这个工具", "there is no such tool"),
    "problem.unknown_user": ("没有这个账号", "there is no such account"),
    "problem.unknown_file": ("没有这样的文件", "there is no such file"),
    "problem.unknown_template": ("没有这个模板", "there is no such template"),
    "problem.not_switchable": ("这个会话不能换成这个 Agent", "this session cannot go on with this agent"),
    "problem.agent_disabled": ("该 Agent 已停用", "This agent is disabled"),
    "problem.agent_not_visible": ("该 Agent 不对客户端开放", "This agent is not open to clients"),
    "problem.not_accepting": ("这个会话不接受外部输入", "This session takes no input from outside"),
}


class Notices:
    """The catalogue in one language."""

    def __init__(self, locale: Locale) -> None:
        self.locale = locale
        self._column = 0 if locale == "zh-CN" else 1

    def say(self, key: str, **fields: object) -> str:
        """The sentence for `key`. Raises KeyError for an unknown key or a missing field."""
        return CATALOGUE[key][self._column].format(**fields)

    def join(self, names: list[str]) -> str:
        """Names as a list people read."""
        return ("、" if self.locale == "zh-CN" else ", ").join(names)
