"""Test Chinese clauses that are read by their adverbials and verb, and what looks like them."""

import pytest

from tests.unit.extraction.rules.rule_reading import read

Fact = tuple[str, str, str | None, str]


def _facts(text: str) -> set[Fact]:
    found = {(one.subject, one.predicate, one.relation, one.object) for one in read(text).facts}
    return {one for one in found if one[2] != one[3]}


@pytest.mark.parametrize(
    ("text", "object_"),
    [
        ("周一晚上我都跟小伊去攀岩。", "攀岩"),
        ("我每周跑三次步。", "跑步"),
        ("去那家店我每次都点炒河粉。", "炒河粉"),
        ("我每天早上喝一杯黑咖啡。", "黑咖啡"),
        ("我在家一般做川菜。", "川菜"),
        ("我平时听周杰伦比较多。", "周杰伦"),
    ],
)
def test_habit_is_a_preference(text: str, object_: str) -> None:
    assert _facts(text) == {("@user", "PREFERS", None, object_)}


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
        ("我每天六点起床。", ("@user", "RELATES_TO", "wakes up at", "六点")),
        ("我坐地铁上班。", ("@user", "RELATES_TO", "commutes by", "坐地铁")),
        ("我在乐刻健身。", ("@user", "RELATES_TO", "works out at", "乐刻")),
        ("周末我去流浪动物救助站做义工。", ("@user", "RELATES_TO", "volunteers at", "流浪动物救助站")),
        ("我儿子上三年级了。", ("儿子", "RELATES_TO", "grade", "三年级")),
        ("我女儿在读高二。", ("女儿", "RELATES_TO", "grade", "高二")),
        ("我外甥女在读兽医。", ("外甥女", "RELATES_TO", "studies", "兽医")),
        ("我在学吉他，刚开始。", ("@user", "RELATES_TO", "studies", "吉他")),
        ("我是学护理的。", ("@user", "RELATES_TO", "studies", "护理")),
        ("我表妹在加拿大读研。", ("表妹", "RELATES_TO", "studies in", "加拿大")),
        ("我跟小桑是大学同学。", ("@user", "RELATES_TO", "大学同学", "小桑")),
        ("公司给我配了台MacBook。", ("@user", "RELATES_TO", "has", "MacBook")),
        ("我妈把她那台旧缝纫机给我了。", ("@user", "RELATES_TO", "has", "缝纫机")),
        ("我们的结婚纪念日是7月3号。", ("@user", "RELATES_TO", "结婚纪念日", "7月3号")),
        ("我妈血糖高。", ("妈妈", "RELATES_TO", "has", "高血糖")),
        ("我爸腰椎间盘突出又犯了。", ("爸爸", "RELATES_TO", "has", "腰椎间盘突出")),
        ("我一个月工资八千。", ("@user", "RELATES_TO", "工资", "八千")),
        ("我住六楼。", ("@user", "RELATES_TO", "lives on", "六楼")),
        ("我现在用小米14。", ("@user", "RELATES_TO", "has", "小米14")),
        ("我是人民医院的护士。", ("@user", "RELATES_TO", "works at", "人民医院")),
        ("我妹妹大学毕业以后在杭州做设计。", ("妹妹", "RELATES_TO", "works in", "杭州")),
        ("我室友Emma是曼彻斯特人。", ("Emma", "RELATES_TO", "is from", "曼彻斯特")),
        ("我十年前从湖南来深圳打工。", ("@user", "RELATES_TO", "lives in", "深圳")),
        ("我跟我妈住。", ("@user", "RELATES_TO", "lives with", "妈妈")),
        ("我从十五岁起就吃素。", ("@user", "RELATES_TO", "is", "吃素")),
        ("我怀孕了要不要告诉老板？", ("@user", "RELATES_TO", "is", "怀孕")),
        ("我原来在腾讯，去年跳到美团了。", ("@user", "RELATES_TO", "works at", "美团")),
        ("我有个双胞胎哥哥。", ("@user", "RELATES_TO", "has", "双胞胎哥哥")),
        ("我女儿的英文名叫Coco。", ("女儿", "RELATES_TO", "英文名", "Coco")),
        ("我前年把驾照考下来了。", ("@user", "RELATES_TO", "has", "驾照")),
        ("我和小林复合了。", ("@user", "RELATES_TO", "partner", "小林")),
        ("我们公司从Slack换到飞书了。", ("@user", "RELATES_TO", "uses", "飞书")),
        ("家里有两只猫一只狗。", ("@user", "RELATES_TO", "has", "狗")),
        ("春天的时候我跟阿伟分手了。", ("@user", "RELATES_TO", "partner", "阿伟")),
    ],
)
def test_verb_after_adverbials_fills_its_slot(text: str, expected: Fact) -> None:
    found = read(text).facts
    assert expected in {(one.subject, one.predicate, one.relation, one.object) for one in found}


@pytest.mark.parametrize(
    ("text", "object_"),
    [
        ("我决定把摩托车卖了。", "卖摩托车"),
        ("我想换个工作，现在的太累。", "换工作"),
        ("今年十月我们要办婚礼。", "办婚礼"),
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
        ("我妈年轻的时候是纺织厂的工人。", "工人"),
        ("我以前在外企，现在考公上岸了。", "外企"),
        ("我在合唱团唱了十年，现在没时间了。", "合唱团"),
    ],
)
def test_former_work_and_membership_is_over(text: str, object_: str) -> None:
    assert {one.closes for one in read(text).facts if one.object == object_} == {True}


def test_home_on_a_floor_and_registration_elsewhere_do_not_move_anybody() -> None:
    """Regression: 六楼 and the town of the 户口 were homes, and closed the real one."""
    homes = {one.object for one in read("我住六楼。", "我住在北京但是户口在上海。").facts if one.relation == "lives in"}
    assert homes == {"北京"}
