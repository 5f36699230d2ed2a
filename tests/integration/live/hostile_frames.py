"""Frames that no viewer would send, determined by a seed."""

import json
import random
from collections.abc import Iterator
from typing import Any, Final

_TYPES: Final = (
    "hello",
    "ack",
    "resync",
    "scope",
    "place",
    "selection_sync",
    "graph_patch",
    "presence",
    "",
    "__proto__",
)
_ATOMS: Final[tuple[Any, ...]] = (
    *(None, True, False, 0, -1, 1, 2**31, 2**63, -(2**70), 1e308, -0.0, "", "a", "\u0000", "\ud800", "记忆", "🙂" * 50),
    *("a" * 5_000, "../../etc", "';DROP", "{{x}}", "e1", "1", "9" * 400),
)
_NAMES: Final = (
    "t",
    "v",
    "client",
    "scope",
    "resume",
    "seq",
    "reason",
    "user",
    "budget",
    "clock",
    "ids",
    "focus",
    "token",
)
_HELLO: Final = {"t": "hello", "v": 1, "client": "c-fuzz", "scope": {"tenant": "fuzz"}}


def hostile_frames(seed: int, count: int) -> Iterator[str | bytes]:
    """Yield endless random bytes and texts, some of them close to valid frames."""
    chance = random.Random(seed)
    for _ in range(count):
        yield _frame(chance)


def random_hello(chance: random.Random) -> str:
    """Return a hello frame, mostly a valid one, so that the frames after it are read."""
    hello = dict(_HELLO)
    if chance.random() < 0.3:
        hello[chance.choice(_NAMES)] = _value(chance, 2)
    return json.dumps(hello)


def _frame(chance: random.Random) -> str | bytes:
    match chance.randrange(8):
        case 0:
            return chance.randbytes(chance.randrange(300))
        case 1:
            return "".join(chr(chance.choice((*range(32, 127), 0x8BB0, 0x1F642))) for _ in range(chance.randrange(200)))
        case 2:
            text = json.dumps(_object(chance))
            return text[: chance.randrange(len(text) + 1)]
        case 3:
            return "[" * chance.randrange(1, 9_000)
        case 4:
            return json.dumps({"t": chance.choice(_TYPES), "ids": ["x" * 90] * chance.randrange(400)})
        case _:
            return json.dumps({**_object(chance), "t": chance.choice(_TYPES)})


def _object(chance: random.Random) -> dict[str, Any]:
    return {chance.choice(_NAMES): _value(chance, 3) for _ in range(chance.randrange(6))}


def _value(chance: random.Random, depth: int) -> Any:
    sort = chance.randrange(4 if depth else 2)
    if sort == 2:
        return [_value(chance, depth - 1) for _ in range(chance.randrange(4))]
    if sort == 3:
        return {chance.choice(_NAMES): _value(chance, depth - 1) for _ in range(chance.randrange(4))}
    return chance.choice(_ATOMS)
