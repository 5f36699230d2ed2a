"""Format the answer of a recall as a table or as a JSON document."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from rich.console import Group, RenderableType
from rich.markup import escape
from rich.table import Table

from schema.timespan import iso
from schema.zones import day_in

if TYPE_CHECKING:
    from graph_service.memory.recall.candidates import EvidenceMessage, Hit
    from graph_service.memory.recall.pipeline import Answer

QUOTE_CHARS_MAX = 160
# Fields of a candidate in the JSON document.
_FIELDS = (
    *("text", "title", "speaker", "role", "pending", "subject", "predicate", "relation", "object", "strength"),
    *("confidence", "fact_kind", "rationale", "steps", "trigger_emotion", "tags", "zone"),
)


def answer_document(question: str, answer: "Answer") -> dict[str, Any]:
    """Return the whole answer as JSON values."""
    analysis = answer.analysis
    time = analysis.asked_time
    return {
        "question": question,
        "hits": [_hit_document(hit) for hit in answer.hits],
        "search_path": list(answer.search_path),
        "notes": list(answer.notes),
        "confidence": answer.confidence,
        "nothing_relevant": answer.nothing_relevant,
        "removed": [asdict(one) for one in answer.removed],
        "next_cursor": answer.next_cursor,
        "degraded": answer.degraded,
        "snapshot_age_s": answer.snapshot_age_s,
        "asked_time": {"start": iso(time.start), "end": iso(time.end)} if time else None,
        "intent": analysis.intent,
        "answer_type": analysis.answer_type,
    }


def answer_view(question: str, answer: "Answer") -> RenderableType:
    """Return a table of hits, each followed by its evidence messages."""
    table = Table(title=escape(question), title_justify="left", title_style="bold", box=None, padding=(0, 1))
    table.add_column("score", justify="right", style="cyan", no_wrap=True)
    table.add_column("said", no_wrap=True)
    table.add_column("kind", style="dim", no_wrap=True)
    table.add_column("who", no_wrap=True)
    table.add_column("found", overflow="fold")
    for hit in answer.hits:
        one = hit.candidate
        table.add_row(
            f"{hit.score:.2f}",
            day_in(one.said_at, one.zone),
            one.kind,
            escape(one.speaker or ""),
            escape(_snippet(hit)),
        )
        for message in one.evidence:
            table.add_row(
                "",
                day_in(message.said_at, message.zone),
                "",
                escape(message.speaker or ""),
                f"[dim]“{escape(_quote(message))}”[/]",
            )
    notes = [f"[dim]{escape(note)}[/]" for note in answer.notes]
    if answer.hits and answer.nothing_relevant:
        notes.append(f"the memory probably does not contain an answer (confidence {answer.confidence or 0.0:.2f})")
    if not answer.hits:
        notes.append("nothing found; rephrase the question, or check --user and --tenant")
    return Group(table, *notes) if answer.hits else Group(escape(question), *notes)


def _hit_document(hit: "Hit") -> dict[str, Any]:
    one = hit.candidate
    return {
        "kind": one.kind,
        "id": one.id,
        "uri": one.uri,
        "score": hit.score,
        "parts": hit.parts,
        "snippet": hit.snippet,
        "said_at": iso(one.said_at),
        "valid_at": iso(one.valid_at),
        "invalid_at": iso(one.invalid_at),
        "mentioned_start": iso(one.mentioned_start),
        "mentioned_end": iso(one.mentioned_end),
        **{name: getattr(one, name) for name in _FIELDS},
        "evidence": [_evidence_document(message) for message in one.evidence],
    }


def _evidence_document(message: "EvidenceMessage") -> dict[str, Any]:
    document = asdict(message) | {"said_at": iso(message.said_at)}
    if message.whole_chars is None:
        del document["whole_chars"]
    return document


def _snippet(hit: "Hit") -> str:
    one = hit.candidate
    ended = f" (until {day_in(one.invalid_at, one.zone)})" if one.invalid_at and not one.told_as_ended else ""
    pending = " (not processed yet)" if one.pending else ""
    return f"{hit.snippet}{ended}{pending}"


def _quote(message: "EvidenceMessage") -> str:
    text = " ".join(message.text.split())
    return text if len(text) <= QUOTE_CHARS_MAX else text[: QUOTE_CHARS_MAX - 1] + "…"
