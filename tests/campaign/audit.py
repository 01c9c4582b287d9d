"""The audit: what people said, what the model was asked, what the store kept and what the chats show agree. Pure."""

from collections import Counter
from collections.abc import Iterator, Sequence

from tests.campaign.plan import Question
from tests.campaign.record import Finding, Kept, Record, Shown
from tests.campaign.words import ASKED, Line, lines_in, sheet, utterances

_POSTED = ("host_message", "member_message", "wrapup")


def audit(record: Record) -> list[Finding]:
    """Everything that is wrong; nothing, if all is well."""
    findings = [*_restless(record), *_unasked(record), *_unkept(record), *_wrap_ups(record)]
    for place, shown in enumerate(record.shown):
        questions = [one for one in record.talk.questions if one.place == place]
        findings += [*_unlike(record, questions, shown), *_notices(record, questions, shown), *_open(shown)]
        findings += _disorder(record, questions, shown)
    return findings


def _restless(record: Record) -> Iterator[Finding]:
    """Queues are empty, nobody works, no live message is open, no delivery is dead."""
    for name, count in record.unfinished.items():
        if count:
            yield Finding(kind="restless", what=f"{count} × {name}")


def _unasked(record: Record) -> Iterator[Finding]:
    """The host was asked every question and shown every result, each member got its own sheet."""
    by_host = "\n".join(record.asked.get("studio", ()))
    for question in record.talk.questions:
        if question.text not in by_host:
            yield Finding(kind="lost", what=f"the host was never asked {question.text}")
        for member in question.members:
            if not any(sheet(question.number, member) in text for text in record.asked.get(member, ())):
                yield Finding(kind="lost", what=f"{member} never got its task of question {question.number}")
            if str(question.found_by(member)[0]) not in by_host:
                yield Finding(kind="lost", what=f"the host never saw what {member} found to {question.number}")


def _unkept(record: Record) -> Iterator[Finding]:
    """The log has every question, every dispatch and every utterance once, and no failure."""
    counts = Counter(_number(one) for one in record.kept if one.kind == "user_message")
    for question in record.talk.questions:
        yield from _once(f"{question.text} in the log", counts[question.number])
    lines = Counter(line for one in record.kept if one.kind in _POSTED for line in lines_in(one.text))
    for line in _expected(record.talk.questions):
        yield from _once(f"{line} in the log", lines[line])
    for one in record.kept:
        if one.kind == "job_failed" or (one.kind in _POSTED and not lines_in(one.text)):
            yield Finding(kind="stray", what=f"{one.kind} {one.text[:80]!r} in the log")
    dispatched = sum(one.kind == "job_dispatched" for one in record.kept)
    wanted = sum(len(question.members) for question in record.talk.questions)
    if dispatched != wanted:
        yield Finding(kind="doubled" if dispatched > wanted else "lost", what=f"{dispatched} dispatches of {wanted}")


def _once(what: str, count: int) -> Iterator[Finding]:
    if count != 1:
        yield Finding(kind="doubled" if count else "lost", what=f"{what}: {count} times")


def _expected(questions: Sequence[Question]) -> Iterator[Line]:
    for question in questions:
        yield from question.spoken_by_host()
        for member in question.members:
            yield from question.found_by(member)


def _wrap_ups(record: Record) -> Iterator[Finding]:
    """One for each round at most; and nothing that members found is left without one behind it."""
    told = Counter(name for one in record.kept if one.kind == "wrapup" for name in one.rounds)
    for name, count in told.items():
        if count > 1:
            yield Finding(kind="wrapup", what=f"round {name} was concluded {count} times")
    for session_id in {one.session_id for one in record.kept}:
        kinds = [one.kind for one in record.kept if one.session_id == session_id]
        ends = [kind for kind in kinds if kind in ("member_message", "wrapup")]
        if ends and ends[-1] != "wrapup":
            yield Finding(kind="wrapup", what=f"room {session_id} ends with {ends[-1]}")


