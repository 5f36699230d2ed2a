"""Details of one element of the mind map with its evidence: the response of `GET /api/evidence/{id}`."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

from graph_service.memory.change_log.log import kind_of, moment_text
from graph_service.memory.facts.stored import ClosingView, FactEnd, FactWithEnds, FrozenModel
from schema.ids import correction_kind, is_of_correction


class EndView(FrozenModel):
    """Subject or object of a fact."""

    id: str
    label: str
    kind: str


class MergedView(FrozenModel):
    """An entity that was merged into a node; its id can be passed to `Merges.split`."""

    id: str
    name: str


class FactLine(FrozenModel):
    """Summary of a fact whose subject or object is the node.

    Not a `Fact`, because fifty are read with each node, with only these columns.
    """

    id: str
    predicate: str
    relation: str | None
    statement: str | None
    subject_label: str
    object_label: str
    strength: float
    confidence: float
    invalid_at: str | None


class EvidenceView(FrozenModel):
    """A message that supports an element.

    Attributes:
        quote_start: character offset of the quote in `text`; None when the whole message is the evidence.
        tags: tags of the message.
    """

    message_id: str
    uri: str | None
    speaker: str | None
    role: str
    said_at: str
    text: str
    quote_start: int | None
    quote_end: int | None
    scene_id: str | None
    scene_label: str | None
    tags: list[str]


class CorrectionView(FrozenModel):
    """A correction by a person that changed a fact: an act, not something that was said.

    Attributes:
        kind: `add`, `update`, `confirm`, `reject` or `pin`.
        by: name of the person, if it is known.
    """

    id: str
    kind: str
    by: str | None
    at: str


class ElementView(FrozenModel):
    """A node or a fact with its facts (strongest first) and its evidence (oldest first), 50 of each at most.

    Attributes:
        corrections: corrections by people, oldest first; they are not part of `evidence`.
        merged: entities merged into the node, by name.
        manual: a person stated, confirmed or rejected the fact.
    """

    id: str
    kind: Literal["fact", "User", "Agent", "Entity", "Scene"]
    label: str
    statement: str | None = None
    predicate: str | None = None
    relation: str | None = None
    subject: EndView | None = None
    object: EndView | None = None
    strength: float | None = None
    confidence: float | None = None
    first_seen: str | None = None
    last_seen: str | None = None
    valid_at: str | None = None
    invalid_at: str | None = None
    closing: ClosingView | None = None
    recorded_at: str | None = None
    reader: str | None = None
    importance: int | None = None
    fact_kind: str | None = None
    rationale: str | None = None
    steps: list[str] = []  # noqa: RUF012  pydantic copies it
    attributes: dict[str, str] = {}  # noqa: RUF012  pydantic copies it
    trigger_emotion: str | None = None
    mentioned_start: str | None = None
    mentioned_end: str | None = None
    aliases: list[str] = []  # noqa: RUF012  pydantic copies it
    abstract: str | None = None
    overview: str | None = None
    merged: list[MergedView] = []  # noqa: RUF012  pydantic copies it
    manual: bool = False
    facts: list[FactLine] = []  # noqa: RUF012  pydantic copies it
    evidence: list[EvidenceView] = []  # noqa: RUF012  pydantic copies it
    corrections: list[CorrectionView] = []  # noqa: RUF012  pydantic copies it


_SAME_IN_FACTS: Final = (
    *("id", "statement", "predicate", "relation", "strength", "confidence", "reader", "importance", "trigger_emotion"),
)


def fact_element(
    found: FactWithEnds,
    evidence: list[EvidenceView],
    corrections: list[CorrectionView],
    closing: ClosingView | None = None,
) -> ElementView:
    """Return the details of a fact."""
    fact = found.fact
    subject, obj = _end(fact.subject_id, found.subject), _end(fact.object_id, found.object)
    return ElementView(
        **{name: getattr(fact, name) for name in _SAME_IN_FACTS},
        **{name: moment_text(getattr(fact, name)) for name in ("first_seen", "last_seen", "valid_at", "invalid_at")},
        kind="fact",
        label=fact.statement or f"{subject.label} · {fact.relation or fact.predicate} · {obj.label}",
        subject=subject,
        object=obj,
        closing=closing,
        recorded_at=moment_text(found.recorded_at),
        fact_kind=fact.detail.kind.value,
        rationale=fact.detail.rationale,
        steps=list(fact.detail.steps),
        mentioned_start=moment_text(fact.detail.mentioned_start),
        mentioned_end=moment_text(fact.detail.mentioned_end),
        manual=bool(fact.corrections),
        evidence=evidence,
        corrections=corrections,
    )


def node_element(
    found: Mapping[str, Any], kind: str, facts: list[FactLine], evidence: list[EvidenceView]
) -> ElementView:
    """Return the details of a node; `found` has the columns of `lookup/node_by_id`."""
    node = found["node"]
    return ElementView.model_validate(
        {
            "id": node["id"],
            "kind": kind,
            "label": node["name"] or node["user_id"],
            "first_seen": moment_text(node["first_seen"]),
            "last_seen": moment_text(node["last_seen"]),
            "aliases": node["aliases"] or [],
            "attributes": json.loads(node["attributes"] or "{}"),
            "abstract": node["abstract"],
            "overview": node["overview"],
            "merged": sorted(found["merged"], key=lambda one: (one["name"], one["id"])),
            "facts": facts,
            "evidence": evidence,
        }
    )


def fact_lines(rows: Sequence[Mapping[str, Any]]) -> list[FactLine]:
    """Convert rows of facts to summaries, in the same order."""
    return [FactLine(**{**row["fact"], "invalid_at": moment_text(row["fact"]["invalid_at"])}) for row in rows]


def evidence_views(rows: Sequence[Mapping[str, Any]], quotes: Sequence[str]) -> list[EvidenceView]:
    """Convert rows of messages, each with the position of its first quote; corrections are left out.

    Args:
        rows: rows with the columns of `lookup/messages_by_id`.
        quotes: `messageId:start:end`, as stored in facts.
    """
    spans = quote_spans(quotes)
    return [
        EvidenceView(
            **{name: message[name] for name in ("uri", "speaker", "role", "text")},
            message_id=message["id"],
            said_at=moment_text(message["said_at"]) or "",
            quote_start=start,
            quote_end=end,
            scene_id=row["scene_id"],
            scene_label=row["scene_label"],
            tags=message["tags"] or [],
        )
        for row in rows
        if not is_of_correction((message := row["message"])["uri"] or "")
        for start, end in [spans.get(message["id"], (None, None))]
    ]


def correction_views(rows: Sequence[Mapping[str, Any]]) -> list[CorrectionView]:
    """Convert those rows of messages that are corrections; see `evidence_views`."""
    return [
        CorrectionView(
            id=message["id"],
            kind=correction_kind(message["uri"]),
            by=message["speaker"],
            at=moment_text(message["said_at"]) or "",
        )
        for message in (row["message"] for row in rows)
        if is_of_correction(message["uri"] or "")
    ]


def quote_spans(quotes: Sequence[str]) -> dict[str, tuple[int, int]]:
    """Return by message id the first characters of it that state a fact."""
    spans: dict[str, tuple[int, int]] = {}
    for quote in quotes:
        message_id, start, end = quote.rsplit(":", 2)
        if start.isdigit() and end.isdigit():
            spans.setdefault(message_id, (int(start), int(end)))
    return spans


def _end(node_id: str, end: FactEnd) -> EndView:
    return EndView(id=node_id, label=end.name, kind=kind_of(end.labels))
