"""Read facts from the sentences of one message by the rules of a language.

Split a sentence into clauses; try the constructions that need their own code, then the table of rules; return what was
found as draft facts. A `LanguagePack` contains the rules. Only English has them; other languages are read by tags.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple

from extraction.reader import THE_AGENT, THE_USER
from extraction.text.sentences import Sentence
from schema.entity import EntityType
from schema.fact import PLAIN_FACT, FactDetail
from schema.ids import name_key
from schema.predicates import TASTES

Shape = Literal[
    "things",
    "goal",
    "wish",
    "aim",
    "promise",
    "worry",
    "place",
    "workplace",
    "job",
    "title",
    "named",
    "age",
    "birthday",
    "pet",
    "gift",
    "event",
    "person",
    "known place",
    "firm",
    "trait",
    "condition",
    "language",
    "pastime",
    "address",
]
# A rule of one of these shapes ends the reading of a clause even if it finds no clear object.
_FINAL_SHAPES: Final[frozenset[Shape]] = frozenset(("things", "goal", "worry", "promise"))


# Rules


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One verb phrase and the fact it states.

    Attributes:
        pattern: matches from the beginning of the verb phrase; group `o` is the raw object.
        opening: the part of the pattern before the object, without adverbs.
        says: statement, with `{s}` for the subject and `{o}` for the object.
        closes: the clause says that the fact is no longer true.
    """

    pattern: re.Pattern[str]
    opening: str
    predicate: str
    says: str
    shape: Shape = "things"
    relation: str | None = None
    object_type: EntityType | None = None
    strength: float = 0.7
    closes: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSyntax:
    """Syntax of a language, from which the patterns of rules are compiled.

    Attributes:
        adverbs: pattern of the adverbs allowed before the verb; bounded and unambiguous, which bounds backtracking.
        gap: pattern of the text between verb phrase and object.
    """

    adverbs: str
    gap: str
    flags: re.RegexFlag

    def rule(
        self,
        verb_phrase: str,
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
        """Return the rule of a verb phrase; `end` is a pattern that must follow the object."""
        obj = f"(?P<o>.+?){self.gap}{end}" if end else "(?P<o>.+)"
        return Rule(
            pattern=re.compile(f"{self.adverbs}(?:{verb_phrase}){self.gap}{obj}", self.flags),
            opening=verb_phrase,
            predicate=predicate,
            says=says,
            shape=shape,
            relation=relation,
            object_type=kind,
            strength=strength,
            closes=closes,
        )


class RuleBook:
    """Rules in order of precedence, in groups of twelve with one combined pattern as a quick check."""

    _GROUP_SIZE: Final = 12

    def __init__(self, rules: Sequence[Rule], syntax: RuleSyntax) -> None:
        groups = [rules[start : start + self._GROUP_SIZE] for start in range(0, len(rules), self._GROUP_SIZE)]
        self._groups = [(_any_opening(group, syntax), group) for group in groups]

    def matching(self, text: str) -> Iterator[tuple[Rule, re.Match[str]]]:
        """Yield the rules that match at the start of a text, in order of precedence."""
        for openings, group in self._groups:
            if openings.match(text):
                for rule in group:
                    if matched := rule.pattern.match(text):
                        yield rule, matched


def _any_opening(rules: Iterable[Rule], syntax: RuleSyntax) -> re.Pattern[str]:
    return re.compile(syntax.adverbs + "(?:" + "|".join(rule.opening for rule in rules) + ")", syntax.flags)


class ObjectPhrase(NamedTuple):
    """An object found after a verb phrase; `relation` overrides the rule's."""

    name: str
    object_type: EntityType | None
    relation: str | None = None


# Drafts, speakers and clauses


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """One fact read from one message.

    Attributes:
        start, end: character span of the clause that states it.
    """

    subject: str
    predicate: str
    object: str
    statement: str
    start: int
    end: int
    relation: str | None = None
    subject_type: EntityType | None = None
    object_type: EntityType | None = None
    strength: float = 0.6
    confidence: float = 0.7
    trigger_emotion: str | None = None
    closes: bool = False
    detail: FactDetail = PLAIN_FACT


@dataclass(frozen=True, slots=True, kw_only=True)
class Speaker:
    """The speaker of a message.

    Attributes:
        me: subject that "I" refers to: `THE_USER`, `THE_AGENT`, or the name of a third speaker.
        user_names: names of the user, preferred one first.
    """

    me: str
    user_names: tuple[str, ...] = ()

    def subject_named(self, name: str) -> str:
        """Return the subject that a name refers to; the user's own names refer to `THE_USER`."""
        key = name_key(name)
        return THE_USER if any(key == name_key(own) for own in self.user_names) else name.strip()

    def label(self, subject: str, unknown_user: str) -> str:
        """Return the label of a subject in statements; `unknown_user` for a user without a name."""
        if subject == THE_USER:
            return self.user_names[0] if self.user_names else unknown_user
        return "assistant" if subject == THE_AGENT else subject


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """One clause of a sentence with its subject; contractions are expanded.

    Attributes:
        text: the clause without leading conjunctions.
        rest: the text after the subject; the whole text if the subject is unclear.
        subject: `THE_USER`, `THE_AGENT` or a name; None if unclear.
        third: antecedent of "he", "she", "his", "her" (他, 她, 自己).
        start, end: character span in the message.
        kin: kinship word that is the subject, if no name follows it.
        past: the clause is about the past.
        momentary: the clause is about today or this moment.
        lead: leading words that `text` leaves out, such as a time.
    """

    text: str
    rest: str
    subject: str | None
    third: str | None
    start: int
    end: int
    kin: str | None = None
    past: bool = False
    momentary: bool = False
    lead: str = ""


@dataclass(slots=True)
class DiscourseState:
    """Coreference state while one message is read.

    Attributes:
        subject: subject of the previous clause.
        third: antecedent of a third-person pronoun.
        kin: kinship word that was the subject of the previous clause.
        opens: the sentence has not named a subject yet.
        past: the previous clause was about the past.
        many: word for relatives or animals whose names may follow: `两个孩子，大的叫…`, `got a kitten!! her name's…`.
        named: names of relatives, by kinship word.
        of_others: words for animals that belong to somebody else: "Omar's dog", which "the dog" means from then on.
        unnamed: pronouns of somebody without a name, whom a clause about another brought in: "Ben has a girlfriend".
    """

    pack: "LanguagePack"
    speaker: Speaker
    subject: str | None = None
    third: str | None = None
    kin: str | None = None
    opens: bool = True
    past: bool = False
    many: str | None = None
    named: dict[str, str] = field(default_factory=dict)
    of_others: set[str] = field(default_factory=set)
    unnamed: frozenset[str] = frozenset()


# Languages


@dataclass(frozen=True, slots=True, kw_only=True)
class Construction:
    """A wording that needs its own code instead of a rule.

    Attributes:
        read: returns the drafts of a clause, or None if the construction does not apply.
        then: how to continue with a clause to which it applied.
    """

    read: Callable[[Clause, DiscourseState], Iterable[Draft] | None]
    then: Literal["read on", "skip rules", "stop"] = "read on"


def _as_it_is(_subject: str, says: str) -> str:
    return says


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """Wording of statements in a language.

    Attributes:
        relative: label of a relative, with `{owner}` and `{kin}`.
        has_relative: returns the statement that the speaker has such a relative.
        capitalized: statements begin with a capital letter.
        agree: returns a statement with its verb in the number of the subject.
    """

    unknown_user: str
    relative: str
    has_relative: Callable[[str], str]
    capitalized: bool = False
    agree: Callable[[str, str], str] = _as_it_is


def _no_drafts(*_: object) -> Iterable[Draft]:
    return ()


def _rule_statement(rule: Rule, _name: str, _ended: bool) -> str:
    return rule.says


def _no_reaction(_text: str) -> bool:
    return False


def _always(_clause: Clause, _draft: Draft) -> bool:
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class LanguagePack:
    """The parts of the engine that depend on the language.

    Attributes:
        rules: in order of precedence.
        sole_kin: relatives of whom a person usually has only one, so that the word alone identifies them.
        split_clauses: yields the clauses of a sentence that state something.
        relays_speech: true for a sentence after which the message is quoted text or role play.
        relatives: reads people and animals with their names.
        constructions: tried in order before the rules.
        objects: returns the cleaned objects in the text after a rule's verb phrase; empty if they are unclear.
        causes: reads cause and effect from a whole sentence.
        second_facts: reads further facts from the text that a rule matched: the workplace after a job.
        statement: returns the statement for a rule, an object, and a flag that the fact has ended.
        reports_reaction: true for a sentence that reports a bad reaction, whose medicine is not taken any more.
        pets: relations of named pets, after which the rule for unnamed pets is skipped.
        holds: false for a fact that the clause states of the past only.
    """

    rules: RuleBook
    wording: Wording
    sole_kin: frozenset[str]
    split_clauses: Callable[[Sentence, DiscourseState], Iterable[Clause]]
    relays_speech: Callable[[str], object]
    relatives: Callable[[Clause, DiscourseState], Iterable[Draft]]
    constructions: tuple[Construction, ...]
    objects: Callable[[Rule, str], list[ObjectPhrase]]
    causes: Callable[[Sentence, DiscourseState], Iterable[Draft]]
    second_facts: Callable[[Rule, Clause, DiscourseState, str], Iterable[Draft]] = _no_drafts
    statement: Callable[[Rule, str, bool], str] = _rule_statement
    reports_reaction: Callable[[str], object] = _no_reaction
    pets: frozenset[str] = frozenset()
    holds: Callable[[Clause, Draft], bool] = _always


# The algorithm

# Relations of persons, which CI, AWS and HR do not have: "CI moved from GitLab to GitHub Actions".
_PERSONAL: Final = frozenset(("lives in", "works at", "works as", "is from", "has age", "married to", "partner"))
# Two letters are often a person's initials: TJ.
_ACRONYM: Final = re.compile(r"[A-Z][A-Z\d]{2,5}|CI|CD|QA|HR|DB|UI|VM|S3")


def read_facts(sentences: Iterable[Sentence], pack: LanguagePack, speaker: Speaker) -> list[Draft]:
    """Return the facts of one message in order, each once."""
    state = DiscourseState(pack=pack, speaker=speaker)
    drafts: dict[tuple[str, str, str | None, str], Draft] = {}
    for sentence in sentences:
        for one in _read_sentence(sentence, state):
            if one.relation in _PERSONAL and _ACRONYM.fullmatch(one.subject):
                continue
            drafts.setdefault((one.subject, one.predicate, one.relation, one.object.lower()), one)
        if pack.relays_speech(sentence.text):
            break
    return list(drafts.values())


def _read_sentence(sentence: Sentence, state: DiscourseState) -> Iterator[Draft]:
    clauses = list(state.pack.split_clauses(sentence, state))
    if clauses and not sentence.asks:
        yield from state.pack.causes(sentence, state)
    drafts = (draft for clause in clauses for draft in _read_clause(clause, state))
    if state.pack.reports_reaction(sentence.text):
        yield from (draft for draft in drafts if draft.relation != "takes" or draft.closes)
    else:
        yield from drafts


def _read_clause(clause: Clause, state: DiscourseState) -> Iterator[Draft]:
    relatives = list(state.pack.relatives(clause, state))
    found = list(_by_wording(clause, state, relatives))
    yield from (one for one in (*relatives, *found) if state.pack.holds(clause, one))


def _by_wording(clause: Clause, state: DiscourseState, relatives: list[Draft]) -> Iterator[Draft]:
    pack = state.pack
    rules_apply = True
    for construction in pack.constructions:
        found = construction.read(clause, state)
        if found is None:
            continue
        yield from found
        if construction.then == "stop":
            return
        rules_apply = rules_apply and construction.then != "skip rules"
    if clause.subject is None:
        return
    pet_named = any(one.relation in pack.pets for one in relatives)
    drafts = list(_by_rules(clause, state, pet_named=pet_named)) if rules_apply else []
    if drafts and clause.kin is not None:
        says = pack.wording.has_relative(clause.kin)
        me, person = state.speaker.me, EntityType.PERSON
        yield draft(clause, state, me, "RELATES_TO", clause.kin, says, relation=clause.kin, kind=person)
    yield from drafts


def _by_rules(clause: Clause, state: DiscourseState, *, pet_named: bool) -> Iterator[Draft]:
    for rule, matched in state.pack.rules.matching(clause.rest):
        if rule.shape == "pet" and pet_named:
            continue
        if clause.momentary and rule.predicate in TASTES and not rule.closes:
            # A preference of the moment says little about lasting ones; only the end of one counts.
            return
        phrases = state.pack.objects(rule, matched["o"])
        for phrase in phrases:
            yield draft_by_rule(rule, clause, state, phrase)
        if phrases:
            yield from state.pack.second_facts(rule, clause, state, matched["o"])
        if phrases or rule.shape in _FINAL_SHAPES:
            return


def draft_by_rule(rule: Rule, clause: Clause, state: DiscourseState, phrase: ObjectPhrase) -> Draft:
    """Return the fact that a rule states about the subject of a clause."""
    assert clause.subject is not None
    pack = state.pack
    relation = phrase.relation or rule.relation
    ended = clause.past and not rule.closes and rule.predicate in TASTES
    return draft(
        clause,
        state,
        clause.subject,
        rule.predicate,
        phrase.name,
        pack.statement(rule, phrase.name, ended),
        relation=relation,
        kind=phrase.object_type,
        strength=rule.strength,
        closes=rule.closes or ended,
    )


def draft(
    clause: Clause,
    state: DiscourseState,
    subject: str,
    predicate: str,
    obj: str,
    says: str,
    *,
    relation: str | None = None,
    kind: EntityType | None = None,
    strength: float = 0.7,
    closes: bool = False,
    emotion: str | None = None,
) -> Draft:
    """Return a fact from a clause; `says` is the statement, with `{s}` for the subject and `{o}` for the object."""
    speaker, wording = state.speaker, state.pack.wording
    label = speaker.label(subject, wording.unknown_user)
    if label == obj:
        label = wording.unknown_user
    if subject.rpartition(" ")[2] in state.pack.sole_kin:
        label = wording.relative.format(owner=speaker.label(speaker.me, wording.unknown_user), kin=label)
    if wording.capitalized and says.startswith("{s}"):
        label = label[:1].upper() + label[1:]
    return Draft(
        subject=subject,
        predicate=predicate,
        object=obj,
        statement=wording.agree(subject, says).format(s=label, o=obj),
        start=clause.start,
        end=clause.end,
        relation=relation,
        subject_type=None if subject.startswith("@") else EntityType.PERSON,
        object_type=kind,
        strength=strength,
        confidence=0.75 if subject == speaker.me else 0.65,
        closes=closes,
        trigger_emotion=emotion,
    )
