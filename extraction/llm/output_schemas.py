"""Output schemas for language models; lenient, so that one invalid item does not invalidate the others."""

import re
from collections.abc import Callable, Collection
from typing import Annotated, Any, Final

from pydantic import BaseModel, BeforeValidator, Field, ValidationError, WithJsonSchema, model_validator
from pydantic.json_schema import SkipJsonSchema

from schema.entity import EntityType
from schema.importance import importance_of
from schema.labels import Label
from schema.predicates import whitelist

# Bounds memory; above every limit for stored texts, so that too long ones are refused later.
_TEXT_CHARS_MAX = 8_000
# The predicate of facts that name none, or none of the allowed ones.
RELATES_TO: Final = "RELATES_TO"


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
    """Return a function that reads the items of a list for what they hold, and leaves out those that hold nothing."""

    def keep(value: object) -> list[object]:
        return [read for item in _items(value, shape) if (read := _read_item(shape, item)) is not None]

    return keep


def _items(value: object, shape: type[BaseModel]) -> list[Any]:
    """Return the items of a list, also of a single item in its place, or of an object of items by id or name."""
    if isinstance(value, dict):
        named = {str(key).casefold(): one for key, one in value.items()}
        if named.keys() & shape.model_fields.keys():
            value = [value]
        elif shape is AttributeReading:
            return [{"name": key, "value": one} for key, one in value.items()]
        else:
            value = list(value.values())
    if not isinstance(value, list):
        return [value] if isinstance(value, str) and shape is StepReading else []
    items: list[Any] = []
    for item in value:
        objects = item.get("object") if isinstance(item, dict) else None
        items += [{**item, "object": one} for one in objects] if isinstance(objects, list) else [item]
    return items


def _read_item(shape: type[BaseModel], item: object) -> BaseModel | None:
    """Return an item without the optional fields that are invalid; None if a required one is."""
    if isinstance(item, shape):
        return item
    if isinstance(item, str) and shape is StepReading:
        item = {"action": item}
    if not isinstance(item, dict):
        return None
    known = shape.model_fields.keys()
    fields = {_field_name(key, known): _plain_value(one) for key, one in item.items() if one is not None}
    for _ in shape.model_fields:
        try:
            return shape.model_validate(fields)
        except ValidationError as error:
            wrong = {str(part["loc"][0]) for part in error.errors(include_url=False) if part["loc"]} & fields.keys()
            if not wrong:
                return None
            fields = {name: one for name, one in fields.items() if name not in wrong}
    return None


def _field_name(key: object, known: Collection[str]) -> str:
    name = re.sub(r"[\s-]+", "_", str(key).strip()).casefold()
    return name if name in known else _OTHER_NAMES.get(name, name)


def _plain_value(value: object) -> object:
    """Return the name of an object such as `{"name": "Rex", "type": "animal"}`."""
    return value.get("name", value) if isinstance(value, dict) else value


# Names that models use for fields.
_OTHER_NAMES: Final = {
    **dict.fromkeys(("message", "message_id", "message_ids", "evidence", "source", "sources"), "messages"),
    **dict.fromkeys(("description", "sentence", "fact"), "statement"),
    "subject_name": "subject",
    "object_name": "object",
}


def _words(*words: str) -> WithJsonSchema:
    """Return the schema of a text that is one of some words; others are still read."""
    return WithJsonSchema({"type": "string", "enum": list(words)})


Text = Annotated[str, BeforeValidator(_as_text)]
Share = Annotated[float, BeforeValidator(_as_share)]
Texts = Annotated[list[str], BeforeValidator(_as_texts)]
_MESSAGES = "ids of the messages that prove it: m1, m2, …"
_QUOTE = "the very words that prove it, copied from a message"
_BEINGS = frozenset({Label.USER, Label.AGENT, Label.ENTITY})
# The predicates that a model may use, in the order of the vocabulary.
PREDICATES: Final = tuple(one.name for one in whitelist().values() if one.subjects & _BEINGS)
Predicate = Annotated[Text, _words(*PREDICATES)]
Kind = Annotated[Text | None, WithJsonSchema({"anyOf": [{"type": "string", "enum": [*EntityType]}, {"type": "null"}]})]
# Without "low": what matters little is left out.
Importance = Annotated[Text, _words("medium", "high", "critical")]


