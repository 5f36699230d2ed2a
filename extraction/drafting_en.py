"""Makes the drafts of English facts: who they are about, and the statement in words."""

from extraction.clauses_en import Clause, Thread
from extraction.drafts import Draft
from extraction.words_en import SOLE_KIN
from schema.entity import EntityType

UNKNOWN_USER = "User"


def with_article(name: str) -> str:
    """The place of an object in a statement, with "a" or "an" unless the object is a plural."""
    if name.endswith("s") and not name.endswith("ss"):
        return "{o}"
    return "an {o}" if name[0].lower() in "aeiou" else "a {o}"


def draft(
    clause: Clause,
    thread: Thread,
    subject: str,
    predicate: str,
    obj: str,
    says: str,
    *,
    relation: str | None = None,
    kind: EntityType | None = None,
    strength: float = 0.7,
    closes: bool = False,
    emotion: str | None = None,
) -> Draft:
    label = thread.voice.label(subject, UNKNOWN_USER)
    if subject.split()[-1] in SOLE_KIN:
        label = f"{thread.voice.label(thread.voice.me, UNKNOWN_USER)}'s {label}"
    if label == obj:
        label = UNKNOWN_USER
    return Draft(
        subject=subject,
        predicate=predicate,
        object=obj,
        statement=says.format(s=label[:1].upper() + label[1:], o=obj),
        start=clause.start,
        end=clause.end,
        relation=relation,
        subject_type=None if subject.startswith("@") else EntityType.PERSON,
        object_type=kind,
        strength=strength,
        confidence=0.75 if subject == thread.voice.me else 0.65,
        closes=closes,
        trigger_emotion=emotion,
    )


def owner(possessive: str, clause: Clause, thread: Thread) -> str | None:
    """Whose "my", "his" or "her" thing it is."""
    return thread.voice.me if possessive.lower() in ("my", "our") else clause.third
