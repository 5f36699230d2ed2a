"""Compare what the rules read from everyday memories with the facts that a careful agent would hand in.

    python -m tests.benchmarks.everyday_reading FILE_OR_FOLDER … [--show missing|stale|other]

Both are planned session by session as the service does, without a database. After the last session each careful fact
that is valid is `found` if a valid read fact has its subject and object, and each one that has ended is `stale` if such
a read fact is still valid. `other` counts valid read facts without a careful counterpart; many of them are true. The
last columns count only attributes with one value at a time, those that a question about the present asks for.
"""

import argparse
import asyncio
import json
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from extraction.entities.attributes import attribute_of
from extraction.reader import THE_AGENT, THE_USER, ProposedFact, Quote, Reading, SceneLine, SceneText
from extraction.rules.rule_reader import read_by_rules
from extraction.text.name_spotting import load_words
from graph_service.memory.consolidation.plan import SceneExtraction, names_of
from graph_service.memory.consolidation.proposal_check import CALLER, check
from graph_service.memory.entity_resolution.resolver import EntityRecord, Owner, resolve
from graph_service.memory.facts.reconciliation import plan_facts
from graph_service.memory.summaries.scene_summary import LayerBasis, SceneSummary
from schema.fact import Fact
from schema.ids import MemoryId, TenantId, Uri, UserId, name_key
from schema.labels import Role
from schema.message import Message
from schema.scene import Scene

_LAYERS = SceneSummary(title="", abstract="", overview="", made_by="extractive")
_BASIS = LayerBasis(messages=1, key="", behind=False, fresh=True)
_SUBJECTS = {"user": THE_USER, "assistant": THE_AGENT}


@dataclass(slots=True)
class Comparison:
    """Counts of one or more memories; facts are shown as `subject|relation|object`."""

    valid: int = 0
    ended: int = 0
    single: int = 0
    missing: list[str] = field(default_factory=list)
    missing_single: list[str] = field(default_factory=list)
    stale: list[str] = field(default_factory=list)
    other: list[str] = field(default_factory=list)

    def add(self, more: "Comparison") -> None:
        """Add the counts of another memory."""
        self.valid, self.ended, self.single = (
            self.valid + more.valid,
            self.ended + more.ended,
            self.single + more.single,
        )
        for name in ("missing", "missing_single", "stale", "other"):
            getattr(self, name).extend(getattr(more, name))


@dataclass(frozen=True, slots=True)
class Claimed:
    """A fact with the name of its subject."""

    subject: str
    fact: Fact

    @property
    def is_valid(self) -> bool:
        return self.fact.invalid_at is None

    def __str__(self) -> str:
        return f"{self.subject}|{self.fact.relation or self.fact.predicate}|{self.fact.object_name}"

    def is_like(self, other: "Claimed") -> bool:
        """Return whether both have the same subject, and objects of which one contains the other."""
        mine, their = name_key(self.fact.object_name or ""), name_key(other.fact.object_name or "")
        same = name_key(self.subject) == name_key(other.subject)
        return same and bool(mine and their) and (mine in their or their in mine)


def compare(memory: dict[str, Any]) -> Comparison:
    """Return the comparison of one memory."""
    owner = Owner(
        tenant=TenantId("t"), user_id=UserId(memory["user_id"]), user_names=(memory["user_name"],), agent_id=None
    )
    read = _after_all((_read(session, owner) for session in memory["sessions"]), owner)
    careful = _after_all(_provided(memory), owner)
    open_read = [one for one in read if one.is_valid]
    found = Comparison()
    for claimed in careful:
        shown = f"{memory['id']}: {claimed}"
        meets = any(claimed.is_like(one) for one in open_read)
        if not claimed.is_valid:
            found.ended += 1
            if meets and not any(claimed.is_like(one) for one in careful if one.is_valid):
                found.stale.append(shown)
            continue
        fact = claimed.fact
        attribute = attribute_of(fact.predicate, fact.relation, fact.object_name)
        single = attribute is not None and attribute.one
        found.valid, found.single = found.valid + 1, found.single + single
        if not meets:
            found.missing.append(shown)
            if single:
                found.missing_single.append(shown)
    found.other = [
        f"{memory['id']}: {one} <- {one.fact.statement}"
        for one in open_read
        if not any(claimed.is_like(one) for claimed in careful)
    ]
    return found


