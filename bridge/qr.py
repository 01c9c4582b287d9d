"""QR codes: a link as a picture that a phone reads."""

from importlib import import_module
from io import BytesIO
from typing import Final

_MODULE: Final = 8
"""Pixels of one dot."""


def drawn(link: str) -> bytes:
    """The link as an SVG, dark on light in every theme: that is what cameras expect. The library is loaded here."""
    picture = BytesIO()
    code = import_module("segno").make(link, micro=False, error="m")
    code.save(picture, kind="svg", scale=_MODULE, border=4, dark="#20211e", light="#ffffff")
    return picture.getvalue()
