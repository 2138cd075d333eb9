"""A diagram with all it needs as one file, ``.ssp``: the description, parameter sets, FMUs and other resources.

The same diagram gives the same bytes. Blocks are packed as FMUs, so that other tools can run the package.
"""

from __future__ import annotations

import io
import itertools
import os
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Any

from lxml import etree

from drawbar.blocks.authoring.block import Block
from drawbar.blocks.authoring.registry import UnknownBlockError, block_class, reference_of
from drawbar.blocks.core.errors import BuildError, DiagramError, DrawbarError, UsageError
from drawbar.diagrams.model.diagram import Diagram
from drawbar.diagrams.model.flatten import flatten
from drawbar.diagrams.ssp.ssp_archive import FILE, is_opened
from drawbar.diagrams.ssp.ssp_read import read_ssd
from drawbar.diagrams.ssp.ssp_write import text_to_write, to_text
from drawbar.diagrams.xml.markup import is_element, local_name, parse
from drawbar.diagrams.xml.tags import FMU_TYPE, SSD, SSD_TYPE, own, ssc, ssd, type_of
from drawbar.diagrams.xml.values import path_of, uri_of
from drawbar.fmus.loading.archive import write_archive
from drawbar.fmus.toolchain.cache import BuildCallback, report_builds

# the folders with a meaning in SSP, and Drawbar's report.json, by which the results of a run are checked
_BESIDE = ("resources", "documentation", "extra", "report.json")


@dataclass(frozen=True)
class Packed:
    """The packed file, the names in it, and which of them were built from blocks."""

    path: Path
    files: tuple[str, ...]
    built: tuple[str, ...]
    left_out: tuple[str, ...]  # links, which no package may have, and hidden files in a folder of the user
    missing_binaries: dict[str, tuple[str, ...]]  # platforms for which an FMU from elsewhere has no binary


def pack(
    diagram: Diagram,
    path: str | os.PathLike[str],
    platforms: Sequence[str] = (),
    compiling: BuildCallback | None = None,
) -> Packed:
    """Write a diagram and all files that it names as a package.

    What is built holds binaries for the `platforms`, or for this machine alone. FMUs from elsewhere go to
    ``resources/`` with the binaries that they have. ``DiagramError`` names a file that is missing, or that lies outside
    of the diagram's folder and is no FMU, or what no valid file could hold; ``BuildError`` names a block that cannot be
    built, for example without a C compiler. `compiling` receives the FMU that is compiled, its number and the number of
    all.
    """
    target = Path(path)
    file = diagram.file.path
    folder = (file.parent if file is not None else Path.cwd()).resolve()
    content = _Content(diagram, folder, tuple(platforms), compiling)
    with tempfile.TemporaryDirectory(prefix="drawbar-pack-") as scratch:
        # a package preserves the names of its descriptions, whichever of them was opened
        structure = Path(scratch) / (file.name if file is not None and is_opened(file) else FILE)
        structure.write_text(text_to_write(diagram, content.folder), encoding="utf-8")
        root = parse(structure)
        if content.collect(root):
            for name, data in content.files.items():
                (structure.parent / name).parent.mkdir(parents=True, exist_ok=True)
                (structure.parent / name).write_bytes(data)
            structure.write_bytes(etree.tostring(root.getroottree(), encoding="utf-8", xml_declaration=True))
            structure.write_text(to_text(read_ssd(structure), structure.parent.resolve()), encoding="utf-8")
        if file is not None:
            content.add_beside(file)
        content.files[structure.name] = structure.read_bytes()
    try:
        write_archive(target, content.files)
    except OSError as error:
        raise UsageError(f"cannot write {target}: {error.strerror}") from None
    files, built, left_out = (tuple(sorted(names)) for names in (content.files, content.built, content.left_out))
    return Packed(target, files, built, left_out, dict(sorted(content.missing_binaries.items())))


