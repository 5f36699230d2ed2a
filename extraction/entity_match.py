"""Whether a mention names an entity that is already known: same, new or unsure (pure)."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from extraction.reading import THE_AGENT, THE_USER
from schema.entity import EntityType
from schema.ids import MemoryId, name_key
from schema.labels import Role

_ARTICLE = re.compile(r"^(?:the|a|an|my|our|his|her|their) (?=\S)")
_POSSESSIVE = re.compile(r"(?:['’]s|['’])$")
_EDGE = " \t.,;:!?\"'“”‘’《》「」『』()（）。，！？"
_SUFFIX_ZH = ("同学", "先生", "女士", "小姐")
# Short Latin words are left alone: "Ann" and "Anns" tell too little.
_PLURAL_CHARS_MIN = 4
_CJK = re.compile(r"[\u3400-\u9fff]")
_FIRST_PERSON = frozenset(
    (
        "i",
        "me",
        "my",
        "mine",
        "myself",
        "im",
        "i'm",
        "we",
        "us",
        "our",
        "我",
        "我的",
        "我自己",
        "本人",
        "俺",
        "咱",
        "在下",
    )
)
_SECOND_PERSON = frozenset(("you", "your", "yours", "yourself", "你", "您", "你的", "您的", "你自己"))
_USER_WORDS = frozenset(("user", "the user", "human", "主人", "用户", "使用者", THE_USER))
_AGENT_WORDS = frozenset(
    (
        "assistant",
        "the assistant",
        "ai",
        "ai assistant",
        "the ai",
        "agent",
        "bot",
        "chatbot",
        "助手",
        "ai助手",
        "智能助手",
        "机器人",
        "ai伴侣",
        THE_AGENT,
    )
)


class Verdict(StrEnum):
    """What matching decided."""

    SAME = "same"
    NEW = "new"
    UNSURE = "unsure"


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A known entity that may be the one mentioned."""

    id: MemoryId
    name: str
    aliases: tuple[str, ...] = ()
    entity_type: EntityType | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """The decision on one mention.

    Attributes:
        id: the entity that is meant, or may be meant; None when the mention is new.
        score: 1 for the same spelling, 0.95 for an alias, 0.9 for a variant, 0.5 when unsure, 0 when new.
    """

    verdict: Verdict
    id: MemoryId | None = None
    score: float = 0.0


class Shelf:
    """Candidates sorted by their spellings, so that a mention is compared with the few it may mean, not with all."""

    def __init__(self, candidates: Iterable[Candidate] = ()) -> None:
        self._by_id: dict[MemoryId, Candidate] = {}
        self._by_form: dict[str, set[MemoryId]] = {}
        for candidate in candidates:
            self.put(candidate)

    def put(self, candidate: Candidate) -> None:
        """Adds a candidate, or replaces the one with its id, whose spellings it must keep."""
        self._by_id[candidate.id] = candidate
        for name in (candidate.name, *candidate.aliases):
            for form in _all_forms(name_key(name)):
                self._by_form.setdefault(form, set()).add(candidate.id)

    def near(self, mention: str) -> list[Candidate]:
        """Every candidate that `match` could give for this mention, ordered by id."""
        forms = _all_forms(name_key(mention))
        return [self._by_id[name] for name in sorted(set().union(*(self._by_form.get(form, ()) for form in forms)))]


def match(mention: str, entity_type: EntityType | None, candidates: Sequence[Candidate]) -> Match:
    """Finds the entity a mention means; the order of the candidates does not matter.

    Only spelling decides "same"; look-alikes (Anna and Ann, 张伟 and 张玮, Room 101 and 102) stay apart, since a wrong
    merge is worse than a missing one. Two candidates that fit equally well, or a variant of another type, are unsure.
    """
    scored = sorted(
        ((_score(mention, candidate), candidate) for candidate in candidates), key=lambda pair: (-pair[0], pair[1].id)
    )
    if not scored or scored[0][0] == 0.0:
        return Match(verdict=Verdict.NEW)
    best, candidate = scored[0]
    rivals = [other for score, other in scored if score == best and other.id != candidate.id]
    typed_apart = entity_type is not None and candidate.entity_type not in (None, entity_type)
    if rivals or (best < 0.95 and typed_apart):
        return Match(verdict=Verdict.UNSURE, id=candidate.id, score=0.5)
    return Match(verdict=Verdict.SAME, id=candidate.id, score=best)


def same_name(one: str, other: str) -> bool:
    """Whether two spellings name one thing: equal keys, or equal but for article, possessive, plural or address."""
    left, right = name_key(one), name_key(other)
    if left == right:
        return True
    if not _bare(left):
        return False
    # Where both are capitalised they may be names of people: Williams is not William.
    if _is_capital(one) and _is_capital(other):
        return _bare(left) == _bare(right)
    return not _forms(left).isdisjoint(_forms(right))


def person_words(text: str, role: Role = Role.USER) -> str | None:
    """Who a word for a person means.

    Args:
        text: one word or phrase, such as `me`, `本人`, `assistant`.
        role: who says it: "I" of an assistant is the assistant.

    Returns:
        `THE_USER`, `THE_AGENT`, or None for any other word.
    """
    key = name_key(text).strip(_EDGE)
    speaker, listener = (THE_AGENT, THE_USER) if role is Role.ASSISTANT else (THE_USER, THE_AGENT)
    if key in _FIRST_PERSON:
        return speaker
    if key in _SECOND_PERSON:
        return listener
    if key in _USER_WORDS:
        return THE_USER
    return THE_AGENT if key in _AGENT_WORDS else None


def _score(mention: str, candidate: Candidate) -> float:
    key = name_key(mention)
    if key == name_key(candidate.name):
        return 1.0
    if any(key == name_key(alias) for alias in candidate.aliases):
        return 0.95
    if any(same_name(mention, name) for name in (candidate.name, *candidate.aliases)):
        return 0.9
    return 0.0


def _bare(key: str) -> str:
    """A name without marks, article, possessive and form of address."""
    key = _ARTICLE.sub("", key.strip(_EDGE), count=1)
    key = _POSSESSIVE.sub("", key).strip(_EDGE)
    for suffix in _SUFFIX_ZH:
        # One character is a surname shared by many, not a name.
        if key.endswith(suffix) and len(key) - len(suffix) >= 2:
            return key[: -len(suffix)]
    return key


def _is_capital(name: str) -> bool:
    return name.strip(_EDGE).rpartition(" ")[2][:1].isupper()


def _forms(key: str) -> frozenset[str]:
    """The bare name and, for a plural, what its singular may be."""
    bare = _bare(key)
    head, _, last = bare.rpartition(" ")
    if _CJK.search(last) or not last.isalpha() or len(last) < _PLURAL_CHARS_MIN:
        return frozenset((bare,))
    lead = f"{head} " if head else ""
    singular = _singular(last)
    return frozenset((bare, lead + singular)) if singular else frozenset((bare,))


def _all_forms(key: str) -> frozenset[str]:
    return _forms(key) | {key}


def _singular(word: str) -> str | None:
    if word.endswith("ies") and len(word) > 5:
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is", "as", "os")):
        return word[:-1] if len(word) > _PLURAL_CHARS_MIN else None
    return None
