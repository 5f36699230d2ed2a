"""What is known and what was accepted → what will be written. Pure; the one place that decides about facts.

Each new fact is resolved against the known ones (`resolution`): it adds to a claim or makes one. When claims hold
follows from everything told of them and of their rivals (`timeline`), so that neither the order of arrival nor
repetition matters. Bystanders never change.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from extraction.fact_judge import Judged, Judgement
from extraction.near_duplicate import bands, simhash
from extraction.place_levels import other_level
from graph_service.memory.claims import (
    ClaimKnown,
    PlannedFact,
    accepted_claim,
    fact_of_spell,
    joined_away,
    known_claims,
    told_of,
)
from graph_service.memory.resolution import closes, ends, resolve, rivals
from graph_service.memory.timeline import Blow, Spell, is_rejected, spells_of
from schema.fact import AcceptedFact, Claim, KnownFact
from schema.ids import MemoryId
from schema.telling import Closing

_REASONS = {
    Closing.REPLACED: "another took its place",
    Closing.REVERSED: "the opposite was said",
    Closing.OVER: "said to be over",
    Closing.JUDGED: "judged to be over",
    Closing.REJECTED: "a person said that it is not so",
    Closing.JOINED: "part of an earlier spell",
}


def plan_facts(
    known: Sequence[KnownFact],
    accepted: Iterable[tuple[AcceptedFact, MemoryId]],
    judged: Mapping[Claim, Judged] = MappingProxyType({}),
) -> list[PlannedFact]:
    """What must be written so that the graph holds the accepted facts.

    Args:
        known: every fact that may be repeated or closed by an accepted one, or closes it, and the rivals of those.
        accepted: facts with the id of the scene that proves them.
        judged: what a model judged of facts that the rules would write beside known ones, by claim.

    Returns:
        New and changed facts only, ordered by id; empty when everything was known.
    """
    board = known_claims(known)
    shelf = _Shelf()
    for one in board.values():
        shelf.put(_view(one))
    touched: set[Claim] = set()
    ordered = sorted(accepted, key=lambda pair: (pair[0].valid_at, pair[0].closes, pair[0].statement, pair[1]))
    for fact, scene in ordered:
        told = accepted_claim(fact, scene)
        # What a person states is meant as it stands.
        same = None if fact.stated else resolve(fact, shelf.near(fact)).same
        if same is not None:
            told = replace(told, claim=same.claim)
        for one in _as_judged(told, judged.get(fact.claim) if same is None else None, board):
            before = board.get(one.claim)
            board[one.claim] = before.with_more(one) if before is not None else one
            shelf.put(_view(board[one.claim]))
            touched.add(one.claim)
    return planned(board, touched)


def _as_judged(told: ClaimKnown, judged: Judged | None, board: Mapping[Claim, ClaimKnown]) -> list[ClaimKnown]:
    """What is told of which claims, once a model has judged; a verdict about what is not known means nothing."""
    known = None if judged is None else board.get(judged.known)
    if judged is None or known is None or known.claim == told.claim or any(one.ends for one in told.told):
        return [told]
    if judged.judgement is Judgement.SAME:
        return [replace(told, claim=known.claim, first_uri=known.first_uri)]
    begun = min(one.valid_at for one in known.told)
    # What was true before cannot have ended what came after it.
    over = tuple(replace(one, ends=True, adds=False, judged=True) for one in told.told if one.valid_at >= begun)
    return [told, replace(known, told=over, quotes=frozenset())] if over else [told]


def planned(board: dict[Claim, ClaimKnown], touched: Iterable[Claim]) -> list[PlannedFact]:
    """What must be written after something was told of some claims, or reopened: their spells, and those of rivals.

    Args:
        board: the claims as they are known now, `spells` as they were.
    """
    names = list(board)
    todo = {claim for one in touched for claim in (one, *rivals(one, names))}
    held = {claim: _spells(board, claim, names) for claim in sorted(todo, key=_claim_order)}
    where = _places(board, held)
    changed = [
        item
        for claim, spells in held.items()
        for item in _changed(board[claim], spells, where)
        if item.fact != item.before
    ]
    return sorted(changed, key=lambda item: item.fact.id)


def _claim_order(claim: Claim) -> tuple[str, ...]:
    return tuple(part or "" for part in claim)


@dataclass(slots=True)
class _Shelf:
    """Known facts where those with nearly the same words can be found without looking at all."""

    facts: dict[Claim, KnownFact] = field(default_factory=dict)
    worded: dict[str, set[Claim]] = field(default_factory=dict)

    def put(self, fact: KnownFact) -> None:
        self.facts[fact.claim] = fact
        for band in bands(simhash(fact.statement)):
            self.worded.setdefault(band, set()).add(fact.claim)

    def near(self, fact: AcceptedFact) -> list[KnownFact]:
        found = {claim for band in bands(simhash(fact.statement)) for claim in self.worded.get(band, ())}
        return [self.facts[claim] for claim in sorted(found | ({fact.claim} & self.facts.keys()), key=_claim_order)]


def _view(claim: ClaimKnown) -> KnownFact:
    """A claim as one fact, for comparing."""
    open_now = next((one for one in claim.spells if one.invalid_at is None), None)
    if open_now is not None:
        return replace(open_now, told=claim.told)
    return fact_of_spell(claim, 0, Spell(told=sorted(claim.told, key=lambda one: one.valid_at)), None)


def _spells(board: dict[Claim, ClaimKnown], claim: Claim, names: Sequence[Claim]) -> list[Spell]:
    blows = []
    for other in rivals(claim, names):
        # Who lives in Paris lives in France: the two say the same of different places.
        if other_level(board[claim].object_name, board[other].object_name) and claim.relation == other.relation:
            continue
        why = closes(other, claim)
        over = ends(other, claim)
        if is_rejected(board[other].told):
            continue
        for telling in board[other].told:
            if why is not None and telling.ends and telling.stated is not None:
                blows.append(Blow(telling=telling, claim=board[other].id, why=Closing.OVER, lifts=True))
            if why is not None and not telling.ends:
                blows.append(Blow(telling=telling, claim=board[other].id, why=why))
            elif over and telling.ends:
                blows.append(Blow(telling=telling, claim=board[other].id, why=Closing.OVER))
    return spells_of(board[claim].told, blows, board[claim].reopened)


def _places(
    board: dict[Claim, ClaimKnown], held: dict[Claim, list[Spell]]
) -> dict[tuple[str, MemoryId, bool], MemoryId]:
    """The fact that holds each telling of a claim that closes another, by claim, message and whether it ends."""
    closing = {spell.blow.claim for spells in held.values() for spell in spells if spell.blow is not None}
    where: dict[tuple[str, MemoryId, bool], MemoryId] = {}
    for claim, one in board.items():
        if one.id not in closing:
            continue
        if claim not in held:
            told = [(fact.id, telling) for fact in one.spells for telling in told_of(fact)]
        else:
            told = [(one.spell_id(slot), telling) for slot, spell in enumerate(held[claim]) for telling in spell.told]
        where |= {(one.id, telling.message_id, telling.ends): fact_id for fact_id, telling in told}
    return where


def _changed(
    claim: ClaimKnown, spells: Sequence[Spell], where: dict[tuple[str, MemoryId, bool], MemoryId]
) -> list[PlannedFact]:
    before = {fact.slot: fact for fact in claim.spells}
    items = []
    for slot, spell in enumerate(spells):
        blow = spell.blow
        by = None if blow is None else where[blow.claim, blow.telling.message_id, blow.telling.ends]
        fact = fact_of_spell(claim, slot, spell, by)
        items.append(PlannedFact(fact=fact, before=before.get(slot), reason=_reason(fact, before.get(slot))))
    for slot, known in sorted(before.items()):
        if slot >= len(spells):
            items.append(
                PlannedFact(fact=joined_away(known, claim.told), before=known, reason=_REASONS[Closing.JOINED])
            )
    return items


def _reason(fact: KnownFact, before: KnownFact | None) -> str:
    """Why a fact is written, for people."""
    closed = fact.closed_why is not None and (before is None or before.invalid_at is None)
    if set(fact.stated) - set(before.stated if before else ()):
        return "stated by a person"
    if before is None:
        return "older than what is known" if closed and fact.closed_by else "read from a scene"
    if closed and fact.closed_why is not None:
        return _REASONS[fact.closed_why]
    if before.invalid_at is not None and fact.invalid_at is None:
        return "holds again"
    return "said again"
