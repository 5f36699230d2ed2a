"""The draft of a fact, and its speaker."""

import re
from dataclasses import dataclass
from typing import Final

from extraction.reader import THE_AGENT, THE_USER
from schema.entity import EntityType
from schema.fact import PLAIN_FACT, FactDetail
from schema.ids import name_key

# An id that tells a reader nothing: a1b2c3d4, user_1001, auth0|5f7c8ec7.
_ID: Final = re.compile(r"(?=\S*\d)\S{6,}")
# A name and nothing else, which an id in lower case often is: ana, maria-jose.
_PLAIN_NAME: Final = re.compile(r"[^\W\d_]+(?:[-' ][^\W\d_]+)*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """One fact read from one message.

    Attributes:
        start, end: character span of the clause that states it.
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
    detail: FactDetail = PLAIN_FACT


@dataclass(frozen=True, slots=True, kw_only=True)
class Speaker:
    """The speaker of a message.

    Attributes:
        me: subject that "I" refers to: `THE_USER`, `THE_AGENT`, or the name of a third speaker.
        user_names: names of the user, preferred one first.
    """

    me: str
    user_names: tuple[str, ...] = ()

    def subject_named(self, name: str) -> str:
        """Return the subject that a name refers to; the user's own names refer to `THE_USER`."""
        key = name_key(name)
        return THE_USER if any(key == name_key(own) for own in self.user_names) else name.strip()

    def label(self, subject: str, unknown_user: str) -> str:
        """Return the label of a subject in statements; `unknown_user` for a user without a name but such an id.

        A user's name begins with a capital letter wherever a statement has it.
        """
        if subject == THE_USER:
            name = next((name for name in self.user_names if not _ID.fullmatch(name)), "")
            is_lower = name.islower() and _PLAIN_NAME.fullmatch(name)
            return (name[:1].upper() + name[1:] if is_lower else name) or unknown_user
        return "assistant" if subject == THE_AGENT else subject
