"""Markdown of a model as HTML that is safe in our own page."""

import pytest

from bridge.markup import render


@pytest.mark.parametrize(
    ("markdown", "html"),
    [
        ("**a** `b`", "<p><strong>a</strong> <code>b</code></p>\n"),
        ("one\ntwo", "<p>one<br>\ntwo</p>\n"),
        ("- a\n- b", "<ul>\n<li>a</li>\n<li>b</li>\n</ul>\n"),
        ("~~x~~", "<p><s>x</s></p>\n"),
        ("```py\n1 < 2\n```", '<pre><code class="language-py">1 &lt; 2\n</code></pre>\n'),
    ],
)
def test_formatting_stays(markdown: str, html: str) -> None:
    assert render(markdown) == html


def test_links_leave_without_telling_where_from() -> None:
    html = render("[site](https://example.com/a?b=1)")
    assert 'href="https://example.com/a?b=1"' in html
    assert 'rel="noopener noreferrer nofollow"' in html
    assert 'target="_blank"' in html


def test_a_picture_becomes_a_link_to_it() -> None:
    """The reader may open it; our page never fetches it."""
    assert '<a href="https://example.com/a.png"' in render("![chart](https://example.com/a.png)")


@pytest.mark.parametrize(
    "hostile",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "[x](javascript:alert(1))",
        "[x](data:text/html;base64,PHNjcmlwdD4=)",
        "![x](https://evil.example/track.png)",
        "<style>body{display:none}</style>",
        '<a href="https://x" style="position:fixed" onclick="x()">y</a>',
        "```html\n<script>alert(1)</script>\n```",
    ],
)
def test_nothing_runs_and_nothing_is_fetched(hostile: str) -> None:
    """X5, X7: a model's words are never markup of ours."""
    html = render(hostile)
    for forbidden in ("<script", "<img", "<style", 'href="javascript', 'href="data:', '<a href="https://x"'):
        assert forbidden not in html
