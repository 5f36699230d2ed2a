"""Settings: who wins, and that all mistakes are told at once."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from graph_service.settings import Settings, load_settings
from schema.errors import InstallError


def loaded(folder: Path, environ: Mapping[str, str] | None = None, **more: Any) -> Settings:
    """Settings of an otherwise empty machine."""
    return load_settings(environ=environ or {}, here=folder, user_dir=folder / "user", **more)


def written(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_the_environment_wins_over_every_file(tmp_path: Path) -> None:
    written(tmp_path / ".mnemograph/config.toml", "[service]\nport = 1\nhost = '127.0.0.4'\n[neo4j]\nheap_mb = 256")
    written(tmp_path / "user/config.toml", "[service]\nport = 2\nhost = '127.0.0.2'")
    config = written(tmp_path / "mine.toml", "[service]\nport = 3")
    settings = loaded(tmp_path, {"MNEMOGRAPH_SERVICE_PORT": "4"}, config=config)
    assert (settings.service.port, settings.service.host, settings.neo4j.heap_mb) == (4, "127.0.0.2", 256)
    assert loaded(tmp_path, config=config).service.port == 3
    assert loaded(tmp_path).service.port == 2


def test_the_command_line_wins_over_the_environment(tmp_path: Path) -> None:
    settings = loaded(tmp_path, {"MNEMOGRAPH_TENANT": "one"}, options={"tenant": "two", "service.port": None})
    assert settings.tenant == "two"
    assert settings.chosen == frozenset({"tenant"})


def test_every_mistake_is_told_in_one_message(tmp_path: Path) -> None:
    file = written(tmp_path / ".mnemograph/config.toml", "[service]\nprot = 1\n[embedding]\nkind = 'magic'\ndim = 0")
    with pytest.raises(InstallError) as caught:
        loaded(tmp_path, {"MNEMOGRAPH_SERVICE_PORT": "many", "MNEMOGRAPH_TENNANT": "x"}, config=tmp_path / "no.toml")
    told = caught.value.message
    assert f"{file}: service.prot: there is no such setting; did you mean service.port?" in told
    assert f"{file}: embedding.kind: 'magic' does not fit" in told
    assert f"{file}: embedding.dim: 0 does not fit" in told
    assert "MNEMOGRAPH_SERVICE_PORT: 'many' does not fit" in told
    assert "MNEMOGRAPH_TENNANT: there is no such setting; did you mean MNEMOGRAPH_TENANT?" in told
    assert "no.toml: there is no such file" in told


def test_a_broken_file_is_named_with_its_line(tmp_path: Path) -> None:
    written(tmp_path / "user/config.toml", "[service\n")
    with pytest.raises(InstallError, match=r"config\.toml: cannot be read as TOML.*line 1"):
        loaded(tmp_path)


def test_the_usual_names_of_other_tools_are_understood(tmp_path: Path) -> None:
    environ = {
        "NEO4J_URI": "bolt://db:7687",
        "NEO4J_USERNAME": "reader",
        "NEO4J_PASSWORD": "secret",
        "OPENAI_API_KEY": "key",
        "OPENAI_BASE_URL": "http://models/v1",
        "LLM_MODEL": "small",
        "EMBEDDING_MODEL": "vectors",
    }
    settings = loaded(tmp_path, environ)
    assert (settings.neo4j.uri, settings.neo4j.user, settings.neo4j.password) == ("bolt://db:7687", "reader", "secret")
    assert (settings.llm.model, settings.llm.api_key, settings.llm.base_url) == ("small", "key", "http://models/v1")
    assert settings.embedding.wanted == "openai"


def test_a_key_alone_switches_no_model_on(tmp_path: Path) -> None:
    settings = loaded(tmp_path, {"OPENAI_API_KEY": "key"})
    assert (settings.llm.model, settings.embedding.wanted) == (None, "local")


def test_a_server_address_without_password_is_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(InstallError, match="NEO4J_PASSWORD is not set"):
        loaded(tmp_path, {"NEO4J_URI": "bolt://db:7687"})


def test_data_stays_in_the_project_when_it_has_a_folder_for_it(tmp_path: Path) -> None:
    assert loaded(tmp_path).data_dir != tmp_path / ".mnemograph" / "data"
    (tmp_path / ".mnemograph").mkdir()
    assert loaded(tmp_path).data_dir == tmp_path / ".mnemograph" / "data"


def test_secrets_are_neither_shown_nor_echoed_in_mistakes(tmp_path: Path) -> None:
    environ = {"NEO4J_URI": "bolt://db", "NEO4J_PASSWORD": "hush-1", "OPENAI_API_KEY": "hush-2"}
    environ |= {"MNEMOGRAPH_AUTH_JWT_SECRET": "hush-4" * 8, "MNEMOGRAPH_AUTH_JWT_AUDIENCE": "here"}
    assert "hush" not in repr(loaded(tmp_path, environ))
    file = written(tmp_path / "a.toml", "[llm]\napi_key = ['hush-3']")
    with pytest.raises(InstallError) as caught:
        loaded(tmp_path, config=file)
    assert "hush" not in caught.value.message


def test_several_host_names_come_from_one_variable(tmp_path: Path) -> None:
    settings = loaded(tmp_path, {"MNEMOGRAPH_SERVICE_ALLOWED_HOSTS": "a.example, b.example"})
    assert settings.service.allowed_hosts == ("a.example", "b.example")


def test_every_mistake_in_a_redis_address_is_told_without_its_password(tmp_path: Path) -> None:
    """Requirements C14, F1."""
    for url in (
        "http://:hush@host",
        "redis://:hush@",
        "redis://:hush@host:99999",
        "redis://:hush@host:port",
        "redis://:hush@host/mine",
        "redis://:hush@[::1",
        "redis://:hush@host:0",
        "unix://",
        "x" * 3_000 + "hush",
    ):
        with pytest.raises(InstallError, match=r"redis\.url|REDIS_URL") as caught:
            loaded(tmp_path, {"REDIS_URL": url, "LLM_MODEL": "m"})
        assert "hush" not in caught.value.message
    with pytest.raises(InstallError) as both:
        loaded(tmp_path, {"MNEMOGRAPH_WINDOW_TURNS": "0", "MNEMOGRAPH_REDIS_TIMEOUT_S": "99"})
    assert "MNEMOGRAPH_WINDOW_TURNS: '0'" in both.value.message
    assert "MNEMOGRAPH_REDIS_TIMEOUT_S: '99'" in both.value.message


@pytest.mark.parametrize(
    "url",
    ["redis://h", "redis://:p@h:6379/2", "rediss://u:p@h:1/", "unix:///run/redis.sock?db=1", "redis://[::1]:6379"],
)
def test_the_usual_redis_addresses_are_taken(tmp_path: Path, url: str) -> None:
    """Requirement C14."""
    settings = loaded(tmp_path, {"REDIS_URL": "redis://other", "MNEMOGRAPH_REDIS_URL": url})
    assert settings.redis.url == url
    assert url not in repr(settings)
