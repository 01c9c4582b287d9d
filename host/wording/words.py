"""Every phrase, once; each language fills them in."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Words:
    """Phrases for models. Those with braces are for `str.format`; what is put in is never formatted again."""

    # instructions
    host: str
    """{team}"""
    member: str
    """{name}, {team}"""
    expert: str
    """{name}"""
    language: str
    may_ask: str
    # headings
    members: str
    no_members: str
    persona: str
    rules: str
    guidelines: str
    memory: str
    own_instructions: str
    colleagues: str
    background: str
    room_so_far: str
    # what a turn is about
    results: str
    still_open: str
    """{names}"""
    none_open: str
    message: str
    group_line: str
    """{sender}, {text}"""
    mentions: str
    """{names}"""
    attachments: str
    file: str
    """{name}, {size}"""
    lost_file: str
    """{name}, {reason}"""
    file_id: str
    """{id}"""
    file_path: str
    """{path}"""
    unplaced_file: str
    """{path}, {reason}"""
    handover: str
    """instructions for the hand-over note"""
    title: str
    """instructions for a session's title"""
    digest: str
    """instructions for the digest of a long history"""
    recalled: str
    """over that digest"""
    letters: str
    """over what other sessions said"""
    context: str
    """over what was said before the agent was called in"""
    judge: str
    judge_while_open: str
    wake_up: str
    peer: str
    """{asker}"""
    line: str
    """{speaker}, {text}"""
    # shortened text
    omitted: str
    """{count}"""
    earlier_omitted: str
    comma: str
