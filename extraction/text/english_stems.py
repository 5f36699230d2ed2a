"""English stems, gerunds, singulars and spelling variants. Pure."""

import re
from functools import lru_cache
from typing import Final

_CACHE_ENTRIES: Final = 200_000
_WORD_CHARS_MAX: Final = 60
_CONSONANT: Final = "[^aeiou]"
_VOWEL: Final = "[aeiouy]"
_C: Final = f"{_CONSONANT}[^aeiouy]*"
_V: Final = f"{_VOWEL}[aeiou]*"
# Porter's measure: the number of vowel-consonant sequences in a word.
_MEASURE_MIN_1: Final = re.compile(f"^({_C})?{_V}{_C}")
_MEASURE_1: Final = re.compile(f"^({_C})?{_V}{_C}({_V})?$")
_MEASURE_MIN_2: Final = re.compile(f"^({_C})?{_V}{_C}{_V}{_C}")
_HAS_VOWEL: Final = re.compile(f"^({_C})?{_VOWEL}")
_SHORT: Final = re.compile(f"^{_C}{_VOWEL}[^aeiouwxy]$")
_DOUBLE: Final = re.compile(r"([^aeiouylsz])\1$")
_STEP_2: Final = (
    ("ational", "ate"), ("tional", "tion"), ("enci", "ence"), ("anci", "ance"), ("izer", "ize"), ("bli", "ble"),
    ("alli", "al"), ("entli", "ent"), ("eli", "e"), ("ousli", "ous"), ("ization", "ize"), ("ation", "ate"),
    ("ator", "ate"), ("alism", "al"), ("iveness", "ive"), ("fulness", "ful"), ("ousness", "ous"), ("aliti", "al"),
    ("iviti", "ive"), ("biliti", "ble"), ("logi", "log"),
)  # fmt: skip
_STEP_3: Final = (
    ("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"), ("ful", ""), ("ness", ""),
)  # fmt: skip
_STEP_4: Final = (
    "ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ism", "ate", "iti", "ous", "ive", "ize", "al",
    "er", "ic", "ou",
)  # fmt: skip


def stem(word: str) -> str:
    """Return the Porter stem of a lower-case word; short words and other scripts are returned unchanged.

    Strings of more than 60 characters are returned unchanged too, which bounds the cache.

    Source: M. F. Porter 1980, "An algorithm for suffix stripping", which Lucene's `english` analyzer uses too.
    """
    return _stem(word) if len(word) <= _WORD_CHARS_MAX else word


@lru_cache(maxsize=_CACHE_ENTRIES)
def _stem(word: str) -> str:
    if len(word) < 3 or not word.isascii() or not word.isalpha():
        return word
    first_y = word[0] == "y"
    word = f"Y{word[1:]}" if first_y else word
    for step in (_step_1a, _step_1b, _step_1c, _step_2, _step_3, _step_4, _step_5):
        word = step(word)
    return f"y{word[1:]}" if first_y else word


