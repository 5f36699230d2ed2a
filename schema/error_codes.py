"""Generate docs/errors.md from the error classes."""

import inspect
import sys
from collections.abc import Iterator
from importlib.resources import files

from schema.errors import MnemosceneError


def error_kinds() -> list[type[MnemosceneError]]:
    """Return every error class with a code of its own."""
    return [MnemosceneError, *_kinds_of(MnemosceneError)]


def _kinds_of(kind: type[MnemosceneError]) -> Iterator[type[MnemosceneError]]:
    for narrower in kind.__subclasses__():
        if "code" in vars(narrower):
            yield narrower
        yield from _kinds_of(narrower)


def error_codes_document() -> str:
    """Return the text of docs/errors.md."""
    page = files("schema").joinpath("errors_page.md").read_text("utf-8")
    return page.replace("{errors}", "\n".join(_lines()))


def _lines() -> Iterator[str]:
    yield from ("| code | HTTP | exit |", "| --- | --- | --- |")
    for kind in error_kinds():
        yield f"| [`{kind.code}`](#{kind.code.lower()}) | {kind.http_status} | {kind.exit_code} |"
    for kind in error_kinds():
        yield from ("", f"## {kind.code}", "", _meaning(kind), "", kind.advice)


def _meaning(kind: type[MnemosceneError]) -> str:
    if kind is MnemosceneError:
        return "An unexpected error: a bug in Mnemoscene."
    return " ".join((inspect.getdoc(kind) or "").partition("\n\n")[0].split())


if __name__ == "__main__":
    sys.stdout.write(error_codes_document())
