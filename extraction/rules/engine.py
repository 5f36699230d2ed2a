"""What a rule for reading says: which words state which fact, and what shape its object has."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from extraction.reader import THE_AGENT, THE_USER
from schema.entity import EntityType
from schema.ids import name_key

Shape = Literal[
    "things",
    "goal",
    "wish",
    "aim",
    "promise",
    "worry",
    "place",
    "workplace",
    "school",
    "job",
    "title",
    "named",
    "age",
    "birthday",
    "pet",
    "gift",
    "event",
    "person",
    "known place",
    "firm",
    "trait",
    "condition",
    "language",
    "pastime",
    "address",
    "owned",
    "taught",
    "subject",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """What a clause says after its subject.

    Attributes:
        pattern: matched where the verb phrase begins; group `o` is the object, still uncleaned.
        opening: the part of the pattern before the object, without adverbs.
        says: the statement, with `{s}` and `{o}`.
    """

    pattern: re.Pattern[str]
    opening: str
    predicate: str
    says: str
    shape: Shape = "things"
    relation: str | None = None
    object_type: EntityType | None = None
    strength: float = 0.7
    closes: bool = False


# What a language's patterns of small talk are.


@dataclass(frozen=True, slots=True, kw_only=True)
class TalkWords:
    """The patterns that tell small talk in one language.

    Attributes:
        small_talk: whole clauses that say nothing worth keeping.
        asks_for: how a clause begins that asks for something.
        about_us: what makes a question or request worth reading.
        speaks_of_self: the first person.
    """

    small_talk: re.Pattern[str]
    asks_for: re.Pattern[str]
    about_us: re.Pattern[str]
    speaks_of_self: re.Pattern[str]


# Rules in an order that counts, looked up page by page.

_PAGE = 12


class RuleBook:
    """Rules in an order that counts, a dozen to a page: a page where none can match is passed over at one look."""

    def __init__(self, rules: Sequence[Rule], before: str, flags: re.RegexFlag) -> None:
        """Args:
        before: the pattern that stands before each rule's opening.
        """
        pages = [rules[start : start + _PAGE] for start in range(0, len(rules), _PAGE)]
        self._pages = [(_opened_by(page, before, flags), page) for page in pages]

    def matching(self, text: str) -> Iterator[tuple[Rule, re.Match[str]]]:
        """Yield the rules that match where a verb phrase begins, in order."""
        for opens, page in self._pages:
            if opens.match(text):
                for rule in page:
                    if matched := rule.pattern.match(text):
                        yield rule, matched


def _opened_by(rules: Iterable[Rule], before: str, flags: re.RegexFlag) -> re.Pattern[str]:
    return re.compile(before + "(?:" + "|".join(rule.opening for rule in rules) + ")", flags)


# What the rules of a language hand to the rule reader: facts of one message with the words that state them.


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """One fact read from one message.

    Attributes:
        start, end: characters of the message that state it.
    """

    subject: str
    predicate: str
    object: str
    statement: str
    start: int
    end: int
    relation: str | None = None
    subject_type: EntityType | None = None
    object_type: EntityType | None = None
    strength: float = 0.6
    confidence: float = 0.7
    trigger_emotion: str | None = None
    closes: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Voice:
    """Who says "I" in a message, and how the user is called.

    Attributes:
        me: `THE_USER`, `THE_AGENT`, or the name of a third speaker.
        people: names that speakers of the scene carry; they are names even where a sentence begins with them.
    """

    me: str
    user_names: tuple[str, ...] = ()
    people: tuple[str, ...] = ()

    def who(self, name: str) -> str:
        """Return the subject that a name stands for: the user's own name is the user."""
        key = name_key(name)
        return THE_USER if any(key == name_key(own) for own in self.user_names) else name.strip()

    def label(self, subject: str, unknown: str) -> str:
        """Return how a statement calls a subject; `unknown` for a user without a name."""
        if subject == THE_USER:
            return self.user_names[0] if self.user_names else unknown
        return "assistant" if subject == THE_AGENT else subject
