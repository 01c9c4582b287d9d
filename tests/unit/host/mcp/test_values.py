"""What servers say is read without trust: names, descriptions, results."""

import json
import re

import pytest

from host.errors import ToolFault
from host.mcp.answer import LONGEST, read_answer
from host.mcp.naming import names_of, parts_of
from host.mcp.offer import AT_MOST, read_offers
from tests.support.mcp_server import LIES, TEXT, deep, tool


def test_names_fit_every_provider_and_are_the_same_every_time() -> None:
    """Issue: tool names are unique and fit ^[a-zA-Z0-9_-]{1,64}$, whatever servers call theirs."""
    theirs = ["search", "fs.read", "fs read", "查询", "x" * 90, "x" * 91, ""]
    names = names_of("docs", theirs)
    assert names[0] == "docs__search"
    assert len(set(names)) == len(theirs)
    assert all(re.fullmatch("[a-zA-Z0-9_-]{1,64}", name) for name in names)
    assert names_of("docs", theirs) == names


def test_a_server_that_lists_its_tools_in_another_order_gives_none_the_name_of_another() -> None:
    """C12: a tool that was allowed for the session by its name; the first in the list had it, whichever that was."""
    tools = ["read", "fs.write", "fs write"]
    names = dict(zip(tools, names_of("docs", tools), strict=True))
    turned = dict(zip(tools[::-1], names_of("docs", tools[::-1]), strict=True))
    alone = dict(zip(tools[:2], names_of("docs", tools[:2]), strict=True))
    assert names == turned
    assert alone == {"read": "docs__read", "fs.write": "docs__fs_write"}
    assert "docs__fs_write" not in names.values()


def test_a_name_tells_its_server() -> None:
    """Issue: the transcript names server and tool."""
    assert parts_of("docs__fs_read") == ("docs", "fs_read")
    assert parts_of("a_b-c__d__e") == ("a_b-c", "d__e")
    assert [parts_of(name) for name in ("file_read", "list_sessions", "__x", "x__")] == [None] * 4


def test_a_tool_that_is_described_wrongly_costs_only_itself() -> None:
    """Issue: schema lies."""
    offers = read_offers([*LIES, tool("deep", deep(40)), tool("flat", deep(5))])
    assert [offer.name for offer in offers.fit] == ["good", "flat"]
    assert [(each.name, each.why) for each in offers.unfit] == [
        ("no schema", "has a schema that is not one of an object"),
        ("a list", "has a schema that is not one of an object"),
        ("a string", "has a schema that is not one of an object"),
        ("broken", "has a broken schema"),
        ("huge", "has a schema of more than 50 kB"),
        ("good", "has the name of another tool"),
        ("", "has no usable name"),
        ("", "is no object"),
        ("deep", "has a schema of more than 32 levels"),
    ]


def test_a_schema_deeper_than_the_stack_is_no_trouble() -> None:
    assert [each.why for each in read_offers([tool("abyss", deep(50_000))]).unfit] == [
        "has a schema of more than 32 levels"
    ]


def test_no_server_fills_the_request_with_tools() -> None:
    offers = read_offers(tool(f"t{number}") for number in range(AT_MOST + 2))
    assert (len(offers.fit), [each.name for each in offers.unfit]) == (AT_MOST, ["t100", "t101"])


@pytest.mark.parametrize(
    ("hints", "repeatable"),
    [
        (None, False),
        ("yes", False),
        ({}, False),
        ({"readOnlyHint": True}, True),
        ({"idempotentHint": True}, True),
        ({"readOnlyHint": "true"}, False),
        ({"destructiveHint": False}, False),
    ],
)
def test_only_what_the_server_calls_harmless_is_repeated(hints: object, repeatable: bool) -> None:
    """Architecture 8: an unsafe tool that was cut is not repeated."""
    [offer] = read_offers([tool("x", TEXT, annotations=hints)]).fit
    assert offer.repeatable is repeatable


def _texts(*texts: str) -> list[dict[str, object]]:
    return [{"type": "text", "text": text} for text in texts]


@pytest.mark.parametrize(
    ("result", "text"),
    [
        ({"content": _texts("a", "b")}, "a\n\nb"),
        ({"content": []}, "(an empty answer)"),
        ({}, "(an empty answer)"),
        ({"content": "a"}, "(an empty answer)"),
        ({"content": [1, None, {"type": "dance"}]}, "[dance, not shown]"),
        (
            {"content": [{"type": "image", "mimeType": "image/png", "data": "AAAA"}]},
            "[image image/png, 3 bytes, not shown]",
        ),
        ({"content": [{"type": "resource_link", "uri": "x://a", "name": "A"}]}, "[resource A x://a]"),
        ({"content": [{"type": "resource", "resource": {"uri": "x://a", "text": "in"}}]}, "[resource x://a]\nin"),
        (
            {"content": [{"type": "resource", "resource": {"uri": "x://a", "blob": "AA"}}]},
            "[resource x://a, not shown]",
        ),
        ({"content": _texts("two"), "structuredContent": {"n": [1, 2]}}, 'two\n\n{"n": [1, 2]}'),
        ({"content": _texts('{"n": 1}'), "structuredContent": {"n": 1}}, '{"n": 1}'),
        ({"content": _texts("half \ud800")}, "half �"),
    ],
)
def test_results_become_text(result: dict[str, object], text: str) -> None:
    """Issue: text parts joined, images and resources named, structured content as JSON."""
    assert read_answer(result) == text


def test_a_failed_call_is_a_tool_error() -> None:
    with pytest.raises(ToolFault, match="the page is locked"):
        read_answer({"content": _texts("the page is locked"), "isError": True})


def test_a_long_answer_is_cut_and_says_so() -> None:
    text = read_answer({"content": _texts("漫" * 40_000)})
    assert len(text.encode()) < LONGEST + 200
    assert text.endswith("[Cut here: the answer has 120000 bytes, these are the first 50000. Ask for less.]")
    assert json.dumps(text)