def _unlike(record: Record, questions: Sequence[Question], shown: Sequence[Shown]) -> Iterator[Finding]:
    """The place shows what belongs there: every line once, nothing else; a second copy only where it is marked."""
    plain = Counter(line for one in shown if not one.is_marked for line in lines_in(one.text))
    marked = Counter(line for one in shown if one.is_marked for line in lines_in(one.text))
    doubtful = {line for text in record.uncertain for line in lines_in(text)}
    wanted = [*_expected(questions), *_conclusions(record, questions)]
    for line in wanted:
        if not plain[line] + marked[line] and line not in doubtful:
            yield Finding(kind="lost", what=f"{line} is not shown")
        if plain[line] > 1 or (marked[line] and not record.rules.marks_doubles):
            yield Finding(kind="doubled", what=f"{line} is shown {plain[line]} times, and {marked[line]} times marked")
    for line in (plain + marked).keys() - set(wanted):
        yield Finding(kind="stray", what=f"{line} is shown in the wrong place")


def _conclusions(record: Record, questions: Sequence[Question]) -> Iterator[Line]:
    """The wrap-ups of the rooms in which these questions were asked."""
    numbers = {question.number for question in questions}
    rooms = {one.session_id for one in record.kept if one.kind == "user_message" and _number(one) in numbers}
    for one in record.kept:
        if one.session_id in rooms and one.kind in _POSTED:
            yield from (line for line in lines_in(one.text) if line.kind == "wrapup")


def _notices(record: Record, questions: Sequence[Question], shown: Sequence[Shown]) -> Iterator[Finding]:
    """One for each dispatch; those that nobody can tell of may be missing, marked copies may stand beside them."""
    wanted = sum(len(question.members) for question in questions)
    plain = sum(one.is_notice and not one.is_marked for one in shown)
    marked = sum(one.is_notice and one.is_marked for one in shown)
    if plain + marked + sum(not lines_in(text) for text in record.uncertain) < wanted:
        yield Finding(kind="lost", what=f"{plain} notices and {marked} marked ones of {wanted}")
    if plain > wanted or (marked and not record.rules.marks_doubles):
        yield Finding(kind="doubled", what=f"{plain} notices and {marked} marked ones of {wanted}")


def _open(shown: Sequence[Shown]) -> Iterator[Finding]:
    for one in shown:
        if one.is_open:
            yield Finding(kind="open", what=f"{one.text[:60]!r} looks unfinished")


def _disorder(record: Record, questions: Sequence[Question], shown: Sequence[Shown]) -> Iterator[Finding]:
    """Lines of an utterance rise; a round is told from its plan to its wrap-up; rounds begin as they were asked."""
    order = list(dict.fromkeys(line for one in shown for line in lines_in(one.text)))
    at = {line: index for index, line in enumerate(order)}
    for name in utterances(order):
        lines = [line.line for line in order if line.utterance == name]
        if lines != sorted(lines):
            yield Finding(kind="order", what=f"the lines of {name} come as {lines}")
    for question in questions:
        first = at.get(question.spoken_by_host()[-1], -1)
        for member in question.members:
            found = at.get(question.found_by(member)[0], len(order))
            if found < first:
                yield Finding(kind="order", what=f"{member} answers {question.number} before the host has planned it")
    last = max((at[line] for line in order if line.kind == "found"), default=-1)
    if last > max((at[line] for line in order if line.kind == "wrapup"), default=len(order)):
        yield Finding(kind="order", what="a member speaks behind the last wrap-up")
    begun = [line.number for line in order if line.kind in ("plan", "answer") and line.line == 1]
    if begun != (heard := _heard(record.kept, questions, record.rules.keeps_order)) and len(begun) == len(heard):
        yield Finding(kind="order", what=f"the host speaks to {begun}, and was asked {heard}")


def _heard(kept: Sequence[Kept], questions: Sequence[Question], as_said: bool) -> list[int]:
    """The numbers of the questions in the order in which the room was asked them, or must have been."""
    if as_said:
        return [one.number for one in questions]
    numbers = {one.number for one in questions}
    return [_number(one) for one in kept if one.kind == "user_message" and _number(one) in numbers]


def _number(said: Kept) -> int:
    """Which question of the talk this is; 0 for anything else."""
    asked = ASKED.findall(said.text)
    return int(asked[-1]) if asked else 0
