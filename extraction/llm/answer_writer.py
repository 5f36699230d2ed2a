"""The answer-writer port: answer a question in sentences that cite their sources; implemented by a language model."""

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from extraction.llm.language_model import LanguageModel, Prompt
from extraction.llm.output_schemas import AnswerReading
from extraction.llm.prompts import as_data, filled_prompt

SENTENCES_MAX: Final = 5
SENTENCE_CHARS_MAX: Final = 400
_SOURCE_ID: Final = re.compile(r"s(\d{1,3})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A text that an answer may cite.

    Attributes:
        speaker: who said it; None for a fact.
    """

    text: str
    said_at: datetime
    speaker: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedSentence:
    """A sentence of an answer.

    Attributes:
        sources: places of its sources in `hits`, from 0; at least one.
    """

    text: str
    sources: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenAnswer:
    """An answer; without sentences if the sources do not answer the question.

    Attributes:
        made_by: name of the model.
    """

    sentences: tuple[CitedSentence, ...]
    made_by: str


AnswerWriter = Callable[[str, Sequence[Source], datetime], Awaitable[WrittenAnswer]]


def model_answer_writer(model: LanguageModel) -> AnswerWriter:
    """Return a writer that uses this model; one request per question. Sentences that cite no source are dropped.

    Raises:
        UnavailableError, InstallError, MisreadError: by the writer; see `LanguageModel.answer`.
    """

    async def write(question: str, sources: Sequence[Source], now: datetime) -> WrittenAnswer:
        answer = await model.answer(answer_prompt(question, sources, now), AnswerReading)
        sentences = [
            CitedSentence(text=text[:SENTENCE_CHARS_MAX], sources=cited)
            for sentence in answer.value.sentences
            if (text := " ".join(sentence.statement.split())) and (cited := _cited(sentence.messages, len(sources)))
        ]
        return WrittenAnswer(sentences=tuple(sentences[:SENTENCES_MAX]), made_by=answer.model or model.name)

    return write


def answer_prompt(question: str, sources: Sequence[Source], now: datetime) -> Prompt:
    rows = [
        as_data({"id": f"s{place}", "speaker": one.speaker, "date": f"{one.said_at:%Y-%m-%d}", "text": one.text})
        for place, one in enumerate(sources, 1)
    ]
    return filled_prompt(
        "answer_question", question=as_data(question), today=f"{now:%Y-%m-%d}", sources="\n".join(rows)
    )


def _cited(ids: Sequence[str], sources_n: int) -> tuple[int, ...]:
    """Return the places of the sources that are named, each once; ids of no source are ignored."""
    places = [int(found[1]) - 1 for name in ids for found in _SOURCE_ID.finditer(name.casefold())]
    return tuple(dict.fromkeys(place for place in places if 0 <= place < sources_n))
