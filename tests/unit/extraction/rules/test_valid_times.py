"""Test the valid times that homes and jobs get from the words of a message, said on Tuesday, 14 May 2024."""

from datetime import datetime, timedelta, timezone

import pytest

from extraction.reader import ProposedFact, SceneLine, SceneText
from extraction.rules.scene_reader import read_scene
from extraction.rules.tags import Tag
from extraction.temporal.phrases import spans_in
from schema.ids import MemoryId
from schema.labels import Role

ZONE = timezone(timedelta(hours=2))
SAID = datetime(2024, 5, 14, 10, tzinfo=ZONE)


# Objects that the tagger sees in some messages below, all but Paris as of facts that ended or will end.
_HOMES = ("成都", "北京", "里昂", "Porto", "in Graz", "Lyon", "Vienna", "Berlin", "Paris")
_WORKPLACES = ("小米", "阿里巴巴", "百度", "西门子", "腾讯", "Bosch", "Siemens until", "Nokia", "Globex", "Acme")


def read(text: str) -> list[ProposedFact]:
    line = SceneLine(message_id=MemoryId("m"), role=Role.USER, speaker=None, text=text, said_at=SAID)
    scene = SceneText(user_names=("Ann",), agent_names=(), lines=(line,))
    kinds = dict.fromkeys(_HOMES, "lives_in") | dict.fromkeys(_WORKPLACES, "works_at")
    kinds |= {"咖啡": "likes", "teacher": "works_as", "ibuprofen": "takes"}
    tags = []
    for words, kind in kinds.items():
        name = words.removeprefix("in ").removesuffix(" until")
        if words in text:
            span = text.index(name), text.index(name) + len(name)
            tags.append(Tag(kind=kind, subject=None, obj=span, ended=name != "Paris", odds=9.0))
    return list(read_scene(scene, reader="rules", tags={0: tags} if tags else {}).facts)


def day(moment: datetime | None) -> str | None:
    return moment.astimezone(ZONE).date().isoformat() if moment else None


# (text, statement, begin, end); None for the time of the message.
TOLD = [
    ("I lived in Porto from 2018 to 2021.", "Ann lived in Porto.", "2018-01-01", "2021-12-31"),
    ("From 2018 until 2021 I lived in Porto.", "Ann lived in Porto.", "2018-01-01", "2021-12-31"),
    ("I worked at Bosch between June 2015 and 2017.", "Ann worked at Bosch.", "2015-06-01", "2017-12-31"),
    ("I worked at Bosch 2015-2017.", "Ann worked at Bosch.", "2015-01-01", "2017-12-31"),
    ("I lived in Graz in 2019.", "Ann lived in Graz.", "2019-01-01", "2019-12-31"),
    ("I was a teacher from 1999 to 2004.", "Ann worked as teacher.", "1999-01-01", "2004-12-31"),
    ("I'm moving out of Berlin next Friday.", "Ann lives in Berlin.", None, "2024-05-17"),
    ("I work at Siemens until June.", "Ann works at Siemens.", None, "2024-06-30"),
    ("I've lived in Paris since 2015.", "Ann lives in Paris.", "2015-01-01", None),
    ("我2018年到2021年住在成都。", "Ann以前住在成都。", "2018-01-01", "2021-12-31"),
    ("2015年6月至2017年我在小米上班。", "Ann以前在小米工作。", "2015-06-01", "2017-12-31"),
    ("我2019年住在成都。", "Ann以前住在成都。", "2019-01-01", "2019-12-31"),
    ("我下个月底离开阿里巴巴。", "Ann在阿里巴巴工作。", None, "2024-06-30"),
    ("我下个季度要离开百度。", "Ann在百度工作。", None, "2024-09-30"),
    ("我下周五搬离北京。", "Ann住在北京。", None, "2024-05-24"),
    ("我明年六月从西门子退休。", "Ann在西门子工作。", None, "2025-06-30"),
]
# (text, statement, earliest and latest end); the begin is unknown; None for the time of the message.
ENDED = [
    ("I used to live in Lyon.", "Ann no longer lives in Lyon.", None, None),
    ("I quit Globex last month.", "Ann no longer works at Globex.", "2024-04-01", "2024-05-01"),
    ("I worked at Siemens until March 2022.", "Ann no longer works at Siemens.", "2022-03-31", "2022-03-31"),
    ("Until last year I worked for Nokia.", "Ann no longer works at Nokia.", "2023-12-31", "2023-12-31"),
    ("I lived in Vienna before 2010.", "Ann no longer lives in Vienna.", "2009-12-31", "2009-12-31"),
    ("I got fired from Acme yesterday.", "Ann no longer works at Acme.", "2024-05-13", "2024-05-14"),
    ("I stopped taking ibuprofen last week.", "Ann no longer takes ibuprofen.", "2024-05-06", "2024-05-13"),
    ("我以前住在里昂。", "Ann不再住在里昂。", None, None),
    ("我上个月从腾讯辞职了。", "Ann不再在腾讯工作。", "2024-04-01", "2024-05-01"),
    ("我在西门子工作到2022年3月。", "Ann不再在西门子工作。", "2022-03-31", "2022-03-31"),
    ("我上周戒了咖啡。", "Ann不再喜欢咖啡。", "2024-05-06", "2024-05-13"),
]


