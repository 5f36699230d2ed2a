"""The texts of the messages that prove hits: whole as far as one answer may tell, the others cut and marked."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from graph_service.graph.statements import statement
from graph_service.graph.store import Graph
from graph_service.memory.recall.candidates import EvidenceMessage
from graph_service.memory.recall.pipeline import Answer, Hit
from schema.errors import UnavailableError
from schema.ids import TenantId

# Of all proving messages of one answer that are told whole.
EVIDENCE_CHARS_MAX: Final = 400_000
# Of each of the others.
CUT_CHARS: Final = 100


async def with_evidence(graph: Graph, tenant: TenantId, user_id: str, answer: Answer) -> Answer:
    """Return the answer with the texts of its evidence, the best hits first; a note says so where they are cut.

    Long texts are not read with what was found, because most of that is in no answer.
    """
    told = [message for hit in answer.hits for message in hit.evidence]
    keep = whole_of([message.whole_chars or len(message.text) for message in told])
    if all(keep) and not any(message.whole_chars for message in told):
        return answer
    wanted = list(
        dict.fromkeys(message.id for message, whole in zip(told, keep, strict=True) if whole and message.whole_chars)
    )
    texts: dict[str, str | None] = {}
    if wanted:
        asked = {"tenant": tenant, "user_id": user_id, "ids": wanted}
        try:
            found = {row["id"]: row["text"] for row in await graph.read(statement("recall/evidence_texts"), asked)}
            # What was forgotten meanwhile is told no more.
            texts = {name: found.get(name) for name in wanted}
        except UnavailableError:
            # What was found is told; these texts stay cut.
            texts = {}
    hits, cut_n = _told(answer.hits, keep, texts)
    if not cut_n:
        return replace(answer, hits=hits)
    note = (
        f"the texts of {cut_n} proving messages are cut: an answer brings at most {EVIDENCE_CHARS_MAX:,} characters of"
        " them; read one by its URI (layer, read_memory), or ask for less evidence or fewer hits"
    )
    return replace(answer, hits=hits, notes=(*answer.notes, note))


def whole_of(chars: Sequence[int]) -> list[bool]:
    """Return which texts of so many characters are told whole: those that fit, in order, and all short ones. Pure."""
    left, keep = EVIDENCE_CHARS_MAX, []
    for count in chars:
        keep.append(count <= max(left, CUT_CHARS))
        left -= count if keep[-1] else 0
    return keep


def _told(hits: Sequence[Hit], keep: Sequence[bool], texts: Mapping[str, str | None]) -> tuple[tuple[Hit, ...], int]:
    """Return the hits with whole and cut texts, and how many are cut."""
    whole, cut_n, done = iter(keep), 0, list[Hit]()
    for hit in hits:
        evidence = []
        for message in hit.evidence:
            fits = next(whole)
            if message.whole_chars is None:
                evidence.append(message if fits else _cut(message))
                cut_n += not fits
            elif fits and message.id in texts:
                text = texts[message.id]
                evidence += [] if text is None else [replace(message, text=text, whole_chars=None)]
            else:
                evidence.append(_cut(message))
                cut_n += 1
        done.append(replace(hit, evidence=tuple(evidence)))
    return tuple(done), cut_n


def _cut(message: EvidenceMessage) -> EvidenceMessage:
    return replace(message, text=message.text[:CUT_CHARS] + "…", whole_chars=message.whole_chars or len(message.text))
