"""Measure conflict resolution on labelled pairs of statements, with the real reader and without a database.

Measures pairs of facts that an agent hands in too (`provided_pairs_*.tsv`); all of them are for development.

    python -m tests.benchmarks.resolution_table [--wrong]

Prints a table; with `--wrong` also the misjudged pairs of the development half. Nothing is tuned on the held-out half,
whose figures are the ones to quote.
"""

import argparse
import asyncio
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Literal

from extraction.reader import THE_AGENT, THE_USER, ProposedFact, Quote, Reader, Reading, SceneLine, SceneText
from extraction.rules.rule_reader import rules_with_tags
from extraction.tagging.local_tagger import load_local_tagger
from graph_service.memory.consolidation.plan import SceneExtraction, names_of
from graph_service.memory.consolidation.proposal_check import CALLER, check
from graph_service.memory.entity_resolution.resolver import EntityRecord, Owner, resolve
from graph_service.memory.facts.reconciliation import plan_facts
from graph_service.memory.summaries.scene_summary import LayerBasis, SceneSummary
from schema.fact import Fact
from schema.ids import MemoryId, TenantId, Uri, UserId
from schema.labels import Role
from schema.message import Message
from schema.scene import Scene
from tests.benchmarks.rule_reader_table import CACHE
from tests.support.builders import NOON

LANGUAGES = ("en", "zh")
HALVES = ("dev", "kept")
Fate = Literal["duplicate", "closes", "coexists"]
_OWNER = Owner(tenant=TenantId("t"), user_id=UserId("u"), user_names=(), agent_id=None)
# So far that "last month" of the later statement is after the earlier one.
_LATER_DAYS = 365
_LAYERS = SceneSummary(title="", abstract="", overview="", made_by="extractive")
_BASIS = LayerBasis(messages=1, key="", behind=False, fresh=True)


@dataclass(frozen=True)
class Pair:
    """Two statements of one user, a year apart, and the expected effect of the later one."""

    expected: Fate
    earlier: str
    later: str


@dataclass(frozen=True)
class Score:
    """Counts of one half of one language.

    Attributes:
        retired: pairs whose earlier fact was closed although it is still valid.
        missed: pairs whose later statement should have closed or repeated the earlier one, and did not.
        joined: pairs wrongly taken for the same fact.
    """

    language: str
    half: str
    pairs: tuple[Pair, ...]
    retired: tuple[Pair, ...]
    missed: tuple[Pair, ...]
    joined: tuple[Pair, ...]

    @property
    def retired_part(self) -> float:
        """Return the share of `retired` among pairs whose earlier fact is still valid, 0 to 1."""
        return len(self.retired) / sum(pair.expected != "closes" for pair in self.pairs)

    @property
    def missed_part(self) -> float:
        """Return the share of `missed` among pairs that are not independent, 0 to 1."""
        return len(self.missed) / sum(pair.expected != "coexists" for pair in self.pairs)


def pairs_of(language: str, half: str) -> tuple[Pair, ...]:
    """Return the labelled pairs of a language above the line `# kept`, or those below it."""
    path = Path(__file__).with_name(f"resolution_pairs_{language}.tsv")
    part = path.read_text("utf-8").split("# kept\n")[HALVES.index(half)]
    lines = [line.split("\t") for line in part.splitlines() if not line.startswith("#")]
    return tuple(Pair(fate, earlier, later) for fate, earlier, later in lines)  # type: ignore[arg-type]  # the test of the file checks the words


def fate_of(pair: Pair) -> tuple[bool, bool]:
    """Return whether the later statement closed a fact of the earlier one, and whether it repeated one."""
    known, beings = _told(pair.earlier, 0, [], [])
    held = {fact.id for fact in known if fact.invalid_at is None}
    now, _ = _told(pair.later, _LATER_DAYS, known, beings)
    mine = [fact for fact in now if fact.id in held]
    return any(fact.invalid_at is not None for fact in mine), any(len(fact.evidence) > 1 for fact in mine)


def score(language: str, half: str) -> Score:
    """Return the score of one half."""
    pairs = pairs_of(language, half)
    fates = {pair: fate_of(pair) for pair in pairs}
    return Score(
        language=language,
        half=half,
        pairs=pairs,
        retired=tuple(pair for pair, (closed, _) in fates.items() if closed and pair.expected != "closes"),
        missed=tuple(pair for pair, (closed, again) in fates.items() if not _done(pair, closed=closed, again=again)),
        joined=tuple(pair for pair, (_, again) in fates.items() if again and pair.expected == "coexists"),
    )


def _done(pair: Pair, *, closed: bool, again: bool) -> bool:
    return pair.expected == "coexists" or (closed if pair.expected == "closes" else again)


@cache
def _reader() -> Reader:
    return rules_with_tags(asyncio.run(load_local_tagger(cache_dir=CACHE)))


