"""English spellings of one word: British, American, compounds, odd plurals, Roman numbers. Data only."""

from typing import Final


def _pairs(text: str) -> dict[str, str]:
    return dict(pair.split("=") for pair in text.split())


# Words that are no names: Gray and Grey are two families.
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
# One word or two, the same thing.
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
# From II on: a single letter is no number (Model X), nor is what every hospital has (IV).
ROMAN: Final = _pairs("ii=2 iii=3 vi=6 vii=7 viii=8 ix=9 xi=11 xii=12 xiii=13")
# How German letters are written where they are missing.
UMLAUTS: Final = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})
