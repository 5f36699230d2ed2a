"""Find communities of entities with the Louvain method. Pure and deterministic.

Users and agents belong to no community, because they are connected to everything and would join all communities.
Scenes are not clustered, because most mention one or two entities and would be communities of their own: entities of
one scene are weakly linked, and a scene joins the community that it mentions most.
Source: Blondel et al. 2008, in the implementation of networkx, with a fixed seed.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

_SEED: Final = 7
_LABEL_NAMES: Final = 3
# Longer names are sentences in part ("doctor told me to move more") and do not say what a community is about.
_TELLING_WORDS_MAX: Final = 3
_TELLING_CHARS_MAX: Final = 28
_TELLING_HAN_MAX: Final = 8
# Entities of one scene that are linked to each other; each further one is linked to the first only.
_LINKED_OF_SCENE_MAX: Final = 8
# Edge weights: being mentioned in a scene is a weaker relation than a fact.
_FACT_WEIGHT: Final = 1.0
_MENTION_WEIGHT: Final = 0.5

# Id of the source, ids of the targets of its facts, and of its mentions.
LinkRow = tuple[str, Sequence[str], Sequence[str]]


class Member(NamedTuple):
    """An entity or scene, which belongs to one community, in the order of `mindmap/community_nodes`."""

    id: str
    name: str | None
    user_id: str
    scene: bool | int


@dataclass(frozen=True, slots=True, kw_only=True)
class Community:
    """A community of densely connected entities and scenes.

    Attributes:
        id: id of its first member.
        label: names of its first members that say what it is about.
        members: ids of entities, then of scenes, highest degree first.
        edges: number of edges between members.
    """

    id: str
    label: str
    user_id: str
    members: tuple[str, ...]
    edges: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Communities:
    """The communities of a memory.

    Attributes:
        found: communities, largest first.
        ties: number of edges between two communities, or a user and a community, by the sorted pair of their ids.
    """

    found: tuple[Community, ...]
    ties: Mapping[tuple[str, str], int]


def find_communities(nodes: Sequence[Sequence[Any]], rows: Iterable[LinkRow], people: Sequence[str]) -> Communities:
    """Return the communities of a memory.

    Entities without a link to another one form one community for each user, as do scenes that mention none.

    Args:
        nodes: values of a `Member` each.
        rows: the edges, in any order.
        people: ids of user nodes; their edges to communities are counted in `ties`.
    """
    members = [Member(*values) for values in nodes]
    links = [
        (source, target, weight)
        for source, facts, mentions in rows
        for ends, weight in ((facts, _FACT_WEIGHT), (mentions, _MENTION_WEIGHT))
        for target in ends
    ]
    known = {member.id: member for member in members}
    degrees: Counter[str] = Counter(end for source, target, _ in links for end in (source, target))
    entities = {member.id: member for member in members if not member.scene}
    weights = _entity_weights(known, links)
    groups = _with_scenes([*_louvain(weights), *_unconnected(entities, weights)], known, links)
    found = [_community(group, known, degrees) for group in groups]
    of = {member: community.id for community in found for member in community.members}
    inner, ties = _edge_counts(links, of, set(people))
    sized = (replace(each, edges=inner[each.id]) for each in found)
    ordered = tuple(sorted(sized, key=lambda one: (-len(one.members), one.id)))
    return Communities(found=ordered, ties=ties)


def _pair(one: str, other: str) -> tuple[str, str]:
    return (one, other) if one < other else (other, one)


def _entity_weights(
    known: Mapping[str, Member], links: Sequence[tuple[str, str, float]]
) -> dict[tuple[str, str], float]:
    """Return the weight between two entities: that of their facts, and a share of each scene that mentions both."""
    weights: dict[tuple[str, str], float] = defaultdict(float)
    mentioned: dict[str, dict[str, float]] = defaultdict(dict)
    for source, target, weight in links:
        if source not in known or target not in known or source == target:
            continue
        if not known[source].scene and not known[target].scene:
            weights[_pair(source, target)] += weight
        elif known[source].scene and not known[target].scene:
            mentioned[source][target] = weight
    for scene in sorted(mentioned):
        entities = sorted(mentioned[scene])
        for index, entity in enumerate(entities):
            # Bounded, so that the cost grows with the number of mentions.
            others = entities[:index] if index < _LINKED_OF_SCENE_MAX else entities[:1]
            for other in others:
                weights[_pair(entity, other)] += mentioned[scene][entity] / (len(entities) - 1)
    return weights


def _louvain(weights: Mapping[tuple[str, str], float]) -> list[set[str]]:
    # Imported here because it takes a third of a second, and only the map needs it.
    import networkx

    graph: networkx.Graph[str] = networkx.Graph()
    # Sorted, because Louvain breaks ties by the order of the edges.
    graph.add_weighted_edges_from((*pair, weights[pair]) for pair in sorted(weights))
    return list(networkx.community.louvain_communities(graph, weight="weight", seed=_SEED)) if weights else []


def _unconnected(entities: Mapping[str, Member], weights: Mapping[tuple[str, str], float]) -> list[set[str]]:
    tied = {end for pair in weights for end in pair}
    unconnected: dict[str, set[str]] = defaultdict(set)
    for entity in entities.values():
        if entity.id not in tied:
            unconnected[entity.user_id].add(entity.id)
    return [unconnected[user] for user in sorted(unconnected)]


def _with_scenes(
    groups: list[set[str]], known: Mapping[str, Member], links: Sequence[tuple[str, str, float]]
) -> list[set[str]]:
    """Add each scene to the group that it mentions most; the others of a user form one group."""
    group_of = {member: index for index, group in enumerate(groups) for member in group}
    pulls: dict[str, Counter[int]] = defaultdict(Counter)
    for source, target, _ in links:
        for scene, other in ((source, target), (target, source)):
            if scene in known and known[scene].scene and other in group_of:
                pulls[scene][group_of[other]] += 1
    rest: dict[str, set[str]] = defaultdict(set)
    for member in known.values():
        if not member.scene:
            continue
        if pull := pulls.get(member.id):
            groups[min(pull, key=lambda index: (-pull[index], index))].add(member.id)
        else:
            rest[member.user_id].add(member.id)
    return [*groups, *(rest[user] for user in sorted(rest))]


def _community(group: set[str], known: Mapping[str, Member], degrees: Mapping[str, int]) -> Community:
    ranked = sorted(group, key=lambda node: (known[node].scene, -degrees[node], node))
    named = list(dict.fromkeys(name for node in ranked if (name := known[node].name)))
    names = ([name for name in named if _is_telling(name)] or named)[:_LABEL_NAMES]
    return Community(
        id=ranked[0], label=" · ".join(names), user_id=known[ranked[0]].user_id, members=tuple(ranked), edges=0
    )


def _is_telling(name: str) -> bool:
    """Return whether a name is a thing rather than a part of a sentence."""
    han = sum("\u3400" <= char <= "\u9fff" for char in name)
    return len(name.split()) <= _TELLING_WORDS_MAX and len(name) <= _TELLING_CHARS_MAX and han <= _TELLING_HAN_MAX


def _edge_counts(
    links: Iterable[tuple[str, str, float]], of: Mapping[str, str], people: set[str]
) -> tuple[Counter[str], dict[tuple[str, str], int]]:
    inner: Counter[str] = Counter()
    ties: Counter[tuple[str, str]] = Counter()
    for source, target, _ in links:
        one, other = of.get(source, source), of.get(target, target)
        if one == other and source in of:
            inner[one] += 1
        elif (source in of or source in people) and (target in of or target in people):
            ties[_pair(one, other)] += 1
    return inner, dict(ties)
