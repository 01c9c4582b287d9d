"""What models are told: pure functions from values to text. The phrases of both languages stand in `host.wording`."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from host.filenames import size_in_words
from host.wording import Words, words_in

RESULT_LIMIT = 16_000
BACKGROUND_LIMIT = 32_000
_LINE_LIMIT = 2_000
_MEMORY_LIMIT = 8_000
_DEFAULT = "zh-CN"


@dataclass(frozen=True, kw_only=True)
class MemberView:
    """A member as its host sees it; `state` is running, stopped or error."""

    id: str
    name: str
    description: str
    state: str


@dataclass(frozen=True, kw_only=True)
class ResultView:
    """A closed job: `state` is done, failed, timed_out or cancelled; the text is the answer or the reason."""

    job_id: str
    member_id: str
    member_name: str
    state: str
    text_or_reason: str


@dataclass(frozen=True, kw_only=True)
class Line:
    """Something said in a room, and by whom."""

    speaker: str
    text: str


@dataclass(frozen=True, kw_only=True)
class FileView:
    """A file that came along. `size` in bytes; `state` is stored or failed (then `reason` says why); `path` is where
    it lies in the reader's workspace, "" if it does not."""

    id: str
    name: str
    size: int
    state: str
    reason: str = ""
    path: str = ""


def host_instructions(
    *,
    team_name: str,
    persona: str,
    rules: str,
    guidelines: str,
    members: Sequence[MemberView],
    memories: Sequence[str],
    locale: str,
) -> str:
    """The host's system prompt: what it does itself, what it hands out, and to whom (T9, T10, T24, T26)."""
    words = words_in(locale)
    return _paragraphs(
        words.host.format(team=team_name),
        _section(words.members, "\n".join(map(_member_line, members)) or words.no_members),
        _section(words.persona, persona),
        _section(words.rules, rules),
        _section(words.guidelines, guidelines),
        _section(words.memory, _bullets(memories, _MEMORY_LIMIT)),
        words.language,
    )


def host_prompt(
    *,
    text: str,
    sender_name: str,
    is_group: bool,
    mentions: Sequence[str],
    files: Sequence[FileView],
    results: Sequence[ResultView],
    open_names: Sequence[str],
    context: Sequence[str] = (),
    letters: Sequence[Line] = (),
    locale: str = _DEFAULT,
) -> str:
    """A person's message, behind the results that came in meanwhile.

    `files` came along with it; `context` are the lines that were said before the agent was called in, `letters` what
    other sessions said since the last turn. A plain message in a private chat stays as it was written.
    """
    words = words_in(locale)
    said = words.group_line.format(sender=sender_name, text=text) if is_group and sender_name else text
    before = f"{words.context}\n{_list(context)}" if context else ""
    lines = (words.line.format(speaker=each.speaker, text=each.text) for each in letters)
    read = _paragraphs(words.letters, *lines) if letters else ""
    news = _paragraphs(_results(words, results), _open(words, open_names), before, read)
    return _paragraphs(
        news,
        words.message if news else "",
        said,
        words.mentions.format(names=words.comma.join(mentions)) if mentions else "",
        _files(words, files),
    )


def wake_up_prompt(results: Sequence[ResultView], open_names: Sequence[str], locale: str = _DEFAULT) -> str:
    """The call back to the host: the results, and the question whether the round is done (T26)."""
    words = words_in(locale)
    return _paragraphs(
        words.wake_up,
        _results(words, results),
        _open(words, open_names) or words.none_open,
        words.judge_while_open if open_names else words.judge,
    )


def member_instructions(
    *,
    agent_name: str,
    agent_instructions: str,
    team_name: str,
    colleagues: Sequence[str],
    background: str,
    locale: str = _DEFAULT,
) -> str:
    """A member's system prompt while it works for a room; `colleagues` are lines "id: name" of whom it may ask."""
    words = words_in(locale)
    return _paragraphs(
        words.member.format(name=agent_name, team=team_name),
        _section(words.own_instructions, agent_instructions),
        _section(words.colleagues, _paragraphs(_list(colleagues), words.may_ask) if colleagues else ""),
        _section(words.background, background),
        words.language,
    )


def expert_instructions(
    *, agent_name: str, agent_instructions: str, memories: Sequence[str], can_ask: bool, locale: str = _DEFAULT
) -> str:
    """The system prompt of an expert that is talked to alone, or asked by a colleague."""
    words = words_in(locale)
    return _paragraphs(
        words.expert.format(name=agent_name),
        _section(words.own_instructions, agent_instructions),
        words.may_ask if can_ask else "",
        _section(words.memory, _bullets(memories, _MEMORY_LIMIT)),
        words.language,
    )


