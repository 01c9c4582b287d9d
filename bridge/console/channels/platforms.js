// What each platform needs: the fields of its form, where to get them, and what to paste there.

// kind: text, secret (never shown again), or a list of choices; `need` marks what cannot be left out.
export const PLATFORMS = {
  feishu: {
    name: "feishu_name",
    sign: "🪶",
    fields: [
      { name: "app_id", kind: "text", need: true, placeholder: "cli_…" },
      { name: "app_secret", kind: "secret", need: true },
      { name: "domain", kind: ["feishu", "lark"] },
      { name: "mode", kind: ["socket", "webhook"] },
      { name: "encrypt_key", kind: "secret", only: { mode: "webhook" } },
      { name: "verification_token", kind: "secret", only: { mode: "webhook" } },
    ],
    steps: [
      { text: "guide_feishu_1", link: "https://open.feishu.cn/app" },
      { text: "guide_feishu_2" },
      { text: "guide_feishu_3", copy: "scopes" },
      { text: "guide_feishu_4" },
      { text: "guide_feishu_5", copy: "events" },
      { text: "guide_feishu_6" },
      { text: "guide_feishu_7" },
    ],
    texts: {
      scopes: JSON.stringify(
        {
          scopes: {
            tenant: [
              "im:message", "im:message:send_as_bot", "im:message:readonly", "im:message:update", "im:message:recall",
              "im:message.p2p_msg:readonly", "im:message.group_at_msg:readonly", "im:message.reactions:read",
              "im:message.reactions:write_only", "im:resource", "im:chat:read", "im:chat.members:read",
              "im:chat.members:bot_access", "im:chat.access_event.bot_p2p_chat:read", "cardkit:card:write",
              "contact:contact.base:readonly", "contact:user.base:readonly", "contact:user.basic_profile:readonly",
            ],
            user: [],
          },
        },
        null,
        1,
      ),
      events: ["im.message.receive_v1", "im.message.recalled_v1", "im.chat.member.bot.added_v1", "im.chat.member.bot.deleted_v1"].join("\n"),
    },
  },
  slack: {
    name: "slack_name",
    sign: "💬",
    fields: [
      { name: "bot_token", kind: "secret", need: true, placeholder: "xoxb-…" },
      { name: "app_token", kind: "secret", placeholder: "xapp-…" },
      { name: "signing_secret", kind: "secret" },
    ],
    steps: [
      { text: "guide_slack_1", link: "https://api.slack.com/apps?new_app=1", copy: "manifest" },
      { text: "guide_slack_2" },
      { text: "guide_slack_3" },
      { text: "guide_slack_4" },
    ],
    texts: {
      manifest: JSON.stringify(
        {
          display_information: { name: "teambridge", description: "Your expert team" },
          features: {
            app_home: { home_tab_enabled: false, messages_tab_enabled: true, messages_tab_read_only_enabled: false },
            bot_user: { display_name: "teambridge", always_online: true },
            slash_commands: [{ command: "/team", description: "Ask the team", usage_hint: "[command]", should_escape: true }],
          },
          oauth_config: {
            scopes: {
              bot: [
                "app_mentions:read", "channels:history", "channels:read", "chat:write", "chat:write.customize", "commands", "files:read",
                "files:write", "groups:history", "groups:read", "im:history", "im:read", "im:write", "metadata.message:read",
                "mpim:history", "mpim:read", "reactions:write", "users:read",
              ],
            },
          },
          settings: {
            event_subscriptions: {
              bot_events: ["app_mention", "message.channels", "message.groups", "message.im", "message.mpim"],
            },
            interactivity: { is_enabled: true },
            org_deploy_enabled: false,
            socket_mode_enabled: true,
            token_rotation_enabled: false,
          },
        },
        null,
        1,
      ),
    },
  },
  telegram: {
    name: "telegram_name",
    sign: "✈️",
    fields: [
      { name: "token", kind: "secret", need: true, placeholder: "123456:ABC…" },
      { name: "mode", kind: ["polling", "webhook"] },
    ],
    steps: [
      { text: "guide_telegram_1", link: "https://t.me/BotFather", copy: "newbot" },
      { text: "guide_telegram_2" },
      { text: "guide_telegram_3", copy: "privacy" },
      { text: "guide_telegram_4" },
    ],
    texts: { newbot: "/newbot", privacy: "/setprivacy" },
  },
  webhook: {
    name: "webhook_name",
    sign: "🪝",
    fields: [
      { name: "secret", kind: "secret", need: true, placeholder: "whsec_…", make: true },
      { name: "callback_url", kind: "text", placeholder: "https://…" },
    ],
    steps: [{ text: "guide_webhook_1" }, { text: "guide_webhook_2", copy: "address" }, { text: "guide_webhook_3", copy: "body" }, { text: "guide_webhook_4" }],
    texts: {
      body: JSON.stringify({ chat: { id: "c1", type: "private" }, sender: { id: "u1", name: "Ann" }, text: "Hello" }, null, 1),
    },
  },
};

// 32 random bytes as the secret of a signed webhook.
export function newSecret() {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return `whsec_${btoa(String.fromCharCode(...bytes))}`;
}
