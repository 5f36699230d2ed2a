"""Test the cross-encoders with their real models, which are downloaded once into the user's cache."""

import hashlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import platformdirs
import pytest

from extraction.embeddings.adapters import read_adapter
from extraction.embeddings.answer_scores import (
    COMPARED_PIECES_MAX,
    QUESTION_PIECES_MAX,
    TEXT_PIECES_MAX,
    WINDOWS_MAX,
    AnswerModel,
)
from extraction.embeddings.embedder import AnswerScorer
from extraction.embeddings.local_embedder import LocalEmbedder, load_local_embedder
from extraction.embeddings.local_models import (
    ANSWER_MODELS,
    CHINESE_ANSWERS,
    ENGLISH_ANSWERS,
    ENGLISH_TAGS,
    MULTILINGUAL_ANSWERS,
    MULTILINGUAL_TAGS,
    REPLACEMENT_MODELS,
    REPLACEMENTS,
    LazyModel,
    LocalModel,
)
from extraction.embeddings.model_conversion import ADAPTED
from extraction.embeddings.model_download import model_folder
from extraction.embeddings.splitters import splitter_of
from schema.errors import InstallError

CACHE = Path(platformdirs.user_cache_dir("mnemoscene"))
ADAPTERS = {
    "e5-small-v2.answers-a8.npz": "25650985dad3a6c32b0a276be8e76d1d1cf8a0feecf57effa6c8c5ff7be0ae3c",
    "e5-small-v2.replacements-a8.npz": "0b7ce601bd1836e880ffc464fdf5a0697b2d3339c192f5ff746d9a8c21026a95",
    "multilingual-e5-small.replacements-b8.npz": "b8d55ae5bba4bccd25d43aef8f8a8d5bfd3ea2eaaa979a76fd98a93dce62c91e",
    "bge-small-zh-v1.5.answers-a8.npz": "e0e8d5d50ca5890e36e77ffc9dc5cff173a40abf3811abef5bb9df60786cba0c",
    "multilingual-e5-small.answers-c8.npz": "f9553ded6ab72bfaafd3710b4d09b39021cbadeb237a86236c8160a444a5c94a",
}


@pytest.mark.parametrize(
    ("question", "answer", "others"),
    [
        (
            "What do I drive?",
            "picked up the Skoda on Friday, finally",
            ["the drive to the office takes an hour", "what a drive they have, my boys", "I like to walk"],
        ),
        (
            "What do I do for a living?",
            "been teaching year four since September",
            ["living by the sea is my dream", "my sister is a dentist", "the living room needs paint"],
        ),
        (
            "Am I allergic to anything?",
            "peanuts make my throat close up, I carry a pen for it",
            ["my allergies make me sneeze says Tom", "I ate at the new place", "anything is fine with me"],
        ),
        (
            "我现在开什么车？",
            "上周终于把那辆二手卡罗拉提回来了",
            ["今天开会开了三个小时", "车位太难找了", "我弟骑电动车上班"],
        ),
        ("我是做什么工作的？", "在二小教数学，这学期带四年级", ["工作太累了", "工作日都在下雨", "什么都不想做"]),
    ],
)
async def test_answer_in_other_words_scores_above_texts_with_the_words_of_the_question(
    embedder: LocalEmbedder, question: str, answer: str, others: list[str]
) -> None:
    found, *rest = await embedder.answer_scores(question, [answer, *others])
    assert found is not None
    for other in rest:
        assert other is not None
        assert other < found


@pytest.mark.parametrize(
    ("question", "answer", "other"),
    [
        ("Wo wohne ich?", "seit Mai sind wir jetzt in Kassel", "der Kuchen ist mir heute angebrannt"),
        ("¿En qué trabajo?", "doy clases de inglés en un instituto", "hoy llueve, menos mal"),
        ("Où est-ce que j'habite ?", "on a emménagé à Nantes en mars", "dimanche on fait des crêpes"),
        ("犬の名前は?", "子犬を迎えたよ、ポチと呼んでる", "犬の散歩は雨だと大変"),
        ("Wo wohne ich?", "I moved to Porto in May", "my sister's house is a mess"),
        ("Where do I live?", "on a emménagé à Nantes en mars", "dimanche on fait des crêpes"),
    ],
)
async def test_answer_in_other_languages_scores_above_another_text(
    embedder: LocalEmbedder, question: str, answer: str, other: str
) -> None:
    right, wrong = await embedder.answer_scores(question, [answer, other])
    assert right is not None
    assert wrong is not None
    assert right > wrong