@cache
def _read(text: str, day: int) -> SceneExtraction:
    extraction = _scene(text, day)
    [message] = extraction.scene.messages
    line = SceneLine(message_id=message.id, role=Role.USER, speaker=None, text=text, said_at=message.said_at)
    reading = asyncio.run(_reader()(SceneText(user_names=(), agent_names=(), lines=(line,))))
    return replace(extraction, readings=(reading,))


def _scene(text: str, day: int) -> SceneExtraction:
    said_at = NOON + timedelta(days=day)
    name = MemoryId(f"message-{day}")
    message = Message(id=name, uri=Uri(name), role=Role.USER, text=text, said_at=said_at, content_hash=text)
    scene = Scene(id=MemoryId(f"scene-{day}"), uri=Uri(f"scene-{day}"), messages=(message,), content_hash=text)
    return SceneExtraction(scene=scene, readings=(), layers=_LAYERS, basis=_BASIS)


def _told(
    text: str, day: int, known: Sequence[Fact], candidates: Sequence[EntityRecord]
) -> tuple[list[Fact], list[EntityRecord]]:
    """Return the known facts and entities after a statement."""
    return _after(_read(text, day), known, candidates)


def _after(
    read: SceneExtraction, known: Sequence[Fact], candidates: Sequence[EntityRecord]
) -> tuple[list[Fact], list[EntityRecord]]:
    """Return the known facts and entities after a scene."""
    beings, touched = resolve(names_of([read]), candidates, _OWNER)
    beings |= {THE_USER: _OWNER.user, THE_AGENT: _OWNER.agent}
    accepted, _ = check(read.readings[0], read.scene.messages, beings)
    planned = plan_facts(known, [(fact, read.scene.id) for fact in accepted])
    facts = {fact.id: fact for fact in known} | {item.fact.id: item.fact for item in planned}
    all_of = {one.entity.id: one for one in (*candidates, *touched)}
    return list(facts.values()), list(all_of.values())


@dataclass(frozen=True)
class ProvidedPair:
    """Two facts of one subject, handed in a year apart, and the expected effect of the later one."""

    expected: Fate
    earlier: ProposedFact
    later: ProposedFact


def provided_pairs_of(language: str) -> tuple[ProvidedPair, ...]:
    """Return the labelled pairs of provided facts of a language."""
    path = Path(__file__).with_name(f"provided_pairs_{language}.tsv")
    rows = [line.split("\t") for line in path.read_text("utf-8").splitlines() if not line.startswith("#")]
    return tuple(
        ProvidedPair(row[0], _proposed(*row[1:4]), _proposed(*row[4:7]))  # type: ignore[arg-type]  # the test of the file checks the words
        for row in rows
    )


def _proposed(relation: str, obj: str, statement: str) -> ProposedFact:
    predicate = "CARES_ABOUT" if relation in ("plans to", "计划") else "RELATES_TO"
    return ProposedFact(
        subject="Sub Ject",
        predicate=predicate,
        object=obj,
        statement=statement,
        relation=relation,
        quotes=(Quote(line=0),),
    )


def is_closed(pair: ProvidedPair) -> bool:
    """Return whether the later fact closes the earlier one."""
    known, beings = _after(_provided(pair.earlier, 0), [], [])
    now, _ = _after(_provided(pair.later, _LATER_DAYS), known, beings)
    held = {fact.id for fact in known}
    return any(fact.invalid_at is not None for fact in now if fact.id in held)


def _provided(fact: ProposedFact, day: int) -> SceneExtraction:
    extraction = _scene(fact.statement, day)
    return replace(extraction, readings=(Reading(reader=CALLER, facts=(fact,)),))


def main() -> None:
    """Print the table; with --wrong also each misjudged pair of the development half."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--wrong", action="store_true")
    given = parser.parse_args()
    say = sys.stdout.write
    say("language  half  pairs  falsely retired  missed          falsely joined\n")
    scores = [score(language, half) for language in LANGUAGES for half in HALVES]
    for one in scores:
        retired = f"{len(one.retired)} ({one.retired_part:.1%})"
        missed = f"{len(one.missed)} ({one.missed_part:.1%})"
        say(f"{one.language:8}  {one.half:4}  {len(one.pairs):5}  {retired:15}  {missed:14}  {len(one.joined)}\n")
    for language in LANGUAGES:
        pairs = provided_pairs_of(language)
        wrong = [pair for pair in pairs if is_closed(pair) != (pair.expected == "closes")]
        retired = [pair for pair in wrong if pair.expected != "closes"]
        say(f"{language:8}  provided facts: {len(pairs)} pairs, {len(retired)} falsely retired, ")
        say(f"{len(wrong) - len(retired)} missed\n")
        for pair in wrong if given.wrong else ():
            say(f"  expected {pair.expected}: {pair.earlier.statement} / {pair.later.statement}\n")
    for one in scores:
        if given.wrong and one.half == "dev":
            for kind, pairs in (("retired", one.retired), ("missed", one.missed), ("joined", one.joined)):
                say("".join(f"{kind} ({pair.expected}): {pair.earlier} / {pair.later}\n" for pair in pairs))


if __name__ == "__main__":
    main()
