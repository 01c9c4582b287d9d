"""What the platform refuses: written from its documentation and from what was seen of it, not from our renderer."""

import json
import re
from collections.abc import Iterator
from typing import Any

from tests.support.feishu.answers import Json, Refusal, card_refusal

MOST_BYTES = 30 * 1024
MOST_TEXT = 150 * 1024
MOST_TABLES = 5
TABLES_OF_ELEMENT = 4
MOST_ROWS = 50
MOST_ELEMENTS = 200

_TOP = {"schema", "config", "header", "body", "card_link"}
_CONFIG = {
    "streaming_mode",
    "streaming_config",
    "summary",
    "update_multi",
    "enable_forward",
    "width_mode",
    "locales",
    "style",
}
_HEADER = {"title", "subtitle", "template", "icon", "padding", "text_tag_list", "i18n_text_tag_list"}
_COLOURS = {
    "blue",
    "wathet",
    "turquoise",
    "green",
    "yellow",
    "orange",
    "red",
    "carmine",
    "violet",
    "purple",
    "indigo",
    "grey",
    "default",
}
_ELEMENTS = {
    "markdown": {"content", "text_align", "text_size", "icon", "margin"},
    "div": {"text", "icon", "width", "margin"},
    "hr": {"margin"},
    "button": {"text", "type", "behaviors", "size", "width", "name", "confirm", "icon", "disabled", "margin", "value"},
    "img": {"img_key", "alt", "title"},
    "column_set": {"columns", "flex_mode"},
    "collapsible_panel": {"elements", "header", "expanded"},
}
_ELEMENT_ID = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,19}")
_FENCE = re.compile(r"^(`{3,}|~{3,})([^\n`]*)$")
_TAG = re.compile(r"<(/?)([A-Za-z_]+)([^<>\n]*)(>?)")
_TAGS = {"at", "person", "font", "text_tag", "number_tag", "link", "local_datetime", "raw", "a", "br", "hr", "b", "i"}
_FORMS = {
    "br": re.compile(r"\s*/?"),
    "hr": re.compile(r"\s*/?"),
    "at": re.compile(r"\s+(?:id|ids|email)=\S+"),
    "font": re.compile(r"\s+color=\S+"),
}
_IMAGE = re.compile(r"!\[[^\]\n]*\]\(([^)\s]*)")
_LINK = re.compile(r"(?<!!)\[[^\]\n]*\]\(([^)\s]*)")
_RULER = re.compile(r"^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$")


def check_weight(body: bytes, kind: str) -> None:
    """Size of the whole request."""
    if len(body) > (MOST_TEXT if kind == "text" else MOST_BYTES):
        raise Refusal(230025, "The length of the message content reaches its limit")


def check_card(source: str, images: set[str]) -> Json:
    """The card, if it is one of schema 2.0 without a mistake."""
    card = _json(source)
    if card.get("schema") != "2.0":
        raise card_refusal(200621, "only cards of schema 2.0 are simulated")
    _check_keys(card, _TOP, "card")
    _check_keys(card.get("config", {}), _CONFIG, "config")
    _check_header(card.get("header"))
    elements = list(_walk(card.get("body", {}).get("elements", [])))
    if not elements:
        raise card_refusal(200621, "a card needs elements")
    if len(elements) > MOST_ELEMENTS:
        raise card_refusal(11310, "element exceeds the limit")
    _check_ids(elements)
    tables = sum(_check_element(element, images) for element in elements)
    if tables > MOST_TABLES:
        raise card_refusal(11310, "card table number over limit")
    return card


def check_markdown(content: str, images: set[str]) -> int:
    """The tables of a Markdown text, once it has nothing that is refused."""
    if not content:
        raise card_refusal(200621, "content is empty")
    outside = "\n".join(_outside_fences(content))
    _check_tags(outside)
    for key in _IMAGE.findall(outside):
        if key not in images:
            raise card_refusal(200570, f"image key {key} is invalid")
    for target in _LINK.findall(outside):
        if not re.match(r"(https?|tel)://", target):
            raise Refusal(230001, "Your request contains an invalid request parameter, ext=invalid href")
    tables = list(_tables(outside))
    if any(rows > MOST_ROWS for rows in tables) or len(tables) > TABLES_OF_ELEMENT:
        raise card_refusal(11310, "element exceeds the limit")
    return len(tables)


