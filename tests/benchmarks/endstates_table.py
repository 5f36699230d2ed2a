"""Count the right end states after corrections, temporary states and other people's values, through the service.

    python -m tests.benchmarks.endstates_table [--half development|aside] [--language en|zh] [--url URL] [--misses]

Each scene of `tests/everyday_sets/endstates` gets a fresh user; all are stored and digested before the first question.
A scene is right if all its checks hold: `first_has` and `first_lacks` of the first hit that `recall` returns for the
question; `facts_valid_has` of the statement of some valid fact; `facts_valid_lacks` of those about the user. Other
people's values are no wrong facts where they are told of these people. Runs a service of this checkout unless `--url`
names one; prints a table, or JSON. `--misses` shows wrong scenes of the development half only.
"""

import argparse
import asyncio
import json
import sys
import tempfile
import uuid
from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

import httpx

from tests.benchmarks.attacked_service import Keys, attacked_service, home_of

_SETS: Final = Path(__file__).parents[1] / "everyday_sets" / "endstates"
HALVES: Final = ("development", "aside")
LANGUAGES: Final = ("en", "zh")
# The scenes play in 2026, and the service refuses messages of the future; the weekdays stay.
_EARLIER: Final = timedelta(weeks=52)
_DIGESTED_MAX_S: Final = 1_800
_POLL_S: Final = 1.0
_REMEMBER: Final = "mutation($i: RememberInput!) { remember(input: $i) { stored } }"
_CLOSE: Final = "mutation($u: String!, $s: String!) { closeSession(userId: $u, sessionId: $s) { state } }"
_JOBS: Final = "{ jobStatus { waiting leased spooled } }"
_RECALL: Final = """query($u: String!, $q: String!) {
  recall(userId: $u, query: $q, limit: 1, watched: false) { hits { text } } }"""
_FACTS: Final = """query($u: String!) {
  timeline(userId: $u, first: 100, includeClosed: false) { nodes { statement subject { name } object { name } } } }"""


class Service:
    """GraphQL calls to a running service."""

    def __init__(self, http: httpx.AsyncClient) -> None:
        self._http = http

    async def call(self, document: str, **variables: object) -> Any:
        """Return the data of a call; fail on errors."""
        answer = (await self._http.post("/graphql", json={"query": document, "variables": variables})).json()
        if answer.get("errors"):
            raise RuntimeError(str(answer["errors"]))
        return answer["data"]

    async def remember(self, user: str, scene: Mapping[str, Any]) -> None:
        """Store the sessions of a scene."""
        for session, said in scene["sessions"].items():
            messages = [{**one, "time": (datetime.fromisoformat(one["time"]) - _EARLIER).isoformat()} for one in said]
            named = {"userName": scene["userName"]} if scene.get("userName") else {}
            await self.call(_REMEMBER, i={"userId": user, "sessionId": session, "messages": messages, **named})

    async def close(self, user: str, scene: Mapping[str, Any]) -> None:
        """Close the sessions of a scene, once they are stored: a busy service may have spooled them."""
        for session in scene["sessions"]:
            await self.call(_CLOSE, u=user, s=session)

    async def digested(self) -> None:
        """Wait until no job is left."""
        quiet = 0
        async with asyncio.timeout(_DIGESTED_MAX_S):
            while quiet < 2:
                jobs = (await self.call(_JOBS))["jobStatus"]
                quiet = 0 if any(jobs.values()) else quiet + 1
                await asyncio.sleep(_POLL_S)

    async def wrong_checks(self, user: str, scene: Mapping[str, Any]) -> list[str]:
        """Return the checks of a scene that do not hold, each with what the service returned."""
        facts = (await self.call(_FACTS, u=user))["timeline"]["nodes"]
        return [wrong for check in scene["checks"] if (wrong := await self._wrong(user, check, facts))]

    async def _wrong(self, user: str, check: Mapping[str, str], facts: Sequence[Mapping[str, Any]]) -> str:
        if "recall" in check:
            hits = (await self.call(_RECALL, u=user, q=check["recall"]))["recall"]["hits"]
            first = hits[0]["text"] if hits else ""
            lacks = check.get("first_lacks")
            right = check["first_has"] in first and (lacks is None or lacks not in first)
            return "" if right else f"{check['recall']} -> {first!r}"
        if "facts_valid_has" in check:
            statements = [fact["statement"] for fact in facts]
            wanted = check["facts_valid_has"]
            return "" if any(wanted.lower() in one.lower() for one in statements) else f"{wanted} not in {statements}"
        own = [fact["statement"] for fact in facts if _is_of_user(fact)]
        unwanted = [one for one in own if check["facts_valid_lacks"] in one]
        return f"{check['facts_valid_lacks']} in {unwanted}" if unwanted else ""


