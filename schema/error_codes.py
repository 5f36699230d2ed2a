"""Generate docs/errors.md from the error classes."""

import inspect
import sys
from collections.abc import Iterator

from schema.errors import MnemosceneError

_HEAD = """\
# Errors

Written by `python -m schema.error_codes > docs/errors.md` from `schema/errors.py`; change that.

Every error message says what was wrong and what to do; its code is stable. Each API reports an error like this:

| API | form |
| --- | --- |
| GraphQL | status 200; `errors[].message`, and the code in `errors[].extensions.code` |
| REST | the HTTP status; `{"error": {"code": "…", "message": "…"}}`, and `Retry-After` when it is known |
| WebSocket | a frame `error` with the code, or the close code 1008 with the code as reason |
| MCP | a tool result with `isError`, and the code before the message |
| command line | the message on standard error, and the exit code |

Every HTTP response has `X-Request-Id`; log lines of the request have the same value as `request`. A client may choose
the value by sending that header (letters, digits, `.`, `_`, `-`; 64 at most).

| code | HTTP | exit |
| --- | --- | --- |"""


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
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    yield _HEAD
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
