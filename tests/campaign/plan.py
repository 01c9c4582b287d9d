"""What happens in a case: who asks what, where and when, and how the model plays it. Drawn from one random source."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from tests.campaign.words import ASKED, TASKED, Line, lines_of, question, sheet, spoken
from tests.support.casts import dispatches
from tests.support.model_reply import Reply, act, say, use
from tests.support.model_request import Request

MEMBERS = ("researcher", "writer", "critic")


@dataclass(frozen=True, kw_only=True)
class Question:
    """One message of a person. `place` numbers the places of the case, `pause` are the seconds before it is sent.

    `members` are given work by the host; without any it answers itself. `lines` and `padding` are the size of every
    utterance that belongs to the question, `looks_up` says that the members call a tool before they answer.
    """

    number: int
    place: int
    members: tuple[str, ...]
    pause: float
    lines: int
    padding: int
    pace: float
    thinks: float
    looks_up: bool

    @property
    def text(self) -> str:
        return question(self.number)

    def spoken_by_host(self) -> list[Line]:
        return lines_of("plan" if self.members else "answer", self.number, self.lines)

    def found_by(self, member: str) -> list[Line]:
        return lines_of("found", self.number, self.lines, member)


@dataclass(frozen=True, kw_only=True)
class Talk:
    """The questions of a case in the order in which they are sent, and the kind of each of its places."""

    questions: tuple[Question, ...]
    kinds: tuple[str, ...]
    _by_number: dict[int, Question] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        self._by_number.update({one.number: one for one in self.questions})

    def play(self, request: Request) -> Reply:
        """The model: every agent does what the question says that it is at."""
        if tasks := TASKED.findall(request.last):
            number, member = tasks[-1]
            return self._member(self._by_number[int(number)], member, request)
        return self._host(request)

    def _member(self, at: Question, member: str, request: Request) -> Reply:
        assert request.asker == member, f"{request.asker} has the sheet of {member}"
        if at.looks_up and not request.answers_tools:
            return _slowly(act("我先看一下时间。", use("current_time")), at)
        return _slowly(say(*spoken(at.found_by(member), at.padding)), at)

    def _host(self, request: Request) -> Reply:
        assert request.is_host, f"nobody plays {request.asker!r}: {request.last[:80]}"
        conclusion = spoken(lines_of("wrapup", request.number, 1))
        if not (asked := ASKED.findall(request.last)):
            return say(*conclusion)
        at = self._by_number[int(asked[-1])]
        words = spoken(at.spoken_by_host(), at.padding)
        if at.members:
            return _slowly(act(*words, *dispatches({one: sheet(at.number, one) for one in at.members})), at)
        return _slowly(say(*words, *(conclusion if "<member-result" in request.last else ())), at)


def draw_talk(dice: random.Random, kinds: Sequence[str], *, most_places: int = 2, most_questions: int = 3) -> Talk:
    """One to `most_places` places of these kinds, and up to `most_questions` questions in each of them."""
    places = [dice.choice(kinds) for _ in range(dice.randint(1, most_places))]
    asked = [place for place in range(len(places)) for _ in range(dice.randint(1, most_questions))]
    dice.shuffle(asked)
    questions = tuple(_draw_question(dice, number, place) for number, place in enumerate(asked, 1))
    return Talk(questions=questions, kinds=tuple(places))


def _draw_question(dice: random.Random, number: int, place: int) -> Question:
    is_long = dice.random() < 0.15
    return Question(
        number=number,
        place=place,
        members=tuple(dice.sample(MEMBERS, dice.choice((0, 1, 2, 2, 3)))),
        pause=dice.choice((0.0, 0.0, dice.uniform(0.0, 0.4))),
        lines=dice.randint(6, 9) if is_long else dice.randint(1, 3),
        padding=dice.randint(600, 1000) if is_long else dice.randint(0, 40),
        pace=dice.choice((0.0, dice.uniform(0.0, 0.1))),
        thinks=dice.choice((0.0, dice.uniform(0.0, 0.3))),
        looks_up=dice.random() < 0.25,
    )


def _slowly(reply: Reply, at: Question) -> Reply:
    return replace(reply, thinks=at.thinks, pace=at.pace)
