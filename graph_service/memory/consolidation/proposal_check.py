"""Check proposed facts against the predicate whitelist, the known entities and their evidence. Pure."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final, NamedTuple

from extraction.reader import ProposedFact, Quote, Reading
from extraction.rules.additive_cues import is_additive, is_one_of_several, says_replaced
from graph_service.memory.facts.conflict_resolution import ClaimContent, claim_content
from schema.entity import EntityRef
from schema.fact import PERSON, AcceptedFact, Claim, Proof
from schema.ids import MemoryId, fact_uri, memory_id
from schema.importance import importance_of_strength
from schema.limits import LIMITS
from schema.message import Message
from schema.predicates import allowed, whitelist
from schema.relations import canonical_relation
from schema.timespan import as_utc
from schema.tuning import tuning

# Reader name of facts that a caller provides.
CALLER: Final = "caller"
# Maximum evidence that is searched for words of change: messages, and characters of each.
_QUOTES_MAX: Final = 4
_QUOTE_CHARS_MAX: Final = 2_000
# Facts accepted from one reading; more indicate a faulty reader or an attack.
FACTS_MAX: Final = 500


class ReplacedName(NamedTuple):
    """A caller's reference to a fact that is replaced.

    Attributes:
        text: id, URI, statement or object of that fact.
    """

    subject_id: MemoryId
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RejectedProposal:
    """A rejected proposal; `reason` is one of a fixed set, and a label of the metric."""

    fact: ProposedFact
    reason: str


def check(
    reading: Reading,
    messages: Sequence[Message],
    entities: Mapping[str, EntityRef],
    replaced: Mapping[ReplacedName, MemoryId] = MappingProxyType({}),
) -> tuple[list[AcceptedFact], list[RejectedProposal]]:
    """Return the accepted and the rejected proposals of a reading.

    Accepted are those with an allowed predicate, known subject and object, and existing evidence.

    Args:
        messages: the messages of the scene, in the order that the reader saw.
        entities: the entity of each name in the reading, of `THE_USER` and of `THE_AGENT`.
        replaced: ids of the claims that the caller names as replaced.
    """
    accepted: list[AcceptedFact] = []
    rejected: list[RejectedProposal] = []
    for index, fact in enumerate(reading.facts):
        reason = _reason_against(fact, len(messages), entities) if index < FACTS_MAX else "too many facts in one scene"
        if reading.reader != CALLER and fact.importance is not None and fact.importance < tuning().importance_min:
            reason = reason or "not important enough"
        if reason:
            rejected.append(RejectedProposal(fact=fact, reason=reason))
        else:
            accepted.append(_accept(fact, messages, entities, reading, replaced))
    return accepted, rejected


def _reason_against(fact: ProposedFact, lines: int, entities: Mapping[str, EntityRef]) -> str | None:
    if fact.predicate not in whitelist():
        return "predicate not on the whitelist"
    if fact.subject not in entities or fact.object not in entities:
        return "subject or object has no usable name"
    if not allowed(entities[fact.subject].label, fact.predicate, entities[fact.object].label):
        return "the whitelist does not allow this predicate between these kinds"
    if entities[fact.subject].id == entities[fact.object].id:
        return "subject and object are the same"
    if not fact.quotes or any(not 0 <= quote.line < lines for quote in fact.quotes):
        return "no message proves it"
    if not fact.statement.strip() or len(fact.statement) > LIMITS.statement_chars:
        return "the statement is empty or too long"
    if not (0.0 <= fact.strength <= 1.0 and tuning().confidence_min <= fact.confidence <= 1.0):
        return "not confident enough"
    return None


def _accept(
    fact: ProposedFact,
    messages: Sequence[Message],
    entities: Mapping[str, EntityRef],
    reading: Reading,
    replaced: Mapping[ReplacedName, MemoryId],
) -> AcceptedFact:
    names = [ReplacedName(entities[fact.subject].id, text) for text in fact.replaces]
    said = sorted(messages[quote.line].said_at for quote in fact.quotes)
    valid_at = as_utc(fact.valid_at) if fact.valid_at else said[0]
    invalid_at = as_utc(fact.invalid_at) if fact.invalid_at else None
    adds = reading.reader == CALLER and is_addition(fact)
    return AcceptedFact(
        subject=entities[fact.subject],
        predicate=fact.predicate,
        object=entities[fact.object],
        statement=fact.statement.strip(),
        relation=canonical_relation(fact.relation),
        base_strength=fact.strength,
        confidence=fact.confidence,
        said_at=said[0],
        valid_at=valid_at if invalid_at is None or valid_at <= invalid_at else invalid_at,
        valid_by=min(as_utc(fact.valid_by), said[0]) if fact.valid_at and fact.valid_by else None,
        invalid_at=invalid_at,
        trigger_emotion=fact.trigger_emotion,
        proofs=tuple(_proof(fact, quote, messages[quote.line], adds=adds) for quote in fact.quotes),
        reader=PERSON if fact.correction else reading.reader,
        correction=fact.correction,
        closes=fact.closes,
        corrects=fact.corrects,
        withdraws=None if fact.withdraws is None else messages[fact.withdraws].id,
        importance=fact.importance or importance_of_strength(fact.strength),
        detail=fact.detail,
        changes=says_changed(fact, messages),
        replaces=tuple(sorted({replaced[name] for name in names if name in replaced})),
        unconfirmed=reading.unconfirmed and fact.correction is None,
    )


def says_changed(fact: ProposedFact, messages: Sequence[Message]) -> bool:
    """Return whether a proposal or its evidence reports a change of the value; False for ends and corrections.

    Args:
        messages: messages of the scene, to which the quotes of the proposal refer.
    """
    if fact.closes or fact.correction is not None:
        return False
    # Many messages usually prove several facts, so a change in them may be of another fact.
    quotes = fact.quotes if len(fact.quotes) <= _QUOTES_MAX else ()
    texts = [messages[quote.line].text[quote.start : quote.end][:_QUOTE_CHARS_MAX] for quote in quotes]
    return says_replaced(fact.statement, texts, fact.object)


def proposal_content(
    fact: ProposedFact, entities: Mapping[str, EntityRef], *, changes: bool = False
) -> ClaimContent | None:
    """Return the content of the claim that a proposal states; None if its predicate or an end is unknown."""
    subject, obj = entities.get(fact.subject), entities.get(fact.object)
    if subject is None or obj is None or fact.predicate not in whitelist():
        return None
    claim = Claim(subject.id, fact.predicate, canonical_relation(fact.relation), obj.id)
    claim_id = memory_id(fact_uri(subject.uri, claim.predicate, claim.relation, claim.object_id, 0))
    return claim_content(claim, obj.name, changes=changes, claim_id=claim_id)


def is_addition(fact: ProposedFact) -> bool:
    """Return whether a provided fact leaves other values valid.

    It does if it names one of several values or a former value, or if it has an end but no start.
    """
    if fact.correction is not None:
        return False
    return (fact.invalid_at is not None and fact.valid_at is None) or is_one_of_several(fact.statement, fact.object)


_CLAUSE_EDGE: Final = re.compile(r"[,.;:!?，。；：！？\n]")
_CLAUSE_CHARS_MAX: Final = 200


def _clause_around(text: str, start: int, end: int) -> str:
    """Return the clause that a quote lies in: a tagged quote begins at its object, after "I also work at"."""
    first = max(0, start - _CLAUSE_CHARS_MAX)
    edges = [first, *(found.end() for found in _CLAUSE_EDGE.finditer(text, first, start))]
    following = _CLAUSE_EDGE.search(text, end, end + _CLAUSE_CHARS_MAX)
    return text[edges[-1] : following.start() if following else end + _CLAUSE_CHARS_MAX]


def _proof(fact: ProposedFact, quote: Quote, message: Message, *, adds: bool) -> Proof:
    start, end = quote.start, quote.end
    said = Proof(
        message_id=message.id,
        said_at=message.said_at,
        heard_at=message.received_at,
        position=message.position,
        adds=adds,
    )
    if start is None or end is None or not 0 <= start < end <= len(message.text):
        return said
    clause = _clause_around(message.text, start, end)
    adds = is_additive(clause, predicate=fact.predicate, name=fact.object)
    return replace(said, quote_start=start, quote_end=end, adds=adds)
