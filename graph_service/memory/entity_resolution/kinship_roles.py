"""Who is meant by "my sister": the one whom the user named so, if there is only one. Pure.

What is said of "my sister" is kept of her as such; the map shows it with Anna while nobody else may be meant. So the
same is shown in whatever order things were said, and one more sister takes it back.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from extraction.entities.kinship_terms import Tie, tie, wider
from schema.ids import MemoryId

REASON: Final = "the only one who was called so"


@dataclass(frozen=True, slots=True, kw_only=True)
class Relative:
    """An entity that a fact ties to the user, by a word for relatives.

    Attributes:
        root_id: the node of the map that stands for it; itself when it is not merged.
        reason: why it was merged, when it was.
        holds: the tie is not over.
        own_words: the user said so, nobody else.
        shared: somebody else calls it so as well.
    """

    id: MemoryId
    root_id: MemoryId
    name: str
    relation: str
    reason: str | None = None
    holds: bool = True
    own_words: bool = True
    shared: bool = False

    @property
    def tie(self) -> Tie | None:
        """Return what the relation says."""
        return tie(self.relation)

    @property
    def is_called(self) -> str | None:
        """The tie that is its whole name, as of "my sister"; None for who has a name, or is one of several."""
        named = tie(self.name)
        return named.name if named is not None and not named.among_several else None


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleMove:
    """What must change: a role joins who is meant, or parts from who was."""

    role_id: MemoryId
    root_id: MemoryId
    join: bool


def role_moves(relatives: Sequence[Relative], apart: Collection[frozenset[str]]) -> list[RoleMove]:
    """Return what must change so that each role stands with the one who is meant; partings first, each ordered by id.

    Args:
        apart: pairs of entities that somebody said are two.
    """
    partings, joins = [], []
    roles = {one.id: one for one in relatives if one.is_called and one.tie and one.tie.name == one.is_called}
    for name in sorted(roles):
        role = roles[name]
        meant = _meant(role, relatives, apart)
        joined = role.reason == REASON
        if joined and (meant is None or meant.root_id != role.root_id):
            partings.append(RoleMove(role_id=role.id, root_id=role.root_id, join=False))
        # A role that somebody merged by hand stays where it was put.
        if meant is not None and meant.root_id != role.root_id and (joined or role.root_id == role.id):
            joins.append(RoleMove(role_id=role.id, root_id=meant.root_id, join=True))
    return [*partings, *joins]


def _meant(role: Relative, relatives: Sequence[Relative], apart: Collection[frozenset[str]]) -> Relative | None:
    if role.shared or any(one.shared for one in relatives if one.id == role.id):
        return None
    assert role.is_called is not None
    maybe = {role.is_called, *wider(role.is_called)}
    named = [one for one in relatives if one.is_called is None and one.tie is not None and one.tie.name in maybe]
    if len({one.root_id for one in named}) != 1:
        return None
    parted = any(frozenset((name, role.id)) in apart for one in named for name in (one.id, one.root_id))
    sure = [one for one in named if not parted and _surely(one, role)]
    doubtful = any(not one.holds or (one.tie is not None and one.tie.among_several) for one in named)
    return min(sure, key=lambda one: one.id) if sure and not doubtful else None


def _surely(one: Relative, role: Relative) -> bool:
    return one.own_words and one.tie is not None and one.tie.name == role.is_called
