"""How cards call programming languages. Source: rich-text JSON 2.0, "code block"."""

from typing import Final

_NAMES: Final = """
    plain_text abap ada apache apex assembly bash c_sharp cpp c cmake cobol css coffee_script d dart delphi diff
    django docker_file erlang fortran gherkin go graphql groovy html htmlbars http haskell json java javascript julia
    kotlin latex lisp lua matlab makefile markdown nginx objective_c opengl_shading_language php perl powershell prolog
    properties protobuf python r ruby rust sas scss sql scala scheme shell solidity swift toml thrift typescript
    vbscript visual_basic xml yaml
"""
KNOWN: Final = frozenset(_NAMES.split())

ALIASES: Final = {
    "py": "python",
    "python3": "python",
    "js": "javascript",
    "jsx": "javascript",
    "mjs": "javascript",
    "ts": "typescript",
    "tsx": "typescript",
    "sh": "bash",
    "zsh": "bash",
    "console": "bash",
    "shellscript": "shell",
    "yml": "yaml",
    "c++": "cpp",
    "cc": "cpp",
    "c#": "c_sharp",
    "cs": "c_sharp",
    "csharp": "c_sharp",
    "golang": "go",
    "rs": "rust",
    "rb": "ruby",
    "kt": "kotlin",
    "md": "markdown",
    "dockerfile": "docker_file",
    "docker": "docker_file",
    "objc": "objective_c",
    "ps1": "powershell",
    "vb": "visual_basic",
    "make": "makefile",
    "proto": "protobuf",
    "tex": "latex",
    "jsonc": "json",
    "json5": "json",
    "htm": "html",
    "svg": "xml",
    "text": "plain_text",
    "txt": "plain_text",
}


def language_of(info: str) -> str:
    """The card's name for what stands behind a fence; plain text for what it does not know."""
    word = info.strip().split(" ")[0].strip("{}.").lower()
    name = ALIASES.get(word, word)
    return name if name in KNOWN else "plain_text"
