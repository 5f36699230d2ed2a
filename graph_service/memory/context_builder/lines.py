"""Convert Core Memory and recalled candidates to context lines: safe, dated, with their cost in tokens. Pure."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from extraction.text.near_duplicates import plain
from extraction.text.passages import passage
from extraction.text.search_terms import Terms
from extraction.text.token_estimate import tokens_in
from graph_service.memory.context_builder.packing import ContextLine, Part
from graph_service.memory.context_builder.phrasing import WORDS, Language, Section
from graph_service.memory.context_builder.prompt_safety import safe_name, safe_text
from graph_service.memory.profile.reader import CoreFact, CoreKind
from graph_service.memory.recall.candidates import Candidate
from graph_service.memory.recall.query import HitKind
from schema.assertion import StatementKind, words_of
from schema.ids import correction_kind, is_of_correction
from schema.labels import Role
from schema.zones import day_in

# Quotes of a message grow with the budget: a short context has more sources, a long one longer quotes. Half as much is
# quoted of the long answers of an assistant, in which the proof seldom stands.
_QUOTE_CHARS_MIN, _QUOTE_CHARS_MAX = 320, 2_000
_TOKENS_A_QUOTE_CHAR: Final = 5
_LONG_ANSWER_CHARS: Final = 800
_ABSTRACT_CHARS_MAX: Final = 400
_STATEMENT_CHARS_MAX: Final = 300
_NAME_CHARS_MAX: Final = 60
_TITLE_CHARS_MAX: Final = 80
# Only this beginning of a message is compared with a title, because titles are taken from the beginning.
_TITLED_CHARS_MAX: Final = 2_000
_LONGEST_NUMBER: Final = " [999]"
_INDENT: Final = "  - "
_SECTION: Final = {
    CoreKind.PROFILE: Section.PROFILE,
    CoreKind.PREFERENCE: Section.PREFERENCES,
    CoreKind.TRIGGER: Section.TRIGGERS,
    CoreKind.EARLIER: Section.FACTS,
}
# Statements that tell that they are of the past, after a name of up to three words.
_TOLD_AS_PAST: Final = re.compile(
    r"(?:[\w'’.-]+ ){1,3}?(?:lived|worked|stayed|studied|used to|was|were|had|no longer|formerly|previously)\b"
    r"|\S{1,12}?(?:以前|曾经?|从前|过去|不再)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LineWriter:
    """Makes the lines of one context.

    Attributes:
        zone: time zone of what has none of its own.
        with_uris: the URI of each line is written after its number.
        now: valid time; an end after it is still to come.
    """

    language: Language
    zone: str | None
    with_uris: bool
    now: datetime

    def of_core(self, facts: Sequence[CoreFact]) -> list[ContextLine]:
        """Return the lines of Core Memory without rejected facts; ended ones are in the section of relevant facts."""
        lines = []
        for fact in (fact for fact in facts if not fact.rejected):
            until = None if fact.told_as_ended else fact.until
            text = self._fact_text(fact.statement, fact.since, until, fact.emotion, zone=fact.zone)
            earlier = fact.kind is CoreKind.EARLIER
            lines.append(
                ContextLine(
                    id=fact.id,
                    part=Part.RECALL if earlier else Part.CORE,
                    section=_SECTION[fact.kind],
                    tokens=self._cost(text, fact.uri),
                    # Rank ended facts after everything that recall found for the question.
                    value=fact.worth / 1000 if earlier else fact.worth,
                    # The end of a fact is new information even if a message contains the statement.
                    content=fact.statement if fact.until is None else text,
                    proofs=fact.evidence if fact.until is None else frozenset(),
                    kind=fact.kind.value,
                    uri=fact.uri,
                    text=text,
                    at=fact.since,
                    until=fact.until,
                )
            )
        return lines

    def of_candidates(
        self,
        candidates: Sequence[Candidate],
        terms: Terms,
        *,
        tokens_max: int,
        asks_agent: bool = False,
        closed: Sequence[CoreFact] = (),
    ) -> list[ContextLine]:
        """Return the lines of the hits, best first: messages, scenes and facts.

        Args:
            terms: terms of the question; of a long text the passage is quoted that matches them best.
            tokens_max: budget of the context, by which the quotes are long.
            asks_agent: the question asks for what an assistant said, which is then quoted like what users said.
            closed: ended facts; messages said before the end that prove one are marked as outdated, those that prove a
                rejected one as wrong.
        """
        phrases = WORDS[self.language]
        messages = {one.id: one.text for one in candidates if one.kind is HitKind.MESSAGE}
        scenes = {
            proof.id: one.id for one in reversed(candidates) if one.kind is HitKind.SCENE for proof in one.evidence
        }
        quote_chars = min(max(tokens_max // _TOKENS_A_QUOTE_CHAR, _QUOTE_CHARS_MIN), _QUOTE_CHARS_MAX)
        lines = []
        for rank, hit in enumerate(candidates):
            quoted = [messages[message.id] for message in hit.evidence if message.id in messages]
            is_rejected = hit.kind is HitKind.FACT and hit.withdrawn
            if is_rejected or (hit.kind is HitKind.SCENE and _titled_by(hit.title or "", quoted)):
                continue
            answers = hit.role == Role.ASSISTANT and len(hit.text) > _LONG_ANSWER_CHARS and not asks_agent
            chars_max = quote_chars // 2 if answers else quote_chars
            text, content = self._text_of(hit, terms, quoted=bool(quoted), quote_chars=chars_max)
            if (ended := next((fact for fact in closed if _is_outdated(hit, fact)), None)) and ended.until:
                statement = safe_text(ended.statement, chars_max=_STATEMENT_CHARS_MAX)
                until = day_in(ended.until, ended.zone or self.zone)
                mark = phrases.rejected if ended.rejected else phrases.outdated
                text = mark.format(text=text, statement=statement, until=until)
            elif hit.kind is HitKind.MESSAGE and hit.withdrawn:
                by = safe_text(messages.get(hit.overtaken_by or "", "…"), chars_max=_STATEMENT_CHARS_MAX)
                text = phrases.corrected.format(text=text, by=by)
            is_fact = hit.kind is HitKind.FACT
            lines.append(
                ContextLine(
                    id=hit.id,
                    part=Part.RECALL,
                    section=Section.FACTS if is_fact else Section.SCENES,
                    tokens=self._cost(text, hit.uri),
                    # Not divided by length: that reduced the gold evidence at 500 tokens from 0.77 to 0.57 (LoCoMo).
                    value=1.0 / (1 + rank),
                    content=content,
                    proofs=frozenset(message.id for message in hit.evidence) if is_fact else frozenset(),
                    is_quote=hit.kind is HitKind.MESSAGE,
                    kind=hit.kind.value,
                    uri=hit.uri,
                    text=text,
                    at=hit.said_at,
                    until=hit.invalid_at,
                    scene_id=scenes.get(hit.id) if hit.kind is HitKind.MESSAGE else None,
                )
            )
        return lines

    def _text_of(self, hit: Candidate, terms: Terms, *, quoted: bool, quote_chars: int) -> tuple[str, str]:
        """Return the text of a hit's line, and the content that is compared to find duplicates.

        Args:
            quoted: whether messages of the scene are quoted too.
            quote_chars: maximum length of the quote of a message.
        """
        phrases, day = WORDS[self.language], day_in(hit.said_at, hit.zone or self.zone)
        match hit.kind:
            case HitKind.FACT:
                until = None if hit.told_as_ended else hit.invalid_at
                return self._fact_text(hit.text, hit.said_at, until, None, zone=hit.zone), hit.text
            case HitKind.MESSAGE:
                names = {Role.ASSISTANT.value: phrases.assistant, Role.EVENT.value: phrases.event}
                role = names.get(hit.role or "", phrases.user)
                who = safe_name(hit.speaker or "", role, chars_max=_NAME_CHARS_MAX) or role
                form, words = phrases.quote, hit.text
                if is_of_correction(hit.uri):
                    kind = StatementKind(correction_kind(hit.uri))
                    form, words = phrases.corrections[kind], words_of(kind, words)
                said = passage(words, terms, chars_max=quote_chars)
                return form.format(day=day, who=who, text=safe_text(said)), said
            case HitKind.SCENE:
                title = safe_text(hit.title or "", chars_max=_TITLE_CHARS_MAX)
                # A scene whose messages are quoted needs only its title.
                if quoted or not hit.text or hit.text == hit.title:
                    return phrases.scene.format(day=day, title=title), title
                abstract = safe_text(hit.text, chars_max=_ABSTRACT_CHARS_MAX)
                title = safe_name(title, "", chars_max=_TITLE_CHARS_MAX + 2)
                text = phrases.scene_with_abstract.format(day=day, title=title, text=abstract)
                return text, hit.text[:_ABSTRACT_CHARS_MAX]

    def _fact_text(
        self, statement: str, since: datetime, until: datetime | None, emotion: str | None, *, zone: str | None
    ) -> str:
        phrases, zone = WORDS[self.language], zone or self.zone
        text = safe_text(statement, chars_max=_STATEMENT_CHARS_MAX)
        if emotion:
            text = phrases.emotion.format(text=text, emotion=safe_text(emotion, chars_max=_NAME_CHARS_MAX))
        if until is None:
            return phrases.since.format(text=text, since=day_in(since, zone))
        form = phrases.span if until > self.now or _TOLD_AS_PAST.match(statement) else phrases.ended
        return form.format(text=text, since=day_in(since, zone), until=day_in(until, zone))

    def _cost(self, text: str, uri: str) -> int:
        """Return the most tokens that a line may have, with the deepest indent, the longest number and the line end."""
        return tokens_in(f"{_INDENT}{text}{_LONGEST_NUMBER}") + (tokens_in(f" {uri}") if self.with_uris else 0) + 1


def heading_costs(language: Language) -> Mapping[Section, int]:
    """Return the number of tokens of each section's heading, including its line end."""
    return {section: tokens_in(text) + 1 for section, text in WORDS[language].headings.items()}


def _is_outdated(hit: Candidate, fact: CoreFact) -> bool:
    """Return whether a message says what was true then and has ended since; what states an end remains true."""
    if hit.id not in fact.evidence or fact.until is None or is_of_correction(hit.uri):
        return False
    return fact.rejected or (not fact.told_as_ended and hit.said_at < fact.until)


def _titled_by(title: str, quoted: Sequence[str]) -> bool:
    """Return whether a quoted message contains the title of its scene, so that a line with the title adds nothing."""
    bare = plain(title)
    return any(bare in plain(text[:_TITLED_CHARS_MAX]) for text in quoted)
