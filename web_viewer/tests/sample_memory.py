"""A synthetic memory of two users, in both languages; the same at every run."""

import random
from datetime import UTC, datetime, timedelta
from typing import Any

Row = dict[str, Any]

START = datetime(2026, 9, 1, 8, tzinfo=UTC)

LIKES = [
    "pour-over coffee",
    "jazz 爵士乐",
    "hiking in the Alps",
    "乌龙茶",
    "Studio Ghibli films",
    "sourdough bread",
    "夜跑",
    "mechanical keyboards",
    "竹笛",
    "sashimi",
    "Miles Davis",
    "老城区的小书店",
    "rainy Sundays",
    "陶艺",
    "board games with friends",
    "Bauhaus posters",
    "酸菜鱼",
    "bouldering",
    "weißer Tee",
    "拼图",
]
DISLIKES = ["香菜", "crowded trains", "early meetings", "instant noodles", "榴莲", "loud restaurants", "过度包装"]
CARES = [
    "mother's health",
    "climate change 气候变化",
    "女儿的中考",
    "open source",
    "后院的流浪猫",
    "learning Japanese",
    "住房贷款",
]
TIED = [
    "Acme Robotics",
    "Berlin",
    "上海交通大学",
    "Bob",
    "奶奶",
    "Dr. Chen",
    "Tempelhofer Feld",
    "project Nightingale",
    "周医生",
    "Lisbon",
    "小区业主群",
    "Marta",
    "Kyoto trip 2025",
    "房东王先生",
    "Neo4j meetup",
    "苏州",
    "the blue bicycle",
    "Anna's bakery",
]
RELATIONS = ["works at", "lives in", "studied at", "friend of", "家人", "treated by", "walks in", "member of"]
SCENES = [
    "Breakfast talk",
    "周末去苏州",
    "Planning the Kyoto trip",
    "和奶奶打电话",
    "A bad day at work",
    "体检结果出来了",
    "Moving to a new flat",
    "深夜聊女儿的考试",
    "Choosing a keyboard",
    "第一次做酸面包",
    "A concert at the Philharmonie",
    "关于房贷的担心",
]


class Sample:
    """Builds random nodes and edges with sequential ids."""

    def __init__(self) -> None:
        self.dice = random.Random(7)
        self.nodes: dict[str, Row] = {}
        self.edges: dict[str, Row] = {}

    def node(self, node_id: str, kind: str, label: str, user_id: str, **more: Any) -> str:
        """Add a node and return its id."""
        seen = self.moment()
        self.nodes[node_id] = {
            "id": node_id,
            "kind": kind,
            "label": label,
            "user_id": user_id,
            "entity_type": None,
            "aliases": [],
            "summary": None,
            "importance": None,
            "first_seen": seen,
            "last_seen": seen,
            "evidence_n": self.dice.randint(1, 6),
            **more,
        }
        return node_id

    def edge(self, source: str, target: str, predicate: str, relation: str | None = None) -> None:
        """Add an edge with random strength and confidence; some are closed."""
        seen = self.moment()
        edge_id = f"r{len(self.edges)}"
        closed = self.dice.random() < 0.07 and predicate != "MENTIONED"
        self.edges[edge_id] = {
            "id": edge_id,
            "source": source,
            "target": target,
            "predicate": predicate,
            "relation": relation,
            "strength": round(self.dice.uniform(0.15, 1), 2),
            "confidence": round(min(1, self.dice.uniform(0.35, 1.25)), 2),
            "first_seen": seen,
            "last_seen": seen,
            "valid_at": seen,
            "invalid_at": self.moment() if closed else None,
            "evidence_n": self.dice.randint(1, 4),
        }

    def moment(self) -> str:
        """Return a random time within eleven weeks, in the service's format."""
        return (START + timedelta(minutes=self.dice.randint(0, 11 * 7 * 1440))).isoformat().replace("+00:00", "Z")

    def person(self, name: str, user_id: str, share: float, scenes: int) -> None:
        """Add a user with entities, facts and scenes.

        Args:
            share: fraction of the sample labels to use.
        """
        user = self.node(f"u-{user_id}", "User", name, user_id)
        things: list[str] = []
        for predicate, labels in (
            ("PREFERS", LIKES),
            ("DISLIKES", DISLIKES),
            ("CARES_ABOUT", CARES),
            ("RELATES_TO", TIED),
        ):
            for label in self.dice.sample(labels, max(1, int(len(labels) * share))):
                thing = self.node(f"{user_id}-e{len(things)}", "Entity", label, user_id, entity_type="thing")
                self.edge(user, thing, predicate, self.dice.choice(RELATIONS) if predicate == "RELATES_TO" else None)
                things.append(thing)
        for index in range(int(len(things) * 0.35)):
            far = self.node(
                f"{user_id}-f{index}", "Entity", self.dice.choice(TIED + LIKES), user_id, aliases=["aka " + str(index)]
            )
            self.edge(self.dice.choice(things), far, "RELATES_TO", self.dice.choice(RELATIONS))
        for index in range(scenes):
            summary = "They spoke about the week, 说了很多细节。"
            scene_id = f"s{index}" if user_id == "alice" else f"{user_id}-s{index}"
            scene = self.node(scene_id, "Scene", SCENES[index % len(SCENES)], user_id, summary=summary, importance=0.5)
            for thing in self.dice.sample(things, min(len(things), self.dice.randint(1, 4))):
                self.edge(scene, thing, "MENTIONED")
            if index and index % 4 == 0:
                self.edge(scene, scene_id[: -len(str(index))] + str(index - 1), "CAUSED_BY")


def sample(size: int) -> tuple[dict[str, Row], dict[str, Row]]:
    """Return the nodes and edges of a memory of about `size` nodes, by id."""
    grown = Sample()
    if size == 0:
        return {}, {}
    if size <= 30:
        grown.person("Alice", "alice", 0.2, 4)
        return grown.nodes, grown.edges
    scenes = max(4, int(size * 0.22))
    grown.person("Alice", "alice", 1.0, scenes)
    grown.person("小林", "xiaolin", 0.45, max(2, scenes // 3))
    while len(grown.nodes) < size:
        index = len(grown.nodes)
        far = grown.node(f"x{index}", "Entity", f"thing {index} 事物", "alice")
        grown.edge(grown.dice.choice(list(grown.nodes)[:-1]), far, "RELATES_TO", "near")
    return grown.nodes, grown.edges
