"""What is known of a claim, all its spells together: joined with what is told anew, and back to facts. Pure.

Evidence adds up; strength follows from the number of messages that prove a spell, so reading a message twice changes
nothing. How a claim is worded and how sure we are of it belongs to the claim; when it held belongs to its spells.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from graph_service.memory.facts.validity import ValidityPeriod
from schema.fact import PERSON, AcceptedFact, Claim, FactDetail, KnownFact, Proof, ReadAs
from schema.ids import MemoryId, Uri, fact_uri, memory_id
from schema.telling import Assertion, Closing, Stated, joined, last_word

# How a claim is put into words, and how much of it is believed: as it was read, and as people state it. Pure.

# How much a fact matters that a person states by hand, and one that they pin.
STATED_STRENGTH: Final = 0.9
IMPORTANCE_MAX: Final = 10
# Whose words name a fact when several told it at the same time: who hands it in, then a model, then the rules.
_READERS = ("caller", "", "rules")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """How a claim is put, and how much of it is believed.

    Attributes:
        rank: whose words count: the lowest; an assertion before an end, then the earliest.
    """

    rank: tuple[bool, datetime, int, str]
    statement: str
    reader: str
    base_strength: float
    confidence: float
    importance: int
    trigger_emotion: str | None
    detail: FactDetail

    def joined(self, other: "Wording") -> "Wording":
        """Return both in one: the words of the first, the best of each judgement; what a person states is kept beside
        it.
        """
        if (self.reader == PERSON) != (other.reader == PERSON):
            return other if self.reader == PERSON else self
        first, second = (self, other) if self.rank <= other.rank else (other, self)
        return replace(
            first,
            base_strength=max(self.base_strength, other.base_strength),
            confidence=max(self.confidence, other.confidence),
            importance=max(self.importance, other.importance),
            trigger_emotion=first.trigger_emotion or second.trigger_emotion,
            detail=first.detail.joined(second.detail, first=True),
        )


def in_front(wording: Wording, told: Sequence[Assertion], stated: Collection[str]) -> Wording:
    """Return how a claim is put: as a person stated it last, else as it was read.

    Args:
        stated: what people stated, `messageId:words`.
    """
    if not stated:
        return wording
    words = dict(text.split(":", 1) for text in stated)
    said = last_word(telling for telling in told if telling.asserts and telling.message_id in words)
    if said is None:
        return wording
    pinned = any(telling.stated is Stated.PINS for telling in told)
    return replace(
        wording,
        statement=words[said.message_id],
        reader=PERSON,
        base_strength=max(wording.base_strength, STATED_STRENGTH),
        confidence=1.0,
        importance=IMPORTANCE_MAX if pinned else wording.importance,
    )


def behind(wording: Wording, told: Sequence[Assertion], stated: Collection[str]) -> ReadAs | None:
    """Return how a claim was read, or put first, when a person's words stand in front of that."""
    if in_front(wording, told, stated) == wording:
        return None
    return ReadAs(
        statement=wording.statement,
        base_strength=wording.base_strength,
        confidence=wording.confidence,
        importance=wording.importance,
        reader=wording.reader,
        trigger_emotion=wording.trigger_emotion,
        detail=wording.detail,
    )


def rank_of(told: Sequence[Assertion], reader: str, statement: str) -> tuple[bool, datetime, int, str]:
    """Return whose words count: the lowest."""
    # What a person states says nothing of when it was read.
    mine = [telling for telling in told if (telling.stated is not None) == (reader == PERSON)] or told
    first = min((telling.ends, telling.valid_at) for telling in mine)
    place = _READERS.index(reader) if reader in _READERS else _READERS.index("")
    return (*first, place, statement)


