"""Mentions of a model's making call nobody, also across the borders of chunks (X6)."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from channels.slack.defuse import defuse, escape, settled
from channels.slack.pieces import ready

LIVE = re.compile(
    r"<\\*(?:!\\*(?:channel|here|everyone|subteam)|@\\*[UWBS][A-Z0-9])|(?<![\w.+-])@(?:channel|here|everyone)\b(?!\.\w)"
)
WORDS = st.sampled_from(
    [
        "<!channel>",
        "<!here|here>",
        "<@U123ABC>",
        "<@W1|bob>",
        "<!subteam^S1|@ops>",
        "@here",
        "@everyone",
        "@channel.",
        " ",
        "\n",
        "a",
        "你好",
        "<",
        "<!",
        "@",
        "me@here.com",
        "<!DOCTYPE html>",
        "`",
        "😀",
        "e\u0301",
    ]
)


@pytest.mark.parametrize(
    "text",
    [
        "<!channel>",
        "<!here|x>",
        "<!everyone>",
        "<@U1A>",
        "<@W2|bob>",
        "<!subteam^S1|@ops>",
        "@here",
        "@everyone!",
        "@channel.",
        "\\<!channel>",
        "<\\!channel>",
        "(@here)",
        "@所有人",
        "<!CHANNEL>",
    ],
)
def test_a_mention_is_torn_and_stays_readable(text: str) -> None:
    """X6."""
    torn = defuse(text)
    assert torn != text
    assert torn.replace("\u200b", "") == text
    assert not LIVE.search(torn)


@pytest.mark.parametrize("text", ["me@here.com", "<!DOCTYPE html>", "a < b @ c", "x@channel", "@channeling", "<#C1|x>"])
def test_what_mentions_nobody_stays_as_it_is(text: str) -> None:
    assert defuse(text) == text


@given(st.lists(WORDS, max_size=30))
def test_what_was_shown_of_a_growing_text_is_the_beginning_of_its_end(words: list[str]) -> None:
    """X6, T35: no append ever has to be taken back, and no border tears a mention's protection."""
    text = "".join(words)
    for end in range(len(text) + 1):
        assert defuse(text).startswith(ready(text[:end]))
    assert not LIVE.search(defuse(text))


@given(st.lists(WORDS, max_size=30))
def test_an_append_never_begins_with_white_space(words: list[str]) -> None:
    """Slack loses white space at the beginning of a chunk."""
    text, told = "".join(words), ""
    for end in range(len(text) + 1):
        fresh = ready(text[:end])[len(told) :]
        if fresh and told:
            assert not fresh[0].isspace()
        told += fresh
    rest = defuse(text)[len(told) :]
    if rest.strip() and told:
        assert not rest[0].isspace()


def test_only_the_unfinished_end_is_held_back() -> None:
    text = "look: <@U1"
    assert settled(text, len(text)) == len("look: ")
    assert settled("fine", 4) == 4


def test_plain_text_is_escaped_once() -> None:
    assert escape("a & b < c > d &amp;") == "a &amp; b &lt; c &gt; d &amp;amp;"
