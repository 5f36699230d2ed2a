"""Send random frames to the live socket; none may break the service.

    eval "$(…)"  # MNEMOSCENE_TEST_URI and MNEMOSCENE_TEST_PASSWORD
    python -m tests.benchmarks.live_fuzz --connections 5000

Prints one JSON object with the number of each close code; `crashes` (1011, or no response) must be 0.
"""

import argparse
import asyncio
import json
import sys
from collections import Counter
from typing import Any

from tests.benchmarks.live_served import weighed
from tests.integration.live.test_fuzzed_frames import OWN_CODES, send_random_frames

_AT_ONCE = 25


async def fuzz(*, connections: int, seed: int) -> dict[str, Any]:
    """Run once."""
    codes: Counter[int | None] = Counter()
    async with weighed() as served:
        before_mb = served.rss_mb()
        for begin in range(0, connections, _AT_ONCE):
            seeds = range(seed + begin, seed + min(begin + _AT_ONCE, connections))
            codes.update(await asyncio.gather(*(send_random_frames(served.door, one, frames=12) for one in seeds)))
        async with served.door.viewer("fuzz-after") as viewer:
            works = (await viewer.take())["t"] == "graph_snapshot"
        rss = [round(before_mb, 1), round(served.rss_mb(), 1)]
    crashes = sum(count for code, count in codes.items() if code not in OWN_CODES) + (not works)
    return {
        "connections": connections,
        "crashes": crashes,
        "codes": {str(k): v for k, v in codes.items()},
        "rss_mb": rss,
    }


def main() -> None:
    """Parse the arguments and print the result."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--connections", type=int, default=5_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    result = asyncio.run(fuzz(connections=given.connections, seed=given.seed))
    sys.stdout.write(json.dumps(result) + "\n")
    sys.exit(1 if result["crashes"] else 0)


if __name__ == "__main__":
    main()
