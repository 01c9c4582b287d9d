"""Who may decide, which calls ask, and what people read of them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from host.agent import ToolCall
from host.approvals.policy import ALPHABET, Decider, Trust, code_of, may_decide, must_ask
from host.approvals.words import LONGEST, SHOWN, excerpt, in_words


@pytest.mark.parametrize(
    ("principal", "decider", "expected"),
    [
        ("person:ann", Decider(principal="person:ann"), True),
        ("person:ann", Decider(principal="person:bob"), False),
        ("person:ann", Decider(principal="person:bob", is_admin=True), True),
        ("person:ann", Decider(principal="user:owner", is_owner=True), True),
        ("person:ann", Decider(principal="user:owner"), False),
        ("chat:hook:g1", Decider(principal="person:ann"), False),
        ("chat:hook:g1", Decider(principal="person:boss", is_admin=True), True),
        ("user:owner", Decider(principal="user:owner", is_owner=True), True),
        ("user:owner", Decider(principal="user:eve"), False),
    ],
)
def test_who_may_decide(principal: str, decider: Decider, expected: bool) -> None:
    """C12, X2: whom the session works for, an admin of its channel, its owner; in a group only the latter two."""
    assert may_decide(principal, decider) is expected


@pytest.mark.parametrize(
    ("name", "fault", "trust", "expected"),
    [
        ("mail", "", Trust(), True),
        ("count", "", Trust(), False),
        ("mail", "not JSON", Trust(), False),
        ("mail", "", Trust(total=True), False),
        ("mail", "", Trust(tools=frozenset({"mail"})), False),
        ("mail", "", Trust(tools=frozenset({"look"})), True),
    ],
)
def test_which_calls_ask(name: str, fault: str, trust: Trust, expected: bool) -> None:
    """C12: always_trust never asks, a grant holds for its tool."""
    call = ToolCall(id="c", number=1, position=0, name=name, arguments=None if fault else {}, fault=fault)
    assert must_ask(call, {"mail", "look"}, trust) is expected


def test_a_code_is_short_typable_and_the_calls_own() -> None:
    codes = {code_of(f"turn{number}", f"call{number}") for number in range(500)}
    assert len(codes) == 500
    assert all(len(code) == 8 and set(code) <= set(ALPHABET) for code in codes)
    assert code_of("turn1", "call1") == code_of("turn1", "call1")


def test_arguments_are_a_line_each() -> None:
    """A value of several lines cannot pass for another argument, hidden characters are shown."""
    words = in_words({"to": "bob", "text": "hi\nto: eve\r\nx", "n": 3, "list": ["ä"], "turned": "a\u202eb"})
    assert words == 'to: bob\ntext: hi\n  to: eve\n  x\nn: 3\nlist: ["ä"]\nturned: a\\u202eb'


def test_long_arguments_say_how_much_is_missing() -> None:
    assert in_words({"a": "x" * (LONGEST + 7)}).endswith("… (+10)")
    shown = excerpt("y" * (SHOWN + 5))
    assert shown == f"```\n{'y' * SHOWN}… (+5)\n```"
    assert excerpt("") == ""


@given(st.dictionaries(st.text(), st.text() | st.integers() | st.lists(st.text())))
def test_arguments_never_leave_their_block(arguments: dict[str, object]) -> None:
    """Whatever a model sends stays within the fence that it is shown in."""
    shown = excerpt(in_words(arguments))
    if shown:
        fence, *inside, end = shown.split("\n")
        assert fence == end
        assert not any(line.strip().startswith(fence) for line in inside)
