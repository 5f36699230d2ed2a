"""Test which vectors are accepted for a vector index."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.embeddings.embedder import check_vectors, unit
from schema.errors import MisreadError

numbers = st.floats(min_value=-1e6, max_value=1e6, allow_nan=False)


@given(st.lists(numbers, min_size=1, max_size=20).filter(lambda values: any(abs(value) > 1e-3 for value in values)))
def test_nonzero_vector_is_accepted_after_normalisation(values: list[float]) -> None:
    check_vectors([unit(values)], count=1, dim=len(values))


@pytest.mark.parametrize(
    ("vectors", "count", "word"),
    [
        ([[1.0, 0.0]], 2, "1 vectors for 2 texts"),
        ([[1.0, 0.0], [1.0]], 2, "vector 1 has 1 numbers, expected 2"),
        ([[0.0, 0.0]], 1, "length 0"),
        ([[3.0, 4.0]], 1, "length 5"),
        ([[math.nan, 1.0]], 1, "NaN"),
        ([[math.inf, 0.0]], 1, "infinity"),
    ],
)
def test_vector_that_would_corrupt_an_index_is_refused_by_name(
    vectors: list[list[float]], count: int, word: str
) -> None:
    with pytest.raises(MisreadError, match=word):
        check_vectors(vectors, count=count, dim=2)


def test_no_texts_and_no_vectors_are_accepted() -> None:
    check_vectors([], count=0, dim=384)


@pytest.mark.parametrize("broken", [[0.0, 0.0], [math.nan, 1.0], [math.inf, 1.0]])
def test_normalisation_leaves_invalid_vectors_for_the_check(broken: list[float]) -> None:
    with pytest.raises(MisreadError):
        check_vectors([unit(broken)], count=1, dim=2)
