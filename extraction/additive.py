"""Words that say a fact holds beside others of its kind: "I also work at …", 也在…工作. Pure."""

import re
from typing import Final

_ALSO: Final = re.compile(
    r"\b(?:also|too|as well|in addition|besides|additionally|on the side|part[- ]time|side job|second (?:job|home)"
    r"|half (?:of )?the (?:time|year)|(?:on|at) (?:the )?weekends?|in (?:the )?(?:summer|winter)s?|both)\b",
    re.IGNORECASE,
)
_ALSO_ZH: Final = re.compile(r"[也还同]时|也|还(?!是|住|没)|另外|兼职|副业|第二|两地|半年|周末|平时|顺便|之余")
# A move or a change is no addition, whatever else the clause says.
_CHANGED: Final = re.compile(
    r"\b(?:moved|relocated|switched|changed|left|quit|joined|started|now|no longer)\b|搬|换|改|跳槽|离开|辞|现在|如今",
    re.IGNORECASE,
)


def says_also(text: str) -> bool:
    """Whether a clause adds to what is known rather than replaces it."""
    if _CHANGED.search(text):
        return False
    return _ALSO.search(text) is not None or _ALSO_ZH.search(text) is not None
