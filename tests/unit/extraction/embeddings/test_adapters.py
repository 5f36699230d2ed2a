"""Test that adapters are written in eight bits and read again about as they were."""

from pathlib import Path

import numpy as np
import pytest

from extraction.embeddings.adapters import read_adapter, write_adapter

DRAWN = np.random.default_rng(7)


@pytest.mark.parametrize("shape", [(12, 384, 16), (12, 16, 384), (256, 64), (3, 3, 3), (40,), ()])
def test_arrays_are_read_as_written_but_for_rounding(tmp_path: Path, shape: tuple[int, ...]) -> None:
    values = DRAWN.normal(size=shape) * 0.02
    write_adapter(tmp_path / "a.npz", {"x": values})
    ((name, again),) = read_adapter(tmp_path / "a.npz").items()
    assert (name, again.shape, again.dtype) == ("x", shape, np.float32)
    assert np.abs(again - values).max() <= np.abs(values).max() / 250


def test_each_row_or_column_has_its_own_scale(tmp_path: Path) -> None:
    """A small direction beside a large one keeps its precision."""
    values = DRAWN.normal(size=(384, 16)) * np.geomspace(1e-4, 1, 16)
    write_adapter(tmp_path / "a.npz", {"x": values, "zero": np.zeros((64, 64))})
    again = read_adapter(tmp_path / "a.npz")
    error = np.linalg.norm(again["x"] - values, axis=0) / np.linalg.norm(values, axis=0)
    assert error.max() < 0.02
    assert not again["zero"].any()


def test_same_arrays_give_the_same_bytes_of_about_one_a_number(tmp_path: Path) -> None:
    values = {"x": DRAWN.normal(size=(12, 384, 32))}
    for name in ("a.npz", "b.npz"):
        write_adapter(tmp_path / name, values)
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()
    assert (tmp_path / "a.npz").stat().st_size < 1.05 * values["x"].size