@dataclass
class _Content:
    """The files of a package by name, gathered from what the description names."""

    diagram: Diagram
    folder: Path
    platforms: tuple[str, ...]
    compiling: BuildCallback | None
    files: dict[str, bytes] = field(default_factory=dict)
    built: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    missing_binaries: dict[str, tuple[str, ...]] = field(default_factory=dict)
    _names: dict[Any, str] = field(default_factory=dict)  # the name in the package of a file or a block
    _referred: set[Path] = field(default_factory=set)  # descriptions whose files have been gathered

    def __post_init__(self) -> None:
        self.base = self.folder  # the folder of the description that names the files

    def collect(self, root: Any) -> bool:
        """Gather all files that the description names; return whether a name in it had to change."""
        renamed = False
        blocks = {reference_of(p.block): p.block for p in flatten(self.diagram).parts.values() if p.block is not None}
        named = [(item, _block(item, blocks)) for item in _sources(root)]
        to_build = {block for _, block in named if block is not None} - self._names.keys()
        total = len(self.built) + len(to_build)
        # files in the folder preserve their names, so they come first
        for item, block in sorted(named, key=lambda entry: (entry[1] is not None, self._inside(entry[0]) is None)):
            name = self._build(item, block, total) if block is not None else self._copy(item)
            if block is None and local_name(item) == "Component" and type_of(item) == FMU_TYPE:
                there = _platforms(self.files[name])
                if missing := tuple(p for p in dict.fromkeys(self.platforms) if p not in there):
                    self.missing_binaries[name] = missing
            place, mark, fragment = item.get("source").partition("#")
            if path_of(place) != name and self._inside(item) != name:
                item.set("source", uri_of(name) + mark + fragment)
                renamed = True
            if type_of(item) == SSD_TYPE:
                self._collect_referred(item, self.folder / name)
        return renamed

    def _collect_referred(self, item: Any, file: Path) -> None:
        """Gather the files named by a description that a component refers to.

        The description itself is not changed, so the names in it must not change either.
        """
        if file in self._referred:
            return
        self._referred.add(file)
        inner = replace(self, diagram=read_ssd(file))
        inner.base = file.parent
        if inner.collect(parse(file)):
            reason = f"{file.name} names files outside of the folder of the diagram"
            advice = "put them there, or make the component a system in this file"
            raise DiagramError(f"Component '{item.get('name')}' cannot be packed: {reason}; {advice}")

    def _inside(self, item: Any) -> str | None:
        """Return the name below the folder that an element's source means; None if it lies outside of the folder."""
        path = Path(os.path.normpath(self.base / path_of(item.get("source").partition("#")[0])))
        return path.relative_to(self.folder).as_posix() if path.is_relative_to(self.folder) else None

    def _build(self, item: Any, block: type[Block], total: int) -> str:
        if block not in self._names:
            # imported late: compiling is heavy, and a diagram without blocks does not need it
            from drawbar.fmus.export.package import build

            try:
                with report_builds(self.compiling, block.__name__, len(self.built) + 1, total):
                    fmu = build(block, platforms=self.platforms)
            except BuildError as error:
                advice = "a package holds FMUs, which are built from blocks"
                raise BuildError(f"part '{item.get('name')}' cannot be packed ({advice}): {error}") from None
            inside = self._inside(item)
            wanted = inside if inside is not None and inside.endswith(".fmu") else f"resources/{block.__name__}.fmu"
            self._names[block] = name = self._unused_name(wanted)
            self.files[name] = fmu.read_bytes()
            self.built.append(name)
        return self._names[block]

    def _copy(self, item: Any) -> str:
        what = f"{local_name(item)} '{item.get('name') or item.get('source')}'"
        path = self.base / path_of(item.get("source").partition("#")[0])
        try:
            key = path.resolve()
            content = path.read_bytes()
        except (OSError, ValueError):
            reason = f"there is no file at {item.get('source')}{_why_no_block(item)}"
            raise DiagramError(f"{what} cannot be packed: {reason}") from None
        inside = self._inside(item)
        if inside is None or not key.is_relative_to(self.folder):
            _require_fmu(what, key)
            inside = None
        if inside is not None:
            self.files[inside] = content  # a file under two names is packed twice, as it was
            return inside
        if key not in self._names:
            self._names[key] = self._unused_name(f"resources/{key.name}")
            self.files[self._names[key]] = content
        return self._names[key]

    def _unused_name(self, wanted: str) -> str:
        """Return the wanted name, with a number if it is taken."""
        path, name = PurePosixPath(wanted), wanted
        for n in itertools.count(2):
            if name not in self.files:
                break
            name = str(path.with_name(f"{path.stem}_{n}{path.suffix}"))
        return name

    def add_beside(self, file: Path) -> None:
        """Add what no element names but belongs to the diagram: resources, and all of a package that was opened.

        Hidden files (``.git``) in a folder of the user are left out; those in a package are preserved.
        """
        opened = is_opened(file)
        tops = sorted(self.folder.iterdir()) if opened else [self.folder / name for name in _BESIDE]
        for top in tops:
            for path in [top, *([] if top.is_symlink() else sorted(top.rglob("*")))]:
                name = path.relative_to(self.folder).as_posix()
                hidden = None if opened else _hidden(name)
                if name in self.files or hidden in self.left_out:
                    continue
                if path.is_symlink() or hidden is not None:
                    self.left_out.append(hidden or name)
                elif path.is_file():
                    self.files[name] = path.read_bytes()


