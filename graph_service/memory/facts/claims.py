"""Build claims from stored and new facts, merge their assertions, and convert them back to facts. Pure.

Strength is computed from the number of evidence messages, so reading a message twice changes nothing. All periods of a
claim share its wording and confidence; each has its own valid times.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from extraction.entities.attributes import Attribute, attribute_of, value_key
from graph_service.memory.facts.validity import ValidityPeriod
from schema.assertion import Assertion, Closing, CorrectionKind, joined, latest_correction
from schema.fact import LOCAL_READER, PERSON, AcceptedFact, Claim, Fact, FactValues, Proof, fact_values
from schema.ids import MemoryId, Uri, fact_uri, memory_id

# Minimum base strength of a fact that a person stated.
STATED_STRENGTH: Final = 0.9
# Importance of a fact that a person pinned.
IMPORTANCE_MAX: Final = 10
# Readers by precedence of their wording at equal times; "" means any model.
_READER_PRECEDENCE: Final = ("caller", "", LOCAL_READER)
# Factor by which each further evidence message reduces 1 - strength.
_DOUBT_FACTOR: Final = 0.85
# Maximum number of statements of single messages that a fact keeps.
_WORDINGS_MAX: Final = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording(FactValues):
    """The statement of a claim, with the scores and details that its reader extracted.

    Attributes:
        rank: sort key; lowest wins (`wording_rank`).
    """

    rank: tuple[bool, bool, float, float, int, str]

    def merged(self, other: "Wording") -> "Wording":
        """Return the merged wording: the statement of the lower rank, and the maximum of each score.

        The end of a fact adds nothing to the confidence in what was said before. Extracted wording replaces that of a
        correction, which remains in `KnownClaim.corrections`.
        """
        if (self.reader == PERSON) != (other.reader == PERSON):
            return other if self.reader == PERSON else self
        first, second = (self, other) if self.rank <= other.rank else (other, self)
        return replace(
            first,
            base_strength=max(self.base_strength, other.base_strength),
            confidence=first.confidence if first.rank[0] < second.rank[0] else max(first.confidence, second.confidence),
            importance=max(self.importance, other.importance),
            trigger_emotion=first.trigger_emotion or second.trigger_emotion,
            detail=first.detail.joined(second.detail, first=True),
        )


def _message_and_words(text: str) -> tuple[MemoryId, str]:
    """Parse a stored `messageId:words`."""
    message_id, _, words = text.partition(":")
    return MemoryId(message_id), words


def corrected_wording(wording: Wording, assertions: Sequence[Assertion], corrections: Collection[str]) -> Wording:
    """Return the wording of the latest correction by a person, else the extracted one.

    Args:
        corrections: as stored, `messageId:words`.
    """
    if not corrections:
        return wording
    words = dict(map(_message_and_words, corrections))
    last = latest_correction(
        assertion for assertion in assertions if assertion.asserts and assertion.message_id in words
    )
    if last is None:
        return wording
    pinned = any(assertion.correction is CorrectionKind.PINS for assertion in assertions)
    return replace(
        wording,
        statement=words[last.message_id],
        reader=PERSON,
        base_strength=max(wording.base_strength, STATED_STRENGTH),
        confidence=1.0,
        importance=IMPORTANCE_MAX if pinned else wording.importance,
    )


def wording_rank(
    assertions: Sequence[Assertion], reader: str, statement: str, confidence: float
) -> tuple[bool, bool, float, float, int, str]:
    """Return the sort key of a wording among those of its claim; the lowest wins.

    The latest wording that reports a change wins ("the operation is on 24 April now"), else the surest, of these the
    earliest. Starts rank before ends; ties are broken by reader (`_READER_PRECEDENCE`) and statement.

    Args:
        confidence: of the wording, or of the wordings merged into it, of which it is the surest.
    """
    # Only assertions of this reader count: the time of a correction is not that of the extraction.
    relevant = [
        assertion for assertion in assertions if (assertion.correction is not None) == (reader == PERSON)
    ] or assertions
    precedence = _READER_PRECEDENCE.index(reader if reader in _READER_PRECEDENCE else "")
    changed = [assertion.valid_at for assertion in relevant if assertion.changes and not assertion.ends]
    if changed:
        return (False, False, 0.0, -max(changed).timestamp(), precedence, statement)
    ends, first = min((assertion.ends, assertion.valid_at) for assertion in relevant)
    return (ends, True, -confidence, first.timestamp(), precedence, statement)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedFact:
    """A fact to write.

    Attributes:
        before: the stored fact; None when it is new.
        reason: why it is written, for the change log.
    """

    fact: Fact
    before: Fact | None
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownClaim:
    """A claim with all its assertions.

    Attributes:
        first_uri: URI of its first period.
        quotes: positions of the supporting text, `messageId:start:end`.
        ignored_closings: ids of claims and messages that do not close it, because a person reopened it.
        periods: its stored facts, ordered by slot.
        corrections: corrections by people, `messageId:words`.
        wordings: the extracted statements of the messages, `messageId:words`.
    """

    claim: Claim
    first_uri: Uri
    assertions: tuple[Assertion, ...]
    quotes: frozenset[str]
    wording: Wording
    ignored_closings: frozenset[str] = frozenset()
    object_name: str | None = None
    periods: tuple[Fact, ...] = ()
    corrections: frozenset[str] = frozenset()
    wordings: frozenset[str] = frozenset()

    @property
    def id(self) -> MemoryId:
        """Return the id of its first period, which identifies the claim."""
        return memory_id(self.first_uri)

    @property
    def attribute(self) -> Attribute | None:
        """Return the attribute that it states; None if it states none, so that many values may be valid together."""
        return attribute_of(self.claim.predicate, self.claim.relation, self.object_name)

    @property
    def value(self) -> str:
        """Return the normalized object, equal for different spellings of a value."""
        return value_key(self.object_name) if self.object_name else self.claim.object_id

    @property
    def replaces(self) -> frozenset[MemoryId]:
        """Return the ids of the claims that it replaces according to the caller."""
        return frozenset(replaced for assertion in self.assertions for replaced in assertion.replaces)

    def period_uri(self, slot: int) -> Uri:
        """Return the URI of a period."""
        return Uri(f"{self.first_uri.rsplit('/', 1)[0]}/{slot}")

    def period_id(self, slot: int) -> MemoryId:
        """Return the id of a period."""
        return memory_id(self.period_uri(slot))


def strength_of(base: float, proofs: int) -> float:
    """Return the strength, 0…1, of a fact with `proofs` evidence messages."""
    return round(1.0 - (1.0 - base) * _DOUBT_FACTOR ** max(proofs - 1, 0), 4)


def known_claims(facts: Iterable[Fact]) -> dict[Claim, KnownClaim]:
    """Group stored facts by claim, and merge their assertions."""
    claims: dict[Claim, list[Fact]] = {}
    for fact in sorted(facts, key=lambda one: (one.claim[:2], one.claim.object_id, one.slot)):
        claims.setdefault(fact.claim, []).append(fact)
    return {
        claim: replace(merge_claims([_claim_of_fact(fact) for fact in periods]), periods=tuple(periods))
        for claim, periods in claims.items()
    }


def merge_claims(parts: Sequence[KnownClaim]) -> KnownClaim:
    """Merge parts of one claim; the URI and the periods are those of the first part."""
    first = parts[0]
    if len(parts) == 1:
        return first
    wording = first.wording
    for part in parts[1:]:
        wording = wording.merged(part.wording)
    return replace(
        first,
        assertions=joined(assertion for part in parts for assertion in part.assertions),
        quotes=frozenset().union(*(part.quotes for part in parts)),
        wording=wording,
        ignored_closings=frozenset().union(*(part.ignored_closings for part in parts)),
        object_name=next((part.object_name for part in parts if part.object_name), first.object_name),
        corrections=frozenset().union(*(part.corrections for part in parts)),
        wordings=frozenset().union(*(part.wordings for part in parts)),
    )


def reduced(claim: KnownClaim, left: Sequence[Assertion]) -> KnownClaim:
    """Return a claim with some of its assertions only, in the words of their messages, if these are known."""
    messages = {one.message_id for one in left}
    wordings = _wordings_in(claim, messages)
    told = [_message_and_words(one)[1] for one in wordings]
    statement = claim.wording.statement if not told or claim.wording.statement in told else told[-1]
    return replace(
        claim,
        assertions=tuple(left),
        quotes=frozenset(quote for quote in claim.quotes if quote.partition(":")[0] in messages),
        wording=replace(claim.wording, statement=statement),
        wordings=frozenset(wordings),
    )


def accepted_claim(fact: AcceptedFact, scene: MemoryId) -> KnownClaim:
    """Return an accepted fact as a claim with its assertions, one per evidence message."""
    explicit = fact.valid_at != fact.said_at
    assertions = [
        Assertion(
            message_id=proof.message_id,
            scene_id=scene,
            valid_at=fact.valid_at if explicit else proof.said_at,
            valid_by=(fact.valid_by or fact.valid_at) if explicit else proof.said_at,
            said_at=proof.said_at,
            heard_at=proof.heard_at or proof.said_at,
            position=proof.position,
            ends=fact.closes,
            adds=proof.adds and not fact.closes,
            correction=fact.correction,
            changes=fact.changes and not fact.closes,
            replaces=() if fact.closes else fact.replaces,
            unconfirmed=fact.unconfirmed,
            local=fact.reader == LOCAL_READER,
        )
        for proof in fact.proofs
    ]
    if fact.invalid_at is not None and not fact.closes:
        assertions += [replace(ended(one), valid_at=fact.invalid_at, valid_by=fact.invalid_at) for one in assertions]
    return KnownClaim(
        claim=fact.claim,
        first_uri=fact_uri(fact.subject.uri, fact.predicate, fact.relation, fact.object.id, 0),
        assertions=joined(assertions),
        quotes=frozenset(_quotes(fact.proofs)),
        wording=Wording(
            rank=wording_rank(assertions, fact.reader, fact.statement, fact.confidence),
            **fact_values(fact),
        ),
        object_name=fact.object.name,
        corrections=frozenset(f"{one.message_id}:{fact.statement}" for one in assertions if one.asserts),
        wordings=_wordings(assertions, fact.statement),
    )


def _wordings(assertions: Iterable[Assertion], statement: str) -> frozenset[str]:
    extracted = (one for one in assertions if not one.ends and one.correction is None)
    return frozenset(f"{one.message_id}:{statement}" for one in extracted)


def _wordings_in(claim: KnownClaim, messages: Collection[str]) -> list[str]:
    return sorted(one for one in claim.wordings if _message_and_words(one)[0] in messages)


def _kept_wordings(claim: KnownClaim, messages: Collection[str]) -> tuple[str, ...]:
    """Return the statements of some messages; none if all are the claim's own, which is the usual case."""
    kept = _wordings_in(claim, messages)
    differs = any(_message_and_words(one)[1] != claim.wording.statement for one in kept)
    return tuple(kept[:_WORDINGS_MAX]) if differs else ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FormerWording:
    """A statement of a fact before another one took its place.

    Attributes:
        until: when the message of the later statement was received.
    """

    statement: str
    message_id: MemoryId
    known_at: datetime
    until: datetime


