"""What a language's patterns of small talk are."""

import re
from dataclasses import dataclass


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