# How much of the remaining doubt one more proving message leaves.
_DOUBT_LEFT = 0.85


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedFact:
    """A fact as it will be written.

    Attributes:
        before: the fact as it was known; None when it is new.
        reason: why it is written, for people.
    """

    fact: KnownFact
    before: KnownFact | None
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimKnown:
    """A claim with everything told of it.

    Attributes:
        first_uri: the address of its first spell.
        spells: its facts as they are known, by slot.
        stated: what people stated by hand, `messageId:words`.
    """

    claim: Claim
    first_uri: Uri
    told: tuple[Assertion, ...]
    quotes: frozenset[str]
    wording: Wording
    reopened: frozenset[str] = frozenset()
    object_name: str | None = None
    spells: tuple[KnownFact, ...] = ()
    stated: frozenset[str] = frozenset()

    @property
    def id(self) -> MemoryId:
        """The id of its first spell, which names the claim."""
        return memory_id(self.first_uri)

    def spell_uri(self, slot: int) -> Uri:
        """Return the address of one of its spells."""
        return Uri(f"{self.first_uri.rsplit('/', 1)[0]}/{slot}")

    def spell_id(self, slot: int) -> MemoryId:
        """Return the id of one of its spells."""
        return memory_id(self.spell_uri(slot))


def strength_of(base: float, proofs: int) -> float:
    """Return strength 0…1 of a fact that `proofs` messages prove; order and repetition do not matter."""
    return round(1.0 - (1.0 - base) * _DOUBT_LEFT ** max(proofs - 1, 0), 4)


def known_claims(facts: Iterable[KnownFact]) -> dict[Claim, ClaimKnown]:
    """Return the claims of some known facts."""
    claims: dict[Claim, list[KnownFact]] = {}
    for fact in sorted(facts, key=lambda one: (one.claim[:2], one.claim.object_id, one.slot)):
        claims.setdefault(fact.claim, []).append(fact)
    return {
        claim: replace(joined_claims([_of_known(fact) for fact in spells]), spells=tuple(spells))
        for claim, spells in claims.items()
    }


def joined_claims(parts: Sequence[ClaimKnown]) -> ClaimKnown:
    """Return what is known of one claim and what else was told of it, in one; address and spells are those of the
    first.
    """
    first = parts[0]
    if len(parts) == 1:
        return first
    wording = first.wording
    for part in parts[1:]:
        wording = wording.joined(part.wording)
    return replace(
        first,
        told=joined(telling for part in parts for telling in part.told),
        quotes=frozenset().union(*(part.quotes for part in parts)),
        wording=wording,
        reopened=frozenset().union(*(part.reopened for part in parts)),
        object_name=next((part.object_name for part in parts if part.object_name), first.object_name),
        stated=frozenset().union(*(part.stated for part in parts)),
    )


def told_of(fact: KnownFact) -> tuple[Assertion, ...]:
    """Return the tellings of a known fact; those of an older version follow from its evidence."""
    if fact.told:
        return fact.told
    scenes = fact.scenes or (MemoryId(""),)
    told = []
    for place, message in enumerate(fact.evidence):
        said_at = fact.last_seen if place and place == len(fact.evidence) - 1 else fact.first_seen
        scene = scenes[min(place, len(scenes) - 1)]
        told.append(
            Assertion(
                message_id=message,
                scene_id=scene,
                valid_at=fact.valid_at,
                valid_by=fact.valid_at,
                said_at=said_at,
                heard_at=said_at,
            )
        )
    over = fact.invalid_at
    if over is not None and fact.closed_by is None and told:
        told.append(replace(told[-1], valid_at=over, valid_by=over, said_at=over, ends=True))
    return joined(told)


def accepted_claim(fact: AcceptedFact, scene: MemoryId) -> ClaimKnown:
    """Return what one accepted fact tells of its claim."""
    explicit = fact.valid_at != fact.said_at
    told = [
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
            stated=fact.stated,
        )
        for proof in fact.proofs
    ]
    if fact.invalid_at is not None and not fact.closes:
        told += [
            replace(one, valid_at=fact.invalid_at, valid_by=fact.invalid_at, ends=True, adds=False) for one in told
        ]
    return ClaimKnown(
        claim=fact.claim,
        first_uri=fact_uri(fact.subject.uri, fact.predicate, fact.relation, fact.object.id, 0),
        told=joined(told),
        quotes=frozenset(_quotes(fact.proofs)),
        wording=Wording(
            rank=rank_of(told, fact.reader, fact.statement),
            statement=fact.statement,
            reader=fact.reader,
            base_strength=fact.strength,
            confidence=fact.confidence,
            importance=fact.importance,
            trigger_emotion=fact.trigger_emotion,
            detail=fact.detail,
        ),
        object_name=fact.object.name,
        stated=frozenset(f"{one.message_id}:{fact.statement}" for one in told if one.asserts),
    )


