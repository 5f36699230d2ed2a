"""Test how messages are quoted."""

from dataclasses import replace

import pytest

from extraction.text.search_terms import terms_of
from graph_service.memory.context_builder.lines import LineWriter
from graph_service.memory.context_builder.phrasing import Language
from graph_service.memory.recall.candidates import Candidate
from graph_service.memory.recall.query import HitKind
from schema.assertion import StatementKind, sentence_of
from schema.ids import CORRECTION_SESSION, SessionId, TenantId, UserId, message_uri, session_uri
from tests.support.builders import NOON

_LONG = "We compared the plans of the two providers in detail. " * 60


def lines_in(language: Language) -> LineWriter:
    return LineWriter(language=language, zone=None, with_uris=False, now=NOON)


def quoted_chars(role: str, tokens_max: int, *, asks_agent: bool = False, text: str = _LONG) -> int:
    hit = Candidate(kind=HitKind.MESSAGE, id="m", uri="memory://x", text=text, role=role, said_at=NOON)
    [line] = lines_in(Language.EN).of_candidates([hit], terms_of("plans"), tokens_max=tokens_max, asks_agent=asks_agent)
    return len(line.content)


@pytest.mark.parametrize(
    ("kind", "words", "language", "quoted"),
    [
        (
            StatementKind.UPDATE,
            "I live in Angers.",
            Language.EN,
            "the user corrected what was said: “I live in Angers.”",
        ),
        (StatementKind.REJECT, "I live in Rennes.", Language.EN, "the user rejected as wrong: “I live in Rennes.”"),
        (StatementKind.UPDATE, "我住在昂热。", Language.ZH, "用户更正为：“我住在昂热。”"),
    ],
)
def test_correction_reads_as_a_correction(kind: StatementKind, words: str, language: Language, quoted: str) -> None:
    session = SessionId(f"{CORRECTION_SESSION}{kind}:1")
    uri = message_uri(session_uri(TenantId("t"), UserId("ann"), session), "statement")
    hit = Candidate(kind=HitKind.MESSAGE, id="m", uri=uri, text=sentence_of(kind, words), role="system", said_at=NOON)
    [line] = lines_in(language).of_candidates([hit], terms_of(""), tokens_max=500)
    assert line.text.endswith(quoted)


@pytest.mark.parametrize(("found", "by"), [(True, "Wednesday, sorry"), (False, "…")])
def test_message_that_the_next_one_corrects_is_quoted_as_corrected(found: bool, by: str) -> None:
    hits = [
        Candidate(kind=HitKind.MESSAGE, id=name, uri=f"memory://{name}", text=text, role="user", said_at=NOON)
        for name, text in (("old", "The dentist is on Tuesday at 9"), ("new", "Wednesday, sorry"))
    ]
    hits[0] = replace(hits[0], overtaken_by="new", withdrawn=True)
    shown = hits if found else hits[:1]
    line, *_ = lines_in(Language.EN).of_candidates(shown, terms_of("dentist"), tokens_max=500)
    assert line.text.endswith(f"“The dentist is on Tuesday at 9” (corrected afterwards: “{by}”)")


def test_quotes_grow_with_the_budget() -> None:
    lengths = [quoted_chars("user", tokens) for tokens in (100, 1_000, 3_000, 100_000)]
    assert lengths[0] == lengths[1] <= 320
    assert 320 < lengths[2] <= 600 < lengths[3] <= 2_000


@pytest.mark.parametrize(("asks_agent", "share"), [(False, 0.5), (True, 1.0)])
def test_long_answer_of_an_assistant_is_quoted_shorter_unless_asked_for(asks_agent: bool, share: float) -> None:
    """So that a budget holds more sources; short ones are quoted in full."""
    asked = quoted_chars("assistant", 1_000, asks_agent=asks_agent)
    assert asked == pytest.approx(quoted_chars("user", 1_000) * share, rel=0.25)
    assert quoted_chars("assistant", 1_000, text="x" * 300) == 300
