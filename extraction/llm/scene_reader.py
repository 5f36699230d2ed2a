"""Read a scene with one call to a language model; each fact must cite a line of the scene."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, tzinfo
from enum import StrEnum
from typing import Final

from extraction.llm.language_model import LanguageModel, Prompt
from extraction.llm.output_schemas import (
    PREDICATES,
    RELATES_TO,
    DecisionReading,
    EntityReading,
    FactReading,
    ProcedureReading,
    SceneReading,
)
from extraction.llm.prompts import as_data, filled_prompt
from extraction.reader import (
    THE_AGENT,
    THE_USER,
    Mention,
    ProposedFact,
    Quote,
    Reading,
    SceneContext,
    SceneLine,
    SceneText,
)
from extraction.text.search_terms import terms_found_in, terms_of
from schema.entity import EntityType, entity_type_choice
from schema.fact import FactDetail, FactKind
from schema.importance import IMPORTANCE_DEFAULT, importance_of
from schema.labels import Role
from schema.limits import LIMITS
from schema.predicates import whitelist
from schema.relations import labels_of, predicate_and_relation

# Validation of the model's answer

DECISION_RELATION: Final = "decision"
PROCEDURE_RELATION: Final = "procedure"
# Maximum number of items used of each kind in one answer.
ITEMS_MAX: Final = 200
_OLDEST_YEAR, _FAR_YEAR = 1900, 9000
_ARROW: Final = " → "
# In English whatever the language of the conversation, like the other keys and values of the data.
_DAYS: Final = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
# Longer ids are none of the temporary ones.
_ID_CHARS_MAX: Final = 40
_Item = FactReading | DecisionReading | ProcedureReading


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposals:
    """Accepted proposals, and the reasons why others were dropped."""

    facts: tuple[ProposedFact, ...]
    mentions: tuple[Mention, ...]
    dropped: tuple[str, ...]


def proposals_of(reading: SceneReading, scene: SceneText) -> Proposals:
    """Return the proposals in an answer; facts without evidence in a fresh line are dropped, with the reason."""
    facts: list[ProposedFact] = []
    dropped = ["an item does not match its schema"] * reading.unreadable
    items: list[_Item] = [
        *reading.facts,
        *reading.decisions,
        *reading.procedures,
    ]
    for item in items[:ITEMS_MAX]:
        fact = _proposal(item, scene)
        if isinstance(fact, ProposedFact):
            facts.append(fact)
        else:
            dropped.append(fact)
    dropped += ["too many items in one scene"] * (len(items) - ITEMS_MAX)
    mentions = [mention for read in reading.entities[:ITEMS_MAX] for mention in _mentions(read, scene)]
    return Proposals(facts=tuple(facts), mentions=tuple(mentions), dropped=tuple(dropped))


def _proposal(item: _Item, scene: SceneText) -> ProposedFact | str:
    """Return the proposal, or the reason for dropping it."""
    read = item if isinstance(item, FactReading) else _as_fact(item)
    subject, obj = _resolved_name(read.subject, scene), _resolved_name(read.object, scene)
    if not (subject and obj):
        return f"{read.predicate[:40]}: subject or object is empty"
    if isinstance(item, ProcedureReading) and not item.steps:
        return "a procedure has no steps"
    known = predicate_and_relation(read.predicate, read.relation or None)
    # The word for an unknown predicate becomes the relation.
    words = re.sub(r"[\W_]+", " ", read.predicate).strip().casefold()
    predicate, relation = known or (RELATES_TO, read.relation or words or None)
    if any(len(text or "") > LIMITS.name_chars for text in (subject, obj, relation, read.trigger_emotion)):
        return f"{read.predicate[:40]}: a name or relation is longer than {LIMITS.name_chars} characters"
    quotes = _quotes(read.messages, read.quote, [obj, subject], scene)
    if not quotes:
        named = ", ".join(read.messages)[:100] or "none"
        return f"{read.predicate[:40]}: no fresh message of the scene proves it (named: {named})"
    proof = scene.lines[quotes[0].line]
    zone = proof.said_at.tzinfo
    since, until, ended = _moment(read.since, zone), _moment(read.until, zone), read.ended
    if ended and since is None and until is not None and until <= proof.said_at:
        since, until = until, None
    elif ended and (since or until):
        # A period that is over, or an end to come: not an end without a begin.
        until, ended = until or proof.said_at, False
    detail = FactDetail(mentioned_start=_moment(read.time_start, zone), mentioned_end=_moment(read.time_end, zone))
    if not isinstance(item, FactReading):
        detail = _detail(item)
    importance = importance_of(read.importance) or IMPORTANCE_DEFAULT
    return ProposedFact(
        subject=subject,
        predicate=predicate,
        object=obj,
        statement=read.statement or (read.quote or proof.text)[: LIMITS.statement_chars],
        quotes=quotes,
        relation=relation,
        subject_type=_entity_type(read.subject_type),
        object_type=_entity_type(read.object_type),
        strength=importance / 10,
        confidence=min(1.0, max(0.0, read.confidence)),
        valid_at=since,
        invalid_at=until,
        trigger_emotion=read.trigger_emotion or None,
        closes=ended,
        importance=importance,
        detail=detail,
    )


def _as_fact(item: DecisionReading | ProcedureReading) -> FactReading:
    """Convert a decision or a procedure to a fact about its subject."""
    if isinstance(item, DecisionReading):
        return FactReading(
            subject=item.subject,
            predicate="CARES_ABOUT",
            relation=DECISION_RELATION,
            object=item.about,
            statement=item.statement,
            messages=item.messages,
            quote=item.quote,
            importance=item.importance,
            confidence=item.confidence,
        )
    steps = "; ".join(f"{number}. {step}" for number, step in enumerate(_steps(item), start=1))
    procedure = f"{item.goal}: {steps}" if steps else ""
    return FactReading(
        subject=item.doer,
        predicate="RELATES_TO",
        relation=PROCEDURE_RELATION,
        object=item.goal,
        object_type=EntityType.ACTIVITY.value,
        statement=(item.outcome or procedure)[: LIMITS.statement_chars] if procedure else "",
        messages=item.messages,
        importance=item.importance,
        confidence=item.confidence,
    )


def _detail(item: DecisionReading | ProcedureReading) -> FactDetail:
    if isinstance(item, DecisionReading):
        rationale = (item.rationale or "")[: LIMITS.statement_chars]
        return FactDetail(kind=FactKind.DECISION, rationale=rationale or None)
    return FactDetail(kind=FactKind.PROCEDURE, steps=tuple(_steps(item)))


def _steps(item: ProcedureReading) -> list[str]:
    steps = (_ARROW.join(filter(None, (step.action, step.result))) for step in item.steps[: LIMITS.steps])
    return [step[: LIMITS.statement_chars] for step in steps if step]


def _resolved_name(name: str, scene: SceneText) -> str:
    key = name.strip().casefold()
    if key in {"user", "the user", "用户", *(known.casefold() for known in scene.user_names)}:
        return THE_USER
    if key in {"assistant", "the assistant", "助手", *(known.casefold() for known in scene.agent_names)}:
        return THE_AGENT
    # These names are reserved: ignore them if a model or a message contains them.
    return "" if key in (THE_USER, THE_AGENT) else name.strip()


def _quotes(messages: list[str], quote: str | None, names: Sequence[str], scene: SceneText) -> tuple[Quote, ...]:
    """Return the evidence of a fact: the fresh lines cited, else the one that contains the quote or names the object.

    Args:
        names: object and subject.
    """
    words = (quote or "").strip()
    lines = _fresh(messages, scene)
    fresh = [index for index, line in enumerate(scene.lines) if line.fresh]
    if not lines and not _cited(messages, scene):
        named = [name for name in names if name not in (THE_USER, THE_AGENT)][:1]
        for text in filter(None, [words, *named]):
            lines = lines or [i for i in fresh if text.casefold() in scene.lines[i].text.casefold()][:1]
        if not lines and not messages and len(fresh) == 1:
            lines = fresh
    quotes: list[Quote] = []
    for index in lines:
        start = scene.lines[index].text.find(words) if words else -1
        quotes.append(Quote(line=index) if start < 0 else Quote(line=index, start=start, end=start + len(words)))
    return tuple(quotes)


def _mentions(read: EntityReading, scene: SceneText) -> Iterator[Mention]:
    name = _resolved_name(read.name, scene)
    if name in ("", THE_USER, THE_AGENT):
        return
    attributes = tuple((attribute.name, attribute.value) for attribute in read.attributes[: LIMITS.steps])
    for index in _fresh(read.messages, scene):
        yield Mention(name=name, line=index, entity_type=_entity_type(read.type), attributes=attributes)


def _fresh(ids: list[str], scene: SceneText) -> list[int]:
    """Return the distinct indexes of fresh lines with these temporary ids, in order; ignore unknown ids."""
    return [index for index in _cited(ids, scene) if scene.lines[index].fresh]


def _cited(ids: list[str], scene: SceneText) -> list[int]:
    """Return the indexes of lines with these temporary ids, in any form that has their numbers: `[m1]`, `1`, `M01`."""
    numbers = (int(number) for id_ in ids if len(id_) <= _ID_CHARS_MAX for number in re.findall(r"[0-9]{1,6}", id_))
    return sorted({number - 1 for number in numbers if 0 < number <= len(scene.lines)})


def _entity_type(word: str | None) -> EntityType | None:
    try:
        return EntityType((word or "").strip().lower())
    except ValueError:
        return None


def _moment(text: str | None, zone: tzinfo | None) -> datetime | None:
    """Parse an ISO time; a day, month or year gives its first moment. Without a zone, in `zone`; None if invalid."""
    written = (text or "").strip()
    if re.fullmatch(r"\d{4}(-\d{2})?", written):
        written += "-01" if "-" in written else "-01-01"
    try:
        moment = datetime.fromisoformat(written)
        moment = (moment if moment.tzinfo else moment.replace(tzinfo=zone or UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return moment if _OLDEST_YEAR <= moment.year < _FAR_YEAR else None


# Reading strategies


class Strategy(StrEnum):
    """Reading strategy, chosen by the roles in a scene."""

    DUAL = "dual"
    USER_ONLY = "user_only"
    ASSISTANT_ONLY = "assistant_only"
    PROCEDURAL = "procedural"


def strategy_of(scene: SceneText) -> Strategy | None:
    """Return the strategy for the fresh lines of a scene; None if there is nothing to read.

    A scene with a tool's answer is procedural; system messages are never read.
    """
    speak = {line.role for line in scene.lines if line.fresh}
    if Role.TOOL in speak:
        return Strategy.PROCEDURAL
    if {Role.USER, Role.ASSISTANT} <= speak:
        return Strategy.DUAL
    if Role.USER in speak:
        return Strategy.USER_ONLY
    return Strategy.ASSISTANT_ONLY if Role.ASSISTANT in speak else None


_TITLE_CHARS_MAX: Final = 80


async def read_scene_with_model(scene: SceneText, model: LanguageModel, strategy: Strategy) -> Reading:
    """Return the model's proposals; facts without evidence in a fresh line are listed in `dropped`.

    Raises:
        UnavailableError, MisreadError, InstallError: see `LanguageModel.answer`.
    """
    seen = restricted_to(strategy, scene)
    answer = await model.answer(scene_prompt(seen, strategy), SceneReading)
    proposals = proposals_of(answer.value, seen)
    grounded = [fact for fact in proposals.facts if _is_grounded(fact, seen)]
    is_good = 0 < len(grounded) >= (len(proposals.facts) + len(proposals.dropped)) / 2
    # Of an answer that mostly invents, or repeats the prompt's examples, only what the messages contain counts.
    # Decisions and procedures are worded freely, and end no other fact.
    facts = [fact for fact in proposals.facts if is_good or fact in grounded or fact.detail.kind is not FactKind.FACT]
    ungrounded = ["no message contains it"] * (len(proposals.facts) - len(facts))
    return Reading(
        reader=answer.model or model.name,
        facts=tuple(facts),
        mentions=proposals.mentions,
        title=answer.value.title[:_TITLE_CHARS_MAX] or None,
        summary=answer.value.summary[: LIMITS.summary_chars] or None,
        dropped=(*proposals.dropped, *ungrounded),
        path=("model",),
        cut=answer.cut,
        withdraws=strategy is strategy_of(scene) and not answer.cut and is_good,
    )


def _is_grounded(fact: ProposedFact, scene: SceneText) -> bool:
    """Return whether the evidence of a fact contains its quote, or half of the words of its object."""
    terms = terms_of(fact.object)

    def proves(quote: Quote) -> bool:
        text = scene.lines[quote.line].text
        is_named = fact.object == THE_USER or fact.object.casefold() in text.casefold()
        return quote.start is not None or is_named or 0 < len(terms) <= 2 * len(terms_found_in(terms, text))

    return any(map(proves, fact.quotes))


def restricted_to(strategy: Strategy, scene: SceneText) -> SceneText:
    """Return the scene with `fresh` unset on lines that the strategy does not read, such as system messages."""
    silent = {Role.SYSTEM} if strategy is not Strategy.USER_ONLY else set(Role) - {Role.USER}
    return replace(
        scene, lines=tuple(replace(line, fresh=line.fresh and line.role not in silent) for line in scene.lines)
    )


def scene_prompt(scene: SceneText, strategy: Strategy | None = None) -> Prompt:
    """Return the prompt `read_scene` for this scene; its hash goes into provenance.

    Args:
        strategy: derived from the roles in the scene by default.
    """
    strategy = strategy or strategy_of(scene) or Strategy.DUAL
    user, assistant = names_of_both(scene)
    # The fallback shows the user's messages only.
    shown = {Role.USER} if strategy is Strategy.USER_ONLY else set(Role)
    return filled_prompt(
        "read_scene",
        parts={"attention": f"attention_{strategy.value}"},
        user=user,
        assistant=assistant,
        predicates="\n".join(_predicate_lines()),
        entity_types=entity_type_choice(),
        known="\n".join(_known_lines(scene.context, shown)) or "nothing yet",
        conversation=conversation_of(scene, shown),
    )


def names_of_both(scene: SceneText) -> tuple[str, str]:
    """Return the names of user and assistant, as data for a prompt."""
    user = ", ".join(map(as_data, scene.user_names)) or "not named"
    return user, ", ".join(map(as_data, scene.agent_names)) or "not named"


def conversation_of(scene: SceneText, roles: Collection[Role] = tuple(Role)) -> str:
    """Return the lines of these roles with temporary ids, as data for a prompt."""
    return "\n".join(_line(scene, index) for index, line in enumerate(scene.lines) if line.role in roles)


def _predicate_lines() -> list[str]:
    lines: list[str] = []
    for predicate in map(whitelist().__getitem__, PREDICATES):
        labels = labels_of(predicate.name)
        relations = f"; relations: {', '.join(labels)}" if labels else ""
        lines.append(f"- {predicate.name}: {predicate.en} / {predicate.zh}{relations}")
    return lines


def _known_lines(context: SceneContext, roles: Collection[Role]) -> Iterator[str]:
    """Yield what the memory knows already, one JSON object for each name, fact and earlier message."""
    for known in context.names:
        data = {"name": known.name, "type": known.entity_type, "also": list(known.aliases)}
        yield as_data({key: value for key, value in data.items() if value})
    for statement in context.profile:
        yield as_data({"fact": statement})
    if context.before_summary:
        yield as_data({"scene_before": context.before_summary})
    for line in context.before:
        if line.role in roles:
            yield as_data({"before": _spoken(line)})


def _line(scene: SceneText, index: int) -> str:
    line = scene.lines[index]
    data = {"id": f"m{index + 1}", **_spoken(line)}
    return as_data(data if line.fresh else {**data, "context": True})


def _spoken(line: SceneLine) -> dict[str, str]:
    time = f"{line.said_at.isoformat(timespec='minutes')} {_DAYS[line.said_at.weekday()]}"
    speaker = {"speaker": line.speaker} if line.speaker else {}
    return {**speaker, "role": str(line.role), "time": time, "text": line.text}