class FactReading(BaseModel):
    """One fact stated in the scene: subject, predicate, object."""

    subject: Text = Field(default="user", description="'user', 'assistant', or a name as written")
    subject_type: Kind = None
    predicate: Predicate = RELATES_TO
    relation: Text | None = Field(default=None, description="free words that say how, e.g. 'works at', '姐姐'")
    object: Text = Field(description="'user', 'assistant', or a short name of a thing, person, place or idea")
    object_type: Kind = None
    statement: Text = Field(default="", description="the fact as one full sentence in the language of the conversation")
    messages: Texts = Field(default_factory=list, description=_MESSAGES)
    quote: Text | None = Field(default=None, description=_QUOTE)
    importance: Importance = "medium"
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
    statement: Text = Field(default="", description="the decision as one full sentence")
    rationale: Text | None = Field(default=None, description="why, in the words of who decided; null if nobody said")
    messages: Texts = Field(default_factory=list, description=_MESSAGES)
    quote: Text | None = Field(default=None, description=_QUOTE)
    importance: Importance = "high"
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
    importance: Importance = "medium"
    confidence: Share = Field(default=0.8, description="0 to 1")


class AttributeReading(BaseModel):
    """One attribute of an entity."""

    name: Text
    value: Text


class EntityReading(BaseModel):
    """An entity mentioned in the scene."""

    name: Text
    type: Kind = None
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

    title: Text = Field(default="", description="at most eight words")
    summary: Text = Field(default="", description="one or two sentences, in the language of the conversation")
    facts: list[FactReading] = Field(default_factory=list)
    decisions: list[DecisionReading] = Field(default_factory=list)
    entities: list[EntityReading] = Field(default_factory=list)
    procedures: list[ProcedureReading] = Field(default_factory=list)
    unreadable: SkipJsonSchema[int] = Field(default=0, description="items left out because they fill no shape")

    @model_validator(mode="before")
    @classmethod
    def _keep_readable(cls, raw: Any) -> Any:
        """Drop invalid items and count them; accept a list of facts, one fact, or an object around the reading."""
        raw = _unwrapped(raw)
        given = {name: _items(raw.get(name), shape) for name, shape in _LISTS.items()}
        kept = {name: _readable(shape)(given[name]) for name, shape in _LISTS.items()}
        before = raw.get("unreadable")
        before = before if type(before) is int and before >= 0 else 0
        texts = {name: raw[name] for name in ("title", "summary") if isinstance(raw.get(name), str | int | float)}
        return {**texts, **kept, "unreadable": before + sum(map(len, given.values())) - sum(map(len, kept.values()))}


def _unwrapped(raw: Any) -> dict[str, Any]:
    """Return the object with the fields of a reading.

    Raises:
        ValueError: there is none.
    """
    if isinstance(raw, list):
        return {"facts": raw}
    if not isinstance(raw, dict):
        raise ValueError("the answer is not an object")
    known = {*_LISTS, "title", "summary"}
    fields = {_field_name(key, known): value for key, value in raw.items()}
    if fields.keys() & known and "properties" not in fields:
        return fields
    if {"subject", "object"} <= fields.keys():
        return {"facts": [raw]}
    inner = [value for value in fields.values() if isinstance(value, dict | list)]
    if len(fields) == 1 and inner:
        return _unwrapped(inner[0])
    raise ValueError("the answer has none of the fields facts, decisions, entities and procedures")


class SummaryReading(BaseModel):
    """Title, abstract and overview of one scene."""

    title: Text = Field(description="at most eight words")
    abstract: Text = Field(description="about 100 tokens, in the language of the conversation")
    overview: Text = Field(description="markdown with sections, in the language of the conversation")


class SentenceReading(BaseModel):
    """One sentence of an answer, with the sources that prove it."""

    statement: Text = Field(description="the sentence, in the language of the question")
    messages: Texts = Field(default_factory=list, description="ids of the sources that prove it: s1, s2, …")


class AnswerReading(BaseModel):
    """The sentences of an answer; none if the sources do not answer the question."""

    sentences: Annotated[list[SentenceReading], BeforeValidator(_readable(SentenceReading))] = Field(
        default_factory=list
    )


class VerdictReading(BaseModel):
    """The verdict on one new fact."""

    fact: Text = Field(description="id of the new fact: n1, n2, …")
    verdict: Annotated[Text, _words("same", "completes", "replaces", "beside")]
    known: Text | None = Field(default=None, description="id of the known fact: k1, k2, …; null with beside")
    statement: Text | None = Field(default=None, description="with completes: one sentence that says what both say")


class VerdictsReading(BaseModel):
    """One verdict for each new fact."""

    verdicts: Annotated[list[VerdictReading], BeforeValidator(_readable(VerdictReading))] = Field(default_factory=list)
