"""Ask a question of a memory, and format the answer as a table."""

from datetime import datetime
from typing import Any, Final

from graph_service.cli.service_client import ServiceClient
from graph_service.observability.columns import CYAN, DIM, Columns
from schema.zones import day_in

QUOTE_CHARS_MAX = 160
_RECALL: Final = """
query($query: String!, $user: String!, $limit: Int!, $evidence: Int!, $kinds: [HitKind!], $start: DateTime,
      $end: DateTime, $validAt: DateTime, $asOf: DateTime, $mode: RecallMode, $filter: RecallFilter, $after: String,
      $askedAt: DateTime, $zone: String) {
  recall(query: $query, userId: $user, limit: $limit, evidence: $evidence, kinds: $kinds, start: $start, end: $end,
         validAt: $validAt, asOf: $asOf, mode: $mode, filter: $filter, after: $after, askedAt: $askedAt, zone: $zone) {
    hits {
      kind id uri score parts { name value } snippet text saidAt title speaker role emotion pending tags validAt
      invalidAt overtakenBy subject predicate relation object strength confidence factKind rationale steps
      triggerEmotion zone mentionedStart mentionedEnd evidence { id uri role speaker text saidAt zone }
    }
    searchPath notes confidence nothingRelevant removed { reason count } nextCursor degraded snapshotAgeS
    askedTimes { start end phrase restricts } intent answerType
  }
}
"""


async def ask_question(
    service: ServiceClient, question: str, *, user: str, limit: int = 10, evidence: int = 0, **more: Any
) -> dict[str, Any]:
    """Return the answer of `recall`, with its question.

    Args:
        more: further variables of the document.
    """
    answer = await service.ask(_RECALL, query=question, user=user, limit=limit, evidence=evidence, **more)
    return {"question": question, **answer["recall"]}


def answer_view(answer: dict[str, Any]) -> Columns:
    """Return a table of hits, each followed by its evidence messages."""
    hits = answer["hits"]
    rows: list[tuple[str, list[str]]] = []
    for hit in hits:
        told = [f"{hit['score']:.2f}", _day(hit["said_at"], hit["zone"]), hit["kind"], hit["speaker"] or ""]
        rows.append(("", [*told, _snippet(hit)]))
        for message in hit["evidence"]:
            quoted = ["", _day(message["said_at"], message["zone"]), "", message["speaker"] or ""]
            rows.append((DIM, [*quoted, f"“{_quote(message['text'])}”"]))
    notes = [(DIM, note) for note in answer["notes"]]
    if hits and answer["nothing_relevant"]:
        confidence = answer["confidence"] or 0.0
        notes.append(("", f"the memory probably does not contain an answer (confidence {confidence:.2f})"))
    if not hits:
        notes.append(("", "nothing found; rephrase the question, or check --user and --tenant"))
    return Columns(
        title=answer["question"],
        header=("score", "said", "kind", "who", "found") if rows else (),
        rows=rows,
        styles=(CYAN, "", DIM),
        right={0},
        notes=notes,
    )


def _day(moment: str, zone: str | None) -> str:
    return day_in(datetime.fromisoformat(moment), zone)


def _snippet(hit: dict[str, Any]) -> str:
    # The statement of a fact without a begin says itself that it has ended.
    has_ended = hit["invalid_at"] and hit["valid_at"]
    ended = f" (until {_day(hit['invalid_at'], hit['zone'])})" if has_ended else ""
    return f"{hit['snippet']}{ended}{' (not processed yet)' if hit['pending'] else ''}"


def _quote(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= QUOTE_CHARS_MAX else text[: QUOTE_CHARS_MAX - 1] + "…"
