"""Put the ranked hits in their final order, and cut a page: what was replaced is below its replacement. Pure."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Final

from extraction.query_analysis import QueryAnalysis, TimeReference
from graph_service.memory.recall.candidates import Candidate, Hit, Removed
from graph_service.memory.recall.cursor import CursorState, cursor_of, mark_of
from graph_service.memory.recall.query import HitKind
from graph_service.memory.recall.replacement_ranking import is_brief
from schema.labels import Role

# Minimum score of what overtook a message, as a share of that message's score, to come before it.
_SUCCESSOR_MIN: Final = 0.5
# Length of a message that a choice quotes, and of its beginning by which the quotation is known.
_REQUEST_CHARS_MAX, _QUOTED_CHARS = 240, 90
_ASCII_MARKS: Final = bytes(one for one in range(128) if not chr(one).isalnum())


def below_replacements(
    hits: Sequence[Hit],
    analysis: QueryAnalysis | None = None,
    proofs: Mapping[str, Sequence[str]] | None = None,
    unaffected: Collection[str] = (),
) -> list[Hit]:
    """Return the hits with each that was replaced directly below its replacement, where that is a hit too.

    The replacement takes the place of the other one, and its score if that is higher. A text that was never true stands
    below what corrects it: "I meant 72" shares no words with the question. A message that was true once stands below
    the fact that closed it, or a message that proves this fact, if that matches the question at least half as well: who
    asks for "Lima" wants to see it, although the user lives in Oslo now. Questions about a former state or a named time
    keep the order of what was true once. A message that tells a choice only together with others, and is short or
    quoted by it, stands below it, likewise: "any name for the boat?", "the second one". So does the assistant's list of
    what there was to choose from, if the question asks what was chosen.

    Args:
        analysis: of the question; without it only corrections count.
        proofs: ids of the messages that prove each retrieved fact, by its id.
        unaffected: ids of corrected messages of which another part answers the question: they stand above.
    """
    by_id = {hit.candidate.id: hit for hit in hits}
    is_current = analysis is not None and analysis.time_reference in (TimeReference.NOW, TimeReference.OPEN)

    decided = {
        proof: hit
        for hit in reversed(hits)
        if told_together(hit.candidate) and not hit.candidate.closed
        for proof in hit.candidate.proofs
    }

    asks_choice = analysis is not None and analysis.asks_choice
    answered = {by_id[one].candidate.overtaken_by: by_id[one] for one in unaffected}

    def replacement(hit: Hit) -> Hit | None:
        if hit.candidate.id in answered:
            return answered[hit.candidate.id]
        name = hit.candidate.overtaken_by
        decision = decided.get(hit.candidate.id)
        is_list = asks_choice and hit.candidate.role == Role.ASSISTANT
        if name is None and decision is not None and (is_list or _is_within(hit.candidate, decision.candidate)):
            return decision if decision.score >= _SUCCESSOR_MIN * hit.score else None
        if name is None or (not hit.candidate.withdrawn and not (is_current and hit.candidate.kind is HitKind.MESSAGE)):
            return None
        if hit.candidate.withdrawn:
            return None if hit.candidate.id in unaffected else by_id.get(name)
        names = [one for one in (name, *(proofs or {}).get(name, ())) if one != hit.candidate.id]
        near = [by_id[one] for one in names if one in by_id and by_id[one].score >= _SUCCESSOR_MIN * hit.score]
        return max(near, key=lambda one: one.score, default=None)

    ordered: dict[str, Hit] = {}
    for hit in hits:
        correction = by_id.get(hit.candidate.overtaken_by or "") if hit.candidate.id in unaffected else None
        if correction is None and replacement(hit) is None:
            ordered.setdefault(hit.candidate.id, hit)
            continue
        chain = [hit] if correction is None else [correction, hit]
        while (over := replacement(chain[-1])) is not None and all(over is not one for one in chain):
            chain.append(over)
        for one in reversed(chain):
            raised = round(max(0.0, hit.score - one.score), 6)
            parts = (
                {**one.parts, "replaces": round(one.parts.get("replaces", 0.0) + raised, 6)} if raised else one.parts
            )
            ordered.setdefault(one.candidate.id, replace(one, score=one.score + raised, parts=parts))
    return list(ordered.values())


def without_repeats(hits: Sequence[Hit]) -> tuple[Hit, ...]:
    """Return ranked hits without those that repeat another one.

    Of messages with the same words by the same speaker, the latest remains, in the place of the best. Of a fact and the
    only message that proves it, the better one remains; a fact is also left out below one of several messages that
    prove it, unless it is a choice that they tell together ("Any name for the boat?", "Otter, Wren", "the first"). A
    scene is left out if one of its messages is a hit.
    """
    scenes = {hit.candidate.scene for hit in hits if hit.candidate.kind is HitKind.MESSAGE}
    latest = _latest_of_same(hits)
    shown: set[str] = set()
    proved: set[str] = set()
    kept = []
    for hit in hits:
        one = hit.candidate
        match one.kind:
            case HitKind.MESSAGE:
                newest = latest.get(one.id, one)
                repeats = one.id in proved or newest.id in shown
                shown |= set() if repeats else {one.id, newest.id}
                hit = hit if newest is one else replace(hit, candidate=newest)
            case HitKind.FACT:
                repeats = not told_together(one) and not shown.isdisjoint(one.proofs)
                proved |= set(one.proofs) if len(one.proofs) == 1 and not repeats else set()
            case HitKind.SCENE:
                repeats = one.id in scenes
        kept += [] if repeats else [hit]
    return tuple(kept)


def _is_within(one: Candidate, decision: Candidate) -> bool:
    """Return whether a message tells little more than a choice that it proves: it is short, or quoted."""
    text = " ".join(one.text.split()).rstrip(".。")
    return is_brief(text) or (len(text) <= _REQUEST_CHARS_MAX and text[:_QUOTED_CHARS] in decision.text)


def told_together(one: Candidate) -> bool:
    """Return whether this is a choice that several messages tell only together."""
    return one.is_choice and len(one.proofs) > 1


def _latest_of_same(hits: Sequence[Hit]) -> dict[str, Candidate]:
    """Map the id of each message to the latest message of the same speaker with the same words."""
    groups: dict[tuple[str | None, str | None, str], list[Candidate]] = {}
    for hit in hits:
        one = hit.candidate
        if one.kind is HitKind.MESSAGE and (words := _bare_words(one.text)):
            groups.setdefault((one.role, one.speaker, words), []).append(one)
    return {
        one.id: max(group, key=lambda same: (same.said_at, same.position, same.id))
        for group in groups.values()
        if len(group) > 1
        for one in group
    }


def _bare_words(text: str) -> str:
    """Return the letters and digits of a text, in lower case."""
    folded = text.casefold()
    if folded.isascii():
        # Ten times faster than by characters.
        return folded.encode().translate(None, _ASCII_MARKS).decode()
    return "".join(filter(str.isalnum, folded))


# Pages


def above(hits: Sequence[Hit], score_min: float | None) -> tuple[list[Hit], tuple[Removed, ...]]:
    """Return the hits with at least this score, and the number removed."""
    kept = [hit for hit in hits if score_min is None or hit.score >= score_min]
    removed_n = len(hits) - len(kept)
    return kept, (Removed(reason=f"score below {score_min:g}", count=removed_n),) if removed_n else ()


def page_of(hits: Sequence[Hit], shown: CursorState, key: str, *, limit: int) -> tuple[list[Hit], str | None]:
    """Return the next hits that were not shown, and the cursor of the following page; None if there is none."""
    # On the first page compute no marks, because those of all hits would take as long as ranking.
    left = [hit for hit in hits if _mark(hit) not in shown.marks] if shown.marks else hits
    page = list(left[:limit])
    if len(left) <= limit:
        return page, None
    marks = shown.marks.union(_mark(hit) for hit in page)
    return page, cursor_of(CursorState(asked_at=shown.asked_at, marks=marks), key)


def _mark(hit: Hit) -> bytes:
    return mark_of(hit.candidate.kind, hit.candidate.id)
