"""Tests of the facts that tags of a model become, without the model."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.reader import THE_USER
from extraction.rules.drafts import Draft, Speaker
from extraction.rules.fact_wordings import WORDINGS
from extraction.rules.rule_reader import READER_NAME
from extraction.rules.scene_reader import read_scene
from extraction.rules.tag_facts import facts_of_tags, tag_drafts
from extraction.rules.tags import KINDS, Tag
from schema.labels import Role
from schema.predicates import whitelist
from tests.unit.extraction.rules.rule_reading import a_scene, shown

ME = Speaker(me=THE_USER)


def tag(text: str, kind: str, obj: str, subject: str | None = None, *, ended: bool = False, odds: float = 9.0) -> Tag:
    """Return the tag of the first occurrence of the words."""
    place = text.index(obj)
    of_subject = None if subject is None else (text.index(subject), text.index(subject) + len(subject))
    return Tag(kind=kind, subject=of_subject, obj=(place, place + len(obj)), ended=ended, odds=odds)


def drafts(text: str, *tags: Tag, speaker: Speaker = ME) -> list[Draft]:
    return [made for made, _ in tag_drafts(text, tags, speaker)]


def test_every_kind_has_a_wording_with_a_whitelisted_predicate() -> None:
    assert set(WORDINGS) == set(KINDS)
    assert {one.predicate for one in WORDINGS.values()} <= set(whitelist())


@pytest.mark.parametrize(
    ("text", "kind", "obj", "subject", "ended", "expected"),
    [
        ("got the keys to the flat in Leith", "lives_in", "Leith", None, False, "User lives in Leith."),
        ("Mum's swapped her Polo for a bus pass", "has", "Polo", "Mum", True, "User's mother no longer has Polo."),
        ("pancake, our lop rabbit", "pet", "lop rabbit", None, False, "User has a lop rabbit."),
        ("my sister Ines has a boy, Teo", "child", "Teo", "Ines", False, "Teo is Ines's son."),
        ("sesame sends me to A&E", "allergic_to", "sesame", None, False, "User is allergic to sesame."),
        ("locker 12, code 4471", "code", "4471", None, False, "User's code is 4471."),
        ("我妈住院了，换成利伐沙班了", "takes", "利伐沙班", "妈", False, "用户的妈妈服用利伐沙班。"),
        ("离开深圳三年了", "lives_in", "深圳", None, True, "用户不再住在深圳。"),
        ("我弟弟阿杰升主管了", "sibling", "阿杰", None, False, "阿杰是用户的弟弟。"),
        ("鞋穿42的", "size", "42", None, False, "用户的鞋是42。"),
        ("mum teaches Year 4 now", "works_as", "teaches Year 4", "mum", False, "User's mother teaches Year 4."),
        ("I drive the night bus", "works_as", "drive the night bus", None, False, "User's work: drive the night bus."),
        ("I freelance as a cook", "works_as", "cook", None, False, "User works as cook."),
        ("我妹在镇上教小学", "works_as", "教小学", "妹", False, "用户的妹妹教小学。"),
        ("小林是健身教练", "works_as", "健身教练", "小林", False, "小林的职业是健身教练。"),
        ("broke my wrist skiing", "illness", "broke my wrist", None, False, "User has a broken wrist."),
    ],
)
def test_statement_says_the_fact_in_the_language_of_the_message(
    text: str, kind: str, obj: str, subject: str | None, ended: bool, expected: str
) -> None:
    (made,) = drafts(text, tag(text, kind, obj, subject, ended=ended))
    assert made.statement == expected
    assert made.closes is ended


def test_words_for_relatives_have_the_same_name_as_those_of_the_rules() -> None:
    text = "dad takes ramipril now"
    (made,) = drafts(text, tag(text, "takes", "ramipril", "dad"))
    assert made.subject == "father"


def test_pronoun_is_no_subject_because_one_message_does_not_say_whom_it_means() -> None:
    text = "she works at Lidl, he lives in Bonn"
    assert drafts(text, tag(text, "works_at", "Lidl", "she"), tag(text, "lives_in", "Bonn", "he")) == []


def test_names_of_the_user_and_of_another_speaker_are_subjects() -> None:
    text = "Robin here, signed with the Harbour Hotel"
    (of_user,) = drafts(
        text,
        tag(text, "works_at", "Harbour Hotel", "Robin"),
        speaker=Speaker(me=THE_USER, user_names=("Robin",)),
    )
    (of_other,) = drafts(text, tag(text, "works_at", "Harbour Hotel"), speaker=Speaker(me="Tobias"))
    assert (of_user.subject, of_other.subject) == (THE_USER, "Tobias")


@pytest.mark.parametrize(
    ("text", "kind", "obj", "expected"),
    [
        (
            "My colleague hates coriander, I love it.",
            "dislikes",
            "coriander",
            "User's colleague hates coriander.",
        ),
        ("I'm in Bern, but our boss lives in Geneva", "lives_in", "Geneva", "User's boss lives in Geneva."),
        ("My wife and I live in Porto.", "lives_in", "Porto", "User lives in Porto."),
        ("My mum makes the best lasagne", "likes", "lasagne", "User likes lasagne."),
        ("My dad told me to try yoga", "likes", "yoga", "User likes yoga."),
        ("我同事不吃香菜，我倒是很爱吃。", "dislikes", "香菜", "用户的同事不喜欢香菜。"),
        ("我领导住在浦东，我住在松江。", "lives_in", "浦东", "用户的领导住在浦东。"),
        ("我领导住在浦东，我住在松江。", "lives_in", "松江", "用户住在松江。"),
        ("我妈做的红烧肉", "likes", "红烧肉", "用户喜欢红烧肉。"),
        ("My tenant's rent is 640, I pay more", "price", "640", "User's tenant's rent is 640."),
        ("外婆的存折号码尾数是5573", "code", "5573", "用户的外婆的号码是5573。"),
        ("我家在10楼，楼下9楼那家养了三只鹦鹉", "pet", "鹦鹉", "楼下9楼那家养鹦鹉。"),
    ],
)
def test_clause_that_begins_with_another_person_is_about_that_person(
    text: str, kind: str, obj: str, expected: str
) -> None:
    (made,) = drafts(text, tag(text, kind, obj))
    assert made.statement == expected


@pytest.mark.parametrize("text", ["my PIN is 8833", "wifi password: hunter22", "银行卡密码是883412"])
def test_secrets_are_no_facts(text: str) -> None:
    obj = text.split(" ")[-1].removeprefix("银行卡密码是")
    assert drafts(text, tag(text, "code", obj)) == []


@pytest.mark.parametrize(
    ("text", "subject", "obj"),
    [
        ("my bank PIN is 4471", "bank PIN", "4471"),
        ("4471 is the PIN of my card", "card", "4471"),
        ("家里WiFi密码是chifanla888", "WiFi", "chifanla888"),
        ("门禁密码改成7788了", "门禁", "7788"),
    ],
)
def test_secret_of_a_thing_is_no_fact(text: str, subject: str, obj: str) -> None:
    assert drafts(text, tag(text, "code", obj, subject=subject)) == []


def test_looks_of_a_pet_are_not_its_kind_of_animal() -> None:
    text = "We got a kitten! He's called Pixel, grey, absolute menace"
    tags = [tag(text, "pet", "Pixel"), tag(text, "attribute", "grey", "Pixel")]
    assert [made.statement for made in drafts(text, *tags)] == ["User has Pixel.", "Pixel is grey."]
    kind = tag(text, "attribute", "kitten", "Pixel")
    assert [made.statement for made in drafts(text, *tags, kind)] == ["Pixel is User's kitten."]


@pytest.mark.parametrize("kind", ["dislikes", "allergic_to"])
def test_none_for_the_speaker_is_a_dislike_that_holds(kind: str) -> None:
    text = "no shellfish for me, went to A&E over a prawn once"
    (made,) = drafts(text, tag(text, kind, "shellfish", ended=True))
    assert (made.predicate, made.closes) == ("DISLIKES", False)


def test_number_of_a_passport_is_no_password() -> None:
    text = "my passport number is 533380006"
    assert [one.relation for one in drafts(text, tag(text, "code", "533380006"))] == ["passport number"]


def test_fact_that_the_rules_read_is_not_read_twice() -> None:
    scene = a_scene("I live in Leith.")
    text = scene.lines[0].text
    tags = {0: [tag(text, "lives_in", "Leith"), tag(text, "lives_in", "Leith", odds=3.0)]}
    assert [shown(fact) for fact in read_scene(scene, reader=READER_NAME, tags=tags).facts] == [
        "user|RELATES_TO:lives in|Leith"
    ]


@pytest.mark.parametrize(
    ("text", "kind", "obj", "ended"),
    [
        ("Until Saturday you'd get me on 07700 900316", "phone", "07700 900316", False),
        ("Got my son's old Galaxy S10 for a few days", "has", "Galaxy S10", False),
        ("Picked up the hire car, a white Fiat 500", "has", "Fiat 500", False),
        ("I'm in the library until they have painted", "works_at", "library", False),
        ("这两天在景区当志愿者", "works_as", "志愿者", False),
        ("小电驴送去换电池了", "has", "小电驴", True),
    ],
)
def test_what_holds_for_a_time_is_no_fact_and_ends_none(text: str, kind: str, obj: str, ended: bool) -> None:
    tags = {0: [tag(text, kind, obj, ended=ended)]}
    assert not read_scene(a_scene(text), reader=READER_NAME, tags=tags).facts


@pytest.mark.parametrize(
    ("text", "kind", "obj"),
    [
        ("My new number is 07700 900316", "phone", "07700 900316"),
        ("Bought a Galaxy S10, the loan car is gone", "has", "Galaxy S10"),
        ("从下周起我当班主任了", "works_as", "班主任"),
    ],
)
def test_what_lasts_is_a_fact(text: str, kind: str, obj: str) -> None:
    (fact,) = read_scene(a_scene(text), reader=READER_NAME, tags={0: [tag(text, kind, obj)]}).facts
    assert fact.object == obj


def test_unlikely_tags_are_not_read_and_messages_of_the_assistant_have_none() -> None:
    text = "the flat in Leith"
    likely, unlikely = tag(text, "lives_in", "Leith"), tag(text, "lives_in", "Leith", odds=-1.0)
    assert facts_of_tags(text, [unlikely], ME) == []
    assert len(facts_of_tags(text, [likely], ME)) == 1
    by_agent = a_scene(text, role=Role.ASSISTANT)
    assert read_scene(by_agent, reader=READER_NAME, tags={0: [likely]}).facts == ()


def test_reason_of_the_speaker_themselves_is_no_fact() -> None:
    text = "because of the noise"
    assert drafts(text, tag(text, "because", "the noise")) == []


def test_same_thing_told_of_two_people_is_two_facts() -> None:
    text = "I love mutton, my brother hates all mutton"
    own, of_brother = tag(text, "likes", "mutton"), tag(text, "dislikes", "all mutton", "brother")
    told = [(one.subject, one.predicate) for one in facts_of_tags(text, [of_brother, own], ME)]
    assert told == [("brother", "DISLIKES"), (THE_USER, "PREFERS")]
    alone = "I love mutton, really all mutton"
    assert len(facts_of_tags(alone, [tag(alone, "likes", "mutton"), tag(alone, "likes", "all mutton")], ME)) == 1


def test_value_told_beside_that_of_somebody_else_needs_less() -> None:
    text = "My tenant pays rent of 640, I pay 910 rent"
    unsure = tag(text, "price", "910", odds=0.5)
    beside = tag(text, "price", "640", "tenant")
    assert facts_of_tags(text, [unsure], ME) == []
    assert {one.object for one in facts_of_tags(text, [unsure, beside], ME)} == {"640", "910"}
    assert facts_of_tags(text, [replace(unsure, odds=-2.0), beside], ME)[0].object == "640"
    alike = replace(beside, subject=None)
    assert [one.object for one in facts_of_tags(text, [unsure, alike], ME)] == ["640"], "of the same person"


@pytest.mark.parametrize(
    ("text", "objects", "told"),
    [
        ("take home is 5,140 a month, rent eats 1,895 of it", ("5,140 a month", "1,895"), ["User's rent is 1,895."]),
        ("每月到手9200，房租要2300", ("9200", "2300"), ["用户的房租是2300。"]),
        ("it's 900, that's the rent, the deposit was 1800", ("900", "1800"), ["rent is 900", "deposit is 1800"]),
        ("rent 900, deposit 1800", ("900", "1800"), ["rent is 900", "deposit is 1800"]),
    ],
)
def test_word_before_a_value_is_not_of_another(text: str, objects: tuple[str, ...], told: list[str]) -> None:
    statements = [fact.statement for fact in drafts(text, *(tag(text, "price", obj) for obj in objects))]
    assert len(statements) == len(told)
    assert all(one in statement for one, statement in zip(told, statements, strict=True))


def test_relative_behind_a_name_is_that_person() -> None:
    text = "Anna, my sister, and Tom, my brother, are coming"
    facts = drafts(text, tag(text, "sibling", "Anna"), tag(text, "sibling", "Tom"))
    assert facts[0].statement == "Anna is User's sister."


def test_quote_of_a_tagged_fact_is_its_sentence() -> None:
    text = "Big news! so apparently Gary is off to DPD these days"
    reading = read_scene(a_scene(text), reader=READER_NAME, tags={0: [tag(text, "works_at", "DPD", "Gary")]})
    (quote,) = reading.facts[0].quotes
    assert text[quote.start : quote.end] == "so apparently Gary is off to DPD these days"


@given(
    text=st.text(alphabet="ab 我妈的,.'\n住XY9", min_size=1, max_size=60),
    data=st.data(),
)
def test_any_spans_give_facts_with_words_of_the_message(text: str, data: st.DataObject) -> None:
    def span() -> tuple[int, int]:
        start = data.draw(st.integers(0, len(text) - 1))
        return start, data.draw(st.integers(start + 1, len(text)))

    tags = [
        Tag(
            kind=data.draw(st.sampled_from(KINDS)),
            subject=span() if data.draw(st.booleans()) else None,
            obj=span(),
            ended=data.draw(st.booleans()),
            odds=9.0,
        )
        for _ in range(3)
    ]
    for made in drafts(text, *tags):
        assert made.object
        assert made.object in text
        assert made.object in made.statement
        assert 0 <= made.start < made.end <= len(text)


@pytest.mark.parametrize(
    ("text", "kind", "objects", "expected"),
    [
        ("我养了一只猫，真可爱。", "pet", ["猫"], {"user|RELATES_TO:has|猫"}),
        ("我最喜欢的颜色是绿色。", "likes", ["绿色"], {"user|PREFERS:最喜欢的颜色|绿色"}),
        ("豆奶是我最喜欢的饮料。", "likes", ["豆奶"], {"user|PREFERS:最喜欢的饮料|豆奶"}),
        ("别爱上攀岩。", "likes", ["攀岩"], set()),
        ("他讲了绘画、钢琴。", "likes", ["绘画", "钢琴"], set()),
    ],
)
def test_plain_chinese_words_make_tags_surer(text: str, kind: str, objects: list[str], expected: set[str]) -> None:
    tags = {0: [tag(text, kind, obj, odds=0.2) for obj in objects]}
    assert {shown(fact) for fact in read_scene(a_scene(text), reader=READER_NAME, tags=tags).facts} == expected


@pytest.mark.parametrize(
    ("text", "kind", "obj", "is_fact"),
    [
        ("我家没养狗", "pet", "狗", False),
        ("我不住在上海", "lives_in", "上海", False),
        ("我没有哮喘", "illness", "哮喘", False),
        ("我家养狗", "pet", "狗", True),
        ("我住在上海", "lives_in", "上海", True),
        ("没想到我住在上海", "lives_in", "上海", True),
    ],
)
def test_what_a_chinese_clause_denies_is_no_fact(text: str, kind: str, obj: str, is_fact: bool) -> None:
    assert (facts_of_tags(text, [tag(text, kind, obj)], ME) != []) is is_fact