def fact_of_spell(claim: ClaimKnown, slot: int, spell: ValidityPeriod, closed_by: MemoryId | None) -> KnownFact:
    """Return the fact that one spell of a claim is.

    Args:
        closed_by: the fact that holds the telling which closed it.
    """
    said = [telling for telling in spell.told if not telling.ends] or spell.told
    evidence = tuple(sorted({telling.message_id for telling in said}))
    messages = {telling.message_id for telling in spell.told}
    wording = in_front(claim.wording, claim.told, claim.stated)
    return KnownFact(
        id=claim.spell_id(slot),
        uri=claim.spell_uri(slot),
        subject_id=claim.claim.subject_id,
        object_id=claim.claim.object_id,
        predicate=claim.claim.predicate,
        relation=claim.claim.relation,
        slot=slot,
        statement=wording.statement,
        base_strength=wording.base_strength,
        strength=strength_of(wording.base_strength, len(evidence)),
        confidence=wording.confidence,
        first_seen=min(telling.said_at for telling in said),
        last_seen=max(telling.said_at for telling in said),
        valid_at=spell.valid_at,
        invalid_at=spell.invalid_at,
        closed_by=closed_by,
        trigger_emotion=wording.trigger_emotion,
        evidence=evidence,
        scenes=tuple(sorted({telling.scene_id for telling in spell.told})),
        quotes=tuple(sorted(quote for quote in claim.quotes if quote.partition(":")[0] in messages)),
        reader=wording.reader,
        importance=wording.importance,
        detail=wording.detail,
        closing_reason=spell.why,
        told=claim.told if len(spell.told) == len(claim.told) else joined(spell.told),
        reopened=tuple(sorted(claim.reopened)),
        object_name=claim.object_name,
        closing_known_at=spell.closer.heard_at if spell.closer else None,
        stated=tuple(sorted(claim.stated)),
        read_as=behind(claim.wording, claim.told, claim.stated),
    )


def joined_away(fact: KnownFact, told: Sequence[Assertion]) -> KnownFact:
    """Return a spell that turned out to be part of an earlier one, closed as it began.

    Args:
        told: of the claim; the last of them joined the two.
    """
    if fact.closing_reason is Closing.MERGED:
        return fact
    known_at = max(telling.heard_at for telling in told)
    return replace(fact, invalid_at=fact.valid_at, closing_reason=Closing.MERGED, closing_known_at=known_at)


def _of_known(fact: KnownFact) -> ClaimKnown:
    told, read = told_of(fact), fact.read_as or fact
    return ClaimKnown(
        claim=fact.claim,
        first_uri=Uri(f"{fact.uri.rsplit('/', 1)[0]}/0"),
        told=told,
        quotes=frozenset(fact.quotes),
        wording=Wording(
            rank=rank_of(told, read.reader, read.statement),
            statement=read.statement,
            reader=read.reader,
            base_strength=read.base_strength,
            confidence=read.confidence,
            importance=read.importance,
            trigger_emotion=read.trigger_emotion,
            detail=read.detail,
        ),
        reopened=frozenset(fact.reopened),
        object_name=fact.object_name,
        spells=(fact,),
        stated=frozenset(fact.stated),
    )


def _quotes(proofs: Iterable[Proof]) -> list[str]:
    return [f"{p.message_id}:{p.quote_start}:{p.quote_end}" for p in proofs if p.quote_start is not None]
