"""Test settings: precedence of sources, and all errors reported together."""

import os
import pwd
import time
from collections.abc import Mapping
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest

from graph_service.config.folder_trust import (
    CONFIG_BYTES_MAX,
    FolderTrust,
    folder_trust,
    forget_folder,
    trust_folder,
    trusted_folders,
)
from graph_service.config.settings import KNOWN_KEYS, Settings, load_settings, user_directory
from graph_service.config.sources import PREFIX, SECRET_ENDINGS, SECRET_USES, SENT_NOWHERE
from schema.errors import InstallError, NotFoundError


def loaded(folder: Path, environ: Mapping[str, str] | None = None, **more: Any) -> Settings:
    """Return the settings of a machine without other configuration."""
    return load_settings(environ=environ or {}, here=folder, user_dir=folder / "user", **more)


def written(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def trusted(folder: Path) -> None:
    """Trust the folder as it is now."""
    trust_folder(folder, folder / "user")


def standing(folder: Path) -> FolderTrust:
    return folder_trust(folder, folder / "user")


def test_environment_has_priority_over_every_file(tmp_path: Path) -> None:
    written(tmp_path / ".mnemoscene/config.toml", "[service]\nport = 1\nhost = '127.0.0.4'\n[neo4j]\nheap_mb = 256")
    written(tmp_path / "user/config.toml", "[service]\nport = 2\nhost = '127.0.0.2'")
    config = written(tmp_path / "mine.toml", "[service]\nport = 3")
    trusted(tmp_path)
    settings = loaded(tmp_path, {"MNEMOSCENE_SERVICE_PORT": "4"}, config=config)
    assert (settings.service.port, settings.service.host, settings.neo4j.heap_mb) == (4, "127.0.0.2", 256)
    assert loaded(tmp_path, config=config).service.port == 3
    assert loaded(tmp_path).service.port == 2


def test_command_line_has_priority_over_the_environment(tmp_path: Path) -> None:
    settings = loaded(tmp_path, {"MNEMOSCENE_TENANT": "one"}, options={"tenant": "two", "service.port": None})
    assert settings.tenant == "two"
    assert settings.chosen == frozenset({"tenant"})


def test_unknown_option_of_the_command_line_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InstallError, match="the command line: service_port: unknown setting"):
        loaded(tmp_path, options={"service_port": None})


def test_every_error_is_in_one_message(tmp_path: Path) -> None:
    file = written(tmp_path / ".mnemoscene/config.toml", "[service]\nprot = 1\n[embedding]\nkind = 'magic'\ndim = 0")
    trusted(tmp_path)
    with pytest.raises(InstallError) as caught:
        loaded(
            tmp_path,
            {"MNEMOSCENE_SERVICE_PORT": "many", "MNEMOSCENE_TENNANT": "x", "MNEMOSCENE_URL": "nowhere"},
            config=tmp_path / "no.toml",
        )
    told = caught.value.message
    assert f"{file}: service.prot: unknown setting; did you mean service.port?" in told
    assert f"{file}: embedding.kind: 'magic' is invalid" in told
    assert f"{file}: embedding.dim: 0 is invalid" in told
    assert "MNEMOSCENE_SERVICE_PORT: 'many' is invalid" in told
    assert "MNEMOSCENE_URL: 'nowhere' is invalid: value error, is no address of a service; use http://HOST:PORT" in told
    assert "MNEMOSCENE_TENNANT: unknown setting; did you mean MNEMOSCENE_TENANT?" in told
    assert "no.toml: no such file" in told


def test_broken_file_is_named_with_its_line(tmp_path: Path) -> None:
    written(tmp_path / "user/config.toml", "[service\n")
    with pytest.raises(InstallError, match=r"config\.toml: cannot be read as TOML.*line 1"):
        loaded(tmp_path)


def test_variable_names_of_other_tools_are_accepted(tmp_path: Path) -> None:
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
    assert settings.embedding.resolved_kind == "openai"


def test_api_key_alone_enables_no_model(tmp_path: Path) -> None:
    settings = loaded(tmp_path, {"OPENAI_API_KEY": "key"})
    assert (settings.llm.model, settings.embedding.resolved_kind) == (None, "local")


def test_server_address_without_password_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InstallError, match="NEO4J_PASSWORD is not set"):
        loaded(tmp_path, {"NEO4J_URI": "bolt://db:7687"})


