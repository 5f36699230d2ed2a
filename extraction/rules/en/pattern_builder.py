"""Makes rules for English verb phrases: adverbs may stand before the verb."""

import re

from extraction.rules.engine import Rule, Shape
from schema.entity import EntityType

# Bounded and separated by single spaces: nothing here can be matched in two ways.
ADVERB = (
    r"(?:(?:really|also|just|absolutely|still|always|particularly|especially|truly|totally|definitely|actually|"
    r"personally|do|does|both|all|have|has|had|been|simply|honestly|generally|usually|often|now|currently|recently|"
    r"finally|already|even|so|eventually|secretly|deeply|genuinely|happily|since|originally|very|much|once) ){0,4}"
)


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
    """Return a rule matched where a verb phrase begins; `end` are words that must follow the object."""
    return Rule(
        pattern=re.compile(ADVERB + f"(?:{pattern})" + (rf" (?P<o>.+?) {end}" if end else " (?P<o>.+)"), re.IGNORECASE),
        opening=pattern,
        predicate=predicate,
        says=says,
        shape=shape,
        relation=relation,
        object_type=kind,
        strength=strength,
        closes=closes,
    )
