"""Output schemas for language models; lenient, so that one invalid item does not invalidate the others."""

from collections.abc import Callable
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, Field, ValidationError, model_validator
from pydantic.json_schema import SkipJsonSchema

from schema.entity import entity_type_choice
from schema.importance import importance_of

# Bounds memory; above every limit for stored texts, so that too long ones are refused later.
_TEXT_CHARS_MAX = 8_000


def _as_text(value: object) -> object:
    """Coerce a value to text and drop characters that the database refuses."""
    if isinstance(value, bool | int | float):
        value = str(value)
    if not isinstance(value, str):
        return value
    plain = value[:_TEXT_CHARS_MAX].encode("utf-8", "ignore").decode("utf-8")
    return "".join(char for char in plain if char >= " " or char in "\n\t").strip()


def _as_texts(value: object) -> object:
    """Coerce a value to a list of texts; drop items that are not texts."""
    items = value if isinstance(value, list) else [] if value is None else [value]
    return [_as_text(item) for item in items if isinstance(item, str | int)]


def _as_share(value: object) -> float:
    """Coerce a fraction, a number up to 10 or a word to a value from 0 to 1; 0.5 for anything else."""
    if isinstance(value, float) and 0 <= value <= 1:
        return value
    named = importance_of(str(value))
    return 0.5 if named is None else named / 10


def _readable(shape: type[BaseModel]) -> Callable[[object], list[object]]:
    """Return a function that keeps the valid items of a list."""

    def keep(value: object) -> list[object]:
        return [item for item in value if _is_valid(shape, item)] if isinstance(value, list) else []

    return keep


def _is_valid(shape: type[BaseModel], item: object) -> bool:
    try:
        shape.model_validate(item)
    except ValidationError:
        return False
    return True


Text = Annotated[str, BeforeValidator(_as_text)]
Share = Annotated[float, BeforeValidator(_as_share)]
Texts = Annotated[list[str], BeforeValidator(_as_texts)]
_MESSAGES = "ids of the messages that prove it: m1, m2, …"
_QUOTE = "the very words that prove it, copied from a message"
_IMPORTANCE = "low, medium, high or critical: how much it will matter later"


class FactReading(BaseModel):
    """One fact stated in the scene: subject, predicate, object."""

    subject: Text = Field(description="'user', 'assistant', or a name as written")
    subject_type: Text | None = Field(default=None, description=f"{entity_type_choice()}.")
    predicate: Text = Field(description="one of the allowed predicates")
    relation: Text | None = Field(default=None, description="free words that say how, e.g. 'works at', '姐姐'")
    object: Text = Field(description="'user', 'assistant', or a short name of a thing, person, place or idea")
    object_type: Text | None = None
    statement: Text = Field(description="the fact as one full sentence in the language of the conversation")
    messages: Texts = Field(default_factory=list, description=_MESSAGES)
    quote: Text | None = Field(default=None, description=_QUOTE)
    importance: Text = Field(default="medium", description=_IMPORTANCE)
    confidence: Share = Field(default=0.8, description="0 to 1")
    since: Text | None = Field(default=None, description="ISO date when it began to hold, only if the text says so")
    until: Text | None = Field(default=None, description="ISO date when it ceased to hold, only if the text says so")
    time_start: Text | None = Field(default=None, description="ISO date of the time it talks about, if it names one")
    time_end: Text | None = Field(default=None, description="ISO date at which that time ends")
    ended: bool = Field(default=False, description="true when the text says this no longer holds")
    trigger_emotion: Text | None = Field(default=None, description="a lasting feeling this triggers; never a mood")


class DecisionReading(BaseModel):
    """One decision taken in the scene, and its reason."""

    subject: Text = Field(default="user", description="who decided: 'user', 'assistant', or a name as written")
    about: Text = Field(description="a short name of what was chosen")
    statement: Text = Field(description="the decision as one full sentence")
    rationale: Text | None = Field(default=None, description="why, in the words of who decided; null if nobody said")
    messages: Texts = Field(default_factory=list, description=_MESSAGES)
    quote: Text | None = Field(default=None, description=_QUOTE)
    importance: Text = Field(default="high", description=_IMPORTANCE)
    confidence: Share = Field(default=0.8, description="0 to 1")


class StepReading(BaseModel):
    """One step of a procedure."""

    action: Text
    result: Text | None = None


class ProcedureReading(BaseModel):
    """A procedure in steps."""

    doer: Text = Field(default="assistant", description="'user', 'assistant', or a name as written")
    goal: Text = Field(description="a short name of what the steps are for")
    steps: Annotated[list[StepReading], BeforeValidator(_readable(StepReading))] = Field(default_factory=list)
    outcome: Text | None = Field(default=None, description="what came of it, as one full sentence")
    messages: Texts = Field(default_factory=list, description=_MESSAGES)
    importance: Text = Field(default="medium", description=_IMPORTANCE)
    confidence: Share = Field(default=0.8, description="0 to 1")


class AttributeReading(BaseModel):
    """One attribute of an entity."""

    name: Text
    value: Text


class EntityReading(BaseModel):
    """An entity mentioned in the scene."""

    name: Text
    type: Text | None = None
    attributes: Annotated[list[AttributeReading], BeforeValidator(_readable(AttributeReading))] = Field(
        default_factory=list, description="what is told of it that is no fact above: age, colour, size, price"
    )
    messages: Texts = Field(default_factory=list)


_LISTS: dict[str, type[BaseModel]] = {
    "facts": FactReading,
    "decisions": DecisionReading,
    "entities": EntityReading,
    "procedures": ProcedureReading,
}


class SceneReading(BaseModel):
    """Everything to store from one scene."""

    title: Text = Field(description="at most eight words")
    summary: Text = Field(description="one or two sentences, in the language of the conversation")
    facts: list[FactReading] = Field(default_factory=list)
    decisions: list[DecisionReading] = Field(default_factory=list)
    entities: list[EntityReading] = Field(default_factory=list)
    procedures: list[ProcedureReading] = Field(default_factory=list)
    unreadable: SkipJsonSchema[int] = Field(default=0, description="items left out because they fill no shape")

    @model_validator(mode="before")
    @classmethod
    def _keep_readable(cls, raw: Any) -> Any:
        """Drop invalid items and count them."""
        if not isinstance(raw, dict):
            return raw
        kept = {name: _readable(shape)(raw.get(name)) for name, shape in _LISTS.items()}
        given = sum(len(raw[name]) for name in _LISTS if isinstance(raw.get(name), list))
        before = raw.get("unreadable")
        before = before if type(before) is int and before >= 0 else 0
        return {**raw, **kept, "unreadable": before + given - sum(map(len, kept.values()))}


class SummaryReading(BaseModel):
    """Title, abstract and overview of one scene."""

    title: Text = Field(description="at most eight words")
    abstract: Text = Field(description="about 100 tokens, in the language of the conversation")
    overview: Text = Field(description="markdown with sections, in the language of the conversation")


class VerdictReading(BaseModel):
    """The verdict on one new fact."""

    fact: Text = Field(description="id of the new fact: n1, n2, …")
    verdict: Text = Field(description="same, completes, replaces or beside")
    known: Text | None = Field(default=None, description="id of the known fact: k1, k2, …; null with beside")
    statement: Text | None = Field(default=None, description="with completes: one sentence that says what both say")


class VerdictsReading(BaseModel):
    """One verdict for each new fact."""

    verdicts: Annotated[list[VerdictReading], BeforeValidator(_readable(VerdictReading))] = Field(default_factory=list)
