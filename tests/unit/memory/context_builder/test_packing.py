"""Test packing context lines into a token budget."""

import random
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from extraction.text.near_duplicates import near_duplicates
from graph_service.memory.context_builder.packing import ContextLine, Part, ordered, packed
from graph_service.memory.context_builder.phrasing import Section

HEADINGS = {Section.PROFILE: 4, Section.FACTS: 5}
NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


def a_piece(
    name: str, *, part: Part = Part.RECALL, tokens: int = 20, value: float = 1.0, **more: object
) -> ContextLine:
    section = Section.PROFILE if part is Part.CORE else Section.FACTS
    given = {"kind": "fact", "uri": "", "text": name, "at": NOON, "id": name, "part": part, "section": section}
    return ContextLine(**{**given, "tokens": tokens, "value": value, "content": name, **more})  # type: ignore[arg-type]


PIECES = st.lists(
    st.builds(
        a_piece,
        st.sampled_from([f"memory {number} of many" for number in range(12)]),
        part=st.sampled_from(list(Part)),
        tokens=st.integers(1, 90),
        value=st.floats(0, 1),
        content=st.sampled_from(
            ["I like tea.", "i like  tea", "Tom lives in Oslo.", "we met at the harbour", "我喜欢茶", "x"]
        ),
        proofs=st.frozensets(st.sampled_from(["memory 1 of many", "memory 2 of many"]), max_size=2),
        is_quote=st.booleans(),
    ),
    max_size=25,
)


@given(PIECES, st.integers(0, 600))
def test_token_budget_is_never_exceeded(pieces: list[ContextLine], tokens_max: int) -> None:
    chosen = packed(pieces, tokens_max=tokens_max, headings=HEADINGS)
    headings = sum(HEADINGS[section] for section in {piece.section for piece in chosen})
    assert sum(piece.tokens for piece in chosen) + headings <= tokens_max


@given(PIECES, st.integers(0, 600))
def test_nothing_is_repeated(pieces: list[ContextLine], tokens_max: int) -> None:
    chosen = packed(pieces, tokens_max=tokens_max)
    assert len({piece.id for piece in chosen}) == len(chosen)
    for part in Part:
        texts = [piece.content for piece in chosen if piece.part is part]
        assert not [1 for i, one in enumerate(texts) for other in texts[:i] if near_duplicates(one, other)]
    quoted: set[str] = set()
    for piece in chosen:
        assert piece.part is Part.CORE or not piece.proofs & quoted
        quoted |= {piece.id} if piece.is_quote else set()


@given(PIECES, st.integers(0, 600), st.integers(0, 300))
def test_larger_budget_keeps_the_lines_of_a_smaller_one(pieces: list[ContextLine], tokens_max: int, more: int) -> None:
    small = packed(pieces, tokens_max=tokens_max, headings=HEADINGS)
    large = packed(pieces, tokens_max=tokens_max + more, headings=HEADINGS)
    assert large[: len(small)] == small


@given(st.lists(st.integers(0, 11), unique=True, max_size=12), st.randoms(use_true_random=False))
def test_order_of_hits_does_not_matter(numbers: list[int], chance: random.Random) -> None:
    pieces = [a_piece(f"memory {n}", part=list(Part)[n % 2], tokens=10 + n, value=n % 3) for n in numbers]
    shuffled = chance.sample(pieces, len(pieces))
    assert packed(pieces, tokens_max=120) == packed(shuffled, tokens_max=120)


def test_core_memory_has_its_share_whatever_recall_found() -> None:
    words = [f"word{n} thing{n} place{n}" for n in range(80)]
    core = [a_piece(f"core {n}", part=Part.CORE, value=0.01, content=words[n]) for n in range(40)]
    found = [a_piece(f"found {n}", value=1.0, content=words[40 + n]) for n in range(40)]

    def share(tokens_max: int) -> float:
        chosen = packed([*core, *found], tokens_max=tokens_max, core_share=0.35)
        return sum(piece.tokens for piece in chosen if piece.part is Part.CORE) / tokens_max

    assert 0.05 <= share(100) <= 0.2
    assert 0.05 <= share(300) <= 0.2
    assert 0.3 <= share(800) <= 0.4


def test_fact_whose_evidence_is_quoted_is_left_out() -> None:
    said = a_piece(
        "m1", value=0.9, content="I have lived in Oslo for nine years, and I never regretted it.", is_quote=True
    )
    fact = a_piece("f1", value=0.5, content="Ana lives in Oslo.", proofs=frozenset({"m1"}))
    assert [piece.id for piece in ordered([said, fact])] == ["m1"]


def test_evidence_that_adds_something_is_quoted_after_its_fact() -> None:
    fact = a_piece("f1", value=0.9, content="Ana lives in Oslo.", proofs=frozenset({"m1", "m2"}))
    long = a_piece(
        "m1", value=0.5, content="I have lived in Oslo for nine years, and I never regretted it.", is_quote=True
    )
    short = a_piece("m2", value=0.4, content="I live in Oslo now.", is_quote=True)
    assert [piece.id for piece in ordered([fact, long, short])] == ["f1", "m1"]


def test_abstract_and_its_source_sentences_are_not_both_included() -> None:
    scene = a_piece("s1", value=0.9, content="We met Tom at the harbour. It rained all day long.")
    said = a_piece("m1", value=0.5, content="It rained all day long.", is_quote=True)
    assert [piece.id for piece in ordered([scene, said])] == ["s1"]
