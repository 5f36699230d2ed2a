"""Test extractive scene summaries: own sentences, bounded, deterministic."""

import tracemalloc
from datetime import UTC, datetime

import pytest

from extraction.extractive_summary import abstract_l0, overview_l1, scene_title, token_count
from extraction.reader import SceneLine
from extraction.text.text_rank import words_of
from schema.ids import MemoryId
from schema.labels import Role
from tests.support.growth import cpu_within

SAID_AT = datetime(2024, 5, 15, 10, tzinfo=UTC)
ENGLISH = (
    "Hello!",
    "I went to the zoo in Berlin yesterday and saw the penguins.",
    "The penguins were swimming in the cold water of the zoo.",
    "Thanks!",
    "My sister Anna wants to visit the penguins in the zoo next month.",
    "By the way, the bakery around the corner has closed.",
)
CHINESE = (
    "你好！",
    "我昨天去了动物园，看到了很多企鹅。",
    "企鹅在动物园的水池里游泳，特别可爱。",
    "好的，谢谢。",
    "我姐姐打算下个月去动物园看企鹅。",
    "我还在图书馆借了一本书《小王子》。",
)

GERMAN = (
    "Hallo!",
    "Gestern war ich in Berlin im Zoo und habe die Pinguine gesehen.",
    "Die Pinguine sind durch das kalte Wasser im Zoo geschwommen.",
    "Meine Schwester Anna möchte die Pinguine auch einmal besuchen.",
    "Der Bäcker um die Ecke hat übrigens geschlossen.",
)
JAPANESE = (
    "昨日は動物園でペンギンを見ました。",
    "ペンギンは動物園のプールで泳いでいて、とてもかわいかったです。",
    "姉も動物園のペンギンを見たいと言っています。",
    "図書館で本を一冊借りました。",
)


def lines_of(*texts: str) -> list[SceneLine]:
    return [
        SceneLine(message_id=MemoryId(f"m{number}"), role=Role.USER, speaker=None, text=text, said_at=SAID_AT)
        for number, text in enumerate(texts)
    ]


@pytest.mark.parametrize("texts", [ENGLISH, CHINESE])
def test_abstract_quotes_the_scene_within_its_token_limit(texts: tuple[str, ...]) -> None:
    abstract = abstract_l0(lines_of(*texts), tokens_max=40)
    assert 0 < token_count(abstract) <= 40
    assert any(text in abstract for text in texts)


@pytest.mark.parametrize("texts", [ENGLISH, CHINESE])
def test_greetings_and_thanks_are_left_out_of_the_abstract(texts: tuple[str, ...]) -> None:
    abstract = abstract_l0(lines_of(*texts))
    assert not any(filler in abstract for filler in ("Hello", "Thanks", "你好", "谢谢"))


@pytest.mark.parametrize(
    "text",
    [
        "Вчера, в день {}, мы посадили яблоню возле реки вместе с соседом Павлом.",
        "어제 우리는 강 근처 정원 {}번에 사과나무를 심었고 이웃이 도와주었습니다.",
        "きのうはかわのちかくのにわ{}にりんごのきをうえて、となりのひとがてつだってくれました。",
        "زرعنا أمس شجرة التفاح رقم {} قرب النهر مع جارنا.",
    ],
)
def test_abstract_is_short_in_every_script(text: str) -> None:
    lines = lines_of(*(text.format(number) for number in range(60)))
    assert len(abstract_l0(lines)) <= 500
    assert len(scene_title(lines)) <= 60


def test_topics_are_content_words_of_every_script() -> None:
    assert words_of("Meine Schwester ist nach Köln gezogen.") == ["schwester", "köln", "gezogen"]
    assert words_of("Сестра переехала в Казань.") == ["сестра", "переехала", "казань"]
    assert words_of("Le chat de l'usine dort sur l'étagère") == ["chat", "usine", "dort", "étagère"]
    assert words_of("大阪のマンションと病院") == ["大阪", "病院", "マンション"]


def test_abstract_of_greetings_alone_is_not_empty() -> None:
    assert abstract_l0(lines_of("Hello there!")) == "Hello there!"
    assert abstract_l0([]) == ""


@pytest.mark.parametrize(
    ("texts", "headings"),
    [
        (ENGLISH, ("## Summary", "## Topics", "## Key points", "## Decisions and plans", "## Times")),
        (CHINESE, ("## 摘要", "## 主题", "## 要点", "## 决定与计划", "## 时间")),
        (GERMAN, ("## Zusammenfassung", "## Themen", "## Das Wichtigste", "## Zeiten")),
        (JAPANESE, ("## 要約", "## 話題", "## 要点", "## 日時")),
    ],
)
def test_overview_has_its_sections_in_the_language_of_the_scene(
    texts: tuple[str, ...], headings: tuple[str, ...]
) -> None:
    overview = overview_l1(lines_of(*texts))
    assert all(heading in overview for heading in headings)
    assert "2024-05-14" in overview


def test_empty_sections_are_left_out_of_an_overview() -> None:
    overview = overview_l1(lines_of("Penguins swim well."))
    assert "Decisions" not in overview
    assert "People" not in overview


def test_overview_of_a_long_scene_stays_within_its_limit() -> None:
    texts = [f"On day {number} I planted tree {number} near the river with my neighbour Paul." for number in range(400)]
    assert token_count(overview_l1(lines_of(*texts))) <= 2000


@pytest.mark.parametrize(("texts", "limit", "word"), [(ENGLISH, 60, "penguins"), (CHINESE, 24, "企鹅")])
def test_title_is_short_and_names_the_topic(texts: tuple[str, ...], limit: int, word: str) -> None:
    title = scene_title(lines_of(*texts))
    assert len(title) <= limit
    assert word in title.lower()


def test_latin_words_of_a_chinese_sentence_are_content_words() -> None:
    assert words_of("我用Python和Neo4j写后端，ok？") == ["python", "neo4j"]


def test_title_prefers_extracted_facts() -> None:
    assert scene_title(lines_of(*ENGLISH), statements=["Bart likes penguins."]) == "Bart likes penguins"


@pytest.mark.parametrize("texts", [ENGLISH, CHINESE])
def test_same_scene_gives_the_same_texts(texts: tuple[str, ...]) -> None:
    lines = lines_of(*texts)
    assert abstract_l0(lines) == abstract_l0(lines)
    assert overview_l1(lines) == overview_l1(lines)
    assert scene_title(lines) == scene_title(lines)


def test_tokens_are_counted_by_character_and_word() -> None:
    assert (token_count("我喜欢你"), token_count("I like penguins"), token_count("…")) == (4, 4, 0)


def test_tokens_are_counted_without_a_list_of_all_words() -> None:
    for text in ("ab " * 70_000, "我 " * 100_000):
        tracemalloc.start()
        token_count(text)
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert most < 100_000


@pytest.mark.parametrize("text", ["a" * 100_000, "我" * 100_000, "(" * 50_000, "a b. " * 20_000])
def test_hostile_text_is_summarised_quickly(text: str) -> None:
    abstract_l0(lines_of("我喜欢茶。"))
    with cpu_within(3):
        assert token_count(abstract_l0(lines_of(text))) <= 100
        assert len(scene_title(lines_of(text))) <= 60
