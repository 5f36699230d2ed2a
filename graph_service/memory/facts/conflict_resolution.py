"""Compare a new fact with the stored ones: IGNORE, MERGE, UPDATE or CREATE, the first that applies. Pure.

A fact is closed only by what cannot be true at the same time: another value of a single-valued attribute
(`extraction/entities/attributes.py`), or of any attribute if the message says that it changed; the opposite predicate
for the same object; a message that says that it has ended; or a fact that replaces it according to the caller.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Final, NamedTuple

from extraction.entities.attributes import attribute_of, value_key
from extraction.text.near_duplicates import (
    common_part,
    likeness,
    near_duplicates,
    plain,
)
from schema.assertion import Closing
from schema.fact import AcceptedFact, Claim, Fact
from schema.ids import MemoryId, Uri, memory_id
from schema.labels import Label
from schema.predicates import whitelist
from schema.tuning import tuning

SIMILAR_MAX: Final = 5
# Minimum similarity of object names, because facts about different objects may have similar statements.
COMMON_NAME_MIN: Final = 0.8


class ClaimContent(NamedTuple):
    """The content of a claim that decides which claims it conflicts with.

    Attributes:
        attribute: label from `attribute_label`.
        value: the normalized object, so that different spellings of a value do not conflict.
        replaces: ids of the claims that it replaces according to the caller.
    """

    claim: Claim
    attribute: str | None = None
    value: str = ""
    id: MemoryId = MemoryId("")
    replaces: frozenset[MemoryId] = frozenset()


def attribute_label(claim: Claim, object_name: str | None, *, changes: bool) -> str | None:
    """Return the label of the attribute that a claim states, as stored with its facts; None if it states none.

    Claims whose label begins with `?` do not close others of the attribute: it may have several values, and no message
    says that this one is new.
    """
    attribute = attribute_of(claim.predicate, claim.relation, object_name)
    if attribute is None:
        return None
    return attribute.key if attribute.one or changes else f"?{attribute.key}"


def claim_content(
    claim: Claim,
    object_name: str | None,
    *,
    changes: bool = False,
    claim_id: str = "",
    replaces: Iterable[MemoryId] = (),
) -> ClaimContent:
    """Return the content of a claim."""
    return ClaimContent(
        claim,
        attribute_label(claim, object_name, changes=changes),
        value_key(object_name) if object_name else claim.object_id,
        MemoryId(claim_id),
        frozenset(replaces),
    )


def content_of(fact: AcceptedFact | Fact) -> ClaimContent:
    """Return the content of a fact."""
    if isinstance(fact, AcceptedFact):
        return claim_content(fact.claim, fact.object.name, changes=fact.changes, replaces=fact.replaces)
    return claim_content(
        fact.claim,
        fact.object_name,
        changes=any(one.changes for one in fact.assertions),
        claim_id=memory_id(first_uri(fact.uri)),
        replaces=(replaced for one in fact.assertions for replaced in one.replaces),
    )


def content_of_row(row: Mapping[str, Any]) -> ClaimContent:
    """Return the content of the claim in a row of `facts/related_facts`; a stored attribute label takes precedence."""
    stored = row["properties"]
    claim = Claim(row["subject_id"], row["predicate"], stored.get("relation"), row["object_id"])
    content = claim_content(
        claim,
        row.get("object_name"),
        claim_id=memory_id(first_uri(stored["uri"])),
        replaces=stored.get("replaces") or (),
    )
    return content._replace(attribute=stored.get("attribute") or content.attribute)


def first_uri(uri: str) -> Uri:
    """Return the URI of a claim's first period, given that of any period; the id of the first is that of the claim."""
    return Uri(f"{uri.rsplit('/', 1)[0]}/0")


@dataclass(frozen=True, slots=True, kw_only=True)
class SubjectKey:
    """Search key for facts of one subject that may conflict, one of `$keys` of `facts/related_facts`.

    Attributes:
        attributes: labels of attributes, as stored.
        claims: ids of claims to read, together with the claims that replace them.
    """

    objects: frozenset[str] = frozenset()
    predicates: frozenset[str] = frozenset()
    attributes: frozenset[str] = frozenset()
    claims: frozenset[str] = frozenset()
    similarity_keys: frozenset[str] = frozenset()

    def row(self, subject: str) -> dict[str, Any]:
        """Return the entry of `$keys` for this subject."""
        return {
            "subject_id": subject,
            "object_ids": sorted(self.objects),
            "predicates": sorted(self.predicates),
            "attributes": sorted(self.attributes),
            "claim_ids": sorted(self.claims),
            "similarity_keys": sorted(self.similarity_keys),
        }

    def with_content(self, content: ClaimContent) -> "SubjectKey":
        """Return the key widened to facts that the claim may repeat, close or be closed by."""
        claim, label = content.claim, content.attribute
        opposite = whitelist()[claim.predicate].opposite
        closing = label is not None and not label.startswith("?")
        plain = {label.removeprefix("?")} if label else set()
        return replace(
            self,
            objects=self.objects | {claim.object_id},
            predicates=self.predicates | {claim.predicate, opposite or claim.predicate},
            attributes=self.attributes | plain | ({f"?{label}"} if closing else set()),
            claims=self.claims | ({content.id} if content.id else set()) | content.replaces,
        )