async def test_scores_do_not_depend_on_the_other_texts(embedder: LocalEmbedder) -> None:
    texts = ["I moved to Porto in May", "ok", "my brother drives a Fiesta and hates it", "the weather is nice"] * 3
    together = await embedder.answer_scores("Where do I live?", texts)
    alone = [(await embedder.answer_scores("Where do I live?", [text]))[0] for text in texts]
    # Eight bits round the activations.
    np.testing.assert_allclose(np.array(together, np.float64), np.array(alone, np.float64), atol=0.4)
    assert await embedder.answer_scores("Where do I live?", texts) == together


@pytest.mark.parametrize(
    ("question", "answer", "others"),
    [
        (
            "What instrument am I learning?",
            "我最近在学吉他",
            ["我每天走路上班", "乐器行关门了", "My sister sings in a choir"],
        ),
        ("Where do I live?", "我五月搬到了波尔图", ["我妈住在里斯本", "公司在地铁站旁边"]),
        ("When does Wang Fang get her cast off?", "王芳的石膏下周三拆", ["王芳喜欢吃辣", "小李下周三出差"]),
        ("我住在哪里？", "I moved to Porto in May", ["my mum lives in Lisbon", "the office is next to the station"]),
        ("我对什么过敏？", "peanuts make my throat close up", ["I love peanut butter", "what a day"]),
    ],
)
async def test_answer_in_the_other_language_scores_above_other_texts(
    embedder: LocalEmbedder, question: str, answer: str, others: list[str]
) -> None:
    found, *rest = await embedder.answer_scores(question, [answer, *others])
    assert found is not None
    assert all(other is not None and other < found for other in rest)


async def test_pairs_in_both_languages_keep_their_places(embedder: LocalEmbedder) -> None:
    texts = ["I moved to Porto", "我五月搬到了波尔图", "the bus was late", "公交车晚点了"]
    for question in ("Where do I live?", "我住在哪里？"):
        found = await embedder.answer_scores(question, texts)
        assert None not in found
        assert sorted(range(4), key=lambda index: -(found[index] or 0.0))[:2] in ([0, 1], [1, 0])
        for text, score in zip(texts, found, strict=True):
            # Eight bits round the activations.
            assert (await embedder.answer_scores(question, [text]))[0] == pytest.approx(score, abs=0.4)
    assert await embedder.answer_scores("Where do I live?", []) == []


async def test_answer_in_a_later_window_of_a_long_text_is_found(embedder: LocalEmbedder) -> None:
    filler = "and then we talked about the garden and the neighbours for a while " * 10
    with_answer, without = await embedder.answer_scores(
        "What is my blood type?", [f"{filler} by the way my blood type is A negative", filler]
    )
    assert with_answer is not None
    assert without is not None
    assert with_answer > without + 2


async def test_empty_and_extreme_texts_have_finite_scores(embedder: LocalEmbedder) -> None:
    texts = ["", " ", "?", "\U0001f600" * 200, "a" * 50_000, "x " * 5_000, "\x00\ufffd", "[CLS] [SEP] [PAD]"]
    for question in ("Where?", "[SEP]", "where q " * 3_000):
        scores = await embedder.answer_scores(question, texts)
        assert all(score is not None and np.isfinite(score) for score in scores)


async def test_work_on_a_long_text_is_bounded(embedder: LocalEmbedder) -> None:
    model = AnswerModel(ENGLISH_ANSWERS, model_folder(ENGLISH_ANSWERS, CACHE), calls=1, precision="int8")
    pairs = model.encoded("Where do I live now? " * 200, [["word " * 20_000]])
    assert len(pairs) == WINDOWS_MAX
    assert all(len(one.ids) == len(one.types) <= 256 for one in pairs)
    assert max(len(one.ids) for one in pairs) >= TEXT_PIECES_MAX


def test_adapted_copies_of_a_model_share_their_vocabulary() -> None:
    def vocabulary(model: LocalModel) -> object:
        return splitter_of(model, model_folder(model, CACHE))

    first = vocabulary(ENGLISH_ANSWERS)
    assert vocabulary(REPLACEMENTS) is first
    assert vocabulary(ENGLISH_TAGS) is first
    assert vocabulary(CHINESE_ANSWERS) is not first
    other = vocabulary(MULTILINGUAL_ANSWERS)
    assert vocabulary(MULTILINGUAL_TAGS) is other