def background(
    guidelines: str,
    memories: Sequence[str],
    lines: Sequence[Line],
    limit: int = BACKGROUND_LIMIT,
    locale: str = _DEFAULT,
) -> str:
    """What a member is given besides its task sheet, in at most `limit` characters (T24).

    Guidelines, the host's memory of the room (newest first), the room so far (oldest first). The newest lines are
    kept, long ones are shortened; guidelines and memory take at most a quarter each.
    """
    words = words_in(locale)
    head = _paragraphs(
        _subsection(words.guidelines, _shortened(words, guidelines.strip(), limit // 4)),
        _subsection(words.memory, _bullets(memories, limit // 4)),
    )
    room = limit - len(head) - len(_subsection(words.room_so_far, words.earlier_omitted)) - 2 * len("\n\n")
    return _paragraphs(head, _subsection(words.room_so_far, _newest(words, lines, room)))


def task_sheet(message: str, files: Sequence[FileView] = (), locale: str = _DEFAULT) -> str:
    """The human message that a member receives: the host's own sheet, nothing of the user's (T24), and its files."""
    return _paragraphs(message.strip(), _files(words_in(locale), files))


def answer_with_files(text: str, files: Sequence[FileView], locale: str = _DEFAULT) -> str:
    """A member's answer as its host reads it: its words, and the files that it sent along."""
    words = words_in(locale)
    return _paragraphs(text.strip(), "\n".join(_file(words, each) for each in files)) if files else text


def with_unplaced(prompt: str, reasons: Mapping[str, str], locale: str = _DEFAULT) -> str:
    """The prompt, and which of the paths that it names lead nowhere, and why."""
    words = words_in(locale)
    lost = [words.unplaced_file.format(path=path, reason=reason) for path, reason in reasons.items()]
    return _paragraphs(prompt, "\n".join(lost)) if lost else prompt


def mention(name: str, size: int, locale: str = _DEFAULT) -> str:
    """A file in a few words."""
    return words_in(locale).file.format(name=name, size=size_in_words(size))


def peer_prompt(asker_name: str, message: str, locale: str = _DEFAULT) -> str:
    """A colleague's question (T13, T17a)."""
    return _paragraphs(words_in(locale).peer.format(asker=asker_name), message)


def _member_line(member: MemberView) -> str:
    described = " — ".join(part for part in (member.name, " ".join(member.description.split())) if part)
    return f"- {member.id}: {described}" + ("" if member.state == "running" else f" [{member.state}]")


def _results(words: Words, results: Sequence[ResultView]) -> str:
    return _paragraphs(words.results, *(_result(words, each) for each in results)) if results else ""


def _result(words: Words, result: ResultView) -> str:
    name = result.member_name.replace('"', "'")
    opening = f'<member-result job="{result.job_id}" member="{result.member_id}" name="{name}" state="{result.state}">'
    return f"{opening}\n{_shortened(words, result.text_or_reason.strip(), RESULT_LIMIT)}\n</member-result>"


def _open(words: Words, names: Sequence[str]) -> str:
    return words.still_open.format(names=words.comma.join(names)) if names else ""


def _files(words: Words, files: Sequence[FileView]) -> str:
    return f"{words.attachments}\n{_list(_file(words, each) for each in files)}" if files else ""


def _file(words: Words, file: FileView) -> str:
    if file.state == "failed":
        return words.lost_file.format(name=file.name, reason=file.reason)
    path = words.file_path.format(path=file.path) if file.path else ""
    known = [words.file_id.format(id=file.id), *([path] if path else [])]
    return f"{words.file.format(name=file.name, size=size_in_words(file.size))} {words.comma.join(known)}"


def _newest(words: Words, lines: Sequence[Line], room: int) -> str:
    """As many of the last lines as fit into `room` characters, with a word about the others."""
    said = (words.line.format(speaker=line.speaker, text=line.text.strip()) for line in reversed(lines))
    kept = list(_that_fit((_shortened(words, each, _LINE_LIMIT) for each in said), room, gap="\n\n"))
    omitted = words.earlier_omitted if len(kept) < len(lines) else ""
    return _paragraphs(omitted, *reversed(kept))


def _bullets(texts: Iterable[str], limit: int) -> str:
    return "\n".join(_that_fit((f"- {' '.join(text.split())}" for text in texts), limit, gap="\n"))


def _that_fit(texts: Iterable[str], room: int, gap: str) -> Iterator[str]:
    """The first texts, until they and the gaps behind them would need more than `room` characters."""
    for text in texts:
        room -= len(text) + len(gap)
        if room < 0:
            return
        yield text


def _shortened(words: Words, text: str, limit: int) -> str:
    """At most `limit` characters: the beginning and the end, and how much is missing between them."""
    if len(text) <= limit:
        return text
    room = limit - len(words.omitted.format(count=len(text)))
    head = max(0, room * 3 // 4)
    tail = max(0, room - head)
    gap = words.omitted.format(count=len(text) - head - tail)
    return text[:head] + gap + text[len(text) - tail :]


def _section(title: str, body: str) -> str:
    return f"# {title}\n\n{body.strip()}" if body.strip() else ""


def _subsection(title: str, body: str) -> str:
    return f"## {title}\n\n{body.strip()}" if body.strip() else ""


def _list(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def _paragraphs(*parts: str) -> str:
    return "\n\n".join(part for part in parts if part.strip())
