"""Tell English texts from all others, for the choice of a model. Pure."""

import re
from typing import Final

from extraction.text.lexicon_en import word_set

# A word of Latin letters, or a run of others; parts of names with digits are none.
_LATIN: Final = r"a-z\u00df-\u024f"
_WORD: Final = re.compile(rf"(?<![0-9_{_LATIN}])[{_LATIN}]+(?![0-9_{_LATIN}])|[^\W\d_{_LATIN}]+")
# Frequent words of English that no other language of this alphabet writes alike, and of other languages, likewise.
_ENGLISH: Final = word_set(
    "the of and is are was were be been what where when who which why how did does do my your you he she it we they i "
    "his her our their this that these those with from for to have has had not but would will can could should "
    "about there m ve don didn if or by at as up out just so than then some any all get got go going went like "
    "new day work today tomorrow yesterday week name yes please thanks hello hi great morning good "
    "near into every after before because while also very really again never always both last next "
    # How facts are told
    "lives lived works worked loves loved likes liked dislikes prefers wants wanted owns knows knew plays played "
    "speaks spoke moved uses used studies studied hates enjoys allergic called needs takes took makes made says said "
    "told left stays stayed born married sister brother mother father friend wife husband daughter mentioned cares "
    "related caused bought keeps has helped started stopped goes went wears drives eats drinks"
)
_OTHER: Final = (
    word_set(
        # German, Dutch
        "der das und ist nicht ich mein meine meinen meiner wie wo wann wer wen wem welche welcher welches habe haben "
        "hatte sind ein eine einen einem einer für mit von zu zum zur auf im wir uns unser unsere sie du dein deine "
        "auch aber oder wenn noch schon jetzt heute morgen gestern heißt wohne wohnt arbeite nach vor seit bei ihr "
        "soll gern beim keinen keine viel danke gute "
        "ihre het een niet mijn ik zijn voor naar wat waar wanneer vandaag "
        # Spanish, Portuguese, Italian
        "el una unos y que qué quién cuándo dónde cómo cuál cuáles cuánto cuánta mis tu sus su es está están "
        "soy estoy tengo tiene vivo vive por para con del al pero muy más hoy ayer mañana cuando donde lo nos "
        "hola gracias puedo quieres todos todas tres "
        "nuestro nuestra desde hasta fue hace se llama trabajo gusta "
        "não uma meu minha você onde quando quem é são está moro tenho para com foi "
        "il gli della di che chi quando sono mio mia vivo abito anche perché non oggi ieri domani è "
        # French
        "le les des du une et est je tu nous vous ils elle elles mon mes ta tes ses où quand qui quel quelle "
        "quels quelles combien pourquoi avec dans pas suis sommes était "
        "bonjour bonsoir merci tout tous votre notre bien soin toi moi "
        "hier demain ce cette ces aux mais aime habite travaille depuis chez "
        # Scandinavian, Polish, Czech, Turkish, Indonesian, Romanian
        "jag och är att det inte hur vad var när vem mitt jeg ikke hvor hvornår hvem nie jest się gdzie kiedy mój moja "
        "jak jsem kde můj ve bir ve nerede zaman benim saya tidak di mana și este unde "
    )
    - _ENGLISH
)
# English text of this many words has a frequent one, or one with such an ending.
_WORDS_WITHOUT: Final = 7
_ENGLISH_ENDING: Final = re.compile(r"[a-z]{2}(?:ing|ed|ly|ght|th|sh|ck|ness|ful)\Z")


def is_english(text: str) -> bool:
    """Return whether a text is English, or gives no evidence of another language.

    Each word of another alphabet counts against it, and so do frequent words of other languages; a word with letters
    that English lacks counts half, because names have them. Chinese and Japanese characters are half a word each.
    Seven words without a frequent English one or an English ending are not English.
    """
    english, other = 0.0, 0.0
    words = _WORD.findall(text.casefold())
    for word in words:
        if word[0] >= "\u0370":
            other += len(word) / 2 if word[0] >= "\u2e80" else 1
        elif word in _OTHER:
            other += 1
        elif word in _ENGLISH:
            english += 1
        elif not word.isascii():
            other += 0.5
    if not english and len(words) >= _WORDS_WITHOUT and not any(map(_ENGLISH_ENDING.search, words)):
        return False
    return other < 1 or english >= other
