"""Turn the tags of a German, Spanish, French or Japanese message into draft facts. Pure.

These languages have no rules: the multilingual tagger alone reads them. What differs between them is in
`tag_languages.toml`; predicates and relations are those of `tag_facts`.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from typing import Any, Final

from extraction.rules.drafts import Draft, Speaker
from extraction.rules.fact_wordings import WORDINGS
from extraction.rules.tags import INTENTIONS, Tag
from extraction.temporal.expressions import Frame
from extraction.temporal.phrases import phrases_in, plain
from extraction.temporal.relations import time_ranges
from extraction.text.languages import Tagged
from extraction.text.toml_files import toml_of

# Log odds that some kinds need beyond those of their language.
_MORE_ODDS: Final = {
    "attribute": 2.0,
    **dict.fromkeys(("because", "hobby", "plans", "promised", "ex"), 1.0),
    **dict.fromkeys(("sibling", "parent", "relative", "spouse", "engaged_to", "friend", "helper"), -1.0),
    **dict.fromkeys(("pet", "has", "likes"), -1.0),
}
# Kinds that a denial turns into nothing; of the others, such as dislikes, it often is the wording.
_DENIABLE: Final = frozenset(
    (
        *("lives_in", "works_at", "works_as", "studies_at", "from", "named", "has", "pet", "partner", "spouse"),
        *("engaged_to", "likes", "language", "takes", "illness", "phone", "address"),
    )
)
_CLAUSE_END: Final = re.compile(r"[,;.:!?¡¿\n、，。！？；：]")
_EDGE: Final = " \t\n,.;:!?¡¿\"'“”‘’«»()[]、，。！？；：「」『』（）…~～"
_VALUES: Final = frozenset(("code", "size", "price"))
# Kinds whose objects are clauses, which keep their first word, and those whose objects may be several names.
_CLAUSES: Final = frozenset(("because", "plans", "promised", "decided"))
_LISTED: Final = frozenset(kind for kind, wording in WORDINGS.items() if wording.person) | {
    *("pet", "has", "likes", "dislikes", "hobby", "language", "allergic_to", "takes")
}
# Where times stand is the same at any time.
_ANY_TIME: Final = Frame(now=datetime(2024, 5, 15))
_PERHAPS_SECRET: Final = _VALUES | {"attribute", "named", "has", "phone"}
_NEAR_SECRET_CHARS: Final = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class TagLanguage:
    """A section of `tag_languages.toml`, with its word lists as patterns."""

    odds: float
    user: str
    relative: str
    owner: re.Pattern[str]
    owner_before: re.Pattern[str]
    first: re.Pattern[str]
    article_before: re.Pattern[str]
    after: re.Pattern[str]
    between: re.Pattern[str]
    pronouns: frozenset[str]
    denied: re.Pattern[str]
    denied_after: re.Pattern[str]
    no_more: re.Pattern[str]
    birth: re.Pattern[str]
    begun: Mapping[str, re.Pattern[str]]
    secrets: re.Pattern[str]
    joined: Sequence[tuple[str, str]]
    has_spaces: bool
    words: Mapping[str, str]
    says: Mapping[str, Sequence[str]]


@cache
def tag_language(code: Tagged) -> TagLanguage:
    """Return the words of a language."""
    read: dict[str, Any] = toml_of("extraction.rules", "tag_languages.toml")[code]
    gap = "" if code == "ja" else " "

    def first(words: str) -> re.Pattern[str]:
        return re.compile(rf"(?:{words}){gap}(?=.)", re.IGNORECASE)

    return TagLanguage(
        odds=read["odds"],
        user=read["user"],
        relative=read["relative"],
        owner=first(read["owners"]),
        owner_before=re.compile(rf"(?:^|\W|(?<=[がはもとに])){read['owners'].join(('(?:', ')'))}{gap}$", re.IGNORECASE),
        first=first(read["articles"]),
        article_before=re.compile(rf"(?<!\w)(?:{read['before'] or '(?!)'}){gap}$", re.IGNORECASE),
        after=re.compile(rf"(?<=.){read['after'] or '(?!)'}$"),
        between=re.compile(read["between"]),
        pronouns=frozenset(read["pronouns"].split()),
        denied=re.compile(read["denied"] or "(?!)", re.IGNORECASE),
        denied_after=re.compile(read["denied_after"] or "(?!)", re.IGNORECASE),
        no_more=re.compile(read["no_more"], re.IGNORECASE),
        birth=re.compile(read["birth"], re.IGNORECASE),
        begun={kind: re.compile(words, re.IGNORECASE) for kind, words in read["begun"].items()},
        secrets=re.compile(rf"(?<![a-z])(?:{read['secrets']})(?![a-z])", re.IGNORECASE),
        joined=[(apart, together) for apart, together in read["joined"]],
        has_spaces=code != "ja",
        words=read["words"],
        says=read["says"],
    )


def tagged_facts(text: str, tags: Sequence[Tag], speaker: Speaker, code: Tagged) -> list[Draft]:
    """Return the facts that the tags of a message state, most likely first, each once.

    What holds for a while only is no fact: nothing tells when it ends, and it must not end what holds.
    """
    language = tag_language(code)
    drafts: list[Draft] = []
    for tag in tags:
        if tag.ended and (begun := language.begun.get(tag.kind)) and begun.search(_with_mark(text, tag.obj)):
            # The diagnosis is past, not the illness; the move, not the home.
            tag = replace(tag, ended=False)
        likely = tag.odds >= language.odds + _MORE_ODDS.get(tag.kind, 0.0)
        no_birthday = tag.kind == "born_on" and language.birth.search(text) is None
        if tag.brief or no_birthday or not likely or _is_denied(text, tag, language):
            continue
        for span in _objects(text, tag, language):
            made = _draft(text, replace(tag, obj=span), speaker, language)
            if made is not None and not any(_same(made, other) for other in drafts):
                drafts.append(made)
    return drafts


def _with_mark(text: str, span: tuple[int, int]) -> str:
    """Return a text with `{o}` in place of an object."""
    return f"{text[: span[0]]}{{o}}{text[span[1] :]}"


def _is_denied(text: str, tag: Tag, language: TagLanguage) -> bool:
    """Return whether the clause of a tag denies or supposes what it tags as true."""
    if tag.kind not in _DENIABLE:
        return False
    ends = [0, *(match.end() for match in _CLAUSE_END.finditer(text, 0, tag.obj[0]))]
    following = _CLAUSE_END.search(text, tag.obj[1])
    start, end = ends[-1], following.start() if following else len(text)
    denied = language.denied.search(text, start, tag.obj[0]) or language.denied_after.search(text, tag.obj[1], end)
    # "No longer" ends what "not" denies.
    return denied is not None and not (tag.ended and language.no_more.search(text, start, end))


def _same(one: Draft, other: Draft) -> bool:
    """Return whether two drafts tell the same of one thing, so that the more likely one counts."""
    told = (one.subject, one.predicate, one.closes) == (other.subject, other.predicate, other.closes)
    return told and one.object == other.object


def _objects(text: str, tag: Tag, language: TagLanguage) -> list[tuple[int, int]]:
    """Return the spans of the objects of a tag: whole words, and the parts of a list."""
    start, end = tag.obj
    if language.has_spaces:
        while start and text[start - 1].isalnum() and text[start].isalnum():
            start -= 1
        while end < len(text) and text[end].isalnum() and text[end - 1].isalnum():
            end += 1
    if tag.kind in INTENTIONS:
        return [_without_times(text, start, end)]
    if tag.kind not in _LISTED:
        return [(start, end)]
    cuts = [match.span() for match in language.between.finditer(text, start, end)]
    starts, ends = [start, *(after for _, after in cuts)], [*(before for before, _ in cuts), end]
    return list(zip(starts, ends, strict=True))


def _without_times(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the span of what somebody intends without the times at its begin and end: "le 3 mai", "am Freitag"."""
    clause = plain(text[start:end])
    first, last = 0, len(clause)
    for told in time_ranges(clause, phrases_in(clause, _ANY_TIME), _ANY_TIME):
        if not clause[first : told.start].strip(_EDGE):
            first = told.end
        elif not clause[told.end :].strip(_EDGE):
            last = told.start
    return (start + first, start + last) if clause[first:last].strip(_EDGE) else (start, end)


