"""Test the labelled sentences that `doctor --ask-model` uses."""

import json
from importlib.resources import files

from extraction.llm.output_schemas import PREDICATES
from extraction.llm.quality_check import reading_quality
from extraction.reader import Reading, SceneText
from extraction.text.sentences import has_cjk
from schema.errors import MisreadError
from tests.support.readers import read_with_tags


def test_labels_are_ten_sentences_a_language_with_allowed_predicates() -> None:
    labelled = json.loads(files("extraction.llm").joinpath("quality_sentences.json").read_text(encoding="utf-8"))
    assert sum(has_cjk(one["text"]) for one in labelled) == len(labelled) / 2 == 10
    predicates = {name for one in labelled for names, _ in one["facts"] for name in names.split("|")}
    assert predicates <= set(PREDICATES)


async def test_the_tagger_reads_most_sentences_and_an_empty_reader_none() -> None:
    tagged = await reading_quality(read_with_tags)
    assert (tagged.precision > 0.7, tagged.recall > 0.6) == (True, True)

    async def nothing(_scene: SceneText) -> Reading:
        return Reading(reader="none")

    assert (await reading_quality(nothing)).recall == 0.0


async def test_unusable_answers_are_counted() -> None:
    async def misread(_scene: SceneText) -> Reading:
        raise MisreadError("no")

    quality = await reading_quality(misread)
    assert (quality.unreadable, quality.precision, quality.recall) == (4, 0.0, 0.0)
