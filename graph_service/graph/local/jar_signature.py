"""Hides the signatures of signed jars from Java, which else proves them again at each look into such a jar.

A start of Neo4j looks about thirty times into the signed jars of Eclipse Collections for services: two seconds. A class
archive also holds no class of a signed jar. The lock's hash has proved these jars already; their signature files only
get another folder name of the same length, so that nothing in the jar moves and the proved bytes can be had back.
"""

import os
import re
from pathlib import Path
from typing import Final

from graph_service.graph.local.jar_file import part_file

_SHOWN: Final = b"META-INF/"
_HIDDEN: Final = b"META-OFF/"


def _signature_names(folder: bytes) -> "re.Pattern[bytes]":
    """Return names of signature files where a zip has names: 30 bytes into a local header, 46 into one of the
    directory.
    """
    places = rb"(?<=PK\x03\x04.{26}%b)|(?<=PK\x01\x02.{42}%b)" % (folder, folder)
    return re.compile(rb"%b(?:%b)(?=[\w-]{1,8}\.(?:SF|RSA|DSA|EC))" % (folder, places), re.DOTALL)


_SHOWN_NAMES: Final = _signature_names(_SHOWN)
_HIDDEN_NAMES: Final = _signature_names(_HIDDEN)


def without_signature(jar: bytes) -> bytes:
    """Return the jar as Java shall see it, of the same length."""
    return _SHOWN_NAMES.sub(_HIDDEN, jar)


def with_signature(jar: bytes) -> bytes:
    """Return the jar as its maker published it."""
    return _HIDDEN_NAMES.sub(_SHOWN, jar)


def hide_signature(path: Path) -> bool:
    """Take the signature of a proved jar out of Java's sight; a running Java keeps the file it has open.

    Returns:
        True when another file is there now; False when the jar had no signature to hide.
    """
    shown = path.read_bytes()
    hidden = without_signature(shown)
    if hidden == shown:
        return False
    with part_file(path) as (part, number):
        with os.fdopen(number, "wb", closefd=False) as file:
            file.write(hidden)
        os.replace(part, path)
    return True
