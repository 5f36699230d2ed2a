"""Agreement of the verb of an English statement with several people as its subject."""

import re
from typing import Final

from extraction.text.lexicon_en import MANY_KIN

_VERB: Final = re.compile(r"^\{s\} (?P<adverb>(?:no longer|often|also|regularly) )?(?P<verb>[a-z]+)\b")
_PLURAL: Final = {"is": "are", "has": "have", "was": "were", "does": "do", "goes": "go"}
_SINGULAR_ENDS: Final = re.compile(r"(?:ss|us|is)$")


def agree(subject: str, says: str) -> str:
    """Return a statement with its verb in the plural if the subject is several people: "my parents live in Leeds"."""
    many = subject.rpartition(" ")[2] in MANY_KIN
    found = _VERB.match(says) if many else None
    if found is None:
        return says
    verb = found["verb"]
    if verb in _PLURAL:
        plural = _PLURAL[verb]
    elif verb.endswith("ies"):
        plural = verb[:-3] + "y"
    elif re.search(r"(?:sh|ch|ss|x|z)es$", verb):
        plural = verb[:-2]
    elif verb.endswith("s") and not _SINGULAR_ENDS.search(verb):
        plural = verb[:-1]
    else:
        return says
    return says[: found.start("verb")] + plural + says[found.end("verb") :]
