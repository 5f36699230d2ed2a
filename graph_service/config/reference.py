"""Generate `docs/settings.md` from the settings classes."""

import inspect
import sys
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, Field, fields
from enum import Enum
from importlib.resources import files
from typing import Any, Final, Literal, get_args, get_origin, get_type_hints

from extraction.openai_api.vendors import VENDORS
from graph_service.config.sections import Checked, Limits
from graph_service.config.settings import SECTIONS, TOP_KEYS, Settings
from graph_service.config.sources import LIST_KEYS, PREFIX, SECRET_ENDINGS, SECRET_USES, USUAL_NAMES
from schema.frames import summary_and_attributes

_DEFAULTS: Final[Mapping[str, str]] = {
    "data_dir": "`./.mnemoscene/data` if `./.mnemoscene` is trusted, else your user data directory",
    "cache_dir": "your user cache directory",
}


def settings_document() -> str:
    """Return the content of docs/settings.md."""
    page = files("graph_service.config").joinpath("settings_page.md").read_text("utf-8")
    pairs = "\n".join(f"- `{use.address}` with `{use.secret}`" for use in SECRET_USES)
    return page.format(pairs=pairs, sections="\n".join(_sections()), vendors="\n".join(_vendors()))


def meanings(shape: type[Any]) -> dict[str, str]:
    """Return the description of each setting, from the `Attributes:` in the class's docstring."""
    return summary_and_attributes(inspect.getdoc(shape) or "")[1]


def environment_names(key: str) -> list[str]:
    """Return the environment variables of a setting, highest precedence first."""
    return [PREFIX + key.replace(".", "_").upper(), *(name for name, keys in USUAL_NAMES.items() if key in keys)]


def _sections() -> Iterator[str]:
    yield from ("## General", "")
    top = meanings(Settings)
    yield from _table([field for field in fields(Settings) if field.name in TOP_KEYS], Settings, "", top)
    for name, shape in SECTIONS.items():
        about = " ".join((inspect.getdoc(shape) or "").partition("\n\n")[0].split())
        yield from ("", f"## {name}", "", about, "")
        yield from _table(list(fields(shape)), shape, f"{name}.", meanings(shape))


def _vendors() -> Iterator[str]:
    yield from ("| prefix | address | key |", "| --- | --- | --- |")
    for vendor in VENDORS.values():
        own = f"`{vendor.address_variable}`" if vendor.address_variable else None
        address = " or ".join(part for part in (vendor.address, own) if part) or "known to that library"
        yield f"| `{vendor.name}/` | {address} | {f'`{vendor.key_variable}`' if vendor.key_variable else 'none'} |"


def _table(rows: list[Field[Any]], shape: type[Any], prefix: str, meaning_of: Mapping[str, str]) -> Iterator[str]:
    yield from ("| setting | default | values | environment | meaning |", "| --- | --- | --- | --- | --- |")
    hints = get_type_hints(shape, include_extras=True)
    for row in rows:
        key = f"{prefix}{row.name}"
        names = "<br>".join(f"`{name}`" for name in environment_names(key))
        about = meaning_of[row.name] + (" Secret." if key.endswith(SECRET_ENDINGS) else "")
        yield f"| `{key}` | {_default(key, row)} | {_bounds(key, hints[row.name])} | {names} | {about} |"


def _default(key: str, row: Field[Any]) -> str:
    if key in _DEFAULTS:
        return _DEFAULTS[key]
    value = row.default if row.default is not MISSING else None
    if value is None or value == ():
        return "none"
    return f"`{str(value).lower() if isinstance(value, bool) else _number(value)}`"


def _bounds(key: str, hint: Any) -> str:
    """Return the type or the allowed values of a setting, from its annotation."""
    if key in LIST_KEYS:
        return "names, comma-separated in the environment"
    if get_origin(hint) is Literal:
        return ", ".join(f"`{value}`" for value in get_args(hint))
    inner = [part for part in get_args(hint) if part is not type(None)]
    if isinstance(hint, type) or not inner:
        return _kind(hint)
    bounds = {name: bound for part in inner if isinstance(part, Limits) for name, bound in part.bounds.items()}
    low, high = bounds.get("ge", bounds.get("gt")), bounds.get("le")
    if low is None:
        is_text = bounds or any(isinstance(part, Checked) for part in inner)
        return _kind(inner[0]) if is_text else _bounds(key, inner[0])
    return f"{_number(low)} or more" if high is None else f"{_number(low)} to {_number(high)}"


def _number(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _kind(hint: Any) -> str:
    if isinstance(hint, type) and issubclass(hint, Enum):
        return ", ".join(f"`{one.value}`" for one in hint)
    return {bool: "`true`, `false`", int: "a number", float: "a number"}.get(hint, "text")


if __name__ == "__main__":
    sys.stdout.write(settings_document())
