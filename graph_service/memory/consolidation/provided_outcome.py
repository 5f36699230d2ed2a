"""Compute which stored facts a caller's provided facts close or may contradict, before they are digested.

The plan is that of a digest, but nothing is written. Facts of calls that were not digested yet are not compared.
"""

import asyncio
import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from extraction.reader import ProposedFact, Quote, Reading
from extraction.text.chinese import chinese_in
from extraction.text.name_spotting import load_words
from graph_service.graph.statements import statement
from graph_service.graph.store import Graph
from graph_service.memory.consolidation.known_facts import entities_in, find_replaced, load_known
from graph_service.memory.consolidation.plan import SceneExtraction, planning_chars, run_off_loop_if_large
from graph_service.memory.consolidation.proposal_check import CALLER, ReplacedName, check
from graph_service.memory.consolidation.session_input import proposal
from graph_service.memory.entity_resolution.resolver import Owner
from graph_service.memory.facts.conflict_resolution import content_of
from graph_service.memory.facts.reconciliation import plan_facts
from graph_service.memory.summaries.scene_summary import LayerBasis
from schema.assertion import Closing
from schema.entity import stored_names, the_user
from schema.errors import TooSlowError, UnavailableError
from schema.fact import AcceptedFact, Fact
from schema.ids import MemoryId, memory_id, scene_uri, session_uri
from schema.message import NO_OUTCOME, ClosedFact, Episode, FactConflict, ProvidedOutcome
from schema.scene import Scene

_log = logging.getLogger("mnemoscene.remember")

# Facts of one call that are compared; further ones are only stored.
FACTS_MAX: Final = 100
CONFLICTS_MAX: Final = 50
# Evidence messages of a fact that are compared, which bounds the time.
_LINES_MAX: Final = 5
_WAIT_MAX_S: Final = 3.0
_NO_LAYERS: Final = LayerBasis(messages=0, key="", behind=False, fresh=True)


async def provided_outcome(graph: Graph, episode: Episode) -> ProvidedOutcome:
    """Return the stored facts that the facts of an episode close or may contradict, within a few seconds.

    The episode is already stored, so a failure is only a note in the result.
    """
    if all(fact.correction is not None for fact in episode.facts):
        return NO_OUTCOME
    if any(chinese_in(fact.statement) for fact in episode.facts):
        # The time is for the comparison; on a busy machine the first load of the dictionary may take longer.
        await asyncio.to_thread(load_words)
    try:
        async with asyncio.timeout(_WAIT_MAX_S):
            return await _outcome(graph, episode)
    except (TimeoutError, UnavailableError, TooSlowError) as error:
        _log.warning("provided facts were stored without a search for conflicts: %s", type(error).__name__)
        return ProvidedOutcome(
            notes=("the facts are stored, but there was no time to compare them with the known ones",)
        )


async def _outcome(graph: Graph, episode: Episode) -> ProvidedOutcome:
    owner = await _owner(graph, episode)
    if owner is None:
        return ProvidedOutcome(notes=tuple(_unmatched(episode, range(len(episode.facts)), lambda _index, _text: False)))
    scenes = (_scene_of(episode),)
    entities, _ = await entities_in(graph, owner, scenes)
    replaced = await find_replaced(graph, owner, scenes, entities)
    extra = [known.claim for known in replaced.values()]
    known = await load_known(graph, owner, scenes, entities, extra_claims=extra, all_values=True)
    claim_ids = {name: claim.id for name, claim in replaced.items()}
    [reading] = scenes[0].readings
    accepted: dict[int, AcceptedFact] = {}
    for index, fact in enumerate(reading.facts):
        checked, _ = check(replace(reading, facts=(fact,)), scenes[0].scene.messages, entities, claim_ids)
        if checked:
            accepted[index] = checked[0]
    work = partial(outcome_of, known.facts, accepted, scenes[0].scene.id)
    found = await run_off_loop_if_large(work, planning_chars(scenes, known.facts))

    def matched(index: int, text: str) -> bool:
        subject = entities.get(reading.facts[index].subject)
        return subject is not None and ReplacedName(subject.id, text) in replaced

    return replace(found, notes=tuple(_unmatched(episode, range(len(reading.facts)), matched)))