def test_data_of_a_trusted_project_stays_in_it(tmp_path: Path) -> None:
    (tmp_path / ".mnemoscene").mkdir()
    assert loaded(tmp_path).data_dir != tmp_path / ".mnemoscene" / "data"
    trusted(tmp_path)
    assert loaded(tmp_path).data_dir == tmp_path / ".mnemoscene" / "data"


def test_untrusted_working_directory_sets_nothing(tmp_path: Path) -> None:
    written(tmp_path / ".mnemoscene/config.toml", "tenant = 'theirs'\n[llm]\nbase_url = 'http://evil'\nmodel = 'm'")
    settings = loaded(tmp_path, {"OPENAI_API_KEY": "key"})
    assert (settings.tenant, settings.llm.base_url, settings.llm.model) == ("default", None, None)
    assert (settings.read_from, settings.folder.state) == ((), "untrusted")
    assert "`mnemoscene trust`" in settings.folder.note
    assert "\n" not in settings.folder.note
    # An invalid file there is not an error either, since it is not read.
    written(tmp_path / ".mnemoscene/config.toml", "[service\n")
    assert loaded(tmp_path).folder.state == "untrusted"


def test_trusted_file_counts_until_it_changes(tmp_path: Path) -> None:
    file = written(tmp_path / ".mnemoscene/config.toml", "tenant = 'mine'")
    trusted(tmp_path)
    assert loaded(tmp_path).tenant == "mine"
    assert loaded(tmp_path).read_from == (str(file),)
    state = file.stat()
    file.write_text("tenant = 'evil'")
    os.utime(file, ns=(state.st_atime_ns, state.st_mtime_ns))
    changed = loaded(tmp_path)
    assert (changed.tenant, changed.folder.state) == ("default", "changed")
    assert changed.data_dir != tmp_path / ".mnemoscene" / "data"
    trusted(tmp_path)
    assert loaded(tmp_path).tenant == "evil"
    file.unlink()
    assert loaded(tmp_path).folder.state == "changed"


def test_trust_applies_to_one_directory_only(tmp_path: Path) -> None:
    for name in ("a", "a/b"):
        written(tmp_path / name / ".mnemoscene/config.toml", "tenant = 'mine'")
    user = tmp_path / "user"
    trust_folder(tmp_path / "a", user)
    (tmp_path / "a/c").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "a")
    tenants = [
        load_settings(environ={}, here=tmp_path / name, user_dir=user).tenant for name in ("a", "link", "a/b", "a/c")
    ]
    assert tenants == ["mine", "mine", "default", "default"]


def test_trust_is_listed_and_removed(tmp_path: Path) -> None:
    user = tmp_path / "user"
    for name in ("two", "one"):
        (tmp_path / name / ".mnemoscene").mkdir(parents=True)
        trust_folder(tmp_path / name, user)
    assert [record.folder.name for record in trusted_folders(user)] == ["one", "two"]
    assert {file.stat().st_mode & 0o777 for file in (user / "trusted").iterdir()} == {0o600}
    forget_folder(tmp_path / "one", user)
    assert [record.folder.name for record in trusted_folders(user)] == ["two"]
    with pytest.raises(NotFoundError, match="is not trusted"):
        forget_folder(tmp_path / "one", user)
    with pytest.raises(NotFoundError, match="mnemoscene init"):
        trust_folder(tmp_path, user)
    (tmp_path / "two/.mnemoscene").rmdir()
    (tmp_path / "two").rmdir()
    assert forget_folder(tmp_path / "two", user).folder == tmp_path / "two"


