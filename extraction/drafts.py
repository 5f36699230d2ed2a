"""What the rules of a language hand to the rule reader: facts of one message with the words that state them."""

from dataclasses import dataclass

from extraction.reading import THE_AGENT, THE_USER
from schema.entity import EntityType
from schema.ids import name_key


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
        """The subject that a name stands for: the user's own name is the user."""
        key = name_key(name)
        return THE_USER if any(key == name_key(own) for own in self.user_names) else name.strip()

    def label(self, subject: str, unknown: str) -> str:
        """How a statement calls a subject; `unknown` for a user without a name."""
        if subject == THE_USER:
            return self.user_names[0] if self.user_names else unknown
        return "assistant" if subject == THE_AGENT else subject
