"""Zip archives of others, hostile until checked, and reproducible ones of ours."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import stat
import tempfile
import zipfile
import zlib
from pathlib import Path, PurePosixPath
from typing import IO, Any

from drawbar.blocks.core.cache import cache_folder, make_cache_folder
from drawbar.blocks.core.errors import FmuError
from drawbar.blocks.core.safe_xml import DoctypeError, MalformedXml, parse_hostile

MAX_FILES = 10_000
MAX_BYTES = 2 * 1024**3  # unpacked
MAX_XML_BYTES = 100 * 1024**2
# a bomb of zeros is compressed 1000:1; small files are harmless at any ratio
MAX_RATIO, MIN_BOMB_SIZE = 500, 10 * 1024**2
_FIXED_TIME = (1980, 1, 1, 0, 0, 0)
_LEVEL = 6


def write_archive(path: Path, files: dict[str, bytes]) -> None:
    """Write a zip whose bytes depend on `files` only; the file appears complete or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, scratch = tempfile.mkstemp(dir=path.parent, prefix=".build-")
    try:
        # a seekable file, so that no entry has a data descriptor, which some importers refuse
        with os.fdopen(handle, "w+b") as stream, zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
            for name in sorted(files, key=lambda n: (n != "modelDescription.xml", n)):
                entry = zipfile.ZipInfo(name, _FIXED_TIME)
                # stored uncompressed where, compressed, it would be taken for a bomb
                entry.compress_type = zipfile.ZIP_STORED if _looks_like_a_bomb(files[name]) else zipfile.ZIP_DEFLATED
                entry.create_system = 3
                entry.external_attr = (0o755 if name.startswith("binaries/") else 0o644) << 16
                archive.writestr(entry, files[name], compresslevel=_LEVEL)
        os.chmod(scratch, 0o644)
        os.replace(scratch, path)
    finally:
        if os.path.exists(scratch):
            os.unlink(scratch)


def _looks_like_a_bomb(content: bytes) -> bool:
    if len(content) <= MIN_BOMB_SIZE:
        return False
    packer = zlib.compressobj(_LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS)  # the same bytes as in the zip
    return _is_bomb(len(content), len(packer.compress(content)) + len(packer.flush()))


def _is_bomb(size: int, packed: int) -> bool:
    return size > MIN_BOMB_SIZE and size > MAX_RATIO * max(packed, 1)


def unpack(path: Path) -> Path:
    """Check an FMU file, unpack it into the cache under the hash of its content, and return that folder.

    Raise ``FmuError`` for a file that is not a zip, damaged entries, names that leave the folder (``..``, absolute,
    drive letters), links, more than 10 000 files, 2 GiB or a compression ratio of 500. Backslashes in names are read as
    slashes.
    """
    try:
        with path.open("rb") as stream:
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
    except FileNotFoundError:
        raise FmuError(f"{path}: there is no such file") from None
    except OSError as error:
        raise FmuError(f"{path}: cannot be read: {error.strerror}") from None
    folder = cache_folder() / "unpacked" / digest[:32]
    if folder.is_dir():
        return folder
    make_cache_folder(folder.parent)
    scratch = Path(tempfile.mkdtemp(dir=folder.parent, prefix=".unpack-"))
    try:
        _extract(path, scratch)
        try:
            os.rename(scratch, folder)
        except OSError:
            if not folder.is_dir():  # if it is one, another process was first
                raise
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return folder


def _extract(path: Path, folder: Path) -> None:
    try:
        with zipfile.ZipFile(path) as archive:
            entries = archive.infolist()
            _check_sizes(path, entries)
            for entry in entries:
                name = safe_name(path, entry)
                target = folder / name
                if entry.is_dir() or entry.filename.endswith("\\"):
                    target.mkdir(parents=True, exist_ok=True)
                    continue
                target.parent.mkdir(parents=True, exist_ok=True)
                with archive.open(entry) as source, target.open("wb") as out:
                    _copy(source, out, entry.file_size, path, name)
                target.chmod(0o755 if name.parts[0] == "binaries" else 0o644)
    except (zipfile.BadZipFile, EOFError, RuntimeError, zipfile.LargeZipFile) as error:
        raise FmuError(f"{path}: not a readable FMU (zip) file: {error}") from None
    except (OSError, ValueError) as error:
        raise FmuError(f"{path}: cannot be unpacked: {error}") from None
    except Exception as error:  # zlib.error and similar have no useful base class
        if isinstance(error, FmuError):
            raise
        raise FmuError(f"{path}: not a readable FMU (zip) file: {error}") from None


def safe_name(path: Path, entry: zipfile.ZipInfo) -> PurePosixPath:
    """Return the entry's path below the folder; raise ``FmuError`` if it would leave it."""
    text = entry.filename.replace("\\", "/")
    name = PurePosixPath(text)
    unsafe = name.is_absolute() or ".." in name.parts or re.match(r"^[A-Za-z]:", text) or not name.parts or "\0" in text
    if unsafe or stat.S_ISLNK(entry.external_attr >> 16):
        kind = "is a link" if not unsafe else "leads out of the FMU"
        raise FmuError(f"{path}: the entry {entry.filename!a} {kind}; this file is not to be trusted")
    return name


def _check_sizes(path: Path, entries: list[zipfile.ZipInfo]) -> None:
    total = sum(entry.file_size for entry in entries)
    if len(entries) > MAX_FILES or total > MAX_BYTES:
        raise FmuError(
            f"{path}: {len(entries)} files of {total} bytes unpacked; the limits are {MAX_FILES}, {MAX_BYTES}"
        )
    for entry in entries:
        if _is_bomb(entry.file_size, entry.compress_size):
            raise FmuError(f"{path}: the entry {entry.filename!a} unpacks to {entry.file_size} bytes, a zip bomb")


def _copy(source: IO[bytes], out: IO[bytes], size: int, path: Path, name: PurePosixPath) -> None:
    remaining = size
    while chunk := source.read(1 << 20):
        remaining -= len(chunk)
        if remaining < 0:
            raise FmuError(f"{path}: the entry {str(name)!a} is longer than it says; this file is not to be trusted")
        out.write(chunk)


def parse_xml(path: Path, label: str) -> Any:
    """Return the root element of an XML file of others: no entities, no document type, no network, at most 100 MB."""
    if path.stat().st_size > MAX_XML_BYTES:
        raise FmuError(f"{label}: {path.stat().st_size} bytes; the limit is {MAX_XML_BYTES}")
    try:
        return parse_hostile(path.read_bytes())
    except MalformedXml as error:
        raise FmuError(f"{label}:{error.lineno}: not well-formed XML: {error.msg}") from None
    except DoctypeError:
        raise FmuError(
            f"{label}: declares a document type; FMI and SSP files have none, so this one is not to be trusted"
        ) from None
