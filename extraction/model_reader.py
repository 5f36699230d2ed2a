"""Reads a scene with a language model: one call, and everything it says traced back to a line of the scene."""

import json
import math
import re
from datetime import UTC, datetime

from extraction.language_model import LanguageModel, Prompt
from extraction.prompt_text import filled_prompt
from extraction.reading import THE_AGENT, THE_USER, Mention, ProposedFact, Quote, Reading, SceneText
from extraction.shapes import EntityReading, FactReading, SceneReading
from schema.entity import EntityType
from schema.labels import Label
from schema.predicates import whitelist


async def read_scene_with_model(scene: SceneText, model: LanguageModel) -> Reading:
    """What the model proposes; facts that no fresh line of the scene proves are dropped and told in `dropped`.

    Raises:
        UnavailableError, MisreadError, InstallError: as the model's port says.
    """
    answer = await model.answer(scene_prompt(scene), SceneReading)
    reading = answer.value
    dropped: list[str] = []
    facts: list[ProposedFact] = []
    for read in reading.facts:
        fact = _proposal(read, scene)
        if isinstance(fact, ProposedFact):
            facts.append(fact)
        else:
            dropped.append(fact)
    return Reading(
        reader=model.name,
        facts=tuple(facts),
        mentions=tuple(mention for read in reading.entities for mention in _mentions(read, scene)),
        title=reading.title.strip() or None,
        summary=reading.summary.strip() or None,
        calls=answer.calls,
        tokens_in=answer.tokens_in,
        tokens_out=answer.tokens_out,
        dropped=tuple(dropped),
    )


def scene_prompt(scene: SceneText) -> Prompt:
    """The prompt `read_scene` for this scene; its hash goes into provenance."""
    return filled_prompt(
        "read_scene",
        user=", ".join(map(_as_data, scene.user_names)) or "not named",
        assistant=", ".join(map(_as_data, scene.agent_names)) or "not named",
        predicates="\n".join(_predicate_lines()),
        known_names=", ".join(map(_as_data, scene.known_names)) or "none",
        conversation="\n".join(_line(scene, index) for index in range(len(scene.lines))),
    )


def _predicate_lines() -> list[str]:
    beings = {Label.USER, Label.AGENT, Label.ENTITY}
    lines: list[str] = []
    for predicate in whitelist().values():
        if predicate.subjects & beings:
            relations = f"; relations: {', '.join(sorted(predicate.one))}" if predicate.one else ""
            lines.append(f"- {predicate.name}: {predicate.en} / {predicate.zh}{relations}")
    return lines


def _line(scene: SceneText, index: int) -> str:
    line = scene.lines[index]
    told = {"id": f"m{index + 1}", "speaker": line.speaker, "role": str(line.role)}
    told |= {"time": line.said_at.isoformat(timespec="minutes"), "text": line.text}
    return _as_data(told if line.fresh else {**told, "context": True})


def _as_data(value: object) -> str:
    """JSON on one line in which no text can close the fence around it."""
    return json.dumps(value, ensure_ascii=False).replace("<", "\\u003c")


def _proposal(read: FactReading, scene: SceneText) -> ProposedFact | str:
    """The fact as we pass it on, or why it is dropped."""
    subject, obj = _being(read.subject, scene), _being(read.object, scene)
    statement = read.statement.strip()
    if not (subject and obj and statement):
        return f"{read.predicate}: subject, object or statement is empty"
    quotes = _quotes(read, scene)
    if not quotes:
        return (
            f"{read.predicate}: no fresh message of the scene proves it (named: {', '.join(read.messages) or 'none'})"
        )
    return ProposedFact(
        subject=subject,
        predicate=read.predicate.strip().upper(),
        object=obj,
        statement=statement,
        quotes=quotes,
        relation=(read.relation or "").strip() or None,
        subject_type=_entity_type(read.subject_type),
        object_type=_entity_type(read.object_type),
        strength=_share(read.importance),
        confidence=_share(read.confidence),
        valid_at=_moment(read.since),
        invalid_at=_moment(read.until),
        trigger_emotion=(read.trigger_emotion or "").strip() or None,
        closes=read.ended,
    )


def _being(name: str, scene: SceneText) -> str:
    key = name.strip().casefold()
    if key in {"user", "the user", "用户", *(known.casefold() for known in scene.user_names)}:
        return THE_USER
    if key in {"assistant", "the assistant", "助手", *(known.casefold() for known in scene.agent_names)}:
        return THE_AGENT
    # The marks themselves are ours: written by a model (or by a message it read) they mean nothing.
    return "" if key in (THE_USER, THE_AGENT) else name.strip()


def _quotes(read: FactReading, scene: SceneText) -> tuple[Quote, ...]:
    """The fresh lines that prove a fact: those named, or the one that holds the quoted words."""
    words = (read.quote or "").strip()
    lines = _fresh(read.messages, scene)
    if not lines and words:
        holding = (i for i, line in enumerate(scene.lines) if line.fresh and words in line.text)
        lines = [index for index in [next(holding, -1)] if index >= 0]
    quotes: list[Quote] = []
    for index in lines:
        start = scene.lines[index].text.find(words) if words else -1
        quotes.append(Quote(line=index) if start < 0 else Quote(line=index, start=start, end=start + len(words)))
    return tuple(quotes)


def _mentions(read: EntityReading, scene: SceneText) -> list[Mention]:
    name = _being(read.name, scene)
    if name in ("", THE_USER, THE_AGENT):
        return []
    lines = _fresh(read.messages, scene)
    return [Mention(name=name, line=index, entity_type=_entity_type(read.type)) for index in lines]


def _fresh(ids: list[str], scene: SceneText) -> list[int]:
    """Indexes of the fresh lines that these temporary ids name, each once, in order; unknown ids name nothing."""
    known = {f"m{index + 1}": index for index, line in enumerate(scene.lines) if line.fresh}
    return sorted({known[key] for key in (id_.strip().strip("[]").lower() for id_ in ids) if key in known})


def _entity_type(word: str | None) -> EntityType | None:
    try:
        return EntityType((word or "").strip().lower())
    except ValueError:
        return None


def _share(value: float) -> float:
    return min(1.0, max(0.0, value)) if math.isfinite(value) else 0.5


def _moment(text: str | None) -> datetime | None:
    """A day, month or year (its first instant) or a full ISO time, UTC unless it says otherwise; None if unreadable."""
    written = (text or "").strip()
    if re.fullmatch(r"\d{4}(-\d{2})?", written):
        written += "-01" if "-" in written else "-01-01"
    try:
        moment = datetime.fromisoformat(written)
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
