"""The fixed phrases of a context, in six languages. Pure."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from pydantic import TypeAdapter

from extraction.text.toml_files import toml_of
from schema.assertion import StatementKind


class Language(StrEnum):
    """Languages of a context."""

    EN = "en"
    ZH = "zh"
    DE = "de"
    ES = "es"
    FR = "fr"
    JA = "ja"


class Section(StrEnum):
    """Headings of a context, in their order."""

    PROFILE = "profile"
    PREFERENCES = "preferences"
    TRIGGERS = "triggers"
    FACTS = "facts"
    SCENES = "scenes"


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """Phrases of one language.

    Attributes:
        nothing_known: nothing is stored about the user.
        unread: format of how many of the messages found were not read for the profile yet.
        nothing: no hits; doubtful: hits that probably contain no answer.
        quote: format of a message, with day, speaker and text.
        scene: format of a scene with day and title; `scene_with_abstract` also has the abstract.
        since, span: formats of valid facts, and of those with an end that is still to come or that the statement tells.
        ended: format of other ended facts.
        corrections: formats of corrections by people, which are messages of a session of their own.
        outdated: format of a message that proves an ended fact; rejected: of one that proves a fact which a person
            rejected.
    """

    preamble: str
    nothing_known: str
    no_profile: str
    unread: str
    nothing: str
    doubtful: str
    unavailable: str
    headings: dict[Section, str]
    user: str
    assistant: str
    event: str
    quote: str
    corrections: dict[StatementKind, str]
    scene: str
    scene_with_abstract: str
    since: str
    span: str
    ended: str
    emotion: str
    outdated: str
    rejected: str
    corrected: str


WORDS: Final = TypeAdapter(dict[Language, Words]).validate_python(toml_of(__package__, "phrases.toml"))