async def test_embedder_without_these_models_scores_nothing(embedder: LocalEmbedder) -> None:
    plain = await load_local_embedder(cache_dir=CACHE, with_answers=False)
    try:
        assert isinstance(plain, AnswerScorer)
        assert await plain.answer_scores("Where?", ["here", "there"]) == [None, None]
        assert await plain.replacement_scores("Where?", [("here", "there")]) == [None]
    finally:
        plain.close()


def test_model_is_loaded_once_by_its_first_use(tmp_path: Path) -> None:
    loads: list[Path] = []

    def load(folder: Path) -> object:
        loads.append(folder)
        if len(loads) == 1:
            raise RuntimeError("not written yet")
        return object()

    model = LazyModel(tmp_path, load)
    assert loads == []
    with pytest.raises(InstallError, match=r"not written yet.*delete that folder"):
        model.get()
    with ThreadPoolExecutor(8) as threads:
        given = set(threads.map(lambda _: model.get(), range(64)))
    assert (len(given), loads) == (1, [tmp_path] * 2)


@pytest.mark.parametrize("model", [*ANSWER_MODELS, *REPLACEMENT_MODELS], ids=lambda one: f"{one.name} {one.adapter}")
def test_adapter_has_the_hash_of_its_name_and_changes_of_each_layer(model: LocalModel) -> None:
    file = model.adapter_file
    assert file is not None
    assert hashlib.sha256(file.read_bytes()).hexdigest() == ADAPTERS[file.name], "another adapter needs another name"
    arrays = read_adapter(file)
    for name in ADAPTED:
        down, up = arrays[f"{name}.down"], arrays[f"{name}.up"]
        assert down.shape[0] == up.shape[0] == arrays[f"{name}.bias"].shape[0]
        assert down.shape[2] == up.shape[1]


@pytest.mark.parametrize(
    ("question", "older", "replacing", "others"),
    [
        (
            "Where do I live?",
            "we've got a small flat near the market in Porto",
            ["first night in our new place in Lisbon!", "moved to Lisbon last week, still living out of boxes"],
            ["my sister is moving to Lisbon in May", "spent the weekend in Lisbon", "the landlord fixed our boiler"],
        ),
        (
            "What do I drive?",
            "picked up the Skoda on Friday",
            ["sold the Skoda, got an old Volvo instead"],
            ["my brother drives a Volvo", "might get a Volvo one day", "the Skoda needs new tyres"],
        ),
        (
            "Was kostet mich das Fitnessstudio?",
            "fitnessstudio kostet 39 im monat",
            ["die sind auf 45 hochgegangen", "ups, 45 im monat"],
            ["mein bruder zahlt 29 bei der konkurrenz", "heute nur 20 minuten trainiert"],
        ),
        (
            "¿Qué día tengo pilates?",
            "pilates los martes a las siete",
            ["nos lo pasan al jueves, que la sala está ocupada"],
            ["mi madre hace yoga los viernes", "qué agujetas tengo de pilates"],
        ),
        (
            "Quelle est ma pointure ?",
            "je chausse du 42",
            ["ah non, 43, les 42 me serrent"],
            ["mon fils chausse déjà du 41", "j'ai vu de belles chaussures en vitrine"],
        ),
        (
            "歯医者の予約はいつ?",
            "歯医者は金曜の3時に予約した",
            ["やっぱり来週の月曜に変えてもらった"],
            ["母の眼科は木曜だって", "歯ブラシ新しいの買った"],
        ),
        (
            "我现在住在哪里？",
            "我在成都租了个小房子",
            ["上周搬到杭州了，新家离地铁很近"],
            ["我姐下个月搬去杭州", "周末去杭州玩了两天", "以后想去杭州养老"],
        ),
    ],
)
async def test_newer_text_replaces_the_older_only_if_it_puts_it_out_of_date(
    embedder: LocalEmbedder, question: str, older: str, replacing: list[str], others: list[str]
) -> None:
    found = await embedder.replacement_scores(question, [(older, newer) for newer in (*replacing, *others)])
    scores = [score for score in found if score is not None]
    assert len(scores) == len(found)
    assert min(scores[: len(replacing)]) > max(scores[len(replacing) :])


async def test_work_on_long_texts_that_are_compared_is_bounded() -> None:
    model = AnswerModel(REPLACEMENTS, model_folder(REPLACEMENTS, CACHE), calls=1, precision="int8")
    (pair,) = model.encoded("Where do I live now? " * 200, [("word " * 20_000, "other " * 20_000)])
    assert len(pair.ids) == len(pair.types) == QUESTION_PIECES_MAX + 2 * COMPARED_PIECES_MAX + 4
    assert sum(pair.types) == COMPARED_PIECES_MAX + 1