def former_wordings(fact: Fact) -> list[FormerWording]:
    """Return the former statements of a fact, extracted or by people, oldest first.

    A statement received after the present one never was that of the fact.
    """
    heard = {one.message_id: one.heard_at for one in fact.assertions if not one.ends}
    told = {*fact.wordings, *fact.corrections}
    if fact.extracted is not None and not fact.wordings:
        told |= _wordings(fact.assertions, fact.extracted.statement)
    times = sorted((heard[name], name, words) for name, words in map(_message_and_words, told) if name in heard)
    present = next(((at, name) for at, name, words in times if words == fact.statement), None)
    if present is None:
        return []
    former: dict[str, FormerWording] = {}
    for at, name, words in times:
        if words != fact.statement and (at < present[0] or name == present[1]):
            wording = FormerWording(statement=words, message_id=name, known_at=at, until=present[0])
            former.setdefault(words, wording)
    return [*former.values()]


def ended(assertion: Assertion) -> Assertion:
    """Convert an assertion that a fact is valid into one that it has ended."""
    return replace(assertion, ends=True, adds=False, changes=False, replaces=())


def fact_of_period(claim: KnownClaim, slot: int, period: ValidityPeriod, closed_by: MemoryId | None) -> Fact:
    """Return a period of a claim as a fact.

    Args:
        closed_by: id of the fact with the assertion that closed the period.
    """
    supporting = [assertion for assertion in period.assertions if not assertion.ends] or period.assertions
    evidence = tuple(sorted({assertion.message_id for assertion in supporting}))
    messages = {assertion.message_id for assertion in period.assertions}
    wording = corrected_wording(claim.wording, claim.assertions, claim.corrections)
    return Fact(
        id=claim.period_id(slot),
        uri=claim.period_uri(slot),
        subject_id=claim.claim.subject_id,
        object_id=claim.claim.object_id,
        predicate=claim.claim.predicate,
        relation=claim.claim.relation,
        slot=slot,
        **fact_values(wording),
        strength=strength_of(wording.base_strength, len(evidence)),
        first_seen=min(assertion.said_at for assertion in supporting),
        last_seen=max(assertion.said_at for assertion in supporting),
        valid_at=period.valid_at,
        invalid_at=period.invalid_at,
        closed_by=closed_by,
        evidence=evidence,
        scenes=tuple(sorted({assertion.scene_id for assertion in period.assertions})),
        quotes=tuple(sorted(quote for quote in claim.quotes if quote.partition(":")[0] in messages)),
        closing_reason=period.why,
        assertions=claim.assertions if len(period.assertions) == len(claim.assertions) else joined(period.assertions),
        ignored_closings=tuple(sorted(claim.ignored_closings)),
        object_name=claim.object_name,
        closing_known_at=period.closing_assertion.heard_at if period.closing_assertion else None,
        corrections=tuple(sorted(claim.corrections)),
        wordings=_kept_wordings(claim, {one.message_id for one in period.assertions if not one.ends}),
        extracted=FactValues(**fact_values(claim.wording)) if wording != claim.wording else None,
    )


