"""A question, taken apart for the ranking."""

import asyncio

from extraction.asked_time import QuestionTime
from extraction.late_interaction import QuestionTokens
from extraction.search_terms import terms_of
from graph_service.graph.lucene import words_in
from graph_service.memory.asked_beyond import asked_beyond
from graph_service.memory.intent import AnswerType, answer_type
from graph_service.memory.question import is_chinese, name_keys
from graph_service.memory.signals import Asked
from graph_service.memory.whose_words import role_asked


async def asked_about(text: str, time: QuestionTime, tokens: QuestionTokens | None) -> Asked:
    """What ranking needs to know of a question."""
    topic = topic_of(text, time)
    # The first Chinese question loads a dictionary, for about a second.
    chinese = is_chinese(text)
    terms = await asyncio.to_thread(terms_of, topic, characters=True) if chinese else terms_of(topic)
    wanted = answer_type(text)
    return Asked(
        terms=terms,
        name_keys=frozenset(name_keys(text)),
        time=time.exact_span,
        wants_time=wanted is AnswerType.WHEN,
        wants_number=wanted is AnswerType.HOW_MANY,
        tokens=tokens,
        role=role_asked(text),
        beyond=asked_beyond(text),
    )


def topic_of(text: str, time: QuestionTime) -> str:
    """A question without the words that name a time, unless it has no others."""
    rest = time.topic_of(text)
    return rest if words_in(rest) else text
