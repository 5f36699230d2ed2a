"""What a rule for reading says: which words state which fact, and what shape its object has."""

import re
from dataclasses import dataclass
from typing import Literal

from schema.entity import EntityType

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
