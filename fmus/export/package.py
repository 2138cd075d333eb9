"""From a block to a validated, reproducible .fmu."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from drawbar.blocks.authoring.block import Block
from drawbar.blocks.authoring.model import Model
from drawbar.blocks.authoring.script import Script
from drawbar.blocks.core.cache import cache_folder, make_cache_folder
from drawbar.blocks.core.errors import BuildError
from drawbar.fmus.export.codegen import Sources, fmi_headers
from drawbar.fmus.export.kernel_faults import NO_COMPILER, explain
from drawbar.fmus.export.resources import write_resources
from drawbar.fmus.export.script_package import script_content
from drawbar.fmus.export.sources import sources_of
from drawbar.fmus.export.write_description import write_description
from drawbar.fmus.loading.archive import write_archive
from drawbar.fmus.toolchain.compilers import CompileError, compile_library, find_compiler, host_platform
from drawbar.fmus.toolchain.cross import PLATFORMS, cross_compile


@dataclass(frozen=True)
class Compiled:
    """A block compiled for a platform: its model, C sources and shared library, and the library's place in the FMU."""

    model: Model
    sources: Sources
    library: Path
    folders: tuple[str, ...]


def compile_block(block: type[Block], platform: str | None = None) -> Compiled:
    """Generate and compile a block, or take it from the cache; raise ``BuildError`` without a compiler.

    It is compiled for this machine by the compiler of the host, or for one of `PLATFORMS` by that of ``ziglang``.
    """
    model = block.model()
    if model.is_script:
        raise BuildError(f"{model.name} is a script; it runs as Python and cannot be compiled")
    sources = sources_of(block)
    if model.c is not None and platform is None and find_compiler() is None:
        raise BuildError(f"{model.name}: {NO_COMPILER}")
    files, (main, *also) = {**sources.files, **fmi_headers()}, sources.compiled
    call = compile_library if platform is None else partial(cross_compile, platform)
    try:
        library = call(files, main, model.name, also)
    except CompileError as error:
        if model.c is None:
            raise
        raise explain(model, sources, error, platform) from None
    if platform is not None:
        return Compiled(model, sources, library, PLATFORMS[platform].folders)
    write_resources(sources.resources, library.parent)
    return Compiled(model, sources, library, (host_platform(),))


def build(block: type[Block], folder: Path | None = None, platforms: Sequence[str] = ()) -> Path:
    """Build the FMU of a block and return its path: `folder`/<Block>.fmu, or a place in the user's cache.

    It holds binaries for the `platforms` (of `PLATFORMS`), or for this machine alone. The FMU is checked with FMPy's
    validator and stored only if there are no findings. The same block and compiler give the same bytes.
    """
    name = block.__name__
    if issubclass(block, Script):
        content = script_content(block)
        _check_libraries(name, content, platforms)
        key = hashlib.sha256(b"\0".join(part for n in sorted(content) for part in (n.encode(), content[n]))).hexdigest()
        make = content.copy
    else:
        compiled = [compile_block(block, platform) for platform in dict.fromkeys(platforms)] or [compile_block(block)]
        key = "-".join([compiled[0].sources.guid.strip("{}"), *(c.library.parent.name for c in compiled)])
        make = partial(_content, compiled)
    stored = cache_folder() / "fmus" / key / f"{name}.fmu"
    if not stored.is_file():
        # no file that the validator has not checked ever has the final name
        make_cache_folder(stored.parent)
        with tempfile.TemporaryDirectory(dir=stored.parent, prefix=".build-") as scratch:
            scratch_file = Path(scratch) / stored.name
            write_archive(
                scratch_file, {**make(), "documentation/index.html": _documentation(name, block.model()).encode()}
            )
            validate(scratch_file)
            os.replace(scratch_file, stored)
    if folder is None:
        return stored
    target = folder / stored.name
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not target.is_file() or target.read_bytes() != stored.read_bytes():
            with tempfile.TemporaryDirectory(dir=folder, prefix=".build-") as scratch:
                os.replace(shutil.copy(stored, scratch), target)
    except OSError as error:
        raise BuildError(f"{target} cannot be written: {error.strerror}; name another folder with --out") from None
    return target


def _check_libraries(name: str, content: dict[str, bytes], platforms: Sequence[str]) -> None:
    """Raise ``BuildError`` for a platform for which pythonfmu, and so a script, has no library."""
    available = sorted({file.split("/")[1] for file in content if file.startswith("binaries/")})
    if missing := [platform for platform in platforms if platform not in available]:
        raise BuildError(
            f"{name} is a script, whose FMU holds the libraries that pythonfmu brings: {', '.join(available)}, and not "
            f"{missing[0]}; build it without --platform {missing[0]}"
        )


def _content(compiled: list[Compiled]) -> dict[str, bytes]:
    sources = compiled[0].sources
    return {
        "modelDescription.xml": write_description(compiled[0].model, sources.guid).encode(),
        **{f"binaries/{to}/{each.library.name}": each.library.read_bytes() for each in compiled for to in each.folders},
        **{f"sources/{file}": text.encode() for file, text in {**sources.files, **fmi_headers()}.items()},
        **{f"resources/{file}": content for file, content in sources.resources.items()},
    }


def _documentation(name: str, model: Model) -> str:
    from html import escape

    rows = "".join(
        f"<tr><td>{escape(p.name)}</td><td>{escape(p.causality)}</td><td>{escape(p.unit)}</td>"
        f"<td>{escape(p.description)}</td></tr>\n"
        for p in model.ports
    )
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(name)}</title></head><body>\n'
        f"<h1>{escape(name)}</h1>\n<p>{escape(model.interface.description)}</p>\n"
        f"<table><tr><th>name</th><th>causality</th><th>unit</th><th>meaning</th></tr>\n{rows}</table>\n</body></html>\n"
    )


# names of the structured convention (FMI 2.0, section 2.2.9)
_BASE_NAME = r"(?:[A-Za-z_]\w*|'(?:[\w!#$%&()*+,./:;<>=?@\[\]^{}|~ -]|\\['\"?\\abfnrtv])+')"
_IDENTIFIER = rf"{_BASE_NAME}(?:\[\d+(?:,\d+)*\])?(?:\.{_BASE_NAME}(?:\[\d+(?:,\d+)*\])?)*"
STRUCTURED_NAME = re.compile(rf"{_IDENTIFIER}|der\({_IDENTIFIER}(?:,\d+)?\)", re.ASCII)


def validate(fmu: Path) -> None:
    """Check an FMU with FMPy's validator; the ``BuildError`` lists the findings.

    Names are matched by a pattern instead: FMPy's parser takes half of the time of a build for them.
    """
    from fmpy.model_description import ValidationError, read_model_description

    findings: list[str] = []
    try:
        read = read_model_description(str(fmu), validate=True, validate_model_structure=True)
    except ValidationError as error:
        findings = [str(problem).strip() for problem in error.problems]
    else:
        if read.variableNamingConvention == "structured":
            names = [v.name for v in read.modelVariables]
            findings = [f"'{name}' is no structured name" for name in names if not STRUCTURED_NAME.fullmatch(name)]
    if findings:
        raise BuildError(f"{fmu.name}: the FMU is not valid: " + "; ".join(findings))
