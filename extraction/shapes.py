"""What a language model must fill in; loose on purpose: the check decides, one bad item never sinks the others."""

from pydantic import BaseModel, Field


class FactReading(BaseModel):
    """One fact stated in the scene: who, predicate, what."""

    subject: str = Field(description="'user', 'assistant', or a name as written")
    subject_type: str | None = Field(default=None, description="person, place, organization, work, animal, food, …")
    predicate: str = Field(description="one of the allowed predicates")
    relation: str | None = Field(default=None, description="free words that say how, e.g. 'works at', '姐姐'")
    object: str = Field(description="'user', 'assistant', or a short name of a thing, person, place or idea")
    object_type: str | None = None
    statement: str = Field(description="the fact as one full sentence in the language of the conversation")
    messages: list[str] = Field(default_factory=list, description="ids of the messages that prove it: m1, m2, …")
    quote: str | None = Field(default=None, description="the very words that prove it, copied from a message")
    importance: float = Field(default=0.6, description="0 to 1: how much it will matter later")
    confidence: float = Field(default=0.8, description="0 to 1")
    since: str | None = Field(default=None, description="ISO date when it began to hold, only if the text says so")
    until: str | None = Field(default=None, description="ISO date when it ceased to hold, only if the text says so")
    ended: bool = Field(default=False, description="true when the text says this no longer holds")
    trigger_emotion: str | None = Field(default=None, description="a lasting feeling this triggers; never a mood")


class EntityReading(BaseModel):
    """Someone or something named in the scene."""

    name: str
    type: str | None = None
    messages: list[str] = Field(default_factory=list)


class SceneReading(BaseModel):
    """Everything worth keeping from one scene."""

    title: str = Field(description="at most eight words")
    summary: str = Field(description="one or two sentences, in the language of the conversation")
    facts: list[FactReading] = Field(default_factory=list)
    entities: list[EntityReading] = Field(default_factory=list)