def absorbed_fact(fact: Fact, assertions: Sequence[Assertion]) -> Fact:
    """Return a stored period closed at its start, because it is now part of an earlier one.

    Args:
        assertions: assertions of the claim; the last one received joined the two periods.
    """
    if fact.closing_reason is Closing.MERGED:
        return fact
    return _closed_as_merged(fact, fact.valid_at, max(assertion.heard_at for assertion in assertions))


def merged_fact(fact: Fact, other: Fact) -> Fact:
    """Return an open fact closed where another one that says the same begins, or at its own start."""
    known_at = max(one.known_at or one.last_seen for one in (fact, other))
    return replace(_closed_as_merged(fact, max(fact.valid_at, other.valid_at), known_at), closed_by=other.id)


def _closed_as_merged(fact: Fact, invalid_at: datetime, known_at: datetime) -> Fact:
    # A fact that ends where it begins and whose end was received with it was told as past (`told_begin`).
    known_at += timedelta(microseconds=known_at == fact.known_at)
    return replace(fact, invalid_at=invalid_at, closing_reason=Closing.MERGED, closing_known_at=known_at)


def supported_fact(fact: Fact, others: Sequence[Fact]) -> Fact:
    """Return a fact with the evidence of other facts that say the same; its assertions stay its own."""
    evidence = tuple(sorted({*fact.evidence, *(message for one in others for message in one.evidence)}))
    return replace(
        fact,
        evidence=evidence,
        scenes=tuple(sorted({*fact.scenes, *(scene for one in others for scene in one.scenes)})),
        strength=strength_of(fact.base_strength, len(evidence)),
        first_seen=min(one.first_seen for one in (fact, *others)),
        last_seen=max(one.last_seen for one in (fact, *others)),
    )


def _claim_of_fact(fact: Fact) -> KnownClaim:
    extracted = fact.extracted or fact
    return KnownClaim(
        claim=fact.claim,
        first_uri=Uri(f"{fact.uri.rsplit('/', 1)[0]}/0"),
        assertions=fact.assertions,
        quotes=frozenset(fact.quotes),
        wording=Wording(
            rank=wording_rank(fact.assertions, extracted.reader, extracted.statement, extracted.confidence),
            **fact_values(extracted),
        ),
        ignored_closings=frozenset(fact.ignored_closings),
        object_name=fact.object_name,
        periods=(fact,),
        corrections=frozenset(fact.corrections),
        wordings=frozenset(fact.wordings) or _wordings(fact.assertions, extracted.statement),
    )


def _quotes(proofs: Iterable[Proof]) -> list[str]:
    return [f"{p.message_id}:{p.quote_start}:{p.quote_end}" for p in proofs if p.quote_start is not None]