def _draft(text: str, tag: Tag, speaker: Speaker, language: TagLanguage) -> Draft | None:
    """Return the draft of a tag; None if it makes no fact."""
    wording = WORDINGS[tag.kind]
    words = text[slice(*tag.obj)]
    obj = words.strip(_EDGE) if tag.kind in _CLAUSES else _cleaned(words, language)
    if not obj or obj.casefold() in language.pronouns or _is_secret(text, tag, language):
        return None
    subject = _subject(text, tag, speaker, language)
    if subject is None or subject.casefold() == obj.casefold() or (tag.kind == "because" and tag.subject is None):
        return None
    word = _cleaned(text[slice(*tag.word)], language) if tag.word else ""
    relation = wording.relation
    if wording.words is not None:
        relation = word.lower() or (wording.fallback[0] if wording.fallback else None)
        if relation is None:
            return None
    return Draft(
        subject=subject,
        predicate=wording.predicate,
        object=obj,
        statement=_statement(text, tag, subject, obj, word, speaker, language),
        start=min(tag.obj[0], tag.subject[0]) if tag.subject else tag.obj[0],
        end=max(tag.obj[1], tag.subject[1]) if tag.subject else tag.obj[1],
        relation=relation,
        object_type=wording.object_type,
        strength=wording.strength,
        confidence=0.65 if tag.subject is None else 0.6,
        closes=tag.ended and tag.kind != "ex",
    )


