"""A product of matrices on the calling thread alone."""

from typing import Final

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]

# Above this many multiplications OpenBLAS, numpy's usual library, wakes a thread for every core; measured.
_MULTIPLICATIONS_MAX: Final = 2**18


def product(rows: Floats | npt.NDArray[np.int8], columns: Floats) -> Floats:
    """`rows @ columns`, in blocks that the library computes on this thread.

    Threads that wait for each other burn the cores that Neo4j and the model need: 464 tokens of 384 numbers cost 5.5 ms
    of processor time at once and 22 ms of waiting on two loaded cores, in blocks 0.6 and 3.4.
    """
    height = max(_MULTIPLICATIONS_MAX // max(columns.size, 1), 1)
    blocks = -(-len(rows) // height)
    filled = np.zeros((blocks * height, rows.shape[1]), np.float32)
    filled[: len(rows)] = rows
    answer: Floats = np.matmul(filled.reshape(blocks, height, rows.shape[1]), columns)
    return answer.reshape(blocks * height, columns.shape[1])[: len(rows)]
