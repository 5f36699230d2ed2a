"""Tests of the facts that tags become in German, Spanish, French and Japanese, without the model."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.reader import THE_USER
from extraction.rules.drafts import Draft, Speaker
from extraction.rules.fact_wordings import WORDINGS
from extraction.rules.tag_languages import tag_language, tagged_facts
from extraction.rules.tags import KINDS, Tag
from extraction.text.languages import Tagged

CODES: tuple[Tagged, ...] = ("de", "es", "fr", "ja")
ME = Speaker(me=THE_USER)
ROBIN = Speaker(me=THE_USER, user_names=("Robin",))


def tag(
    text: str,
    kind: str,
    obj: str,
    subject: str | None = None,
    word: str | None = None,
    *,
    ended: bool = False,
    brief: bool = False,
    odds: float = 9.0,
) -> Tag:
    """Return the tag of the first occurrence of the words."""
    (of_obj, of_subject, of_word) = (
        None if part is None else (text.index(part), text.index(part) + len(part)) for part in (obj, subject, word)
    )
    assert of_obj is not None
    return Tag(kind=kind, subject=of_subject, obj=of_obj, ended=ended, odds=odds, word=of_word, brief=brief)


def told(fact: Draft) -> tuple[str, str | None, str]:
    return fact.subject, fact.relation or fact.predicate, fact.object


@pytest.mark.parametrize("code", CODES)
def test_every_kind_has_statements_and_every_person_or_value_a_word(code: Tagged) -> None:
    language = tag_language(code)
    for kind, wording in WORDINGS.items():
        spoken = {"code": "value", "size": "value", "price": "value"}.get(kind, kind)
        assert spoken in language.says or wording.words is not None, kind
        assert kind in KINDS
        assert wording.words is None or wording.fallback is None or kind in language.words, kind
    for valid, ended in language.says.values():
        assert all("{s}" in one and "{o}" in one for one in (valid, ended))


@pytest.mark.parametrize(
    ("code", "text", "kind", "obj", "subject", "word", "expected", "statement"),
    [
        (
            "de",
            "Ich arbeite bei der Post.",
            "works_at",
            "Post",
            None,
            None,
            ("works at", "Post"),
            "Robin arbeitet bei der Post.",
        ),
        ("de", "unser Sohn Jan", "child", "Jan", None, "Sohn", ("sohn", "Jan"), "Jan: Sohn von Robin."),
        (
            "de",
            "Tim mag meine Lasagne",
            "likes",
            "meine Lasagne",
            "Tim",
            None,
            ("PREFERS", "Lasagne"),
            "Tim mag Lasagne.",
        ),
        (
            "de",
            "Jan fährt Stapler",
            "works_as",
            "fährt Stapler",
            "Jan",
            None,
            ("works as", "fährt Stapler"),
            "Jan macht beruflich: fährt Stapler.",
        ),
        ("ja", "妹は札幌に住んでる", "lives_in", "札幌に", "妹", None, ("lives in", "札幌"), "妹は札幌に住んでいる。"),
        (
            "ja",
            "うちの夫は教師です",
            "works_as",
            "教師です",
            "うちの夫",
            None,
            ("works as", "教師"),
            "Robinの夫の仕事は教師。",
        ),
    ],
)
def test_fact_has_a_clean_name_and_a_statement_in_its_language(
    code: Tagged,
    text: str,
    kind: str,
    obj: str,
    subject: str | None,
    word: str | None,
    expected: tuple[str, str],
    statement: str,
) -> None:
    (fact,) = tagged_facts(text, [tag(text, kind, obj, subject, word)], ROBIN, code)
    assert told(fact)[1:] == expected
    assert fact.statement == statement
    assert text[fact.start : fact.end] in text


@pytest.mark.parametrize(
    ("code", "text", "expected"),
    [
        ("de", "Wohne in Jena", "Die Person wohnt in Jena."),
        ("ja", "那覇です", "ユーザーは那覇に住んでいる。"),
    ],
)
def test_user_without_a_name_is_called_the_user(code: Tagged, text: str, expected: str) -> None:
    obj = next(name for name in ("Jena", "那覇") if name in text)
    (fact,) = tagged_facts(text, [tag(text, "lives_in", obj)], ME, code)
    assert (fact.subject, fact.statement) == (THE_USER, expected)


@pytest.mark.parametrize(
    ("code", "text", "listed", "names"),
    [
        ("de", "Ich mag Tee und Kaffee", "Tee und Kaffee", ["Tee", "Kaffee"]),
        ("ja", "犬と猫を飼ってる", "犬と猫", ["犬", "猫"]),
    ],
)
def test_list_of_names_is_one_fact_each(code: Tagged, text: str, listed: str, names: list[str]) -> None:
    found = tagged_facts(text, [tag(text, "pet", listed)], ME, code)
    assert [fact.object for fact in found] == names


@pytest.mark.parametrize(
    ("code", "text", "kind", "obj", "subject", "word"),
    [
        ("de", "WLAN-Passwort: rana77", "code", "rana77", None, None),
        ("ja", "パスワードはrana77です", "code", "rana77", None, None),
        ("de", "er mag das", "likes", "das", None, None),
        ("ja", "彼は那覇に住んでる", "lives_in", "那覇", "彼", None),
        # A helper is called by the word that the message has.
        ("de", "ruf mal Jan an", "helper", "Jan", None, None),
    ],
)
def test_password_pronoun_or_unnamed_relation_is_no_fact(
    code: Tagged, text: str, kind: str, obj: str, subject: str | None, word: str | None
) -> None:
    assert tagged_facts(text, [tag(text, kind, obj, subject, word)], ME, code) == []


def test_what_holds_for_a_while_or_is_unlikely_is_no_fact() -> None:
    text = "Diese Woche wohne ich in Jena"
    assert tagged_facts(text, [tag(text, "lives_in", "Jena", brief=True)], ME, "de") == []
    assert tagged_facts(text, [tag(text, "lives_in", "Jena", odds=0.0)], ME, "de") == []
    assert len(tagged_facts(text, [tag(text, "lives_in", "Jena")], ME, "de")) == 1


def test_what_ended_closes_and_the_likelier_of_two_tags_of_one_thing_counts() -> None:
    text = "Arbeite nicht mehr bei Bosch, von Marta hab ich mich getrennt"
    ended, ex = tag(text, "works_at", "Bosch", ended=True), tag(text, "ex", "Marta", ended=True)
    partner = tag(text, "partner", "Marta", ended=True, odds=5.0)
    work, former, end = tagged_facts(text, [ended, ex, partner], ROBIN, "de")
    assert (work.closes, work.statement) == (True, "Robin arbeitet nicht mehr bei Bosch.")
    assert (former.closes, former.relation) == (False, "ex")
    assert (end.closes, end.relation) == (True, "partner")
    again = tag(text, "colleague", "Marta", odds=4.0)
    assert len(tagged_facts(text, [ex, again], ROBIN, "de")) == 1


@pytest.mark.parametrize(
    ("code", "text", "kind", "obj", "is_over"),
    [
        ("fr", "On a emménagé à Figeac l'an dernier", "lives_in", "Figeac", False),
        ("fr", "J'ai quitté Lyon et emménagé à Figeac", "lives_in", "Lyon", True),
        ("es", "Me mudé a Jaén el año pasado", "lives_in", "Jaén", False),
        ("es", "Me mudé de Jaén a Vigo", "lives_in", "Jaén", True),
        ("de", "Letztes Jahr bin ich nach Ulm gezogen", "lives_in", "Ulm", False),
        ("de", "Letztes Jahr bin ich aus Ulm weggezogen", "lives_in", "Ulm", True),
        ("ja", "去年高松に引っ越した", "lives_in", "高松", False),
        ("ja", "去年高松から引っ越した", "lives_in", "高松", True),
        ("es", "Me diagnosticaron asma en 2019", "illness", "asma", False),
        ("de", "Damals bin ich nach Ulm gezogen, jetzt lebe ich in Wien", "lives_in", "Ulm", True),
        ("es", "Me mudé a Lima en 2010 y volví a Madrid en 2015", "lives_in", "Lima", True),
        ("fr", "J'avais déménagé à Lyon, mais je suis revenu à Paris", "lives_in", "Lyon", True),
        ("ja", "昔は大阪に引っ越したけど、今は東京", "lives_in", "大阪", True),
    ],
)
def test_move_and_diagnosis_begin_what_the_tagger_takes_for_ended(
    code: Tagged, text: str, kind: str, obj: str, *, is_over: bool
) -> None:
    (fact,) = tagged_facts(text, [tag(text, kind, obj, ended=True)], ME, code)
    assert fact.closes is is_over


def test_part_of_a_word_becomes_the_whole_word() -> None:
    text = "ich hab eine Sonnenallergie"
    (fact,) = tagged_facts(text, [tag(text, "illness", "Sonnen")], ME, "de")
    assert fact.object == "Sonnenallergie"


@given(st.text(min_size=1), st.sampled_from(CODES), st.sampled_from(KINDS), st.data())
def test_any_span_of_any_text_raises_nothing(text: str, code: Tagged, kind: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    span = (start, data.draw(st.integers(start + 1, len(text))))
    found = Tag(kind=kind, subject=data.draw(st.sampled_from((None, span))), obj=span, ended=False, odds=9.0, word=span)
    for fact in tagged_facts(text, [found], ME, code):
        assert fact.object
        assert 0 <= fact.start < fact.end <= len(text)


def test_nephew_is_no_denial() -> None:
    text = "Mon neveu Paul habite à Brest."
    found = tagged_facts(text, [tag(text, "lives_in", "Brest", "Paul")], ME, "fr")
    assert [told(fact) for fact in found] == [("Paul", "lives in", "Brest")]
    denied = "Mon neveu n'habite pas à Brest."
    assert not tagged_facts(denied, [tag(denied, "lives_in", "Brest", "neveu")], ME, "fr")