@pytest.mark.parametrize("kind", ["pipe", "device", "link", "folder", "large", "writable", "folder link"])
def test_irregular_settings_file_neither_counts_nor_blocks(tmp_path: Path, kind: str) -> None:
    file = written(tmp_path / ".mnemoscene/config.toml", "tenant = 'mine'")
    trusted(tmp_path)
    if kind != "writable":
        file.unlink()
    match kind:
        case "pipe":
            os.mkfifo(file)
        case "device":
            file.symlink_to("/dev/zero")
        case "link":
            file.symlink_to(written(tmp_path / "elsewhere.toml", "tenant = 'mine'"))
        case "folder":
            file.mkdir()
        case "large":
            file.write_text("#" * (CONFIG_BYTES_MAX + 1))
        case "writable":
            file.chmod(0o666)
        case "folder link":
            (tmp_path / ".mnemoscene").rmdir()
            written(tmp_path / "elsewhere/config.toml", "tenant = 'mine'")
            (tmp_path / ".mnemoscene").symlink_to(tmp_path / "elsewhere")
    begun_s = time.monotonic()
    settings = loaded(tmp_path)
    assert time.monotonic() - begun_s < 10
    assert (settings.tenant, settings.folder.state) == ("default", "unsafe")
    if kind == "writable":
        trusted(tmp_path)
        assert (loaded(tmp_path).tenant, file.stat().st_mode & 0o777) == ("mine", 0o644)
    else:
        with pytest.raises(InstallError, match="cannot be trusted"):
            trusted(tmp_path)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files to others")
def test_folder_of_another_user_does_not_count(tmp_path: Path) -> None:
    file = written(tmp_path / ".mnemoscene/config.toml", "tenant = 'mine'")
    trusted(tmp_path)
    os.chown(file, 12345, -1)
    assert standing(tmp_path).state == "unsafe"
    os.chown(file, 0, -1)
    assert standing(tmp_path).state == "trusted"
    os.chown(file.parent, 12345, -1)
    assert standing(tmp_path).state == "unsafe"


def test_folder_writable_by_everybody_does_not_count(tmp_path: Path) -> None:
    written(tmp_path / ".mnemoscene/config.toml", "tenant = 'mine'")
    trusted(tmp_path)
    tmp_path.chmod(0o777)
    assert standing(tmp_path).state == "unsafe"
    tmp_path.chmod(0o1777)
    assert standing(tmp_path).state == "trusted"


