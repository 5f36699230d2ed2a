"""Test that a question finds texts in other languages by its vectors, with the real models."""

import math

import pytest

from extraction.embeddings.embedder import embed_question
from extraction.embeddings.local_embedder import VECTOR_DIM, LocalEmbedder
from tests.support.growth import cpu_within
from tests.support.token_similarity import max_sims

CHINESE = (
    "我最近在学吉他",
    "周末我和女儿去海边捡贝壳",
    "医生说我对花生过敏",
    "下个月我要去东京出差",
    "我姐姐在银行工作",
    "我家的猫叫团子",
    "昨天晚饭吃了火锅",
    "地铁又坏了，迟到半小时",
    "我买了一台新相机",
    "爸爸退休以后爱上了钓鱼",
    "房租又涨了",
    "我今年三十五岁",
)
TRADITIONAL = ("我最近在學吉他", "週末我和女兒去海邊撿貝殼", "醫生說我對花生過敏", *CHINESE[3:])
ENGLISH = (
    "I've been learning the guitar lately",
    "At the weekend my daughter and I collected shells at the beach",
    "The doctor says I'm allergic to peanuts",
    "Next month I'm going to Tokyo on business",
    "My sister works at a bank",
    "Our cat is called Dumpling",
    "We had hotpot for dinner yesterday",
    "The subway broke down again, half an hour late",
    "I bought a new camera",
    "Since he retired my father has taken to fishing",
    "The rent went up again",
    "I'm thirty-five this year",
)
ASKED = {
    "What instrument am I learning?": "我在学什么乐器？",
    "What did we do at the seaside?": "我们在海边做了什么？",
    "What food am I allergic to?": "我对什么食物过敏？",
    "Which city will I visit for work?": "我要去哪个城市出差？",
    "Where does my sister work?": "我姐姐在哪里上班？",
    "What is my cat's name?": "我的猫叫什么名字？",
}


async def ranks(embedder: LocalEmbedder, questions: list[str], said: tuple[str, ...]) -> list[int]:
    """Return the rank of each question's answer, which is the text of the same number."""
    stored = await embedder.embed(said)
    found = []
    for place, question in enumerate(questions):
        mapped = (await embed_question(embedder, question)).cross_language_vector
        assert mapped is not None
        cosines = [math.fsum(x * y for x, y in zip(mapped, vector, strict=True)) for vector in stored]
        found.append(sorted(range(len(said)), key=lambda at, of=cosines: -of[at]).index(place) + 1)
    return found


@pytest.mark.parametrize("said", [CHINESE, TRADITIONAL], ids=["simplified", "traditional"])
async def test_english_question_is_nearest_to_its_chinese_answer(
    embedder: LocalEmbedder, said: tuple[str, ...]
) -> None:
    found = await ranks(embedder, list(ASKED), said)
    assert found[0] == 1
    assert found.count(1) >= 5
    assert max(found) <= 3


async def test_chinese_question_is_nearest_to_its_english_answer(embedder: LocalEmbedder) -> None:
    found = await ranks(embedder, list(ASKED.values()), ENGLISH)
    assert found[0] == 1
    assert found.count(1) >= 5
    assert max(found) <= 3


# In German, French, Spanish and Japanese, the questions of `ASKED` in its order.
FOREIGN = {
    "de": (
        "Welches Instrument lerne ich?",
        "Was haben wir am Meer gemacht?",
        "Gegen welches Essen bin ich allergisch?",
        "In welche Stadt reise ich beruflich?",
        "Wo arbeitet meine Schwester?",
        "Wie heißt meine Katze?",
    ),
    "fr": (
        "De quel instrument est-ce que j'apprends à jouer ?",
        "Qu'avons-nous fait au bord de la mer ?",
        "À quel aliment suis-je allergique ?",
        "Dans quelle ville vais-je pour le travail ?",
        "Où travaille ma sœur ?",
        "Comment s'appelle mon chat ?",
    ),
    "es": (
        "¿Qué instrumento estoy aprendiendo?",
        "¿Qué hicimos en la playa?",
        "¿A qué alimento soy alérgico?",
        "¿A qué ciudad voy por trabajo?",
        "¿Dónde trabaja mi hermana?",
        "¿Cómo se llama mi gata?",
    ),
    "ja": (
        "私は何の楽器を習っていますか？",
        "海辺で何をしましたか？",
        "私は何の食べ物にアレルギーがありますか？",
        "仕事でどの街に行きますか？",
        "姉はどこで働いていますか？",
        "私の猫の名前は何ですか？",
    ),
}


@pytest.mark.parametrize("language", FOREIGN)
async def test_question_in_another_language_is_near_its_english_answer(embedder: LocalEmbedder, language: str) -> None:
    found = await ranks(embedder, list(FOREIGN[language]), ENGLISH)
    assert found.count(1) >= 3
    assert sum(rank <= 3 for rank in found) >= 5


@pytest.mark.parametrize("language", FOREIGN)
async def test_question_in_another_language_is_nearest_to_its_chinese_answer(
    embedder: LocalEmbedder, language: str
) -> None:
    stored = await embedder.embed(CHINESE)
    found = []
    for place, question in enumerate(FOREIGN[language]):
        asked = (await embed_question(embedder, question)).vector
        cosines = [math.fsum(x * y for x, y in zip(asked, vector, strict=True)) for vector in stored]
        found.append(sorted(range(len(stored)), key=lambda at, of=cosines: -of[at]).index(place) + 1)
    assert found.count(1) >= 4
    assert max(found) <= 4


async def test_word_pieces_of_a_chinese_question_match_english_texts(embedder: LocalEmbedder) -> None:
    asked = await embed_question(embedder, "我在学什么乐器？")
    assert asked.cross_language_tokens is not None
    texts = ["I've been learning the guitar lately", "We had hotpot for dinner yesterday"]
    right, wrong = max_sims(
        asked.cross_language_tokens, [one.tokens for one in await embedder.embed_with_tokens(texts)]
    )
    assert right is not None
    assert wrong is not None
    assert right > wrong + 0.1


async def test_word_pieces_of_an_english_question_match_chinese_texts(embedder: LocalEmbedder) -> None:
    asked = await embed_question(embedder, "What instrument am I learning?")
    assert asked.cross_language_tokens is not None
    right, wrong = max_sims(
        asked.cross_language_tokens,
        [one.tokens for one in await embedder.embed_with_tokens(["我最近在学吉他", "昨天晚饭吃了火锅"])],
    )
    assert right is not None
    assert wrong is not None
    assert right > wrong + 0.1


async def test_messages_have_no_cross_language_vector(embedder: LocalEmbedder) -> None:
    (said,) = await embedder.embed_with_tokens(["I'm learning the guitar"])
    assert said.cross_language_vector is None


@pytest.mark.parametrize("text", ["?", "", " ", "\x00", "👍", "a" * 100_000, "吉他" * 50_000, "où est " * 50_000])
async def test_vector_of_any_question_for_other_languages_is_a_unit_vector(embedder: LocalEmbedder, text: str) -> None:
    """Only the beginning is read, so that a long question takes no longer."""
    with cpu_within(2.0):
        across = (await embed_question(embedder, text)).cross_language_vector
    assert across is not None
    assert len(across) == VECTOR_DIM
    assert math.fsum(part * part for part in across) == pytest.approx(1.0, abs=1e-3)
