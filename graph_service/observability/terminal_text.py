"""Text from outside as it may be shown on a terminal."""

import re
from typing import Final

# Control characters but tab and line feed, among them ESC and the one-character CSI and OSC of C1; what starts a new
# line without being one; what turns the direction of the text around it (Unicode TR 36, "bidirectional text spoofing").
_ACTIVE: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_SHOWN: Final = "\N{REPLACEMENT CHARACTER}"


def shown(text: str) -> str:
    """Return the text with a mark in place of each character that would make a terminal do something."""
    return _ACTIVE.sub(_SHOWN, text)


def shown_json(document: str) -> str:
    """Return the same JSON document with such characters escaped; outside of its strings there are none."""
    return _ACTIVE.sub(lambda found: f"\\u{ord(found[0]):04x}", document)