class FactAction(StrEnum):
    """The action for a new fact; the first that applies is taken."""

    IGNORE = "ignore"
    MERGE = "merge"
    UPDATE = "update"
    CREATE = "create"


def resolve(fact: AcceptedFact, known: Iterable[Fact]) -> tuple[FactAction, Fact | None]:
    """Return the action for a new fact, from the most similar stored facts of its subject.

    Returns:
        The action, and the stored fact with the same claim or, without one, a near-duplicate.
    """
    near = most_similar(fact, known)
    same = next((one for one in near if one.claim == fact.claim), None)
    same = same or next((one for one in near if nearly_same(fact, one)), None)
    if same is not None:
        assertions = {(assertion.message_id, assertion.ends) for assertion in same.assertions}
        if all((proof.message_id, fact.closes) in assertions for proof in fact.proofs):
            return FactAction.IGNORE, same
        return FactAction.UPDATE if fact.closes else FactAction.MERGE, same
    older = (one for one in near if one.invalid_at is None and one.valid_at <= fact.valid_at)
    return FactAction.UPDATE if any(_closing(fact, one) for one in older) else FactAction.CREATE, None


def most_similar(fact: AcceptedFact, known: Iterable[Fact]) -> list[Fact]:
    """Return the stored facts of the same subject most similar to a new one, at most `SIMILAR_MAX`.

    Order: the same claim, then open facts that conflict with it, then by similarity of the statements.
    """
    of_subject = [one for one in known if one.subject_id == fact.subject.id and one.predicate != "MENTIONED"]
    return sorted(of_subject, key=lambda one: _distance(fact, one))[:SIMILAR_MAX]


def _distance(fact: AcceptedFact, one: Fact) -> tuple[bool, bool, float, bool, str]:
    ended = one.invalid_at is not None
    closable = not ended and _closing(fact, one) is not None
    return (one.claim != fact.claim, not closable, -likeness(fact.statement, one.statement), ended, one.id)


def _closing(fact: AcceptedFact, one: Fact) -> Closing | None:
    """Return why the new fact, or the end that it states, closes the stored one; None if it does not."""
    if fact.closes:
        return Closing.ENDED if ends(fact.claim, one.claim) else None
    return closes(content_of(fact), content_of(one))


def nearly_same(fact: AcceptedFact, one: Fact) -> bool:
    """Return whether a stored fact is a near-duplicate: same subject, predicate and relation, the rest similar."""
    mine, other = fact.claim, one.claim
    if mine[:3] != other[:3] or not one.object_name:
        return False
    attribute = attribute_of(mine.predicate, mine.relation, fact.object.name)
    if attribute is not None and (attribute.one or _digits(fact.object.name) != _digits(one.object_name)):
        return False
    names = plain(fact.object.name), plain(one.object_name)
    values = tuning()
    common_min = values.common_part_min if fact.subject.label is Label.ENTITY else values.profile_common_part_min
    alike = near_duplicates(fact.statement, one.statement, common_min=common_min)
    return alike and common_part(*names) > COMMON_NAME_MIN


def _digits(name: str) -> str:
    return "".join(char for char in name if char.isdigit())


def closes(one: ClaimContent, other: ClaimContent) -> Closing | None:
    """Return why a newer assertion of `one` closes `other`; None if both can be valid."""
    claim, known = one.claim, other.claim
    if claim.subject_id != known.subject_id or claim == known:
        return None
    if other.id and other.id in one.replaces:
        return Closing.REPLACED
    if claim.predicate == known.predicate:
        another = claim.object_id != known.object_id and one.value != other.value
        same_attribute = one.attribute is not None and one.attribute == (other.attribute or "").removeprefix("?")
        return Closing.REPLACED if another and same_attribute else None
    opposite = whitelist()[claim.predicate].opposite == known.predicate
    return Closing.REVERSED if opposite and claim.object_id == known.object_id else None


def ends(claim: Claim, other: Claim) -> bool:
    """Return whether the end of `claim` also ends `other`: they are equal, except that only `other` has a relation."""
    return claim.relation is None and other.relation is not None and claim == other._replace(relation=None)
