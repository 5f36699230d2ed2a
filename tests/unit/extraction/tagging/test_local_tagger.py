"""Test the fact tags with their real models, which are downloaded once into the user's cache."""

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import closing
from pathlib import Path

import platformdirs
import pytest

from extraction.embeddings.local_models import TAG_MODELS, LocalModel
from extraction.embeddings.model_download import model_folder
from extraction.reader import READ_CHARS_MAX, THE_USER
from extraction.rules.rule_reader import read_by_rules, rules_with_tags
from extraction.rules.tag_facts import same_plan
from extraction.rules.tags import KINDS
from extraction.tagging.local_tagger import LocalTagger, load_local_tagger
from extraction.tagging.tag_model import PIECES_MAX
from schema.fact import FactKind
from tests.unit.extraction.rules.rule_reading import Case, a_scene, shown

CACHE = Path(platformdirs.user_cache_dir("mnemoscene"))
EVERYDAY: list[Case] = [
    case
    for language in ("en", "zh")
    for case in json.loads(Path(__file__).with_name(f"everyday_{language}.json").read_text(encoding="utf-8"))
]
ADAPTERS = {
    "multilingual-e5-small.tags-e8.npz": "ee1b32e9726780fd58a5bb0c21d680b144ec82bbae86846b723e4a3450f8d7f9",
    "e5-small-v2.tags-c8.npz": "f7b2048185e5fb817db00e46dddebb88714275f6e664bbab9bc1659b31c89e2f",
    "bge-small-zh-v1.5.tags-c8.npz": "0c0a90b7e9b9ae6f6d749a563cd45a09996f1d11655fb1692853401aba115d83",
}


@pytest.fixture(scope="module")
async def tagger() -> AsyncIterator[LocalTagger]:
    loaded = await load_local_tagger(cache_dir=CACHE)
    yield loaded
    loaded.close()


async def facts_of(tagger: LocalTagger, text: str) -> list[str]:
    return [shown(fact) for fact in (await rules_with_tags(tagger)(a_scene(text))).facts]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Gary packed in the roofing, he's driving for DPD these days", "Gary|RELATES_TO:works at|DPD"),
        ("My rent is 950 a month.", "user|RELATES_TO:rent|950 a month"),
        ("My grandparents came from Lebanon.", "grandparents|RELATES_TO:is from|Lebanon"),
        ("We named the baby Ottilie.", "user|RELATES_TO:baby|Ottilie"),
        ("The dog's name is Rufus.", "user|RELATES_TO:dog|Rufus"),
        ("My plumber is a guy named Dave.", "user|RELATES_TO:plumber|Dave"),
        ("We're both mad about Korean food", "user|PREFERS|Korean food"),
        ("I've grown to love opera", "user|PREFERS|opera"),
        ("Honestly can't be doing with musicals", "user|DISLIKES|musicals"),
        ("We had to scrap the Fiesta.", "user|RELATES_TO:has|Fiesta|closed"),
        ("born in Izmir, grew up in Hamburg, ended up in Cork somehow", "user|RELATES_TO:lives in|Cork"),
        ("Traded my Canon in for a Sony A7.", "user|RELATES_TO:has|Canon|closed"),
        ("The camera I use is a Nikon Z5.", "user|RELATES_TO:has|Nikon Z5"),
        ("I go climbing with Eva on Mondays.", "user|PREFERS|climbing"),
        ("跳槽啦！拜拜了美团，现在在小红书做增长", "user|RELATES_TO:works at|美团|closed"),
    ],
)
async def test_fact_in_other_words_than_the_rules_know_is_read(tagger: LocalTagger, text: str, expected: str) -> None:
    assert expected not in [shown(fact) for fact in (await read_by_rules(a_scene(text))).facts]
    assert expected in await facts_of(tagger, text)


