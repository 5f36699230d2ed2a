"""Write `extraction/*.npz`: the mean of a local model's vectors, and the directions in which they are compared.

    python -m tests.benchmarks.vector_spaces [MODEL...]

The corpus is conversations written for this purpose (tests/benchmarks/conversations), in the language of the model:
each message with its speaker; and for the directions the questions and the facts, with their evidence messages. The
mean is subtracted from all unit vectors. Directions start as the principal components of the rest (vectors of whole
texts that are short enough start unchanged) and are learned from there (`learned_directions`): those of whole texts by
vectors alone, because the indexes compare nothing else; those of pieces together with all other ranking features.
Numbers have 16 bits; the run takes three minutes. New files need a new name (`LocalModel.space` in
`extraction/embeddings/local_models.py`), since their vectors are not comparable with earlier ones.
"""

import asyncio
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

import numpy as np
import numpy.typing as npt
import platformdirs

from extraction.embeddings.bert import Bert
from extraction.embeddings.embedder import Embedded, spoken
from extraction.embeddings.late_interaction import words_of_name
from extraction.embeddings.local_embedder import (
    TOKEN_DIM,
    VECTOR_DIM,
    LanguageEmbedder,
    TextPieces,
    space_file,
    unit,
    whole_of,
)
from extraction.embeddings.local_models import ENGLISH, MODELS, MULTILINGUAL, LocalModel
from extraction.embeddings.model_download import fetched_models
from extraction.query_analysis import analyse
from graph_service.evaluation.dataset import Conversation, read_all
from graph_service.memory.recall.features import features_of
from graph_service.memory.recall.ranking import weights_for
from tests.benchmarks.learned_directions import Pace, Question, Talk, Text, learned
from tests.benchmarks.ranking_table import case_columns, lines_of, scored
from tests.support.candidates import all_found

Floats = npt.NDArray[np.float32]
CONVERSATIONS = Path(__file__).with_name("conversations")
# Chosen among a few: half to ten times of these changes recall@10 on the development half by at most .015.
TEXTS = Pace(at_once=32, rate=3e-4, pull=0.01, own=2.7)
PIECES = Pace(at_once=8, rate=1e-3, pull=0.005, own=2.1, near=2.6, apart=True)
_BATCH = 16
# Of the map into the English space: questions, and the penalty of large numbers.
MAPPED, RIDGE = 4_000, 20.0


@dataclass(frozen=True, slots=True, kw_only=True)
class States:
    """A text as embedded by the model: unit vectors of the whole, as its only piece, and of each significant piece."""

    whole: Text
    pieces: Text


class Reader:
    """A model without directions."""

    def __init__(self, model: LocalModel, folder: Path) -> None:
        self._model = model
        self._bert = Bert(folder, calls=1, precision="int8")
        self._pieces = TextPieces(model, folder)

    def said(self, texts: Sequence[str]) -> list[States]:
        """Embed messages."""
        return self._read(texts, self._model.said, [None] * len(texts))

    def asked(self, texts: Sequence[str], speakers: Sequence[str]) -> list[States]:
        """Embed questions; the name of the one speaker whom a question names is ignored, as in recall."""
        weights = []
        for text in texts:
            named = [name.casefold() for name in speakers if name.casefold() in text.casefold()]
            silent = words_of_name(named[0]) if len(named) == 1 else set()
            pieces = self._pieces.pieces(text, prefix=self._model.asked)
            weights.append(np.array([0.0 if one.word in silent else one.weight for one in pieces], np.float32))
        return self._read(texts, self._model.asked, weights)

    def _read(self, texts: Sequence[str], prefix: str, weights: Sequence[Floats | None]) -> list[States]:
        cut = self._pieces.cut(texts, prefix=prefix)
        order = sorted(range(len(cut)), key=lambda place: len(cut[place].ids))
        answers: list[States | None] = [None] * len(cut)
        for first in range(0, len(order), _BATCH):
            part = order[first : first + _BATCH]
            for place, states in zip(part, self._bert.token_vectors([cut[at].ids for at in part]), strict=True):
                pieces, counts = unit(states[cut[place].content_positions]), weights[place]
                answers[place] = States(
                    whole=_evenly(unit(whole_of(states, first_piece=self._model.first_piece))),
                    pieces=_evenly(pieces) if counts is None else Text(rows=pieces, weights=counts),
                )
        return [answer for answer in answers if answer is not None]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadQuestion:
    """A question about a conversation, as embedded by the model; otherwise as `Question`."""

    states: States
    proofs: Sequence[int]
    otherwise: Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadTalk:
    """A conversation, as embedded by the model."""

    messages: Sequence[States]
    sessions: Sequence[int]
    asked: Sequence[ReadQuestion]


