"""Count false and missed merges of names over the labelled pairs of both languages.

    python -m tests.benchmarks.identity_table

Prints a table, and below it each misjudged pair.
"""

import sys
from dataclasses import dataclass
from pathlib import Path

from extraction.entities.matching import MatchKind, NameIndex
from schema.entity import an_entity
from schema.ids import TenantId, UserId

_PAIRS = Path(__file__).parents[1] / "unit" / "extraction" / "entities"
LANGUAGES = ("en", "zh")


@dataclass(frozen=True)
class Score:
    """Counts of one language: the pairs, and those judged wrongly."""

    language: str
    same: int
    different: int
    false: list[tuple[str, str]]
    missed: list[tuple[str, str]]

    @property
    def missed_part(self) -> float:
        """Return the share of equal pairs that were kept apart, 0 to 1."""
        return len(self.missed) / self.same


def score(language: str) -> Score:
    """Return the score of one language; each labelled pair is judged in both directions."""
    lines = (_PAIRS / f"identity_pairs_{language}.tsv").read_text(encoding="utf-8").splitlines()
    pairs = [line.split("\t") for line in lines if not line.startswith("#")]
    same = [(one, other) for label, one, other in pairs if label == "same"]
    different = [(one, other) for label, one, other in pairs if label == "different"]
    return Score(
        language=language,
        same=len(same),
        different=len(different),
        false=[pair for pair in different if judged_same(*pair) or judged_same(*reversed(pair))],
        missed=[pair for pair in same if not (judged_same(*pair) and judged_same(*reversed(pair)))],
    )


def judged_same(mention: str, known: str) -> bool:
    """Return whether a mention resolves to the only known entity."""
    index = NameIndex()
    index.put(an_entity(TenantId("t"), UserId("u"), known))
    return index.match(mention, None).verdict is MatchKind.SAME


def main() -> None:
    """Print the table, and below it each misjudged pair."""
    say = sys.stdout.write
    say("language  same  different  false merges  missed\n")
    scores = [score(language) for language in LANGUAGES]
    for one in scores:
        missed = f"{len(one.missed)} ({one.missed_part:.1%})"
        say(f"{one.language:8}  {one.same:4}  {one.different:9}  {len(one.false):12}  {missed}\n")
    for one in scores:
        for kind, pairs in (("false", one.false), ("missed", one.missed)):
            say("".join(f"{one.language} {kind}: {left} / {right}\n" for left, right in pairs))


if __name__ == "__main__":
    main()
