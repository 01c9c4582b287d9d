"""Every row of the gate's table: access, groups, allow lists, admins, blocked people."""

from itertools import product
from typing import Any, Literal

import pytest

from bridge.gate import AskToPair, ChannelRules, Decision, Ignore, Refuse, Serve, decide
from channels.types import Chat, InboundEvent, Sender

STATES = (None, "known", "pending", "approved", "blocked")


def ask(
    rules: ChannelRules,
    *,
    sender: str = "ann",
    chat: Literal["private", "group"] = "private",
    mentioned: bool = False,
    state: str | None = None,
    served: bool = False,
    command: str | None = None,
) -> Decision:
    event = InboundEvent(
        event_key="e", chat=Chat(id="g1", type=chat), sender=Sender(id=sender), text="hello", mentioned=mentioned
    )
    return decide(event, rules, person_state=state, chat_served=served, command=command)


def rules(**more: Any) -> ChannelRules:
    return ChannelRules(id="hook", agent_id="studio", **more)


@pytest.mark.parametrize(
    ("access", "state", "expected"),
    [
        ("pairing", None, AskToPair()),
        ("pairing", "known", AskToPair()),
        ("pairing", "pending", AskToPair()),
        ("pairing", "approved", Serve()),
        ("allowlist", None, Refuse()),
        ("allowlist", "pending", Refuse()),
        ("allowlist", "approved", Serve()),
        ("open", None, Serve()),
        ("open", "pending", Serve()),
    ],
)
def test_private_chats_follow_the_access_mode(access: Any, state: str | None, expected: Decision) -> None:
    """X1: closed by default."""
    assert ask(rules(access=access), state=state) == expected


@pytest.mark.parametrize("access", ["pairing", "allowlist", "open"])
def test_the_file_approves_in_every_mode(access: Any) -> None:
    """Contract 2: allow and admins count as approved."""
    named = rules(access=access, allow=frozenset({"ann"}), admins=frozenset({"boss"}))
    assert ask(named, sender="ann") == Serve()
    assert ask(named, sender="boss") == Serve()


def test_a_blocked_person_is_refused_everywhere() -> None:
    """X1: whatever else is true."""
    for access, groups, chat, mentioned in product(
        ("pairing", "allowlist", "open"), ("off", "mention", "all"), ("private", "group"), (True, False)
    ):
        open_door = rules(
            access=access,
            groups=groups,
            allow=frozenset({"ann"}),
            admins=frozenset({"ann"}),
            allow_chats=frozenset("*"),
        )
        assert ask(open_door, chat=chat, mentioned=mentioned, state="blocked", command="pair") == Refuse()  # type: ignore[arg-type]


@pytest.mark.parametrize("state", [None, "known", "pending", "approved"])
def test_in_a_served_group_everybody_may_speak(state: str | None) -> None:
    """Contract 2: access is about private chats only."""
    for access in ("pairing", "allowlist", "open"):
        listed = rules(access=access, allow_chats=frozenset({"g1"}))
        assert ask(listed, chat="group", mentioned=True, state=state) == Serve()


def test_a_group_is_served_by_the_file_or_by_an_approval() -> None:
    assert ask(rules(allow_chats=frozenset({"g1"})), chat="group", mentioned=True) == Serve()
    assert ask(rules(allow_chats=frozenset({"*"})), chat="group", mentioned=True) == Serve()
    assert ask(rules(), chat="group", mentioned=True, served=True) == Serve()
    assert ask(rules(allow_chats=frozenset({"g2"})), chat="group", mentioned=True) == AskToPair()


def test_in_mention_mode_an_unmentioned_message_is_ignored_unless_it_is_a_command() -> None:
    """Contract 8: known bare commands work in groups."""
    assert ask(rules(), chat="group", served=True) == Ignore("not_mentioned")
    assert ask(rules(), chat="group", served=True, command="stop") == Serve()
    assert ask(rules(groups="all"), chat="group", served=True) == Serve()


def test_an_unknown_group_meets_silence_until_it_mentions_the_bot() -> None:
    """X1: also where every message of served groups is answered, and for commands."""
    for groups in ("mention", "all"):
        assert ask(rules(groups=groups), chat="group") == Ignore("chat_not_served")
        assert ask(rules(groups=groups), chat="group", command="stop") == Ignore("chat_not_served")
        assert ask(rules(groups=groups), chat="group", mentioned=True) == AskToPair()


def test_an_admin_may_pair_a_group_from_within() -> None:
    unknown = rules(admins=frozenset({"boss"}))
    assert ask(unknown, sender="boss", chat="group", command="pair") == Serve()
    assert ask(unknown, sender="boss", chat="group", command="whoami") == Serve()
    assert ask(unknown, sender="boss", chat="group", command="new") == Ignore("chat_not_served")
    assert ask(unknown, sender="ann", chat="group", command="pair") == Ignore("chat_not_served")


@pytest.mark.parametrize("mentioned", [True, False])
def test_groups_off_serves_no_group(mentioned: bool) -> None:
    off = rules(groups="off", allow_chats=frozenset({"*"}), admins=frozenset({"ann"}))
    assert ask(off, chat="group", mentioned=mentioned, served=True, command="pair") == Ignore("chat_not_served")