async def main(wanted: Sequence[str]) -> None:
    """Write the files of the models with these names, or of all, and print their size."""
    cache = Path(platformdirs.user_cache_dir("mnemoscene"))
    conversations = read_all([CONVERSATIONS]).conversations
    for model, folder in zip(MODELS, await fetched_models(MODELS, cache_dir=cache), strict=True):
        if wanted and model.name not in wanted:
            continue
        reader = Reader(model, folder)
        theirs = [one for one in conversations if one.lang == "en" or model is not ENGLISH]
        talks = [await read_talk(one, reader) for one in theirs]
        facts = [read_facts(one, talk, reader) for one, talk in zip(theirs, talks, strict=True) if one.facts]
        parts = space_of(talks, facts)
        if model is MULTILINGUAL:
            parts["in_english"] = await english_map(conversations, parts, folder, cache)
        np.savez_compressed(space_file(model), **{name: part.astype(np.float16) for name, part in parts.items()})
        said, asked = sum(len(talk.messages) for talk in talks), sum(len(talk.asked) for talk in talks)
        sys.stdout.write(f"{model.name}: {len(talks)} conversations, {said} messages, {asked} questions and facts\n")


async def english_map(
    conversations: Sequence[Conversation], parts: Mapping[str, Floats], folder: Path, cache: Path
) -> Floats:
    """Return the matrix that takes the vector of a question to about the one that the English model gives it.

    It is fitted on English questions and facts by ridge regression, and used for those of other languages.
    """
    (english_folder,) = await fetched_models([ENGLISH], cache_dir=cache)
    texts = [one.question for talk in conversations if talk.lang == "en" for one in talk.answerable][:MAPPED]
    english = LanguageEmbedder(ENGLISH, english_folder, calls=1, precision="int8")
    wanted = [english.embedded(english.cut([text], True), True)[0].vector for text in texts]
    wholes = np.concatenate([one.whole.rows for one in Reader(MULTILINGUAL, folder).asked(texts, [])])
    given = unit((wholes - parts["mean"]) @ parts["directions"])
    matrix: Floats = np.linalg.solve(given.T @ given + RIDGE * np.eye(VECTOR_DIM), given.T @ np.array(wanted))
    return matrix


async def read_talk(conversation: Conversation, reader: Reader) -> ReadTalk:
    """Embed a conversation with its questions and facts."""
    place = {turn.id: at for at, turn in enumerate(conversation.messages)}
    asked = [(one.question, one.gold) for one in conversation.answerable]
    asked += [(one.statement, frozenset(one.messages)) for one in conversation.facts]
    states = reader.asked([text for text, _ in asked], conversation.speakers)
    return ReadTalk(
        messages=reader.said([spoken(turn.speaker or None, turn.text) for turn in conversation.messages]),
        sessions=[at for at, session in enumerate(conversation.sessions) for _ in session.messages],
        asked=[
            ReadQuestion(
                states=one,
                proofs=sorted(place[turn] for turn in proofs),
                otherwise=await without_vectors(conversation, text),
            )
            for one, (text, proofs) in zip(states, asked, strict=True)
        ],
    )


