"""Libraries for platforms other than this one, by the compiler of the ``ziglang`` package (``drawbar[cross]``).

Each runs on old systems too: Linux with glibc 2.17 (of 2012), Windows 10, macOS 11.
"""

from __future__ import annotations

import os
import struct
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from drawbar.blocks.core.cache import cache_folder
from drawbar.blocks.core.errors import BuildError
from drawbar.fmus.toolchain.cache import cached_library
from drawbar.fmus.toolchain.compilers import (
    ERRORS,
    FLAGS,
    Compiler,
    call_compiler,
    identity_of,
)

WINDOWS = "windows.c"  # stands in for the start-up code of a C library, which takes minutes to compile
_UNIVERSAL = 0xCAFEBABE  # the first word of a Mach-O file of several processors
_PAGE = 14  # log2 of the largest page of these


@dataclass(frozen=True)
class Platform:
    """A platform by its FMI 2.0 name, and how a library is linked for it.

    `triples` are the compiler's names of its processors; `folders` those below ``binaries`` where importers look.
    """

    triples: tuple[str, ...]
    suffix: str
    link: tuple[str, ...]
    folders: tuple[str, ...]


PLATFORMS = {
    "linux64": Platform(("x86_64-linux-gnu.2.17",), ".so", ("-lm", "-Wl,-z,defs"), ("linux64",)),
    "win64": Platform(
        ("x86_64-windows-gnu",),
        ".dll",
        # Brepro: a hash in place of the build time
        ("-nostdlib", "-Wl,--entry=DllMainCRTStartup,-Brepro", "-lucrtbase", "-lcompiler_rt"),
        ("win64",),
    ),
    # FMI 2.0.4 names the second folder for the newer processors, some importers look in the first for both
    "darwin64": Platform(("x86_64-macos.11.0", "aarch64-macos.11.0"), ".dylib", (), ("darwin64", "aarch64-darwin")),
}


def find_cross_compiler() -> Compiler | None:
    """Return the compiler for other platforms, or None."""
    if find_spec("ziglang") is None:
        return None
    command = (sys.executable, "-m", "ziglang")
    try:
        identity = f"zig {version('ziglang')}"
    except PackageNotFoundError:  # the package's folder without metadata, as on PYTHONPATH
        identity = identity_of((*command, "cc"))
    return Compiler(command, identity) if identity else None


def cross_compile(platform: str, files: dict[str, str], main: str, name: str, also: Sequence[str] = ()) -> Path:
    """Compile a library as `compile_library` does, for one of `PLATFORMS`."""
    compiler = find_cross_compiler()
    if compiler is None:
        advice = "`pip install 'drawbar[cross]'` brings one into this environment"
        raise BuildError(f"{name}: a build for {platform} needs the compiler of the ziglang package; {advice}")
    target = PLATFORMS[platform]
    sources = [main, *also]
    if platform == "win64":
        text = resources.files("drawbar.fmus.runtime").joinpath(WINDOWS).read_text("utf-8")
        files, sources = {**files, WINDOWS: text}, [*sources, WINDOWS]
    library = name + target.suffix
    flags = [*(flag for flag in FLAGS if flag != "-shared"), *ERRORS]
    link = ["-shared", "-s", *target.link]
    if platform == "darwin64":
        link.append(f"-Wl,-install_name,@rpath/{library}")  # else it contains the path of the build folder
    environment = {"ZIG_GLOBAL_CACHE_DIR": str((cache_folder() / "zig").absolute()), **os.environ}

    def slice_of(triple: str, scratch: Path) -> bytes:
        """Return the library of one processor.

        One call for all sources would not find the headers, as it is linked without a libc.
        """
        command = [*compiler.command, "cc", "-target", triple]
        objects = [f"{Path(source).stem}.o" for source in sources]
        for source, object_file in zip(sources, objects, strict=True):
            call_compiler(name, compiler, [*command, *flags, "-c", source, "-o", object_file], scratch, environment)
        (scratch / triple).mkdir()
        linked = f"{triple}/{library}"
        call_compiler(name, compiler, [*command, *objects, *link, "-o", linked], scratch, environment)
        return (scratch / linked).read_bytes()

    def make(scratch: Path) -> None:
        slices = [slice_of(triple, scratch) for triple in target.triples]
        (scratch / library).write_bytes(_universal(slices) if len(slices) > 1 else slices[0])

    return cached_library([compiler.identity, *target.triples, *flags, *link, *sources], files, library, make)


def _universal(slices: list[bytes]) -> bytes:
    """Return Mach-O libraries of several processors in one file.

    A header lists their processor types and offsets; each library begins on a page.
    """
    head = struct.pack(">II", _UNIVERSAL, len(slices))
    at, body = 1 << _PAGE, b""
    for data in slices:
        processor, subtype = struct.unpack_from("<II", data, 4)
        head += struct.pack(">5I", processor, subtype, at, len(data), _PAGE)
        body += data + bytes(-len(data) % (1 << _PAGE))
        at = (1 << _PAGE) + len(body)
    return head + bytes((1 << _PAGE) - len(head)) + body
