"""The tags that the local model puts on the spans of a message."""

from dataclasses import dataclass
from typing import Final

# Kinds of facts, in the order of the model's outputs.
_KINDS: Final = """
lives_in works_at works_as studies_at from born_on age named has pet
partner spouse engaged_to ex child parent sibling relative friend colleague boss helper
allergic_to illness takes diet likes dislikes plans promised decided because
phone email code address size price language hobby attribute
"""
KINDS: Final = tuple(_KINDS.split())
# What somebody intends, which is not so yet.
INTENTIONS: Final = frozenset({"plans", "promised", "decided"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Tag:
    """One fact that the model sees in a message.

    Attributes:
        kind: one of `KINDS`.
        subject: character span of the person or thing it is about; None for the speaker.
        obj: character span of the object.
        ended: the message says that it is no longer so.
        word: character span of the word for the relation, such as "daughter"; None if there is none, or if the model
            does not look for it.
        brief: the message says that it is so for a while only; never by a model of one language.
        odds: log odds that the object is of this kind, less what speaks against its subject and state.
    """

    kind: str
    subject: tuple[int, int] | None
    obj: tuple[int, int]
    ended: bool
    odds: float
    word: tuple[int, int] | None = None
    brief: bool = False
