"""Makes the drafts of Chinese facts: who they are about, and the statement in words."""

from extraction.clauses_zh import Clause, Thread
from extraction.drafts import Draft
from extraction.words_zh import SOLE_KIN
from schema.entity import EntityType

UNKNOWN_USER = "用户"


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
    if label == obj:
        label = UNKNOWN_USER
    if subject in SOLE_KIN:
        label = f"{thread.voice.label(thread.voice.me, UNKNOWN_USER)}的{label}"
    return Draft(
        subject=subject,
        predicate=predicate,
        object=obj,
        statement=says.format(s=label, o=f"《{obj}》" if kind is EntityType.WORK else obj),
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


def owner(pronoun: str | None, clause: Clause, thread: Thread) -> str | None:
    """Whose 我的, 他的, 自己的 thing it is."""
    if pronoun and pronoun.startswith("我"):
        return thread.voice.me
    if pronoun and pronoun[0] in "他她":
        return clause.third
    if pronoun == "自己":
        return clause.subject or clause.third
    return clause.subject
