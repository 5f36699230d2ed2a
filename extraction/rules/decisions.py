"""Mark plans that the speaker decided on as decisions, with the reason if the sentence gives one. Pure, linear time."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from extraction.rules.engine import Draft, Speaker
from extraction.text.sentences import Sentence
from schema.entity import EntityType
from schema.fact import FactDetail, FactKind

_DECIDED_EN: Final = re.compile(r"\b(?:decided|made up my mind|resolved|opted)\b", re.IGNORECASE)
_REASON_EN: Final = re.compile(
    r"(?:\bbecause of|\bbecause|\bdue to|\bon account of|\bfor the sake of|\bsince(?= (?:I|we|my|our|it|he|she|they|"
    r"there|the)"
    r"\b)) (?P<why>[^.!?;\n]{2,200})",
    re.IGNORECASE,
)
_DECIDED_ZH: Final = re.compile("(?:我|我们|咱们?)[^，。！？]{0,6}(?:决定|下定决心|拿定主意)")
_REASON_ZH: Final = re.compile(r"(?:因为|由于|为了|考虑到)(?P<why>[^，。！？；\n]{1,60})")
_EFFECT_ZH: Final = re.compile("^(?:决定|下定决心|拿定主意)(?:了|要|去)?(?P<o>.{2,30})$")
_PLANS: Final = frozenset({"plan", "goal"})


def with_decisions(drafts: Iterable[Draft], sentences: Iterable[Sentence], speaker: Speaker) -> Iterator[Draft]:
    """Yield the drafts, the speaker's decisions with their kind and reason.

    Where only the reason of a decision was read (`因为太贵，我决定不买车`), the decision is added.
    """
    by_start = sorted(sentences, key=lambda sentence: sentence.start)
    for draft in drafts:
        sentence = _sentence_at(draft.start, by_start)
        decided = None if sentence is None or draft.closes else _decision(draft, sentence.text, speaker)
        yield decided or draft
        effect = _EFFECT_ZH.match(draft.subject) if draft.predicate == "CAUSED_BY" else None
        if effect is not None and sentence is not None and _DECIDED_ZH.search(sentence.text):
            yield _from_reason(draft, effect["o"], speaker)


def _sentence_at(place: int, by_start: Sequence[Sentence]) -> Sentence | None:
    """Return the sentence that contains a place in the text; None between sentences."""
    before = bisect_right(by_start, place, key=lambda sentence: sentence.start)
    found = by_start[before - 1] if before else None
    return found if found is not None and place < found.end else None


def _decision(draft: Draft, text: str, speaker: Speaker) -> Draft | None:
    """Return the draft as a decision; None if the speaker did not say that they decided it."""
    if draft.subject != speaker.me or draft.relation not in _PLANS:
        return None
    chinese = _DECIDED_ZH.search(text)
    if not chinese and not _DECIDED_EN.search(text):
        return None
    reason = (_REASON_ZH if chinese else _REASON_EN).search(text)
    detail = FactDetail(kind=FactKind.DECISION, rationale=reason["why"].strip(" ,，") if reason else None)
    statement = draft.statement.replace(" wants to ", " decided to ", 1).replace("打算", "决定", 1)
    return replace(draft, detail=detail, statement=statement)


def _from_reason(draft: Draft, obj: str, speaker: Speaker) -> Draft:
    user = speaker.label(speaker.me, "用户")
    return Draft(
        subject=speaker.me,
        predicate="CARES_ABOUT",
        object=obj,
        statement=f"{user}决定{obj}。",
        start=draft.start,
        end=draft.end,
        relation="plan",
        object_type=EntityType.ACTIVITY,
        strength=0.7,
        confidence=0.75,
        detail=FactDetail(kind=FactKind.DECISION, rationale=draft.object),
    )