def _step_1a(word: str) -> str:
    if word.endswith(("sses", "ies")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") and len(word) > 2 else word


def _step_1b(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _MEASURE_MIN_1.match(word[:-3]) else word
    for ending in ("ed", "ing"):
        if word.endswith(ending):
            base = word[: -len(ending)]
            return _step_1b_ending(base) if _HAS_VOWEL.match(base) else word
    return word


def _step_1b_ending(base: str) -> str:
    if base.endswith(("at", "bl", "iz")):
        return f"{base}e"
    if _DOUBLE.search(base):
        return base[:-1]
    return f"{base}e" if _SHORT.match(base) else base


def _step_1c(word: str) -> str:
    return f"{word[:-1]}i" if word.endswith("y") and _HAS_VOWEL.match(word[:-1]) else word


def _step_2(word: str) -> str:
    return _replaced(word, _STEP_2)


def _step_3(word: str) -> str:
    return _replaced(word, _STEP_3)


def _replaced(word: str, endings: tuple[tuple[str, str], ...]) -> str:
    for ending, instead in endings:
        if word.endswith(ending):
            base = word[: -len(ending)]
            return base + instead if _MEASURE_MIN_1.match(base) else word
    return word


def _step_4(word: str) -> str:
    for ending in _STEP_4:
        if word.endswith(ending):
            base = word[: -len(ending)]
            return base if _MEASURE_MIN_2.match(base) else word
    if word.endswith(("sion", "tion")):
        return word[:-3] if _MEASURE_MIN_2.match(word[:-3]) else word
    return word


def _step_5(word: str) -> str:
    if word.endswith("e"):
        base = word[:-1]
        if _MEASURE_MIN_2.match(base) or (_MEASURE_1.match(base) and not _SHORT.match(base)):
            word = base
    return word[:-1] if word.endswith("ll") and _MEASURE_MIN_2.match(word) else word


# Gerunds and singulars

# Shorter words are not read as plurals: "Ann" and "Anns" may be two names.
PLURAL_CHARS_MIN: Final = 4
_VOWELS: Final = "aeiou"


def gerund(verb: str) -> str:
    """Return the gerund of a verb: `paint` → `painting`, `swim` → `swimming`, `dance` → `dancing`."""
    low = verb.lower()
    if low == "be":
        return "being"
    if low.endswith("ie"):
        return low[:-2] + "ying"
    if low.endswith("e") and not low.endswith(("ee", "oe", "ye")):
        return low[:-1] + "ing"
    short = len(low) in (3, 4) and low[-1] not in _VOWELS + "wxyh" and low[-2] in _VOWELS and low[-3] not in _VOWELS
    return low + low[-1] + "ing" if short else low + "ing"


def singular(word: str) -> str | None:
    """Return the likely singular of a plural noun; None if the word is too short or not a regular plural."""
    if word.endswith("ies") and len(word) > 5:
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is", "as", "os", "ics")):
        return word[:-1] if len(word) > PLURAL_CHARS_MIN else None
    return None


# Spelling variants: British and American, compounds, irregular plurals, Roman numerals


def _pairs(text: str) -> dict[str, str]:
    return dict(pair.split("=") for pair in text.split())


# British to American spelling, except words that are also names (Gray, Grey).
AMERICAN: Final = _pairs(
    "colour=color colours=colors favourite=favorite favourites=favorites flavour=flavor flavours=flavors "
    "neighbour=neighbor neighbours=neighbors neighbourhood=neighborhood humour=humor honour=honor labour=labor "
    "behaviour=behavior harbour=harbor theatre=theater theatres=theaters centre=center centres=centers metre=meter "
    "metres=meters kilometre=kilometer kilometres=kilometers litre=liter litres=liters fibre=fiber "
    "jewellery=jewelry aluminium=aluminum moustache=mustache pyjamas=pajamas doughnut=donut doughnuts=donuts "
    "yoghurt=yogurt yoghurts=yogurts organisation=organization organisations=organizations travelling=traveling "
    "traveller=traveler jewelled=jeweled catalogue=catalog dialogue=dialog licence=license defence=defense "
    "paediatrician=pediatrician anaesthetist=anesthetist encyclopaedia=encyclopedia archaeology=archeology"
)
# Compounds written as one word or two.
COMPOUNDS: Final = _pairs(
    "icecream=ice_cream icecreams=ice_creams videogame=video_game videogames=video_games boardgame=board_game "
    "boardgames=board_games highschool=high_school cellphone=cell_phone cellphones=cell_phones "
    "livingroom=living_room diningroom=dining_room swimmingpool=swimming_pool trainstation=train_station "
    "busstop=bus_stop rollercoaster=roller_coaster milkshake=milk_shake hotdog=hot_dog hotdogs=hot_dogs "
    "peanutbutter=peanut_butter applepie=apple_pie greentea=green_tea"
)
SINGULARS: Final = _pairs(
    "women=woman men=man children=child mice=mouse geese=goose feet=foot teeth=tooth wolves=wolf knives=knife "
    "leaves=leaf loaves=loaf shelves=shelf scarves=scarf movies=movie cookies=cookie zombies=zombie calories=calorie "
    "smoothies=smoothie brownies=brownie hoodies=hoodie selfies=selfie veggies=veggie birdies=birdie puppies=puppy "
    "dogs=dog cats=cat cows=cow pigs=pig hens=hen bees=bee ants=ant owls=owl toys=toy cars=car bags=bag hats=hat "
    "caps=cap pens=pen maps=map nuts=nut eggs=egg pies=pie cups=cup boys=boy kids=kid pets=pet keys=key"
)
# Roman numerals from II, except single letters (Model X) and IV (infusion).
ROMAN: Final = _pairs("ii=2 iii=3 vi=6 vii=7 viii=8 ix=9 xi=11 xii=12 xiii=13")
# Transliteration of German letters.
UMLAUTS: Final = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})