def _after_all(scenes: Iterable[tuple[SceneExtraction, ...]], owner: Owner) -> list[Claimed]:
    facts: dict[str, Fact] = {}
    beings: dict[str, EntityRecord] = {}
    called: dict[str, str] = (
        {owner.user.id: "user", owner.agent.id: "assistant"} if owner.agent else {owner.user.id: "user"}
    )
    for scene in (one for batch in scenes for one in batch):
        names, touched = resolve(names_of([scene]), list(beings.values()), owner)
        beings |= {one.entity.id: one for one in touched}
        names |= {THE_USER: owner.user, THE_AGENT: owner.agent}
        accepted, _ = check(scene.readings[0], scene.scene.messages, names)
        planned = plan_facts(list(facts.values()), [(fact, scene.scene.id) for fact in accepted])
        facts |= {item.fact.id: item.fact for item in planned}
    called |= {one.entity.id: one.entity.name for one in beings.values()}
    return [Claimed(called.get(fact.subject_id, ""), fact) for fact in facts.values()]


def _messages(session: dict[str, Any]) -> list[Message]:
    return [
        Message(
            id=MemoryId(one["id"]),
            uri=Uri(one["id"]),
            role=Role(one["role"].lower()),
            speaker=one.get("speaker"),
            text=one["text"],
            said_at=datetime.fromisoformat(one["time"]),
            content_hash=one["id"],
        )
        for one in session["messages"]
    ]


def _scene(name: str, messages: list[Message]) -> SceneExtraction:
    scene = Scene(id=MemoryId(name), uri=Uri(name), messages=tuple(messages), content_hash=name)
    return SceneExtraction(scene=scene, readings=(), layers=_LAYERS, basis=_BASIS)


def _read(session: dict[str, Any], owner: Owner) -> tuple[SceneExtraction, ...]:
    messages = _messages(session)
    lines = tuple(
        SceneLine(message_id=one.id, role=one.role, speaker=one.speaker, text=one.text, said_at=one.said_at)
        for one in messages
    )
    reading = asyncio.run(read_by_rules(SceneText(user_names=owner.user_names, agent_names=(), lines=lines)))
    return (replace(_scene(session["id"], messages), readings=(reading,)),)


def _provided(memory: dict[str, Any]) -> Iterator[tuple[SceneExtraction, ...]]:
    for session in memory["sessions"]:
        messages = _messages(session)
        line_of = {one.id: number for number, one in enumerate(messages)}
        facts = tuple(
            ProposedFact(
                subject=_SUBJECTS.get(one["subject"], one["subject"]),
                predicate=one["predicate"],
                object=one["object"],
                statement=one["statement"],
                relation=one.get("relation"),
                quotes=tuple(Quote(line=line_of[name]) for name in one["messages"] if name in line_of),
            )
            for one in memory["facts"]
            if one["session"] == session["id"] and not one.get("invalidAt")
        )
        yield (replace(_scene(session["id"], messages), readings=(Reading(reader=CALLER, facts=facts),)),)


def main() -> None:
    """Print a line for each memory and the totals."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("--show", choices=("missing", "missing_single", "stale", "other"), action="append", default=[])
    given = parser.parse_args()
    load_words()
    files = [file for path in given.paths for file in (sorted(path.glob("*.json")) if path.is_dir() else [path])]
    say, total = sys.stdout.write, Comparison()
    say("memory          valid  found  ended  stale  other  single  found\n")
    for file in files:
        memory = json.loads(file.read_text("utf-8"))
        one = compare(memory)
        total.add(one)
        say(_row(memory["id"], one))
    say(_row("all", total))
    for name in given.show:
        say("".join(f"{name} {line}\n" for line in getattr(total, name)))


def _row(name: str, one: Comparison) -> str:
    found, single = one.valid - len(one.missing), one.single - len(one.missing_single)
    return (
        f"{name:14}  {one.valid:5}  {found:5}  {one.ended:5}  {len(one.stale):5}  {len(one.other):5}  "
        f"{one.single:6}  {single:5}\n"
    )


if __name__ == "__main__":
    main()
