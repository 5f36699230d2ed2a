"""Test that communities group dense parts of the graph, for any order of input."""

import random
from collections.abc import Sequence

from graph_service.memory.mindmap.communities import Communities, Member, find_communities


def a_member(node_id: str, *, scene: bool = False, user_id: str = "u") -> Member:
    return Member(id=node_id, name=node_id.upper(), user_id=user_id, scene=scene)


def communities_in(
    members: Sequence[Member], links: Sequence[tuple[str, str, float]], people: Sequence[str]
) -> Communities:
    """Return the communities; links with a weight of 1 are facts, others are mentions."""
    rows = [(source, *(([target], []) if weight == 1.0 else ([], [target]))) for source, target, weight in links]
    return find_communities(members, rows, people)


def two_circles() -> tuple[list[Member], list[tuple[str, str, float]]]:
    members = [a_member(f"{circle}{i}") for circle in "ab" for i in range(5)]
    links = [(f"{c}{i}", f"{c}{j}", 1.0) for c in "ab" for i in range(5) for j in range(i)]
    return members, [*links, ("a0", "b0", 0.2), *(("user", member.id, 1.0) for member in members)]


def test_two_dense_groups_with_one_link_become_two_communities() -> None:
    members, links = two_circles()
    found = communities_in(members, links, ["user"])
    assert sorted(len(each.members) for each in found.found) == [5, 5]
    assert {each.id for each in found.found} == {"a0", "b0"}, "named by the best tied member"
    assert found.ties == {("a0", "b0"): 1, ("a0", "user"): 5, ("b0", "user"): 5}
    assert {each.edges for each in found.found} == {10}


def test_order_of_members_and_links_does_not_matter() -> None:
    members, links = two_circles()
    once = communities_in(members, links, ["user"])
    dice = random.Random(3)
    for _ in range(3):
        dice.shuffle(members)
        dice.shuffle(links)
        assert communities_in(members, links, ["user"]) == once


def test_entities_linked_only_to_their_user_form_one_community_per_user() -> None:
    members = [a_member("x"), a_member("y"), a_member("z", user_id="v")]
    found = communities_in(members, [("user", "x", 1.0)], ["user"])
    assert [each.members for each in found.found] == [("x", "y"), ("z",)]


def test_scenes_join_the_entities_they_mention_and_are_no_communities_of_their_own() -> None:
    things = [a_member(f"{circle}{i}") for circle in "ab" for i in range(3)]
    scenes = [a_member(f"s{i:02}", scene=True) for i in range(20)]
    told = [("a0", "a1", 1.0), ("b0", "b1", 1.0)]
    mentions = [(scene.id, things[i % 6].id, 0.5) for i, scene in enumerate(scenes)]
    together = [(scene, f"{circle}{i}", 0.5) for scene, circle in (("s00", "a"), ("s03", "b")) for i in range(3)]
    found = communities_in([*things, *scenes], [*told, *mentions, *together], [])
    assert [{one for one in each.members if not one.startswith("s")} for each in found.found] == [
        {"a0", "a1", "a2"},
        {"b0", "b1", "b2"},
    ]
    assert sorted(one for each in found.found for one in each.members) == sorted(m.id for m in [*things, *scenes])


def test_community_is_named_after_entities_before_scenes() -> None:
    members = [a_member("s", scene=True), a_member("t")]
    assert communities_in(members, [("s", "t", 0.5)], []).found[0].label == "T · S"


def test_community_is_named_by_things_not_by_parts_of_sentences() -> None:
    names = ("doctor told me to move more", "meat", "已经非常古老的丝绸手工", "beef")
    members = [Member(id=f"m{i}", name=name, user_id="u", scene=False) for i, name in enumerate(names)]
    links = [("m0", "m1", 1.0), ("m0", "m2", 1.0), ("m0", "m3", 1.0)]
    assert communities_in(members, links, []).found[0].label == "meat · beef"
    assert communities_in(members[:1], [], []).found[0].label == names[0], "a community has a name"


def test_empty_memory_has_no_communities() -> None:
    assert communities_in([], [], []).found == ()