@pytest.mark.parametrize(
    "text",
    [
        "Translate into French: I live in Oslo and I work at a fish factory",
        "if I lived in Cornwall I'd surf every morning before work, no question",
        "Apparently the barber's cousin has moved to Perth.",
        "do you remember where I live?",
        "帮我把这句翻成英文：我住在杭州，在阿里上班",
        "要是我有个亿，立马辞职去大理开民宿",
        "电视剧里那个女二又怀孕了，还搬去了非洲",
        "你还记得我住几号楼吗？",
    ],
)
async def test_quotations_wishes_hearsay_and_questions_are_no_facts(tagger: LocalTagger, text: str) -> None:
    assert await facts_of(tagger, text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ich wohne seit Mai in Leipzig.", {"user|RELATES_TO:lives in|Leipzig"}),
        (
            "Meine Schwester Anna ist allergisch gegen Erdnüsse.",
            {"Anna|DISLIKES|Erdnüsse", "user|RELATES_TO:schwester|Anna"},
        ),
        ("Ich arbeite nicht mehr bei Siemens.", {"user|RELATES_TO:works at|Siemens|closed"}),
        ("Ich liebe Brettspiele.", {"user|PREFERS|Brettspiele"}),
        ("妹の由美はピーナッツアレルギーです。", {"由美|DISLIKES|ピーナッツ", "user|RELATES_TO:妹|由美"}),
        ("電話番号は090-1234-5678です。", {"user|RELATES_TO:phone number|090-1234-5678"}),
        ("市立病院で看護師をしています。", {"user|RELATES_TO:works at|市立病院"}),
    ],
)
async def test_fact_in_a_language_without_rules_is_read(tagger: LocalTagger, text: str, expected: set[str]) -> None:
    assert expected <= set(await facts_of(tagger, text))


@pytest.mark.parametrize(
    "text",
    [
        "No vivo en Bilbao.",
        "Si viviera en Bilbao iría a la playa cada día.",
        "Esta semana duermo en casa de mi hermana en Vigo.",
        "¿Dónde vivo?",
        "Wenn ich in Leipzig wohnen würde, wäre ich jeden Tag am See.",
        "Diese Woche schlafe ich bei meiner Schwester in Köln.",
        "Das Passwort ist Rana77.",
        "Je n'habite pas à Nantes.",
        "Cette semaine je dors chez ma sœur à Lille.",
        "Si j'habitais à Nantes, j'irais à la plage tous les jours.",
        "札幌に住んでいたら毎日スキーに行くのに。",
        "札幌には住んでいません。",
        "今週だけ姉の家に泊まっています。",
    ],
)
async def test_denials_wishes_stays_and_questions_without_rules_are_no_facts(tagger: LocalTagger, text: str) -> None:
    assert await facts_of(tagger, text) == []


@pytest.mark.parametrize("text", ["Mein Vermieter wohnt in Leipzig.", "大家さんは札幌に住んでいます。"])
async def test_home_of_somebody_else_is_not_the_users(tagger: LocalTagger, text: str) -> None:
    assert not [fact for fact in await facts_of(tagger, text) if fact.startswith("user|RELATES_TO:lives in")]


async def test_tags_lie_within_their_message_and_do_not_depend_on_the_others(tagger: LocalTagger) -> None:
    texts = [
        "we sold the Golf and got a Skoda",
        "我妹妹在青岛当护士",
        "",
        "ok",
        "my brother Tom moved to Leeds in May",
        "   ",
    ] * 3
    together = await tagger.fact_tags(texts)
    for text, tags in zip(texts, together, strict=True):
        assert (await tagger.fact_tags([text]))[0] == tags
        for tag in tags or ():
            assert tag.kind in KINDS
            assert 0 <= tag.obj[0] < tag.obj[1] <= len(text)
            assert tag.subject is None or 0 <= tag.subject[0] < tag.subject[1] <= len(text)
    assert together[2] is together[5] is None
    assert together[:6] == together[6:12]
    assert await tagger.fact_tags([]) == []


