"""Frames for what people mention in passing: habits given up, fields of work, ambitions, teams."""

from typing import Final

from extraction.rules.en.frames import Frame, States, after, clause_frame, positions, read_exact
from extraction.rules.en.phrases import things
from extraction.rules.en.slot_table import SERVICES
from extraction.rules.en.statements import (
    LIVES,
    NO_LONGER_USES,
    NO_LONGER_WORKS_AT,
    ORG,
    PROPER,
    TOPIC,
    USES,
    WORKS_AS,
)
from extraction.rules.en.word_classes import any_of
from extraction.rules.engine import ObjectPhrase
from schema.entity import EntityType

_STOP: Final = r"(?=$|[,.;!)]| (?:and|but|or|so|for|now|at|in|on|with|since|until|till|when|because|as|every|like)\b)"
_FIELD: Final = any_of(
    "insurance|finance|banking|retail|marketing|advertising|it|tech|hr|human resources|logistics|hospitality|catering|"
    "construction|publishing|education|healthcare|health care|social care|childcare|real estate|property|sales|"
    "tourism|fashion|film|tv|television|media|pharma|biotech|telecoms|manufacturing|farming|forestry|security|"
    "recruitment|procurement|politics|academia|customer service|customer support|the civil service|the nhs|shipping|"
    "aviation|oil|mining|accounting|accounts|admin|compliance|journalism|law|theatre|radio|events|care"
)
_VICE: Final = {"smoke": "smoking", "vape": "vaping", "drink": "drinking", "gamble": "gambling"}


def _vice(text: str) -> list[ObjectPhrase]:
    return [ObjectPhrase(_VICE[text.lower()], EntityType.ACTIVITY)]


def _ambition(text: str) -> list[ObjectPhrase]:
    """Return an ambition: "become an astronaut"; none for "become a better person"."""
    found = positions(text)[:1]
    return [ObjectPhrase(f"become {_article(one.name)} {one.name}", EntityType.ACTIVITY) for one in found]


def _article(name: str) -> str:
    return "an" if name[0].lower() in "aeiou" else "a"


def _instrument(text: str) -> list[ObjectPhrase]:
    return [ObjectPhrase(name, EntityType.ACTIVITY) for name in things(text)[:1]]


_NO_LONGER_DOES: Final = States(
    says="{s} has given up {o}.", predicate="PREFERS", read=_vice, kind=EntityType.ACTIVITY, closes=True
)
_WORKS_IN: Final = States(says="{s} works in {o}.", relation="works in", read=read_exact, kind=TOPIC)
_WANTS_TO: Final = States(
    says="{s} wants to {o}.", predicate="CARES_ABOUT", relation="goal", read=_ambition, kind=EntityType.ACTIVITY
)
_PLAYS_FOR: Final = States(says="{s} plays for {o}.", relation="plays for", read=read_exact, kind=ORG)
_LEARNS: Final = States(says="{s} learns {o}.", relation="learns", read=_instrument)

HOUSEHOLD: Final[tuple[Frame, ...]] = (
    # "I used to smoke a pack a day"
    after(
        rf"used to (?P<o>smoke|vape|gamble)(?: (?:a pack|a lot|heavily|like a chimney|\w+ (?:a|per) day).*)?{_STOP}",
        _NO_LONGER_DOES,
    ),
    # "My sister works in insurance"
    after(
        rf"(?:works?|working|am working|is working|have worked|has worked)(?: (?:mostly|mainly|part-time|full-time))? "
        rf"in (?P<o>{_FIELD}){_STOP}",
        _WORKS_IN,
    ),
    # "My son wants to be an astronaut"
    after(
        r"(?:wants?|hopes?|(?:has |have )?always wanted|dreams?|is dreaming|am dreaming)(?: to be(?:come)?| of "
        r"(?:being|becoming)) (?P<o>an? .+)",
        _WANTS_TO,
    ),
    # "Daan plays for Ajax"
    after(
        rf"(?:plays?|playing|am playing|is playing|rows?|skates?)(?: \w+)? for (?P<o>{PROPER}|an? "
        rf"[\w' -]{{2,30}}?(?:team|club|side|league)\b(?! (?:team|side)))",
        _PLAYS_FOR,
    ),
    # "I'm 52 and learning the cello"
    after(
        r"(?:am|is) .{1,30}?,? and (?:currently |now |still |just |also )*(?:learning|teaching myself)(?: to play)? "
        r"(?P<o>(?:the )?[a-z]+)" + _STOP,
        _LEARNS,
    ),
    # "We swapped broadband from TalkSafe to Zenlink"
    after(
        rf"(?:swapped|switched|changed|moved|transferred) (?:(?:my|our|the) )?(?:{SERVICES})(?: (?:provider|"
        rf"supplier|contract|deal|plan))? from (?P<old>{PROPER}) (?:over )?to (?P<o>{PROPER})",
        USES,
        NO_LONGER_USES,
    ),
    # "not at the council any more"
    clause_frame(
        r"^(?:I am |I'm )?(?:not|no longer) (?:at|working at|working for) "
        r"(?P<old>(?:the )?[A-Za-z][\w&' -]{2,40}?)(?: any ?more| any longer| now| these days)(?=$|[,.;!])",
        NO_LONGER_WORKS_AT,
    ),
    # "started as a teaching assistant in September"
    after(r"(?:(?:have|has|just|only) )*started (?:work |working |out )?as (?P<j>an? .+)", WORKS_AS),
    # "retired to a bungalow near Skegness"
    after(
        r"(?:(?:have|has|just|finally) )*(?:retired|emigrated|moved out) to (?P<o>[A-Z].+|an? (?:[a-z-]+ ){0,2}"
        r"(?:bungalow|cottage|flat|village|farm|house|caravan|boat|town)\b.*)",
        LIVES,
    ),
)
