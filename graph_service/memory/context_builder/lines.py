"""Core facts and hits of recall → the lines a context may hold, each safe, dated, and with what it costs. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from extraction.text.near_duplicates import plain
from graph_service.memory.context_builder.packing import Part, Piece
from graph_service.memory.context_builder.phrasing import WORDS, Language, Section, Words, day_of
from graph_service.memory.context_builder.prompt_safety import safe_text
from graph_service.memory.context_builder.token_estimate import tokens_in
from graph_service.memory.profile.core_memory import CoreFact, CoreKind
from graph_service.memory.recall.pipeline import Hit
from graph_service.memory.recall.query import HitKind

_QUOTE_CHARS_MAX: Final = 400
_ABSTRACT_CHARS_MAX: Final = 400
_STATEMENT_CHARS_MAX: Final = 300
_NAME_CHARS_MAX: Final = 60
_TITLE_CHARS_MAX: Final = 80
# A scene is called by the beginning of what was said, if by that.
_TITLED_CHARS_MAX: Final = 2_000
_MARK: Final = " [999]"
_INDENT: Final = "  - "
_SECTION: Final = {
    CoreKind.PROFILE: Section.PROFILE,
    CoreKind.PREFERENCE: Section.PREFERENCES,
    CoreKind.TRIGGER: Section.TRIGGERS,
    CoreKind.EARLIER: Section.FACTS,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextLineDraft:
    """One line that may stand in a context.

    Attributes:
        kind: profile, preference, trigger, earlier, fact, scene or message.
        text: safe, dated, without its mark.
        at: when it was said, began, or began to hold; until: when it ceased to hold.
        scene_id: the scene under which it stands when that is told too.
    """

    piece: Piece
    kind: str
    section: Section
    uri: str
    text: str
    at: datetime
    until: datetime | None = None
    scene_id: str | None = None


def lines_of_core(facts: Sequence[CoreFact], language: Language, *, with_uris: bool) -> list[ContextLineDraft]:
    """Return lines of what is always to be known; what was true before goes to the facts for the question."""
    words = WORDS[language]
    lines = []
    for fact in facts:
        text = _fact_text(words, fact.statement, fact.since, fact.until, fact.emotion)
        earlier = fact.kind is CoreKind.EARLIER
        piece = Piece(
            id=fact.id,
            part=Part.RECALL if earlier else Part.CORE,
            section=_SECTION[fact.kind].value,
            tokens=_cost(text, fact.uri, with_uris=with_uris),
            # What was true before comes after what recall found for the question itself.
            value=fact.worth / 1000 if earlier else fact.worth,
            # That it ended, and when, is news even where its words are quoted.
            text=fact.statement if fact.until is None else text,
            proofs=fact.evidence if fact.until is None else frozenset(),
        )
        section = _SECTION[fact.kind]
        lines.append(
            ContextLineDraft(
                piece=piece,
                kind=fact.kind.value,
                section=section,
                uri=fact.uri,
                text=text,
                at=fact.since,
                until=fact.until,
            )
        )
    return lines


def lines_of_hits(
    hits: Sequence[Hit],
    asked: Sequence[str],
    language: Language,
    *,
    with_uris: bool,
    closed: Sequence[CoreFact] = (),
) -> list[ContextLineDraft]:
    """Return lines of what recall found: scenes with the words said in them, and facts.

    Args:
        asked: words of the question; a long text is quoted around the first of them.
        closed: facts that ceased to hold; words that say one are marked.
    """
    words = WORDS[language]
    found = {hit.id: hit.text for hit in hits if hit.kind is HitKind.MESSAGE}
    scenes = {message.id: hit.id for hit in reversed(hits) if hit.kind is HitKind.SCENE for message in hit.evidence}
    lines = []
    for rank, hit in enumerate(hits):
        quoted = [found[message.id] for message in hit.evidence if message.id in found]
        if hit.kind is HitKind.SCENE and _titled_by(hit.title or "", quoted):
            continue
        text, told = _hit_text(hit, words, asked, quoted=bool(quoted))
        ended = next((fact for fact in closed if hit.id in fact.evidence), None)
        if ended is not None and ended.until is not None:
            statement = safe_text(ended.statement, chars_max=_STATEMENT_CHARS_MAX)
            text = words.outdated.format(text=text, statement=statement, until=day_of(ended.until))
        tokens = _cost(text, hit.uri, with_uris=with_uris)
        section = Section.FACTS if hit.kind is HitKind.FACT else Section.SCENES
        piece = Piece(
            id=hit.id,
            part=Part.RECALL,
            section=section.value,
            tokens=tokens,
            # Recall's own order: dividing by length lost a third of the proof at 500 tokens (LoCoMo, 0.77 to 0.57).
            value=1.0 / (1 + rank),
            text=told,
            proofs=frozenset(message.id for message in hit.evidence) if hit.kind is HitKind.FACT else frozenset(),
            says=hit.kind is HitKind.MESSAGE,
        )
        lines.append(
            ContextLineDraft(
                piece=piece,
                kind=hit.kind.value,
                section=section,
                uri=hit.uri,
                text=text,
                at=hit.said_at,
                until=hit.invalid_at,
                scene_id=scenes.get(hit.id) if hit.kind is HitKind.MESSAGE else None,
            )
        )
    return lines


def heading_costs(language: Language) -> Mapping[str, int]:
    """Return what the heading of each section costs, its end included."""
    return {section.value: tokens_in(text) + 1 for section, text in WORDS[language].headings.items()}


def excerpt(text: str, asked: Sequence[str], *, chars_max: int = _QUOTE_CHARS_MAX) -> str:
    """Return the text, or of a long one the part around the first of the words asked for, with ellipses where it was
    cut.
    """
    flat = " ".join(text.split())
    if len(flat) <= chars_max:
        return flat
    folded = flat.casefold()
    places = [place for word in asked if (place := folded.find(word)) >= 0]
    start = max(min(min(places, default=0) - chars_max // 4, len(flat) - chars_max + 2), 0)
    cut = flat[start : start + chars_max - 2]
    return f"{'…' if start else ''}{cut}{'…' if start + len(cut) < len(flat) else ''}"


def _hit_text(hit: Hit, words: Words, asked: Sequence[str], *, quoted: bool) -> tuple[str, str]:
    """Return the line of a hit, and the words in it that could be told twice."""
    day = day_of(hit.said_at)
    match hit.kind:
        case HitKind.FACT:
            return _fact_text(words, hit.text, hit.said_at, hit.invalid_at, None), hit.text
        case HitKind.MESSAGE:
            who = safe_text(hit.speaker or "", chars_max=_NAME_CHARS_MAX)
            who = who or (words.assistant if hit.role == "assistant" else words.user)
            said = excerpt(hit.text, asked)
            return words.quote.format(day=day, who=who, text=safe_text(said)), said
        case HitKind.SCENE:
            title = safe_text(hit.title or "", chars_max=_TITLE_CHARS_MAX)
            # A scene whose words are quoted below it needs its title only.
            if quoted or not hit.text or hit.text == hit.title:
                return words.scene.format(day=day, title=title), title
            abstract = safe_text(hit.text, chars_max=_ABSTRACT_CHARS_MAX)
            # Only what is shown can be told twice.
            return words.scene_told.format(day=day, title=title, text=abstract), hit.text[:_ABSTRACT_CHARS_MAX]


def _titled_by(title: str, quoted: Sequence[str]) -> bool:
    """Return whether a scene is called by words that are quoted anyway: its line would tell nothing."""
    bare = plain(title)
    return any(bare in plain(text[:_TITLED_CHARS_MAX]) for text in quoted)


def _fact_text(words: Words, statement: str, since: datetime, until: datetime | None, emotion: str | None) -> str:
    text = safe_text(statement, chars_max=_STATEMENT_CHARS_MAX)
    if emotion:
        text = words.emotion.format(text=text, emotion=safe_text(emotion, chars_max=_NAME_CHARS_MAX))
    if until is None:
        return words.since.format(text=text, since=day_of(since))
    return words.span.format(text=text, since=day_of(since), until=day_of(until))


def _cost(text: str, uri: str, *, with_uris: bool) -> int:
    """Return what a line costs at most: deepest indent, longest mark, and its end."""
    return tokens_in(f"{_INDENT}{text}{_MARK}") + (tokens_in(f" {uri}") if with_uris else 0) + 1