def test_without_a_home_directory_the_working_directory_is_not_used_instead(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a container with a numeric user without a name; `~` is then not expanded."""

    def unknown(_number: int) -> None:
        raise KeyError

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(pwd, "getpwuid", unknown)
    monkeypatch.delenv("HOME")
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    written(tmp_path / "~/.config/mnemoscene/config.toml", "tenant = 'theirs'")
    assert user_directory() is None
    with pytest.raises(InstallError, match="no home directory for data_dir"):
        load_settings(environ={}, here=tmp_path)
    places = {"MNEMOSCENE_DATA_DIR": "/d", "MNEMOSCENE_CACHE_DIR": "/c"}
    assert load_settings(environ=places, here=tmp_path).tenant == "default"


def _values(address: str, secret: str, when: str | None) -> tuple[dict[str, str], dict[str, str]]:
    """Return the settings required beside an address and a secret, with both."""
    urls = {"neo4j.uri": "bolt://there:7687"}
    more = {when: "m"} if when else {}
    return more, {address: urls.get(address, "http://there:1"), secret: "hush-hush"}


def _variable(key: str) -> str:
    return PREFIX + key.replace(".", "_").upper()


def _toml(values: Mapping[str, str]) -> str:
    sections = [(*key.rpartition(".")[::2], value) for key, value in values.items()]
    return "".join((f"[{section}]\n" if section else "") + f"{key} = {value!r}\n" for section, key, value in sections)


SOURCES = ("environment", "config", "user", "folder")


@pytest.mark.parametrize("use", SECRET_USES, ids=lambda use: use.secret)
@pytest.mark.parametrize("address_in", SOURCES)
@pytest.mark.parametrize("secret_in", SOURCES)
def test_address_gets_no_secret_of_a_higher_source(tmp_path: Path, use: Any, address_in: str, secret_in: str) -> None:
    more, values = _values(use.address, use.secret, use.when)
    environ = {_variable(key): value for key, value in more.items()}
    said: dict[str, dict[str, str]] = {source: {} for source in SOURCES}
    for key, source in ((use.address, address_in), (use.secret, secret_in)):
        said[source][key] = values[key]
    environ |= {_variable(key): value for key, value in said["environment"].items()}
    config = written(tmp_path / "config.toml", _toml(said["config"])) if said["config"] else None
    for source, path in (("user", "user/config.toml"), ("folder", ".mnemoscene/config.toml")):
        # A TOML file may contain a section only once.
        written(tmp_path / path, "".join(dict.fromkeys(_toml(said[source]).splitlines(keepends=True))))
    if config is not None:
        config.write_text("".join(dict.fromkeys(config.read_text().splitlines(keepends=True))))
    trusted(tmp_path)
    if SOURCES.index(address_in) <= SOURCES.index(secret_in):
        settings = loaded(tmp_path, environ, config=config)
        assert attrgetter(use.address)(settings) == values[use.address]
        return
    with pytest.raises(InstallError) as caught:
        loaded(tmp_path, environ | {"MNEMOSCENE_WINDOW_TURNS": "0"}, config=config)
    (told,) = [line for line in caught.value.message.splitlines() if "would be sent there" in line]
    assert use.address in told
    assert (_variable(use.secret) if secret_in == "environment" else f"config.toml: {use.secret}") in told
    assert f"unset {_variable(use.secret)}" in told or "unset" in told
    assert "hush" not in caught.value.message
    assert "MNEMOSCENE_WINDOW_TURNS" in caught.value.message, "all problems are told at once"


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("OTEL_EXPORTER_OTLP_HEADERS", "[traces]\nendpoint = 'http://there:1'"),
        ("OPENAI_CUSTOM_HEADERS", "[llm]\nbase_url = 'http://there:1'\nmodel = 'm'"),
        ("OPENAI_API_KEY", "[llm]\nbase_url = 'http://there:1'\nmodel = 'm'"),
    ],
)
def test_secrets_read_by_libraries_are_not_used_either(tmp_path: Path, name: str, line: str) -> None:
    written(tmp_path / ".mnemoscene/config.toml", line)
    trusted(tmp_path)
    with pytest.raises(InstallError, match=name):
        loaded(tmp_path, {name: "authorization=hush"})


def test_each_secret_is_in_the_table_of_secret_destinations() -> None:
    secrets = {key for key in KNOWN_KEYS if key.endswith(SECRET_ENDINGS)}
    assert {use.secret for use in SECRET_USES} | set(SENT_NOWHERE) == secrets
    assert {use.address for use in SECRET_USES} <= set(KNOWN_KEYS)


def test_token_key_file_named_by_a_working_directory_is_refused(tmp_path: Path) -> None:
    written(tmp_path / ".mnemoscene/config.toml", "[auth]\njwt_public_key = 'key.pem'\njwt_audience = 'here'")
    trusted(tmp_path)
    with pytest.raises(InstallError, match="must be the PEM itself"):
        loaded(tmp_path)


def test_secrets_are_neither_shown_nor_repeated_in_errors(tmp_path: Path) -> None:
    environ = {"NEO4J_URI": "bolt://db", "NEO4J_PASSWORD": "hush-1", "OPENAI_API_KEY": "hush-2"}
    environ |= {"MNEMOSCENE_AUTH_JWT_SECRET": "hush-4" * 8, "MNEMOSCENE_AUTH_JWT_AUDIENCE": "here"}
    assert "hush" not in repr(loaded(tmp_path, environ))
    file = written(tmp_path / "a.toml", "[llm]\napi_key = ['hush-3']")
    with pytest.raises(InstallError) as caught:
        loaded(tmp_path, config=file)
    assert "hush" not in caught.value.message


def test_list_of_host_names_is_read_from_one_variable(tmp_path: Path) -> None:
    settings = loaded(tmp_path, {"MNEMOSCENE_SERVICE_ALLOWED_HOSTS": "a.example, b.example"})
    assert settings.service.allowed_hosts == ("a.example", "b.example")


def test_every_error_in_a_redis_url_is_reported_without_its_password(tmp_path: Path) -> None:
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
        loaded(tmp_path, {"MNEMOSCENE_WINDOW_TURNS": "0", "MNEMOSCENE_REDIS_TIMEOUT_S": "99"})
    assert "MNEMOSCENE_WINDOW_TURNS: '0'" in both.value.message
    assert "MNEMOSCENE_REDIS_TIMEOUT_S: '99'" in both.value.message


@pytest.mark.parametrize(
    "url",
    ["redis://h", "redis://:p@h:6379/2", "rediss://u:p@h:1/", "unix:///run/redis.sock?db=1", "redis://[::1]:6379"],
)
def test_usual_redis_urls_are_accepted(tmp_path: Path, url: str) -> None:
    settings = loaded(tmp_path, {"REDIS_URL": "redis://other", "MNEMOSCENE_REDIS_URL": url})
    assert settings.redis.url == url
    assert url not in repr(settings)
