"""Hide the signatures of jars from Java, which otherwise verifies a signed jar each time it opens one.

A start of Neo4j opens the signed jars of Eclipse Collections about thirty times to look for services, which takes two
seconds, and classes of signed jars are not archived. The jars are already verified by the lock's hash. Only the folder
of the signature files is renamed, to a name of equal length, so that the original bytes can be restored.
"""

import re
from pathlib import Path
from typing import Final

from extraction.verified_files import replacing

_SHOWN: Final = b"META-INF/"
_HIDDEN: Final = b"META-OFF/"


def _signature_names(folder: bytes) -> "re.Pattern[bytes]":
    """Return a pattern for names of signature files in zip headers (offset 30 in local ones, 46 in the directory)."""
    places = rb"(?<=PK\x03\x04.{26}%b)|(?<=PK\x01\x02.{42}%b)" % (folder, folder)
    return re.compile(rb"%b(?:%b)(?=[\w-]{1,8}\.(?:SF|RSA|DSA|EC))" % (folder, places), re.DOTALL)


_SHOWN_NAMES: Final = _signature_names(_SHOWN)
_HIDDEN_NAMES: Final = _signature_names(_HIDDEN)


def without_signature(jar: bytes) -> bytes:
    """Return the jar with hidden signature files, of equal length."""
    return _SHOWN_NAMES.sub(_HIDDEN, jar)


def with_signature(jar: bytes) -> bytes:
    return _HIDDEN_NAMES.sub(_SHOWN, jar)


def hide_signature(path: Path) -> bool:
    """Hide the signature of a verified jar; a running Java keeps its open file.

    Returns:
        True if the file was replaced; False if the jar has no signature.
    """
    shown = path.read_bytes()
    hidden = without_signature(shown)
    if hidden == shown:
        return False
    with replacing(path) as file:
        file.write(hidden)
    return True
