"""Mark most cases of a slow parametrized test as slow, so that only `pytest -m slow` runs them."""

from collections.abc import Collection, Iterable
from typing import Any

import pytest
from _pytest.mark import ParameterSet


def slow_but(kept: Collection[Any], cases: Iterable[Any]) -> list[ParameterSet]:
    """Return the cases in order for `parametrize`, each marked slow unless it is among the kept ones.

    A case that is a tuple stands for several parameters.
    """
    cases = list(cases)
    assert all(case in cases for case in kept), "a kept case does not exist"
    return [
        pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=() if case in kept else pytest.mark.slow)
        for case in cases
    ]