def outcome_of(known: Sequence[Fact], accepted: dict[int, AcceptedFact], scene: MemoryId) -> ProvidedOutcome:
    """Return the known facts that accepted facts close or may contradict. Pure.

    Args:
        accepted: accepted facts by index in the call.
    """
    planned = plan_facts(known, [(fact, scene) for fact in accepted.values()])
    claims = {fact.claim for fact in accepted.values()}
    closed = {
        item.fact.id: item.fact
        for item in planned
        if item.before is not None and item.before.invalid_at is None and item.fact.invalid_at is not None
        if item.fact.closing_reason is not Closing.MERGED
    }
    open_facts = [
        fact for fact in known if fact.invalid_at is None and fact.id not in closed and fact.claim not in claims
    ]
    by_attribute: dict[tuple[str, str, str], list[Fact]] = {}
    for fact in open_facts:
        if (label := content_of(fact).attribute) is not None:
            by_attribute.setdefault((fact.subject_id, fact.predicate, label.removeprefix("?")), []).append(fact)
    index_of = {fact.claim: index for index, fact in accepted.items()}
    conflicts: list[FactConflict] = []
    for index, new in accepted.items():
        content = content_of(new)
        if content.attribute is None or new.closes or new.invalid_at is not None:
            continue
        label = content.attribute.removeprefix("?")
        for fact in by_attribute.get((new.subject.id, new.predicate, label), ()):
            if content_of(fact).value != content.value and len(conflicts) < CONFLICTS_MAX:
                why = f"states another value of {fact.relation or label!r}; neither says that it replaced the other"
                conflicts.append(FactConflict(fact_index=index, id=fact.id, statement=fact.statement, why=why))
    claim_of = {item.fact.id: item.fact.claim for item in planned}
    closes = []
    for fact in sorted(closed.values(), key=lambda one: one.id):
        closer = claim_of.get(fact.closed_by or fact.id, fact.claim)
        closes.append(ClosedFact(fact_index=index_of.get(closer, 0), id=fact.id, statement=fact.statement))
    return ProvidedOutcome(closes=tuple(closes), conflicts=tuple(conflicts))


async def _owner(graph: Graph, episode: Episode) -> Owner | None:
    """Return the owner of the memory; None if nothing of the user is stored yet."""
    user = the_user(episode.tenant, episode.user_id)
    parameters = {"tenant": episode.tenant, "user_node_id": user.id}
    rows = await graph.read(statement("consolidation/user_properties"), parameters)
    if not rows:
        return None
    stored = rows[0]["user_properties"]
    names = dict.fromkeys([episode.user_name, *stored_names(stored)])
    return Owner(
        tenant=episode.tenant,
        user_id=episode.user_id,
        user_names=tuple(name for name in names if name),
        agent_id=episode.agent_id,
    )


def _scene_of(episode: Episode) -> SceneExtraction:
    """Return the messages of a call as one scene, with its facts as a reading."""
    session = session_uri(episode.tenant, episode.user_id, episode.session_id)
    uri = scene_uri(session, episode.messages[0].id)
    messages = tuple(replace(one, received_at=episode.received_at) for one in episode.messages)
    scene = Scene(id=memory_id(uri), uri=uri, messages=messages, content_hash="")
    facts = tuple(_proposal(episode, index) for index in range(min(len(episode.facts), FACTS_MAX)))
    return SceneExtraction(scene=scene, readings=(Reading(reader=CALLER, facts=facts),), layers=None, basis=_NO_LAYERS)


def _unmatched(episode: Episode, indexes: Iterable[int], matched: Callable[[int, str], bool]) -> Iterator[str]:
    """Yield a note for each reference to a replaced fact that matches no known fact, or several."""
    for index in indexes:
        for place, text in enumerate(episode.facts[index].replaces):
            if not matched(index, text):
                yield (
                    f"facts[{index}].replaces[{place}] matches no known fact of this subject, or several, so it"
                    " closes nothing; take an id from recall or from the conflicts"
                )


def _proposal(episode: Episode, index: int) -> ProposedFact:
    fact = episode.facts[index]
    lines = (fact.message_indexes or range(len(episode.messages)))[:_LINES_MAX]
    return proposal(fact, tuple(Quote(line=line) for line in lines))
