"""What is known and what was accepted → what will be written. Pure; the one place that decides about facts.

Each new fact is resolved against the known ones (`resolution`): it adds to a claim or makes one. When claims hold
follows from everything told of them and of their rivals (`timeline`), so that neither the order of arrival nor
repetition matters. Bystanders never change.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from types import MappingProxyType
from typing import Final

from extraction.llm.fact_judge import Judged, Judgement
from extraction.text.near_duplicates import bands, simhash
from graph_service.memory.facts.claims import (
    ClaimKnown,
    PlannedFact,
    accepted_claim,
    fact_of_spell,
    joined_away,
    joined_claims,
    known_claims,
    told_of,
)
from graph_service.memory.facts.conflict_resolution import resolve
from graph_service.memory.facts.rivalry import Rivalry
from graph_service.memory.facts.validity import ValidityPeriod
from schema.fact import AcceptedFact, Claim, KnownFact
from schema.ids import MemoryId
from schema.telling import Closing

_REASONS = {
    Closing.REPLACED: "another took its place",
    Closing.REVERSED: "the opposite was said",
    Closing.ENDED: "said to be over",
    Closing.JUDGED: "judged to be over",
    Closing.REJECTED: "a person said that it is not so",
    Closing.MERGED: "part of an earlier spell",
}

# With so many known facts in nearly the same words a new one is compared.
_NEAR_MAX: Final = 32


def plan_facts(
    known: Sequence[KnownFact],
    accepted: Iterable[tuple[AcceptedFact, MemoryId]],
    judged: Mapping[Claim, Judged] = MappingProxyType({}),
) -> list[PlannedFact]:
    """Return what must be written so that the graph holds the accepted facts.

    Args:
        known: every fact that may be repeated or closed by an accepted one, or closes it, and the rivals of those.
        accepted: facts with the id of the scene that proves them.
        judged: what a model judged of facts that the rules would write beside known ones, by claim.

    Returns:
        New and changed facts only, ordered by id; empty when everything was known.
    """
    board = {claim: _Gathered(one) for claim, one in known_claims(known).items()}
    shelf = _Shelf()
    # The latest last: of many in nearly the same words, a new one is compared with those.
    for one in sorted(board.values(), key=lambda one: (one.view.last_seen, *_claim_order(one.view.claim))):
        shelf.put(one.view)
    touched: set[Claim] = set()
    ordered = sorted(accepted, key=lambda pair: (pair[0].valid_at, pair[0].closes, pair[0].statement, pair[1]))
    for fact, scene in ordered:
        told = accepted_claim(fact, scene)
        # What a person states is meant as it stands.
        same = None if fact.stated else resolve(fact, shelf.near(fact)).same
        if same is not None:
            told = replace(told, claim=same.claim)
        for more in _as_judged(told, judged.get(fact.claim) if same is None else None, board):
            before = board.get(more.claim)
            if before is None:
                board[more.claim] = _Gathered(more)
            else:
                before.take(more)
            shelf.put(board[more.claim].view)
            touched.add(more.claim)
    return planned({claim: one.whole() for claim, one in board.items()}, touched)


class _Gathered:
    """A claim with what is told of it, put together once, however often it is told; `view` is it as one fact."""

    def __init__(self, claim: ClaimKnown) -> None:
        self._parts = [claim]
        self._wording = claim.wording
        self._is_open = any(one.invalid_at is None for one in claim.spells)
        self._is_stated = bool(claim.stated)
        self.view = _view(claim)

    def take(self, more: ClaimKnown) -> None:
        self._parts.append(more)
        self._wording = self._wording.joined(more.wording)
        self._is_stated = self._is_stated or bool(more.stated)
        if self._is_open:
            return
        if self._is_stated:
            self.view = _view(self.whole())
        else:
            name = self.view.object_name or more.object_name
            self.view = replace(self.view, statement=self._wording.statement, object_name=name)

    def whole(self) -> ClaimKnown:
        if len(self._parts) > 1:
            self._parts = [joined_claims(self._parts)]
        return self._parts[0]


def _as_judged(told: ClaimKnown, judged: Judged | None, board: Mapping[Claim, _Gathered]) -> list[ClaimKnown]:
    """Return what is told of which claims, once a model has judged; a verdict about what is not known means nothing."""
    about = None if judged is None else board.get(judged.known)
    known = None if about is None else about.whole()
    if judged is None or known is None or known.claim == told.claim or any(one.ends for one in told.told):
        return [told]
    if judged.judgement is Judgement.SAME:
        return [replace(told, claim=known.claim, first_uri=known.first_uri)]
    begun = min(one.valid_at for one in known.told)
    # What was true before cannot have ended what came after it.
    over = tuple(replace(one, ends=True, adds=False, judged=True) for one in told.told if one.valid_at >= begun)
    return [told, replace(known, told=over, quotes=frozenset())] if over else [told]


def planned(board: dict[Claim, ClaimKnown], touched: Iterable[Claim]) -> list[PlannedFact]:
    """Return what must be written after something was told of some claims, or reopened: their spells, and those of
    rivals.

    Args:
        board: the claims as they are known now, `spells` as they were.
    """
    rivalry = Rivalry(board)
    todo = rivalry.touched_by(touched)
    held = {claim: rivalry.spells(claim).spells for claim in sorted(todo, key=_claim_order)}
    where = _places(board, held, rivalry)
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
    """Known facts where those with nearly the same words can be found without looking at all.

    Attributes:
        worded: claims by parts of their hash, each with when it was put here last, the latest last.
    """

    facts: dict[Claim, KnownFact] = field(default_factory=dict)
    worded: dict[str, dict[Claim, int]] = field(default_factory=dict)
    puts: int = 0

    def put(self, fact: KnownFact) -> None:
        self.facts[fact.claim] = fact
        self.puts += 1
        for band in bands(simhash(fact.statement)):
            alike = self.worded.setdefault(band, {})
            alike.pop(fact.claim, None)
            alike[fact.claim] = self.puts

    def near(self, fact: AcceptedFact) -> list[KnownFact]:
        """Return known facts in nearly the same words, at most so many, the latest, and the same fact."""
        found: dict[Claim, int] = {}
        for band in bands(simhash(fact.statement)):
            found |= islice(reversed(self.worded.get(band, {}).items()), _NEAR_MAX)
        latest = sorted(found, key=found.__getitem__, reverse=True)[:_NEAR_MAX]
        return [self.facts[claim] for claim in sorted({*latest} | ({fact.claim} & self.facts.keys()), key=_claim_order)]


def _view(claim: ClaimKnown) -> KnownFact:
    """Return a claim as one fact, for comparing."""
    open_now = next((one for one in claim.spells if one.invalid_at is None), None)
    if open_now is not None:
        return replace(open_now, told=claim.told)
    return fact_of_spell(claim, 0, ValidityPeriod(told=sorted(claim.told, key=lambda one: one.valid_at)), None)


def _places(
    board: dict[Claim, ClaimKnown], held: dict[Claim, list[ValidityPeriod]], rivalry: Rivalry
) -> dict[tuple[str, MemoryId, bool], MemoryId]:
    """Return the fact that holds each telling of a claim that closes another, by claim, message and whether it ends."""
    closing = {spell.blow.claim for spells in held.values() for spell in spells if spell.blow is not None}
    where: dict[tuple[str, MemoryId, bool], MemoryId] = {}
    for claim, one in board.items():
        name = rivalry.id_of(claim)
        if name not in closing:
            continue
        if claim not in held:
            told = [(fact.id, told_of(fact)) for fact in one.spells]
        else:
            told = [(one.spell_id(slot), tuple(spell.told)) for slot, spell in enumerate(held[claim])]
        for fact_id, tellings in told:
            where |= {(name, telling.message_id, telling.ends): fact_id for telling in tellings}
    return where


def _changed(
    claim: ClaimKnown, spells: Sequence[ValidityPeriod], where: dict[tuple[str, MemoryId, bool], MemoryId]
) -> list[PlannedFact]:
    before = {fact.slot: fact for fact in claim.spells}
    quotes: dict[str, set[str]] = {}
    for quote in claim.quotes if len(spells) > 1 else ():
        quotes.setdefault(quote.partition(":")[0], set()).add(quote)
    items = []
    for slot, spell in enumerate(spells):
        blow = spell.blow
        by = None if blow is None else where[blow.claim, blow.telling.message_id, blow.telling.ends]
        mine = claim
        if len(spells) > 1:
            # Each spell is made of its own quotes, so that many of both cost no product.
            said = frozenset(quote for telling in spell.told for quote in quotes.get(telling.message_id, ()))
            mine = replace(claim, quotes=said)
        fact = fact_of_spell(mine, slot, spell, by)
        items.append(PlannedFact(fact=fact, before=before.get(slot), reason=_reason(fact, before.get(slot))))
    away = [known for slot, known in sorted(before.items()) if slot >= len(spells)]
    last = [max(claim.told, key=lambda telling: telling.heard_at)] if away else []
    items += [
        PlannedFact(fact=joined_away(known, last), before=known, reason=_REASONS[Closing.MERGED]) for known in away
    ]
    return items


def _reason(fact: KnownFact, before: KnownFact | None) -> str:
    """Return why a fact is written, for people."""
    closed = fact.closing_reason is not None and (before is None or before.invalid_at is None)
    if set(fact.stated) - set(before.stated if before else ()):
        return "stated by a person"
    if before is None:
        return "older than what is known" if closed and fact.closed_by else "read from a scene"
    if closed and fact.closing_reason is not None:
        return _REASONS[fact.closing_reason]
    if before.invalid_at is not None and fact.invalid_at is None:
        return "holds again"
    return "said again"