def _is_of_user(fact: Mapping[str, Any]) -> bool:
    return fact["subject"] is not None and fact["subject"]["name"] == "user"


def scenes(language: str, half: str) -> list[dict[str, Any]]:
    """Return the scenes of a language and half."""
    lines = (_SETS / half / f"{language}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


async def rows(url: str | None, languages: Sequence[str], halves: Sequence[str], misses: bool) -> list[dict[str, Any]]:
    """Return the counts of each language, half and kind, with the wrong scenes if asked for."""
    asked = [(language, half, scene) for language in languages for half in halves for scene in scenes(language, half)]
    users = [f"endstate-{uuid.uuid4().hex[:12]}" for _ in asked]
    async with _service(url) as service:
        for user, (_, _, scene) in zip(users, asked, strict=True):
            await service.remember(user, scene)
        await service.digested()
        for user, (_, _, scene) in zip(users, asked, strict=True):
            await service.close(user, scene)
        await service.digested()
        wrong = [await service.wrong_checks(user, scene) for user, (_, _, scene) in zip(users, asked, strict=True)]
    every, right = Counter[tuple[str, ...]](), Counter[tuple[str, ...]]()
    for (language, half, scene), failed in zip(asked, wrong, strict=True):
        kinds = (scene["kind"], "all", *(("near misses",) if scene.get("near_miss") else ()))
        for kind in kinds:
            every[language, half, kind] += 1
            right[language, half, kind] += not failed
        if failed and misses and half == "development":
            sys.stderr.write(f"{scene['id']}: {' | '.join(failed)}\n")
    return [
        {"language": language, "half": half, "kind": kind, "scenes": count, "right": right[language, half, kind]}
        for (language, half, kind), count in sorted(every.items())
    ]


@asynccontextmanager
async def _service(url: str | None) -> AsyncIterator[Service]:
    """Yield the service at a URL, or one of this checkout that ends with the block."""
    if url is not None:
        async with httpx.AsyncClient(base_url=url, timeout=120) as http:
            yield Service(http)
        return
    with tempfile.TemporaryDirectory(prefix="endstates-") as folder:
        home = home_of(Path(__file__).parents[2], Path(folder), {})
        async with (
            attacked_service(home, Keys()) as started,
            httpx.AsyncClient(base_url=started.url, timeout=120) as http,
        ):
            yield Service(http)


def main() -> None:
    """Print the table, or the same figures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--half", choices=HALVES, help="only this half")
    parser.add_argument("--language", choices=LANGUAGES, help="only this language")
    parser.add_argument("--url", help="a running service without keys, instead of starting one")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--misses", action="store_true", help="list the wrong scenes of the development half")
    asked = parser.parse_args()
    table = asyncio.run(
        rows(
            asked.url,
            (asked.language,) if asked.language else LANGUAGES,
            (asked.half,) if asked.half else HALVES,
            asked.misses,
        )
    )
    if asked.json:
        sys.stdout.write(json.dumps(table, indent=1) + "\n")
        return
    sys.stdout.write("language  half         kind         scenes  right  share\n")
    for row in table:
        sys.stdout.write(
            f"{row['language']:8}  {row['half']:11}  {row['kind']:11}  {row['scenes']:6}  {row['right']:5}  "
            f"{row['right'] / row['scenes']:5.3f}\n"
        )


if __name__ == "__main__":
    main()
