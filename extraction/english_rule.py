"""Makes rules for English verb phrases: adverbs may stand before the verb."""

import re
from collections.abc import Iterable, Iterator, Sequence

from extraction.rule import Rule, Shape
from schema.entity import EntityType

# Bounded and separated by single spaces: nothing here can be matched in two ways.
_ADVERB = (
    r"(?:(?:really|also|just|absolutely|still|always|particularly|especially|truly|totally|definitely|actually|"
    r"personally|do|does|both|all|have|has|had|been|simply|honestly|generally|usually|often|now|currently|recently|"
    r"finally|already|even|so|eventually|secretly|deeply|genuinely|happily|since|originally|very|much|once) ){0,4}"
)
_PAGE = 12


def english_rule(
    pattern: str,
    predicate: str,
    says: str,
    *,
    shape: Shape = "things",
    relation: str | None = None,
    kind: EntityType | None = None,
    strength: float = 0.7,
    closes: bool = False,
    end: str = "",
) -> Rule:
    """A rule matched where a verb phrase begins; `end` are words that must follow the object."""
    return Rule(
        pattern=re.compile(
            _ADVERB + f"(?:{pattern})" + (rf" (?P<o>.+?) {end}" if end else " (?P<o>.+)"), re.IGNORECASE
        ),
        opening=pattern,
        predicate=predicate,
        says=says,
        shape=shape,
        relation=relation,
        object_type=kind,
        strength=strength,
        closes=closes,
    )


class RuleBook:
    """Rules in an order that counts, a dozen to a page: a page where none can match is passed over at one look."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        pages = [rules[start : start + _PAGE] for start in range(0, len(rules), _PAGE)]
        self._pages = [(_opened_by(page), page) for page in pages]

    def matching(self, text: str) -> Iterator[tuple[Rule, re.Match[str]]]:
        """The rules that match where a verb phrase begins, in order."""
        for opens, page in self._pages:
            if opens.match(text):
                for rule in page:
                    if matched := rule.pattern.match(text):
                        yield rule, matched


def _opened_by(rules: Iterable[Rule]) -> re.Pattern[str]:
    return re.compile(_ADVERB + "(?:" + "|".join(rule.opening for rule in rules) + ") ", re.IGNORECASE)
