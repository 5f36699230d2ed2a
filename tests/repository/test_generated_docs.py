"""Test that docs/errors.md and docs/settings.md are generated from the code."""

import re
from pathlib import Path

import pytest

from graph_service.api.errors import error_response
from graph_service.config.reference import environment_names, meanings, settings_document
from graph_service.config.settings import KNOWN_KEYS, SECTIONS, Settings, load_settings
from schema.error_codes import error_codes_document, error_kinds
from schema.errors import InstallError, MnemosceneError, RateLimitError

ROOT = Path(__file__).parents[2]
SETTINGS = (ROOT / "docs/settings.md").read_text("utf-8")


def test_errors_page_is_current() -> None:
    assert (ROOT / "docs/errors.md").read_text("utf-8") == error_codes_document()


def test_settings_page_is_current() -> None:
    assert settings_document() == SETTINGS


def test_each_error_has_its_own_code_exit_code_and_advice() -> None:
    kinds = error_kinds()
    assert len({kind.code for kind in kinds}) == len(kinds)
    own = [kind.exit_code for kind in kinds if "exit_code" in vars(kind)]
    assert len(set(own)) == len(own)
    assert len({kind.advice for kind in kinds}) == len(kinds)
    assert all(kind.advice.endswith(".") for kind in kinds)


def test_error_codes_are_defined_in_one_module() -> None:
    """Callers who catch by code must know all codes; errors of other modules are subclasses without a code of their
    own."""
    others = [
        str(path.relative_to(ROOT))
        for folder in ("schema", "extraction", "graph_service")
        for path in (ROOT / folder).rglob("*.py")
        if path.name != "errors.py" and re.search(r'^    code(: [\w\[\]]+)? = "', path.read_text("utf-8"), re.MULTILINE)
    ]
    assert others == []


@pytest.mark.parametrize("kind", error_kinds(), ids=lambda kind: kind.code)
def test_each_error_has_its_http_status_and_code(kind: type[MnemosceneError]) -> None:
    error = RateLimitError("too often", 3.2) if kind is RateLimitError else kind("what was wrong")
    answer = error_response(error)
    assert (answer.status_code, kind.code in bytes(answer.body).decode()) == (kind.http_status, True)


def test_each_setting_has_a_description_and_a_variable() -> None:
    for name, shape in SECTIONS.items():
        assert set(shape.__dataclass_fields__) <= set(meanings(shape)), name
    assert [key for key in KNOWN_KEYS if f"| `{key}` |" not in SETTINGS] == []
    variables = [environment_names(key)[0] for key in KNOWN_KEYS]
    assert len(set(variables)) == len(KNOWN_KEYS)


def test_each_documented_default_is_the_actual_one(tmp_path: Path) -> None:
    settings = load_settings(environ={}, here=tmp_path, user_dir=tmp_path / "user")
    for key in KNOWN_KEYS:
        section, dot, name = key.partition(".")
        value = getattr(getattr(settings, section), name) if dot else getattr(settings, key)
        if key in ("data_dir", "cache_dir"):
            continue
        told = re.search(rf"^\| `{re.escape(key)}` \| `?([^`|]*?)`? \|", SETTINGS, re.MULTILINE)
        shown = "none" if value in (None, ()) else f"{value:g}" if isinstance(value, float) else str(value)
        assert (told[1] if told else key).casefold() == shown.casefold(), key


def test_example_of_the_settings_page_is_accepted(tmp_path: Path) -> None:
    (example,) = re.findall(r"^```toml\n(.*?)^```$", SETTINGS, re.MULTILINE | re.DOTALL)
    file = tmp_path / "config.toml"
    file.write_text(example, "utf-8")
    assert load_settings(config=file, environ={}, here=tmp_path, user_dir=tmp_path).service.port == 7780


def test_every_invalid_setting_of_every_section_is_reported_at_once(tmp_path: Path) -> None:
    """One invalid value for each bounded setting."""
    bounded = [key for key in KNOWN_KEYS if re.search(rf"`{re.escape(key)}` \|.*\| [0-9.]+ (to|or)", SETTINGS)]
    environ = {environment_names(key)[0]: "-7.5" for key in bounded}
    with pytest.raises(InstallError) as told:
        load_settings(environ=environ, here=tmp_path, user_dir=tmp_path)
    assert len(bounded) > 25
    assert [name for name in environ if name not in told.value.message] == []
    assert isinstance(Settings().read_from, tuple)
