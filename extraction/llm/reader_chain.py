"""Read a scene with a model, and fall back step by step to the rules."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from extraction.llm.language_model import LanguageModel
from extraction.llm.scene_reader import Strategy, read_scene_with_model, strategy_of
from extraction.reader import THE_USER, ProposedFact, Reader, Reading, SceneText
from extraction.rules.rule_reader import READER_NAME
from extraction.rules.salience_gate import worth_reading
from schema.errors import MisreadError, OverBudgetError
from schema.labels import Role

# Maximum attempts with the model per scene; each may take two calls.
_ASKS_MAX: Final = 4
# First step of the path of a scene that the rules read because the model's tokens of the day were spent.
OVER_BUDGET: Final = "over budget"
# Path of a scene that no model needs to read.
SMALL_TALK: Final = ("small talk", "rules")


def wants_model(scene: SceneText) -> bool:
    """Return whether a model should read a scene: it has fresh lines that are more than small talk."""
    return strategy_of(scene) is not None and worth_reading(scene)


def model_chain(model: LanguageModel, rules: Reader) -> Reader:
    """Return a reader that uses this model; the rules read small talk, and scenes that the model fails on.

    Order of attempts: structured output, JSON in text, the scene in halves (if the answer was cut), the user's messages
    only, the rules. An answer without facts does not replace the rules' facts.

    A scene that would exceed the budget of the day is read by the rules, and marked for the model to read it later.

    Raises:
        UnavailableError, InstallError: by the reader, see `LanguageModel.answer`; the caller decides what to do.
    """

    async def read(scene: SceneText) -> Reading:
        strategy = strategy_of(scene)
        if strategy is None or not wants_model(scene):
            return replace(await rules(scene), path=SMALL_TALK)
        attempt = _Attempt(model=model, rules=rules)
        reading = await attempt.read(scene, strategy, may_halve=True)
        if any(fact.subject == THE_USER for fact in reading.facts) and reading.reader != READER_NAME:
            reading = without_facts_of_others(reading, await rules(scene))
        if attempt.over_budget:
            return replace(reading, path=(OVER_BUDGET, *dict.fromkeys(attempt.path)), needs_model=True)
        return replace(reading, path=tuple(dict.fromkeys(attempt.path)))

    return read


def without_facts_of_others(reading: Reading, by_rules: Reading) -> Reading:
    """Put the rules' facts in place of those that a model gives to the user, but the rules only to others. Pure.

    Small models take what is said of a sister for the user, and would end the user's own home or job by it. A model
    that gives the fact to both is believed.
    """
    theirs, ours, told = _said_of(by_rules, user=False), _said_of(by_rules, user=True), _said_of(reading, user=False)
    borrowed = theirs - ours - told
    wrong = [fact for fact in reading.facts if fact.subject == THE_USER and _keys(fact) & borrowed]
    if not wrong:
        return reading
    replaced = {key for fact in wrong for key in _keys(fact)}
    kept = [fact for fact in reading.facts if fact not in wrong]
    kept += [fact for fact in by_rules.facts if fact.subject != THE_USER and _keys(fact) & replaced]
    dropped = (*reading.dropped, *["it is said of somebody else"] * len(wrong))
    return replace(reading, facts=tuple(kept), dropped=dropped)


def _said_of(reading: Reading, *, user: bool) -> set[tuple[str, str, int]]:
    return {key for fact in reading.facts if (fact.subject == THE_USER) == user for key in _keys(fact)}


def _keys(fact: ProposedFact) -> set[tuple[str, str, int]]:
    """Return predicate, object and line of a fact, once per line."""
    return {(fact.predicate, fact.object.casefold(), quote.line) for quote in fact.quotes}


@dataclass(slots=True, kw_only=True)
class _Attempt:
    """Attempts at one scene."""

    model: LanguageModel
    rules: Reader
    asks: int = 0
    cut: bool = False
    over_budget: bool = False
    path: list[str] = field(default_factory=list)

    async def read(self, scene: SceneText, strategy: Strategy, *, may_halve: bool) -> Reading:
        reading = await self._ask(scene, strategy, "model")
        if reading is not None and not reading.cut:
            return reading if reading.facts else await self._or_by_rules(scene, reading)
        halves = _halves(scene) if self.cut and may_halve else ()
        if halves:
            self.path.append("halves")
            return _joined([await self.read(half, strategy, may_halve=False) for half in halves])
        if reading is not None and reading.facts:
            self.path.append("whole items of a cut answer")
            return reading
        if strategy is not Strategy.USER_ONLY and any(line.fresh and line.role is Role.USER for line in scene.lines):
            less = await self._ask(scene, Strategy.USER_ONLY, "user only")
            if less is not None:
                return less
        self.path.append("rules")
        return await self.rules(scene)

    async def _or_by_rules(self, scene: SceneText, empty: Reading) -> Reading:
        """Return the rules' reading with the model's title and summary if the model found nothing and they do."""
        by_rules = await self.rules(scene)
        if not by_rules.facts:
            return empty
        self.path.append("rules")
        return replace(by_rules, title=empty.title, summary=empty.summary, dropped=empty.dropped)

    async def _ask(self, scene: SceneText, strategy: Strategy, step: str) -> Reading | None:
        """Return the model's reading, or None if it is unusable."""
        self.cut = False
        if self.asks >= _ASKS_MAX or self.over_budget:
            return None
        self.asks += 1
        try:
            reading = await read_scene_with_model(scene, self.model, strategy)
            self.path.append(step)
        except OverBudgetError:
            self.over_budget = True
            return None
        except MisreadError as error:
            self.path.append(step)
            self.cut = error.cut
            return None
        self.cut = reading.cut
        return reading


def _halves(scene: SceneText) -> tuple[SceneText, ...]:
    """Split a scene into two at the middle of its fresh lines; empty if it has fewer than two."""
    fresh = [index for index, line in enumerate(scene.lines) if line.fresh]
    if len(fresh) < 2:
        return ()
    middle = fresh[len(fresh) // 2]
    # The second scene keeps the first as context, so that line numbers stay the same.
    later = (replace(line, fresh=line.fresh and index >= middle) for index, line in enumerate(scene.lines))
    return replace(scene, lines=scene.lines[:middle]), replace(scene, lines=tuple(later))


def _joined(readings: Sequence[Reading]) -> Reading:
    """Merge the readings of parts of one scene."""
    first = readings[0]
    by_model = next((reading.reader for reading in readings if reading.path == ("model",)), first.reader)
    return Reading(
        reader=by_model,
        facts=tuple(fact for reading in readings for fact in reading.facts),
        mentions=tuple(mention for reading in readings for mention in reading.mentions),
        title=next((reading.title for reading in readings if reading.title), None),
        summary=" ".join(reading.summary for reading in readings if reading.summary) or None,
        dropped=tuple(why for reading in readings for why in reading.dropped),
    )