def _platforms(fmu: bytes) -> set[str]:
    """Return the platforms for which an FMU has a folder of binaries."""
    try:
        with zipfile.ZipFile(io.BytesIO(fmu)) as archive:
            places = [PurePosixPath(name).parts for name in archive.namelist() if not name.endswith("/")]
    except zipfile.BadZipFile:
        return set()
    return {place[1] for place in places if place[:1] == ("binaries",) and len(place) > 2}


def _hidden(name: str) -> str | None:
    """Return the hidden file or folder that a name leads to or through; None if there is none."""
    parts = PurePosixPath(name).parts
    return next(("/".join(parts[: i + 1]) for i, part in enumerate(parts) if part.startswith(".")), None)


def _sources(root: Any) -> Iterator[Any]:
    """Yield the elements of the standard that name a file beside the description, at any depth."""
    for item in root.iter():
        if not is_element(item) or not item.tag.startswith(f"{{{SSD}}}"):
            continue
        if (source := item.get("source")) and source[0] != "#" and item.get("sourceBase", "SSD") == "SSD":
            yield item


def _block(item: Any, blocks: dict[str, type[Block]]) -> type[Block] | None:
    """Return the block that a component is built from; None for an FMU, also if it stands in for an unknown block."""
    reference = _reference(item)
    if reference is None or reference in blocks:
        return None if reference is None else blocks[reference]
    try:
        return block_class(reference)
    except UnknownBlockError:
        return None


def _reference(item: Any) -> str | None:
    found = item.find(f"{ssd('Annotations')}/{ssc('Annotation')}/{own('Component')}")
    return None if found is None else found.get("block")


def _why_no_block(item: Any) -> str:
    """Return why the block of a component is missing, to be appended to another reason."""
    if (reference := _reference(item)) is not None:
        try:
            block_class(reference)
        except UnknownBlockError as error:
            return f", and {error}"
    return ""


def _require_fmu(what: str, path: Path) -> None:
    """Raise ``DiagramError`` unless the file is an FMU.

    A diagram from elsewhere must not put an arbitrary file of this machine into a package.
    """
    from drawbar.fmus.loading.description import read_interface

    try:
        read_interface(path)
    except DrawbarError:
        advice = "it lies outside of the diagram's folder and is no FMU; put it into resources/"
        raise DiagramError(f"{what} cannot be packed from {path}: {advice}") from None
