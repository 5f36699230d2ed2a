"""Short forms of first names, for suggesting duplicate entities; people decide whether to merge them."""

from collections.abc import Mapping
from functools import cache
from typing import Final

_LINES: Final = """
robert bob bobby rob robbie bert
william bill billy will willy liam
elizabeth liz lizzie beth betty eliza lisa libby
katherine kate katie kathy kat catherine cathy kathleen
margaret maggie meg peggy greta
richard rick dick richie ricky
james jim jimmy jamie
john johnny jack jon
joseph joe joey
michael mike mikey mick
thomas tom tommy
edward ed eddie ted teddy ned
charles charlie chuck
daniel dan danny
david dave davy
matthew matt matty
andrew andy drew
anthony tony
christopher chris kit topher
christina chris tina christine chrissy
alexander alex sasha xander
alexandra alex sasha sandra
benjamin ben benny
samuel sam sammy
samantha sam sammy
nicholas nick nicky
patricia pat patty tricia
patrick pat paddy
jennifer jen jenny
jessica jess jessie
rebecca becky becca
susan sue susie
deborah deb debbie
stephen steve stevie steven
timothy tim timmy
gregory greg
jonathan jon jonny nathan
joshua josh
lawrence larry
leonard leo lenny
frederick fred freddy
francis frank frankie
theodore ted teddy theo
victoria vicky tori
anna annie anya
abigail abby gail
gabriel gabe
gabriella gabby ella
maximilian max
natalie nat
nathaniel nate nat
peter pete
philip phil
raymond ray
ronald ron ronnie
donald don donnie
kenneth ken kenny
zachary zach zack
"""


@cache
def full_names() -> Mapping[str, frozenset[str]]:
    """Return the full names that a name may be short for; a full name includes itself."""
    found: dict[str, set[str]] = {}
    for line in _LINES.split("\n"):
        names = line.split()
        for name in names:
            found.setdefault(name, set()).add(names[0])
    return {name: frozenset(of) for name, of in found.items()}
