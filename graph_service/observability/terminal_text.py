"""Neutralise control characters in text for a terminal."""

import re
from typing import Final

# Control characters except tab and line feed (ESC, and CSI and OSC of C1), Unicode line separators, and bidirectional
# controls (Unicode TR 36, "bidirectional text spoofing").
_ACTIVE: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_SHOWN: Final = "\N{REPLACEMENT CHARACTER}"


def shown(text: str) -> str:
    """Return the text with active control characters replaced by U+FFFD."""
    return _ACTIVE.sub(_SHOWN, text)


def shown_json(document: str) -> str:
    """Return an equivalent JSON document with control characters escaped; in valid JSON they are only in strings."""
    return _ACTIVE.sub(lambda found: f"\\u{ord(found[0]):04x}", document)