def read_facts(conversation: Conversation, talk: ReadTalk, reader: Reader) -> ReadTalk:
    """Embed the facts of a conversation separately, with the questions that their evidence answers.

    Args:
        talk: the same conversation, whose questions come before its facts.
    """
    facts, questions = conversation.facts, conversation.answerable
    telling = [[at for at, fact in enumerate(facts) if one.gold & {*fact.messages}] for one in questions]
    return ReadTalk(
        messages=reader.said([fact.statement for fact in facts]),
        sessions=list(range(len(facts))),
        asked=[
            ReadQuestion(states=one.states, proofs=proofs, otherwise=np.zeros(len(facts), np.float32))
            for one, proofs in zip(talk.asked[: len(questions)], telling, strict=True)
            if proofs
        ],
    )


async def without_vectors(conversation: Conversation, question: str) -> Floats:
    """Return the ranking score of each message without its vectors."""
    lines = lines_of(conversation, [Embedded(vector=[])] * len(conversation.messages))
    now = max(line.said_at for line in lines) + timedelta(days=1)
    asked = analyse(question, reference=now)
    columns = case_columns(features_of(all_found(*lines), asked, now=now))
    weights = weights_for(chinese=conversation.lang == "zh", vectors=True, tokens=True)
    return scored(columns, weights).astype(np.float32)


def space_of(talks: Sequence[ReadTalk], facts: Sequence[ReadTalk]) -> dict[str, Floats]:
    """Return the contents of a model's file."""
    texts = np.concatenate([message.whole.rows for talk in talks for message in talk.messages])
    pieces = np.concatenate([message.pieces.rows for talk in talks for message in talk.messages])
    mean, token_mean = texts.mean(axis=0), pieces.mean(axis=0)
    size = texts.shape[1]
    start = principal(texts - mean, VECTOR_DIM) if size > VECTOR_DIM else np.eye(size, dtype=np.float32)
    by_texts = learned([_alone(_talk(talk, lambda one: one.whole, mean)) for talk in (*talks, *facts)], start, TEXTS)
    by_pieces = learned(
        [_talk(talk, lambda one: one.pieces, token_mean) for talk in talks],
        principal(pieces - token_mean, TOKEN_DIM),
        PIECES,
    )
    return {
        "mean": mean,
        "directions": by_texts["said"],
        "token_mean": token_mean,
        "token_directions": by_pieces["said"],
        "asked_token_directions": by_pieces["said"] + by_pieces["apart"],
        "telling": by_pieces["telling"],
    }


def _talk(talk: ReadTalk, part: Callable[[States], Text], mean: Floats) -> Talk:
    """Return the conversation with one part of each text's vectors, without the mean."""

    def text(states: States) -> Text:
        return replace(part(states), rows=part(states).rows - mean)

    return Talk(
        messages=[text(one) for one in talk.messages],
        sessions=talk.sessions,
        asked=[Question(text=text(one.states), proofs=one.proofs, otherwise=one.otherwise) for one in talk.asked],
    )


def _alone(talk: Talk) -> Talk:
    """Return the conversation with vectors as the only feature."""
    return replace(talk, asked=[replace(one, otherwise=np.zeros_like(one.otherwise)) for one in talk.asked])


def _evenly(rows: Floats) -> Text:
    return Text(rows=rows, weights=np.ones(len(rows), np.float32))


def principal(rows: Floats, count: int) -> Floats:
    """Return the first principal components as columns."""
    _, _, found = np.linalg.svd(rows.T @ rows)
    # The sign of a direction is arbitrary; making the largest number positive makes it reproducible.
    chosen = found[:count]
    signed: Floats = (chosen * np.sign(chosen[np.arange(len(chosen)), np.abs(chosen).argmax(axis=1)])[:, None]).T
    return signed


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