def check_post(source: str) -> None:
    """Rich text: `md` stands alone, links are http."""
    post = _json(source)
    body = next(iter(post.values()), None)
    if not isinstance(body, dict) or not isinstance(body.get("content"), list) or "post" in post:
        raise Refusal(230001, "invalid post content")
    for paragraph in body["content"]:
        tags = [node.get("tag") for node in paragraph]
        if "md" in tags and len(tags) > 1:
            raise Refusal(230001, "md must be alone in its paragraph")
        if any(not str(node.get("href", "http")).startswith("http") for node in paragraph):
            raise Refusal(230001, "invalid href")


def check_text(source: str) -> None:
    if not _json(source).get("text"):
        raise Refusal(230001, "text is empty")


def rings(source: str) -> list[str]:
    """Mentions that a client would see in the text of a message, whatever its form."""
    return re.findall(r"<at\s+[^<>]*>", source)


def _json(source: str) -> Json:
    try:
        value = json.loads(source)
    except ValueError:
        raise card_refusal(200621, "parse card json err") from None
    if not isinstance(value, dict):
        raise card_refusal(200621, "no object")
    return value


def _check_keys(value: Json, known: set[str], where: str) -> None:
    for key in value:
        if key not in known:
            raise card_refusal(200621, f"unknown property {key} in {where}")


def _check_header(header: Json | None) -> None:
    if header is None:
        return
    _check_keys(header, _HEADER, "header")
    if header["title"].get("tag") != "plain_text" or not header["title"].get("content"):
        raise card_refusal(200621, "header.title")
    if header.get("template", "blue") not in _COLOURS:
        raise card_refusal(200621, f"template {header['template']}")


def _walk(elements: list[Json]) -> Iterator[Json]:
    for element in elements:
        yield element
        yield from _walk(element.get("elements", []) + element.get("columns", []))


def _check_ids(elements: list[Json]) -> None:
    ids = [element["element_id"] for element in elements if "element_id" in element]
    if len(set(ids)) != len(ids):
        raise Refusal(300301, "duplicate element_id")
    if any(not _ELEMENT_ID.fullmatch(each) for each in ids):
        raise card_refusal(200621, "element_id")


def _check_element(element: Json, images: set[str]) -> int:
    tag = element.get("tag", "")
    if tag not in _ELEMENTS:
        raise card_refusal(200861, f"unsupported tag {tag}")
    _check_keys(element, _ELEMENTS[tag] | {"tag", "element_id"}, tag)
    if tag == "button" and any(not isinstance(each.get("value"), dict) for each in element.get("behaviors", [])):
        raise card_refusal(200621, "value must be an object")
    return check_markdown(element.get("content", ""), images) if tag == "markdown" else 0


def _outside_fences(content: str) -> Iterator[str]:
    """Lines that are no code; a fence counts at the start of a line only."""
    ticks = ""
    for line in content.split("\n"):
        fence = _FENCE.match(line)
        if not ticks and fence:
            ticks = fence[1]
        elif ticks and line.strip() == ticks:
            ticks = ""
        elif not ticks:
            yield line


def _check_tags(text: str) -> None:
    for closing, name, rest, end in _TAG.findall(text):
        form = _FORMS.get(name)
        is_well = bool(end) and (closing or form is None or form.fullmatch(rest))
        if name not in _TAGS or not is_well:
            raise card_refusal(11311, f"markdown parse error at <{closing}{name}")


def _tables(text: str) -> Iterator[int]:
    """The numbers of rows of the tables. A ruler below the first one is a row like any other."""
    lines = text.split("\n")
    index = 1
    while index < len(lines):
        if "|" in lines[index] and _RULER.match(lines[index]) and "|" in lines[index - 1]:
            rows = 0
            while index + 1 + rows < len(lines) and "|" in lines[index + 1 + rows]:
                rows += 1
            yield rows
            index += rows
        index += 1


def shown_text(content: str) -> str:
    """What a client makes of a card's text."""
    return re.sub(r"&#(\d+);", lambda found: chr(int(found[1])), content)


def element_texts(card: Json) -> list[Any]:
    texts = []
    for element in _walk(card["body"]["elements"]):
        if element["tag"] == "markdown":
            texts.append(shown_text(element["content"]))
        elif element["tag"] == "div":
            texts.append(element["text"]["content"])
    return texts
