"""Syntax of the English rules."""

import re
from typing import Final

from extraction.rules.engine import RuleSyntax

# Bounded, and separated by single spaces, so that no text matches in two ways.
_ADVERBS: Final = (
    r"(?:(?:really|also|just|absolutely|still|always|particularly|especially|truly|totally|definitely|actually|"
    r"personally|do|does|both|all|have|has|had|been|simply|honestly|generally|usually|often|now|currently|recently|"
    r"finally|already|even|so|eventually|secretly|deeply|genuinely|happily|since|originally|very|much|once) ){0,4}"
)
SYNTAX: Final = RuleSyntax(adverbs=_ADVERBS, gap=" ", flags=re.IGNORECASE)