def _statement(text: str, tag: Tag, subject: str, obj: str, word: str, speaker: Speaker, language: TagLanguage) -> str:
    article = None if WORDINGS[tag.kind].person else language.article_before.search(text, 0, tag.obj[0])
    label = speaker.label(subject, language.user)
    if tag.subject is not None and _is_own(text, tag.subject, language):
        label = language.relative.format(owner=speaker.label(speaker.me, language.user), kin=label)
    # "Fährt Lkw" is no noun, which German writes with a capital letter.
    kind = "works" if tag.kind == "works_as" and obj[0].islower() and "works" in language.says else tag.kind
    says = _says(kind, language)[tag.ended]
    named = obj if article is None else article[0] + obj
    return _written(says.format(s=label, o=named, k=word or language.words.get(tag.kind, "")), language)


def _says(kind: str, language: TagLanguage) -> Sequence[str]:
    if kind in _VALUES:
        return language.says["value"]
    return language.says[kind] if kind in language.says else language.says["person"]


def _subject(text: str, tag: Tag, speaker: Speaker, language: TagLanguage) -> str | None:
    """Return the subject of a tag; None for a pronoun, since one message alone does not say whom it means."""
    if tag.subject is None:
        return speaker.me
    name = _cleaned(text[slice(*tag.subject)], language)
    return speaker.subject_named(name) if name and name.casefold() not in language.pronouns else None


def _is_own(text: str, span: tuple[int, int], language: TagLanguage) -> bool:
    """Return whether a word with "my" names the subject, as in "my sister"."""
    return language.owner.match(text, span[0]) is not None or language.owner_before.search(text, 0, span[0]) is not None


def _cleaned(words: str, language: TagLanguage) -> str:
    """Return a name without punctuation, articles and possessives around it."""
    name = words.strip(_EDGE)
    for _ in range(2):
        first = language.owner.match(name) or language.first.match(name)
        name = name[first.end() :] if first else name
    return language.after.sub("", name).strip(_EDGE)


def _is_secret(text: str, tag: Tag, language: TagLanguage) -> bool:
    """Return whether a value is a password, by the words around it; no fact is one."""
    around = text[max(0, tag.obj[0] - _NEAR_SECRET_CHARS) : tag.obj[1] + _NEAR_SECRET_CHARS]
    return tag.kind in _PERHAPS_SECRET and language.secrets.search(around) is not None


def _written(statement: str, language: TagLanguage) -> str:
    """Return a statement with its words joined as the language does, and a capital letter."""
    for apart, together in language.joined:
        statement = statement.replace(apart, together)
    return statement[:1].upper() + statement[1:]