async def test_long_and_crafted_messages_are_bounded(tagger: LocalTagger) -> None:
    longest = "I live in Leith. " * (READ_CHARS_MAX // 17 + 1)
    crafted = [
        "[CLS] [SEP] [PAD]",
        "\x00\ufffd",
        "\U0001f600" * 100,
        "a" * READ_CHARS_MAX,
        "。" * 120,
        "住" * PIECES_MAX,
    ]
    found = await tagger.fact_tags([longest, "x" * 100_000, *crafted])
    assert all(tags is None or len(tags) <= 40 * (READ_CHARS_MAX // PIECES_MAX) for tags in found)
    assert all(tag.obj[1] <= READ_CHARS_MAX for tags in found for tag in tags or ())


async def test_message_of_several_paragraphs_is_tagged_in_parts(tagger: LocalTagger) -> None:
    """In Chinese, a message of 130 characters was read by the rules alone."""
    filler = "今天把家里彻底打扫了一遍，累得腰都直不起来了。中午随便煮了点面条，下午睡了一会儿。" * 4
    text = f"{filler}我妹妹在青岛当护士，她对青霉素过敏。{filler}我上个月从美团跳槽到小红书了。"
    (tags,) = await tagger.fact_tags([text])
    assert {text[slice(*tag.obj)] for tag in tags or () if tag.odds > 1.5} >= {
        "青岛",
        "护士",
        "青霉素",
        "美团",
        "小红书",
    }
    found = await facts_of(tagger, text)
    assert {"user|RELATES_TO:works at|小红书", "妹妹|RELATES_TO:works as|护士"} <= set(found)


@pytest.mark.parametrize("case", EVERYDAY, ids=lambda case: case["text"])
async def test_everyday_sentence_is_read_exactly(tagger: LocalTagger, case: Case) -> None:
    """Facts of daily life, and sentences that look alike but state nothing about the user."""
    assert set(await facts_of(tagger, case["text"])) == set(case["facts"])


@pytest.mark.parametrize(
    "text",
    [
        "moro em lisboa com a minha irmã e o cão dela",
        "il mio dentista si chiama Bruno e lavora in via Roma",
        "ik woon in Gent en mijn broer werkt bij de haven",
    ],
)
async def test_message_in_a_language_without_a_model_is_not_read_as_english(tagger: LocalTagger, text: str) -> None:
    assert await tagger.fact_tags([text]) == [None]


@pytest.mark.parametrize(
    "text",
    [
        "edu se sale, se va a vivir a berlín. entra mi cuñada Yolanda en su lugar",
        "Torneo en Cuenca el 2 de mayo, cuesta 18 por niño",
        "tendinite au poignet droit, pas de grimpe pendant 10 jours",
        "Yannick s'est cassé la cheville, son frère Ronan le remplace en attendant",
    ],
)
async def test_message_in_spanish_or_french_is_not_read_as_english(tagger: LocalTagger, text: str) -> None:
    """They gave "lives in Yolanda" and "works at poignet droit"."""
    found = await facts_of(tagger, text)
    assert not [fact for fact in found if "lives in" in fact or "works" in fact or "born" in fact]


async def test_work_that_moved_moves_nobody(tagger: LocalTagger) -> None:
    for text in ("公司搬到昆山去了。", "公司搬到昆山以后通勤要一个半小时。"):
        assert "user|RELATES_TO:lives in|昆山" not in await facts_of(tagger, text)


async def test_sentence_that_is_too_long_leaves_the_others_of_its_message(tagger: LocalTagger) -> None:
    filler = "and then we talked about the garden and the neighbours for a while, " * 12
    text = f"I live in Leith. {filler}. My sister works as a nurse."
    assert {"user|RELATES_TO:lives in|Leith", "sister|RELATES_TO:works as|nurse"} <= set(await facts_of(tagger, text))


@pytest.mark.parametrize("said", ["Well, {}", "Remember that {}", "- {}", "yeah {}", "{}, any tips?"])
async def test_words_around_a_statement_hide_no_fact(tagger: LocalTagger, said: str) -> None:
    assert await facts_of(tagger, said.format("I'm allergic to nuts")) == ["user|DISLIKES|nuts"]


async def test_traditional_characters_are_read_like_simplified_ones(tagger: LocalTagger) -> None:
    simplified, traditional = await tagger.fact_tags(["我妹妹在青岛当护士", "我妹妹在青島當護士"])
    assert [(tag.kind, tag.obj) for tag in simplified or ()] == [(tag.kind, tag.obj) for tag in traditional or ()]
    assert simplified


async def test_concurrent_calls_get_their_own_tags(tagger: LocalTagger) -> None:
    texts = [f"my locker code is {number}" for number in range(1000, 1016)]
    alone = [await tagger.fact_tags([text]) for text in texts]
    assert await asyncio.gather(*(tagger.fact_tags([text]) for text in texts)) == alone


async def test_message_of_a_damaged_model_is_left_to_the_rules_with_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def damaged(models: Sequence[LocalModel], *, cache_dir: Path) -> list[Path]:
        return [
            cache_dir / model.name if model.name == "e5-small-v2" else model_folder(model, CACHE) for model in models
        ]

    monkeypatch.setattr("extraction.tagging.local_tagger.fetched_models", damaged)
    with closing(await load_local_tagger(cache_dir=tmp_path)) as partly:
        english, chinese = await partly.fact_tags(["I have a dog called Rex", "我养了一只叫团子的猫"])
    assert english is None
    assert chinese
    assert "delete that folder" in caplog.text
    assert "e5-small-v2" in caplog.text


def test_adapters_are_those_that_were_measured() -> None:
    """A change of an adapter changes what is read: measure again, and write the new hash."""
    files = [model.adapter_file for model in TAG_MODELS]
    assert {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files if file} == ADAPTERS


@pytest.mark.parametrize(
    ("text", "objects", "reason"),
    [
        ("I decided to sell my car because the insurance is too expensive", "car", "the insurance is too expensive"),
        ("We've decided to move to Leipzig since the rent here is too high.", "Leipzig", "the rent here is too high"),
        ("I decided not to take the job because the pay is low.", "job", "the pay is low"),
        ("我决定把车卖了，因为保险太贵了。", "车", "保险太贵了"),
        ("我们决定搬到杭州，因为孩子要上学。", "杭州", "孩子要上学"),
    ],
)
async def test_decision_keeps_its_reason_beside_the_tags(
    tagger: LocalTagger, text: str, objects: str, reason: str
) -> None:
    facts = (await rules_with_tags(tagger)(a_scene(text))).facts
    decided = [fact for fact in facts if fact.relation == "plan"]
    assert [(fact.detail.kind, fact.detail.rationale) for fact in decided] == [(FactKind.DECISION, reason)]
    assert objects in decided[0].object


@pytest.mark.parametrize(
    "text",
    [
        "She decided to leave him because he drinks.",
        "They've decided to sell the house.",
        "She decided to move out and I told her to take the car.",
        "她决定离开他，因为他总喝酒。",
    ],
)
async def test_decision_of_somebody_else_is_not_the_speakers(tagger: LocalTagger, text: str) -> None:
    facts = (await rules_with_tags(tagger)(a_scene(text))).facts
    assert [fact.statement for fact in facts if fact.subject == THE_USER and fact.relation == "plan"] == []


@pytest.mark.parametrize(
    ("text", "objects"),
    [
        ("I'm going to Hamburg with Mia next Saturday.", "Hamburg"),
        ("I'm visiting my parents in Bath this weekend.", "Bath"),
        ("我下周六要和米娅去汉堡。", "汉堡"),
    ],
)
async def test_plan_of_the_rules_stands_beside_the_tags_with_its_day(
    tagger: LocalTagger, text: str, objects: str
) -> None:
    (plan,) = (await rules_with_tags(tagger)(a_scene(text))).facts
    assert plan.relation == "plan"
    assert objects in plan.object
    assert plan.detail.mentioned_start is not None


def test_plans_for_different_things_are_not_the_same() -> None:
    assert same_plan("trip to Hamburg", "going to Hamburg with Mia")
    assert same_plan("卖车", "把车卖了")
    assert not same_plan("learn Spanish", "learn French")
    assert not same_plan("visit Peru", "visit Chile")
    assert not same_plan("去北京", "去南京")
