"""Proposals of readers against the whitelist: accepted facts, and rejected ones with the reason. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from extraction.reader import ProposedFact, Quote, Reading
from extraction.rules.additive_cues import holds_beside
from schema.entity import EntityRef
from schema.fact import PERSON, AcceptedFact, Proof
from schema.importance import importance_of_strength
from schema.limits import LIMITS
from schema.message import Message
from schema.predicates import allowed, whitelist
from schema.relations import canonical_relation
from schema.timespan import as_utc

# Below it a proposal is a guess; a wrong edge on the map costs more trust than a missing one.
CONFIDENCE_MIN = 0.5
# Likewise for what the reader itself holds unimportant. Source: requirements.md C7, "importance ≥ 0.5".
IMPORTANCE_MIN = 5
# Who hands a fact in has judged that it matters.
_CALLER = "caller"
# More than this many facts in one scene are not a reading but an accident or an attack.
FACTS_MAX = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejected:
    """A proposal that was not accepted; `reason` is one of a few words that can be counted."""

    fact: ProposedFact
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckResult:
    """Everything proposed is in exactly one of the two."""

    accepted: tuple[AcceptedFact, ...]
    rejected: tuple[Rejected, ...]


def check(reading: Reading, messages: Sequence[Message], beings: Mapping[str, EntityRef]) -> CheckResult:
    """Accept the proposals that the whitelist permits, whose ends are known and whose proof exists.

    Args:
        messages: the lines of the scene, in the order the reader saw them.
        beings: for each name in the reading, and for `THE_USER` and `THE_AGENT`, who it is.
    """
    accepted: list[AcceptedFact] = []
    rejected: list[Rejected] = []
    for index, fact in enumerate(reading.facts):
        reason = _reason_against(fact, len(messages), beings) if index < FACTS_MAX else "too many facts in one scene"
        if reading.reader != _CALLER and fact.importance is not None and fact.importance < IMPORTANCE_MIN:
            reason = reason or "not important enough"
        if reason:
            rejected.append(Rejected(fact=fact, reason=reason))
        else:
            accepted.append(_accept(fact, messages, beings, reading.reader))
    return CheckResult(accepted=tuple(accepted), rejected=tuple(rejected))


def _reason_against(fact: ProposedFact, lines: int, beings: Mapping[str, EntityRef]) -> str | None:
    if fact.predicate not in whitelist():
        return "predicate not on the whitelist"
    if fact.subject not in beings or fact.object not in beings:
        return "subject or object has no usable name"
    if not allowed(beings[fact.subject].label, fact.predicate, beings[fact.object].label):
        return "the whitelist does not allow this predicate between these kinds"
    if beings[fact.subject].id == beings[fact.object].id:
        return "subject and object are the same"
    if not fact.quotes or any(not 0 <= quote.line < lines for quote in fact.quotes):
        return "no message proves it"
    if not fact.statement.strip() or len(fact.statement) > LIMITS.statement_chars:
        return "the statement is empty or too long"
    if not (0.0 <= fact.strength <= 1.0 and CONFIDENCE_MIN <= fact.confidence <= 1.0):
        return "not confident enough"
    return None


def _accept(
    fact: ProposedFact, messages: Sequence[Message], beings: Mapping[str, EntityRef], reader: str
) -> AcceptedFact:
    said = sorted(messages[quote.line].said_at for quote in fact.quotes)
    valid_at = as_utc(fact.valid_at) if fact.valid_at else said[0]
    invalid_at = as_utc(fact.invalid_at) if fact.invalid_at else None
    return AcceptedFact(
        subject=beings[fact.subject],
        predicate=fact.predicate,
        object=beings[fact.object],
        statement=fact.statement.strip(),
        relation=canonical_relation(fact.relation),
        strength=fact.strength,
        confidence=fact.confidence,
        said_at=said[0],
        said_last=said[-1],
        valid_at=valid_at if invalid_at is None or valid_at <= invalid_at else invalid_at,
        valid_by=min(as_utc(fact.valid_by), said[0]) if fact.valid_at and fact.valid_by else None,
        invalid_at=invalid_at,
        trigger_emotion=fact.trigger_emotion,
        proofs=tuple(_proof(fact, quote, messages[quote.line]) for quote in fact.quotes),
        reader=PERSON if fact.stated else reader,
        stated=fact.stated,
        closes=fact.closes,
        importance=fact.importance or importance_of_strength(fact.strength),
        detail=fact.detail,
    )


def _proof(fact: ProposedFact, quote: Quote, message: Message) -> Proof:
    whole = quote.start is None or quote.end is None or not 0 <= quote.start < quote.end <= len(message.text)
    said = Proof(
        message_id=message.id, said_at=message.said_at, heard_at=message.received_at, position=message.position
    )
    if whole:
        return said
    start, end = quote.start, quote.end
    adds = holds_beside(message.text[start:end], predicate=fact.predicate, name=fact.object)
    return replace(said, quote_start=start, quote_end=end, adds=adds)
