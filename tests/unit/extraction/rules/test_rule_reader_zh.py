"""Test the Chinese rules: explicit statements become facts, everything else is ignored."""

from collections.abc import Callable

import pytest

from extraction.reader import THE_USER
from extraction.text.name_spotting import load_words
from schema.entity import EntityType
from schema.labels import Role
from tests.support.growth import assert_about_linear, cpu_within

from .rule_reading import cases, read, scored, shown


@pytest.fixture(scope="module", autouse=True)
def _dictionary() -> None:
    """Load the dictionary first: it takes seconds without its cache, which no single test should pay for."""
    load_words()


def test_chinese_cases_are_read_with_high_precision() -> None:
    score = scored("rule_cases_zh.json", user=("张曼婷",))
    assert score.precision >= 0.9, score.wrong
    assert score.recall >= 0.6, score.wrong


def test_chinese_cases_contain_enough_sentences_without_facts() -> None:
    every = cases("rule_cases_zh.json")
    assert len(every) >= 60
    assert sum(not case["facts"] for case in every) >= 20


def test_traditional_and_simplified_sentences_state_the_same_facts() -> None:
    """Objects keep the script of the message."""
    simplified, traditional = read("我租在台北永和，对腰果过敏。"), read("我租在台北永和，對腰果過敏。")
    assert [shown(fact) for fact in simplified.facts] == [shown(fact) for fact in traditional.facts]
    assert [fact.object for fact in read("我養了一隻鸚鵡。").facts] == ["鸚鵡"]


@pytest.mark.parametrize(
    ("text", "ages"),
    [
        ("我儿子叫乐乐，今年四岁半。", ["乐乐|RELATES_TO:has age|四岁半"]),
        ("今年三岁了，可爱吧", []),
    ],
)
def test_small_age_without_a_subject_is_not_that_of_the_user(text: str, ages: list[str]) -> None:
    """Regression: it was taken for the age of the user."""
    assert [one for fact in read(text).facts if "has age" in (one := shown(fact))] == ages


def test_secrets_are_not_read() -> None:
    assert read("我的银行卡密码是883412。", "家里WiFi密码是chifanla888。").facts == ()


@pytest.mark.parametrize(
    "part",
    [
        "手机从苹果换成",
        "我把车卖",
        "不在",
        "每天吃一片",
        "我跟小林",
        "下周三要去",
        "因为太远，所以",
        "从改成",
        "又也都就还",
        "的",
        "是我",
    ],
)
def test_time_of_reading_grows_with_the_text(part: str) -> None:
    def work_of(n: int) -> Callable[[], object]:
        text = part * n
        return lambda: read(text)

    assert_about_linear(work_of, 300, floor_s=0.5)


def test_chinese_quote_is_the_clause_that_states_the_fact() -> None:
    text = "你好，我住在上海，也很喜欢品茶。"
    facts = {shown(fact): fact.quotes[0] for fact in read(text).facts}
    quote = facts["user|RELATES_TO:lives in|上海"]
    assert text[quote.start : quote.end] == "我住在上海"
    quote = facts["user|PREFERS|品茶"]
    assert "也很喜欢品茶" in text[quote.start : quote.end]


def test_chinese_statements_name_the_user_in_the_third_person() -> None:
    assert [fact.statement for fact in read("我喜欢弹钢琴。", user=("张曼婷",)).facts] == ["张曼婷喜欢弹钢琴。"]
    assert [fact.statement for fact in read("我喜欢弹钢琴。").facts] == ["用户喜欢弹钢琴。"]


def test_statement_before_the_name_is_known_reads_well() -> None:
    assert [fact.statement for fact in read("我叫李雪。", user=("李雪",)).facts] == ["用户的名字是李雪。"]


def test_name_of_the_user_in_chinese_text_means_the_user() -> None:
    facts = read("Bart去动物园看到了他喜欢的大象，感到非常开心。", user=("Bart",)).facts
    assert [(fact.subject, fact.object) for fact in facts] == [(THE_USER, "大象")]


def test_relation_labels_are_equal_across_languages() -> None:
    """A move stated in English closes an address stated in Chinese only if both have the same label."""
    labels = {fact.relation for text in ("我住在上海。", "I live in Shanghai.") for fact in read(text).facts}
    assert {"lives in"} == labels


def test_city_is_not_an_employer() -> None:
    relations = {fact.object: fact.relation for fact in read("我在深圳上班。", "我在招商银行上班。").facts}
    assert relations == {"深圳": "works in", "招商银行": "works at"}


def test_statements_of_an_assistant_yield_no_facts_in_chinese() -> None:
    assert read("我也很喜欢绘画，你喜欢弹钢琴。", role=Role.ASSISTANT).facts == ()


def test_lasting_trigger_keeps_its_emotion_in_chinese() -> None:
    fact = read("打雷总是让我害怕。").facts[0]
    assert (fact.predicate, fact.object, fact.trigger_emotion) == ("DISLIKES", "打雷", "恐惧")


def test_works_and_places_are_mentioned_in_chinese() -> None:
    mentions = {item.name: item.entity_type for item in read("昨天和王小明在厦门聊起《小王子》。").mentions}
    assert mentions["小王子"] == EntityType.WORK
    assert mentions["厦门"] == EntityType.PLACE
    assert not {"昨天", "我", "今天"} & set(mentions)


def test_chinese_objects_are_short() -> None:
    text = "我喜欢在每一个下着小雨的安静的午后坐在窗边慢慢地喝着热茶看着远处的群山发呆，也喜欢茶。"
    assert all(len(fact.object) <= 12 for fact in read(text).facts)


@pytest.mark.parametrize(
    "text",
    [
        "我" * 100_000,
        "我喜欢" * 33_000,
        "《" * 50_000 + "》" * 50_000,
        "，" * 100_000,
        "我喜欢茶，" * 20_000,
        "很" * 100_000,
        "因为" * 50_000,
        "我姐姐叫" * 25_000,
        "张" * 100_000,
        "在" * 100_000,
        "我最喜欢的" * 20_000,
        "一熬夜我就头疼" * 14_000,
        "以前我" * 33_000,
        "“我说" * 33_000,
        "有两个孩子，大的叫" * 11_000,
    ],
)
def test_hostile_chinese_text_is_read_in_linear_time(text: str) -> None:
    with cpu_within(4):
        assert len(read(text).facts) <= 40


def test_chinese_messages_are_read_fast() -> None:
    texts = [case["text"] for case in cases("rule_cases_zh.json")] * 8
    # Half the target speed, since other processes use the machine.
    with cpu_within(2 * len(texts) / 500):
        read(*texts, user=("张曼婷",))
