"""C compilers of the host.

The compiler is ``$CC``, else the first of cc, gcc and clang on PATH, else the one of the ``ziglang`` package (the
extra ``drawbar[cross]``).
"""

from __future__ import annotations

import importlib.util
import os
import platform
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from drawbar.blocks.core.errors import BuildError
from drawbar.blocks.core.process_group import run_group
from drawbar.fmus.toolchain.cache import cached_library

# contraction would make results depend on the processor; only FMI functions are visible
FLAGS = ("-std=c99", "-O2", "-g0", "-ffp-contract=off", "-fno-math-errno", "-fvisibility=hidden", "-shared")
# mistakes that C accepts and that end in a crash or a wrong number
ERRORS = ("-Werror=implicit-function-declaration", "-Werror=return-type")
COMPILE_TIMEOUT = 600  # s
ADVICE = (
    "install gcc or clang, or `pip install ziglang` into this environment; until then blocks run interpreted "
    "and FMUs cannot be built"
)


class CompileError(BuildError):
    """The compiler failed; `output` holds the lines of its output."""

    def __init__(self, message: str, output: list[str]) -> None:
        super().__init__(message)
        self.output = output


@dataclass(frozen=True)
class Compiler:
    """A C compiler: its command, and the first line of its version text."""

    command: tuple[str, ...]
    identity: str


def host_platform() -> str:
    """Return the FMI 2.0 name of this machine's platform: linux64, darwin64, win64."""
    system = {"Linux": "linux", "Darwin": "darwin", "Windows": "win"}.get(platform.system(), "")
    bits = "64" if sys.maxsize > 2**32 else "32"
    return f"{system}{bits}"


def library_suffix() -> str:
    """Return the file name suffix of shared libraries on this machine."""
    return {"Darwin": ".dylib", "Windows": ".dll"}.get(platform.system(), ".so")


def find_compiler() -> Compiler | None:
    """Return the C compiler to use, or None."""
    return _find(os.environ.get("CC", ""), os.environ.get("PATH", ""))


@lru_cache(maxsize=8)
def _find(cc: str, path: str) -> Compiler | None:
    try:
        candidates = [tuple(shlex.split(cc))] if cc.strip() else []
    except ValueError:
        raise BuildError(f"CC={cc}: a quotation mark is left open; set it to the call of a C compiler") from None
    candidates += [(name,) for name in ("cc", "gcc", "clang")]
    for command in candidates:
        if shutil.which(command[0], path=path) and (identity := identity_of(command)):
            return Compiler(command, identity)
    if importlib.util.find_spec("ziglang") is not None:
        command = (sys.executable, "-m", "ziglang", "cc")
        if identity := identity_of(command):
            return Compiler(command, identity)
    return None


def identity_of(command: tuple[str, ...]) -> str:
    """Return the first line of a compiler's version text; an empty text where it cannot be called."""
    try:
        result = subprocess.run([*command, "--version"], capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return result.stdout.partition("\n")[0].strip() if result.returncode == 0 else ""


def compile_library(files: dict[str, str], main: str, name: str, also: Sequence[str] = ()) -> Path:
    """Compile `main` and `also`, some of `files`, into the shared library `name` and return its path in the cache.

    `files` maps file names to C text. Raise ``BuildError`` without a compiler, `CompileError` with a compiler's output.
    """
    compiler = find_compiler()
    if compiler is None:
        raise BuildError(f"{name}: no C compiler found; {ADVICE}")
    flags = [*FLAGS, *ERRORS, *(("-fPIC",) if platform.system() != "Windows" else ())]
    command = [*compiler.command, *flags, main, *also, "-o", name + library_suffix(), "-lm"]
    if platform.system() == "Linux":
        command += ["-s", "-Wl,-z,defs"]  # an undefined function fails here, as on other platforms, not at loading
    key = [compiler.identity, host_platform(), *command[1:]]
    return cached_library(
        key, files, name + library_suffix(), lambda scratch: call_compiler(name, compiler, command, scratch)
    )


def call_compiler(
    name: str, compiler: Compiler, command: Sequence[str], folder: Path, environment: dict[str, str] | None = None
) -> None:
    """Call a compiler for the library `name`, in a folder, for the file behind its ``-o``.

    Raise `CompileError` with its output where it fails.
    """
    try:
        # temporary files of the compiler go where they are removed with all others
        result = run_group(
            command, COMPILE_TIMEOUT, folder, {**(environment or os.environ), "TMPDIR": str(folder)}, merged=True
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise BuildError(f"{name}: {compiler.command[0]} did not finish: {error}") from None
    if result.returncode:
        output = result.stdout.decode(errors="replace").strip().splitlines()
        first = next((line for line in output if "error" in line), output[0] if output else "no message")
        raise CompileError(f"{name}: {compiler.identity} failed: {first}", output)
    if not (folder / command[command.index("-o") + 1]).is_file():
        raise BuildError(f"{name}: {' '.join(compiler.command)} made no library; is it a C compiler?")
