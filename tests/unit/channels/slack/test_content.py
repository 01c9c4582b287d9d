"""Slack's escaped text → what people wrote; names in the places of ids."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from channels.slack.content import files_of, name_people, quotes_of, read_text


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("a &amp; b &lt;c&gt; &amp;lt;", "a & b <c> &lt;"),
        ("&amp;amp;", "&amp;"),
        ("<https://a.b|a.b>", "https://a.b"),
        ("<http://a.b|a.b>", "http://a.b"),
        ("<https://a.b|b.a>", "b.a (https://a.b)"),
        ("<!channel> <!everyone|everyone>", "@channel @everyone"),
        ("<!subteam^S1>", "@S1"),
        ("```\nx = 1 &lt; 2\n```", "```\nx = 1 < 2\n```"),
        ("an unclosed <token", "an unclosed <token"),
        ("nul \x00 and a half \ud800", "nul  and a half"),
    ],
)
def test_tokens_are_replaced_before_entities(raw: str, text: str) -> None:
    assert read_text(raw, "UBOT").text == text


def test_what_somebody_typed_is_no_mention() -> None:
    """X6: typed brackets arrive escaped, only Slack's own tokens mention."""
    said = read_text("&lt;@UBOT&gt; and &lt;!channel&gt;", "UBOT")
    assert (said.text, said.mentioned, said.people) == ("<@UBOT> and <!channel>", False, ())


def test_people_get_their_names_and_strangers_keep_their_ids() -> None:
    said = read_text("<@U1>, <@U2> and <@U1>", "UBOT")
    assert said.people == ("U1", "U2")
    assert name_people(said.text, {"U1": "Ann", "U2": ""}) == "@Ann, @U2 and @Ann"


def test_private_characters_cannot_pretend_to_be_people() -> None:
    assert read_text("\ue000U1\ue001", "UBOT").people == ()


@given(st.text())
def test_any_text_can_be_read(raw: str) -> None:
    """R4."""
    read_text(raw, "UBOT")


def test_what_comes_along_with_a_message_can_be_kept() -> None:
    """R4: found by generated payloads; halves of characters and NUL in an author's name, a file's name and its type."""
    shared = {"is_share": True, "author_name": "\x00Ann", "text": "hi"}
    assert quotes_of({"attachments": [shared]}, "UBOT") == "> Ann: hi\n"
    (file,) = files_of({"files": [{"id": "F1", "name": "a\ud800.png", "mimetype": "\x00"}]})
    assert (file.name, file.mime) == ("a.png", "")
