"""Rules in an order that counts, looked up page by page."""

import re
from collections.abc import Iterable, Iterator, Sequence

from extraction.rule import Rule

_PAGE = 12


class RuleBook:
    """Rules in an order that counts, a dozen to a page: a page where none can match is passed over at one look."""

    def __init__(self, rules: Sequence[Rule], before: str, flags: re.RegexFlag) -> None:
        """Args:
        before: the pattern that stands before each rule's opening.
        """
        pages = [rules[start : start + _PAGE] for start in range(0, len(rules), _PAGE)]
        self._pages = [(_opened_by(page, before, flags), page) for page in pages]

    def matching(self, text: str) -> Iterator[tuple[Rule, re.Match[str]]]:
        """The rules that match where a verb phrase begins, in order."""
        for opens, page in self._pages:
            if opens.match(text):
                for rule in page:
                    if matched := rule.pattern.match(text):
                        yield rule, matched


def _opened_by(rules: Iterable[Rule], before: str, flags: re.RegexFlag) -> re.Pattern[str]:
    return re.compile(before + "(?:" + "|".join(rule.opening for rule in rules) + ")", flags)
