"""What English sentences tell about causes: pains, troubles and partings, and what brings them."""

import re
from collections.abc import Iterator
from typing import Final

from extraction.clauses_en import UNREAL, Clause, Thread, without_lead
from extraction.drafting_en import draft
from extraction.drafts import Draft
from extraction.phrases_en import gerund, noun_phrase, things
from extraction.sentences import Sentence
from extraction.spelling_en import readable, spelled
from extraction.words_life_en import SYMPTOMS

_OFTEN = (
    r"(?:always |often |usually |sometimes |really |just |only |still |mostly |mainly |largely |actually |"
    r"definitely ){0,2}"
)
_SYMPTOM = r"(?:[a-z]+ ){0,2}?(?:" + "|".join(sorted(SYMPTOMS, key=len, reverse=True)) + ")"
_MINE = r"(?:my |the |his |her |our |these |this |those |all my |me |us )?"
# How a parting or a breakdown told by a verb is called.
_EVENTS: Final = {
    "broke up": "breakup",
    "split up": "breakup",
    "separated": "separation",
    "got divorced": "divorce",
    "burned out": "burnout",
    "burnt out": "burnout",
    "lost my job": "job loss",
    "got fired": "job loss",
    "fell out": "falling-out",
}
_PATTERNS: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"^"
        + _MINE
        + r"(?P<o>[a-z][a-z' -]{2,40}?) (?:is|was|are|were|turned out to be|has been|have been|turns out to be) "
        + _OFTEN
        + r"(?:caused by|due to|because of|triggered by|brought on by|down to|(?:the|a) result of|from) (?P<c>.+)",
        r"^"
        + _MINE
        + r"(?P<o>"
        + _SYMPTOM
        + r") "
        + _OFTEN
        + r"(?:comes?|came|stems?|results?|arises?) from (?P<c>.+)",
        r"^(?P<c>[a-z][a-z' -]{2,40}?) "
        + _OFTEN
        + r"(?:triggers?|gives?|causes?|brings? on|worsens?|aggravates?|sets? off|leads? to|provokes?|makes?) "
        + _MINE
        + r"(?P<o>"
        + _SYMPTOM
        + r")\b",
        r"^(?:I|we) "
        + _OFTEN
        + r"(?:get|have|develop|suffer from|am getting|got) (?:an? |really |bad |terrible |awful |horrible )*(?P<o>"
        + _SYMPTOM
        + r") (?:whenever|when|every time|each time|after|from|because of|due to)(?P<me> I| we)? (?P<c>.+)",
        r"^(?:whenever|every time|each time|when)(?P<me> I| we) (?P<c>[^,]{3,50}),? I "
        + _OFTEN
        + r"(?:get|have|develop|suffer from) (?:an? |really |bad |terrible )*(?P<o>"
        + _SYMPTOM
        + r")\b",
        r"^(?:I|we) (?:finally |eventually )?(?P<v>"
        + "|".join(_EVENTS)
        + r") "
        + _OFTEN
        + r"(?:because of|due to|over) (?P<c>.+)",
    )
)
_HINT: Final = re.compile(
    r"caused|due to|because of|triggered|brought|down to|result of|\b(?:"
    + "|".join(sorted(SYMPTOMS))
    + r")\b|"
    + "|".join(_EVENTS),
    re.IGNORECASE,
)


def causes(sentence: Sentence, thread: Thread) -> Iterator[Draft]:
    """`Red wine gives me headaches`, `my back pain comes from sitting`: effect and cause, at most one pair."""
    text = without_lead(spelled(readable(sentence.text))).rstrip(" .!?,")
    if _HINT.search(text) is None or UNREAL.search(text):
        return
    for number, pattern in enumerate(_PATTERNS):
        found = pattern.match(text)
        if found is None:
            continue
        groups = found.groupdict()
        effect = _EVENTS[groups["v"].lower()] if groups.get("v") else noun_phrase(groups["o"])
        cause = _cause(groups["c"], done=groups.get("me") is not None)
        # "My sister is from Spain" tells no cause: only pains are "from" something.
        if effect is None or cause is None or (number == 0 and " from " in text and not _is_pain(effect)):
            continue
        clause = Clause(text=text, rest=text, subject=None, third=None, start=sentence.start, end=sentence.end)
        yield draft(clause, thread, effect, "CAUSED_BY", cause, "{s} is caused by {o}.")
        return


def _is_pain(effect: str) -> bool:
    return re.search(_SYMPTOM + "$", effect, re.IGNORECASE) is not None


def _cause(said: str, *, done: bool) -> str | None:
    """The cause in words; what someone does is told by its gerund: `skip breakfast` → `skipping breakfast`."""
    found = things(re.sub(r"^(?:drinking|eating) (?=\w)", "", said))[:1]
    if not found or len(found[0].split()) > 4:
        return None
    verb, _, rest = found[0].partition(" ")
    return f"{gerund(verb)} {rest}".strip() if done and not verb.endswith("ing") else found[0]
