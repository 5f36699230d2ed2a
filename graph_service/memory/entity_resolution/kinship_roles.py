"""Resolve kinship roles such as "my sister" to the one relative they can mean. Pure.

A role is an entity with its own facts. While exactly one named relative can be meant, the role is merged into that
entity; a second sister undoes the merge. The result does not depend on the order of the messages.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from extraction.entities.kinship_terms import KinshipTie, more_specific_ties, tie
from schema.ids import MemoryId

# Stored with each merge, so that it can be told from those of people.
KINSHIP_MERGE_REASON: Final = "the only one who was called so"


@dataclass(frozen=True, slots=True, kw_only=True)
class Relative:
    """An entity that a kinship fact relates to the user.

    Attributes:
        root_id: the node that represents it; its own id if it is not merged.
        reason: reason of its merge; None if it is not merged.
        is_valid: the fact has not ended.
        stated_by_user: a message of the user is evidence of the fact.
        is_shared: another subject has the same relation to it.
    """

    id: MemoryId
    root_id: MemoryId
    name: str
    relation: str
    reason: str | None = None
    is_valid: bool = True
    stated_by_user: bool = True
    is_shared: bool = False

    @property
    def tie(self) -> KinshipTie | None:
        """Return the kinship tie that the relation names."""
        return tie(self.relation)

    @property
    def kinship_name(self) -> str | None:
        """Return the tie if the whole name is a role ("my sister"); None for proper names and "one of my sisters"."""
        named = tie(self.name)
        return named.name if named is not None and not named.among_several else None


@dataclass(frozen=True, slots=True, kw_only=True)
class KinshipMerge:
    """Merge a role ("my sister") into the entity it means, or split it off again."""

    role_id: MemoryId
    root_id: MemoryId
    merge: bool


def plan_kinship_merges(relatives: Sequence[Relative], rejected: Collection[frozenset[str]]) -> list[KinshipMerge]:
    """Plan the merge of each role into the entity it means, and the split of merges that no longer hold.

    Splits come first. Roles that a person merged are left alone.

    Args:
        rejected: pairs of entity ids that a person declared different.
    """
    splits, merges = [], []
    roles = {one.id: one for one in relatives if one.kinship_name and one.tie and one.tie.name == one.kinship_name}
    for name in sorted(roles):
        role = roles[name]
        referent = _referent(role, relatives, rejected)
        merged_before = role.reason == KINSHIP_MERGE_REASON
        if merged_before and (referent is None or referent.root_id != role.root_id):
            splits.append(KinshipMerge(role_id=role.id, root_id=role.root_id, merge=False))
        # A role merged by hand is left alone.
        if referent is not None and referent.root_id != role.root_id and (merged_before or role.root_id == role.id):
            merges.append(KinshipMerge(role_id=role.id, root_id=referent.root_id, merge=True))
    return [*splits, *merges]


def _referent(role: Relative, relatives: Sequence[Relative], rejected: Collection[frozenset[str]]) -> Relative | None:
    if role.is_shared or any(one.is_shared for one in relatives if one.id == role.id):
        return None
    assert role.kinship_name is not None
    ties = {role.kinship_name, *more_specific_ties(role.kinship_name)}
    named = [one for one in relatives if one.kinship_name is None and one.tie is not None and one.tie.name in ties]
    if len({one.root_id for one in named}) != 1:
        return None
    is_rejected = any(frozenset((name, role.id)) in rejected for one in named for name in (one.id, one.root_id))
    certain = [one for one in named if not is_rejected and _is_certain(one, role)]
    ambiguous = any(not one.is_valid or (one.tie is not None and one.tie.among_several) for one in named)
    return min(certain, key=lambda one: one.id) if certain and not ambiguous else None


def _is_certain(one: Relative, role: Relative) -> bool:
    return one.stated_by_user and one.tie is not None and one.tie.name == role.kinship_name
