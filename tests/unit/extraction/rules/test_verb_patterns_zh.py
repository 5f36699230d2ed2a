"""Test Chinese clauses that are read by their adverbials and verb, and what looks like them."""

import pytest

from tests.unit.extraction.rules.rule_reading import read

Fact = tuple[str, str, str | None, str]


def _facts(text: str) -> set[Fact]:
    found = {(one.subject, one.predicate, one.relation, one.object) for one in read(text).facts}
    return {one for one in found if one[2] != one[3]}


@pytest.mark.parametrize(
    "text",
    [
        "我天天加班。",
        "我每天接孩子放学。",
        "我每天吃药。",
        "我邻居天天打麻将。",
        "我朋友说他每天跑步。",
        "你每天跑步吗？",
        "我要是每天跑步就好了。",
        "今天我跟小伊去攀岩了。",
        "我每天早上喝杯水。",
    ],
)
def test_duties_questions_and_habits_of_others_are_no_preference(text: str) -> None:
    assert "PREFERS" not in {one[1] for one in _facts(text)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("我外甥女在读兽医。", ("外甥女", "RELATES_TO", "studies", "兽医")),
        ("我是学护理的。", ("@user", "RELATES_TO", "studies", "护理")),
        ("我妹妹大学毕业以后在杭州做设计。", ("妹妹", "RELATES_TO", "works in", "杭州")),
        ("我室友Emma是曼彻斯特人。", ("Emma", "RELATES_TO", "is from", "曼彻斯特")),
        ("我十年前从湖南来深圳打工。", ("@user", "RELATES_TO", "lives in", "深圳")),
        ("我有个双胞胎哥哥。", ("@user", "RELATES_TO", "has", "双胞胎哥哥")),
    ],
)
def test_verb_after_adverbials_fills_its_slot(text: str, expected: Fact) -> None:
    found = read(text).facts
    assert expected in {(one.subject, one.predicate, one.relation, one.object) for one in found}


@pytest.mark.parametrize(
    ("text", "object_"),
    [
        ("我想换个工作，现在的太累。", "换工作"),
        ("我在考驾照，科目三没过。", "考驾照"),
    ],
)
def test_intention_is_a_plan(text: str, object_: str) -> None:
    assert {(one[1], one[3]) for one in _facts(text)} == {("CARES_ABOUT", object_)}


@pytest.mark.parametrize(
    "text",
    [
        "如果有钱我就考虑买车。",
        "我们在考虑装个地暖。",
        "我是不是该把车卖了？",
        "公司给我发了通知。",
        "我妈给我买了个蛋糕。",
        "我妈把钥匙给我了。",
        "老板把活给我了。",
        "我不在星巴克健身。",
        "我春天特别难受。",
        "我是认真的。",
        "我是新来的。",
        "这是我妈的拿手菜。",
        "我是你的粉丝。",
        "我表弟今年退伍。",
        "医生建议我每周游三次泳。",
        "朋友给我发了张照片。",
        "我在上海学到了很多。",
        "我用华为的充电器充的。",
        "我十八岁从四川去了广东打工。",
    ],
)
def test_similar_wordings_state_nothing(text: str) -> None:
    assert _facts(text) == set()


@pytest.mark.parametrize(
    ("text", "object_"),
    [
        ("在北京的时候我在百度上班。", "百度"),
    ],
)
def test_former_work_and_membership_is_over(text: str, object_: str) -> None:
    assert {one.closes for one in read(text).facts if one.object == object_} == {True}


def test_home_on_a_floor_and_registration_elsewhere_do_not_move_anybody() -> None:
    """Regression: 六楼 and the town of the 户口 were homes, and closed the real one."""
    homes = {one.object for one in read("我住六楼。", "我住在北京但是户口在上海。").facts if one.relation == "lives in"}
    assert homes == {"北京"}