@pytest.mark.parametrize(("text", "statement", "begin", "end"), TOLD)
def test_home_or_job_with_told_times_is_valid_between_them(
    text: str, statement: str, begin: str | None, end: str | None
) -> None:
    fact = next(one for one in read(text) if one.statement == statement)
    assert (fact.closes, day(fact.valid_at), day(fact.invalid_at)) == (False, begin, end)


@pytest.mark.parametrize(
    ("text", "begin", "begin_by"),
    [
        ("I've lived in Paris since 2015.", "2015-01-01", "2024-05-14"),
        ("I moved to Paris last month.", "2024-04-01", "2024-05-14"),
        ("In 2019 I moved to Paris.", "2019-01-01", "2020-01-01"),
        ("In 2019 I moved to Paris since rent was cheap.", "2019-01-01", "2020-01-01"),
    ],
)
def test_what_is_so_when_it_is_told_counts_from_then(text: str, begin: str, begin_by: str) -> None:
    fact = next(one for one in read(text) if one.object == "Paris")
    assert (fact.closes, day(fact.valid_at), day(fact.valid_by)) == (False, begin, begin_by)


@pytest.mark.parametrize(("text", "statement", "end", "end_by"), ENDED)
def test_fact_told_as_past_ends_when_its_words_say(
    text: str, statement: str, end: str | None, end_by: str | None
) -> None:
    fact = next(one for one in read(text) if one.statement == statement)
    assert (fact.closes, day(fact.valid_at), day(fact.valid_by)) == (True, end, end_by)
    assert fact.invalid_at is None


@pytest.mark.parametrize(
    "text",
    [
        "I'm leaving Graz on Friday.",
        "I have to work until Friday.",
        "I live in Paris and I'm going to Rome from Monday to Friday.",
        "I work at Siemens, and in 2019 I was in Rome.",
    ],
)
def test_times_of_something_else_date_no_home_or_job(text: str) -> None:
    assert [one for one in read(text) if one.invalid_at or (one.valid_at and one.relation != "plan")] == []


@pytest.mark.parametrize(
    "text",
    [
        "Viví en Lyon de 2018 a 2021 y dejé Acme el mes pasado.",
        "Solía vivir en Lyon; dejo Acme a fin de mes.",
        "J'ai habité à Lyon de 2018 à 2021.",
        "2018年から2021年までリヨンに住んでいました。先月会社を辞めました。",
        "昔リヨンに住んでいた。",
        "from 2021 to 2018 I lived in 9999",
        "我在0年到9999年住在成都到2021年到2018年。",
        "I'm leaving  until from between 2018-2021-2019 and to",
    ],
)
def test_other_languages_and_odd_times_raise_nothing(text: str) -> None:
    spans_in(text, SAID)
    assert all(one.invalid_at is None or one.valid_at is None or one.valid_at <= one.invalid_at for one in read(text))
