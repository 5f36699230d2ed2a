"""Measure how well a reader reads twenty labelled sentences, so that a user sees whether a model is worth asking."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.resources import files
from typing import Any, Final

from extraction.llm.language_model import LanguageModel
from extraction.llm.scene_reader import Strategy, read_scene_with_model
from extraction.reader import ProposedFact, Reader, SceneLine, SceneText
from schema.errors import MisreadError
from schema.ids import MemoryId
from schema.labels import Role

# Sentences in one scene, all of one language.
_SCENE_SENTENCES: Final = 5
_SAID_AT: Final = datetime(2026, 3, 4, 12, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingQuality:
    """The result of a reader on the labelled sentences.

    Attributes:
        unreadable: scenes of which no answer could be used, of four.
    """

    expected: int
    found: int
    proposed: int
    right: int
    unreadable: int = 0

    @property
    def precision(self) -> float:
        """Return the share of the proposed facts that are right; 0 without any."""
        return self.right / self.proposed if self.proposed else 0.0

    @property
    def recall(self) -> float:
        """Return the share of the expected facts that were found."""
        return self.found / self.expected


def model_reader(model: LanguageModel) -> Reader:
    """Return a reader that uses the model alone, without the fallbacks of `model_chain`."""
    return lambda scene: read_scene_with_model(scene, model, Strategy.USER_ONLY)


async def reading_quality(reader: Reader) -> ReadingQuality:
    """Let a reader read the labelled sentences, in four scenes of five.

    Raises:
        UnavailableError, InstallError: see `LanguageModel.answer`.
    """
    labelled = json.loads(files("extraction.llm").joinpath("quality_sentences.json").read_text(encoding="utf-8"))
    expected = found = proposed = right = unreadable = 0
    for start in range(0, len(labelled), _SCENE_SENTENCES):
        part = labelled[start : start + _SCENE_SENTENCES]
        expected += sum(len(one["facts"]) for one in part)
        try:
            facts = (await reader(_scene(part))).facts
        except MisreadError:
            unreadable += 1
            continue
        matches = [list(_matches(fact, part)) for fact in facts]
        proposed += len(facts)
        right += sum(map(bool, matches))
        found += len({match for matched in matches for match in matched})
    return ReadingQuality(expected=expected, found=found, proposed=proposed, right=right, unreadable=unreadable)


def _scene(sentences: Sequence[dict[str, Any]]) -> SceneText:
    lines = (
        SceneLine(message_id=MemoryId(f"s{number}"), role=Role.USER, speaker=None, text=one["text"], said_at=_SAID_AT)
        for number, one in enumerate(sentences)
    )
    return SceneText(user_names=(), agent_names=(), lines=tuple(lines))


def _matches(fact: ProposedFact, sentences: Sequence[dict[str, Any]]) -> Iterator[tuple[int, int]]:
    """Yield the expected facts, as index of the sentence and of its fact, that a proposal states."""
    name = fact.object.casefold()
    for line in {quote.line for quote in fact.quotes}:
        for number, (predicates, objects) in enumerate(sentences[line]["facts"]):
            named = any(one in name or name in one for one in objects.casefold().split("|"))
            if named and fact.predicate in predicates.split("|"):
                yield line, number
