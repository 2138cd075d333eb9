"""The verbs ``drawbar check``, ``list``, ``pack`` and ``diff``, and the picture that ``view --svg`` writes."""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path

from drawbar.blocks.authoring.registry import block_index, open_workspace
from drawbar.blocks.core.errors import UsageError
from drawbar.blocks.core.progress_bar import Bar
from drawbar.diagrams.checks.check import faults
from drawbar.diagrams.checks.notes import notes
from drawbar.diagrams.diff import changes
from drawbar.diagrams.drawing.picture import svg
from drawbar.diagrams.library import diagrams_in, find, names
from drawbar.diagrams.model.structure import system_at
from drawbar.diagrams.ssp.pack import pack
from drawbar.diagrams.ssp.ssp import read
from drawbar.diagrams.ssp.ssp_archive import SUFFIX
from drawbar.fmus.commands import add_platform, add_workspace, platforms_of

DIAGRAM = "a name of the library, a folder, an .ssd file, a package (.ssp), or PACKAGE.ssp:VARIANT.ssd"


def configure_check(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``drawbar check``."""
    parser.add_argument("diagram", help=DIAGRAM)
    add_workspace(parser)


def call_check(args: argparse.Namespace) -> int:
    """Call ``drawbar check`` and return its exit code."""
    if args.workspace:
        open_workspace(args.workspace)
    path = find(args.diagram, args.workspace)
    diagram = read(path)
    found = faults(diagram, stop=True)
    remarks = notes(diagram)
    if args.json:
        report = {
            "diagram": diagram.name,
            "file": str(path),
            "parts": len(diagram.parts),
            "connections": len(diagram.connections),
            "faults": found,
            "notes": remarks,
        }
        print(json.dumps(report, indent=2))
        return 1 if found else 0
    for line in [*found, *(f"note: {remark}" for remark in remarks)]:
        print(line)
    if found:
        print(f"{diagram.name}: {_count(len(found), 'fault')}")
    else:
        parts, connections = _count(len(diagram.parts), "part"), _count(len(diagram.connections), "connection")
        print(f"{diagram.name}: {parts}, {connections}, no fault")
    return 1 if found else 0


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def call_list(args: argparse.Namespace) -> int:
    """Call ``drawbar list`` and return its exit code."""
    folder = Path(args.workspace) if args.workspace else None
    if folder is not None:
        open_workspace(folder)
    blocks, broken = block_index()
    rows = [
        {"name": name, "block": entry.reference, "kind": entry.kind, "about": entry.about}
        for name, entry in sorted(blocks.items())
    ]
    diagrams = [{"name": name, "file": str(find(name))} for name in names()]
    diagrams += [] if folder is None else [{"name": name, "file": str(file)} for name, file in diagrams_in(folder)]
    fmus = [] if folder is None else [str(p) for p in sorted(folder.rglob("*.fmu"))]
    if args.json:
        print(json.dumps({"blocks": rows, "diagrams": diagrams, "fmus": fmus, "broken": broken}, indent=2))
        return 0
    width = max((len(row["name"]) for row in [*rows, *diagrams]), default=0)
    print("blocks")
    for row in rows:
        print(f"  {row['name']:{width}}  {row['kind']:10}  {row['about']}")
    for module, reason in broken.items():
        print(f"  {module} does not import: {reason}")
    print("diagrams")
    for entry in diagrams:
        print(f"  {entry['name']:{width}}  {entry['file']}")
    if folder is not None:
        print(f"FMUs in {folder}")
        for fmu in fmus:
            print(f"  {fmu}")
    return 0


def configure_pack(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``drawbar pack``."""
    parser.add_argument("diagram", help=DIAGRAM)
    parser.add_argument("--out", metavar="FILE.ssp", help="default: the name of the diagram, in this folder")
    add_platform(parser)
    add_workspace(parser)


def call_pack(args: argparse.Namespace) -> int:
    """Call ``drawbar pack`` and return its exit code."""
    if args.workspace:
        open_workspace(args.workspace)
    path = find(args.diagram, args.workspace)
    diagram = read(path)
    # the name comes from the file, so it may be anything
    target = Path(args.out or (re.sub(r"[^\w-]+", "_", diagram.name).strip("_") or "diagram") + SUFFIX)
    if target.suffix != SUFFIX:
        raise UsageError(f"--out {target}: a package ends in {SUFFIX}, as in {target.with_suffix(SUFFIX).name}")
    if args.out is None and target.exists() and target.samefile(args.diagram):
        raise UsageError(f"{target} is the package itself; name another file with --out")
    with Bar(diagram.name, quiet=args.json) as bar:
        packed = pack(diagram, target, platforms_of(args), bar.compiling)
    if args.json:
        report = {"diagram": diagram.name, "file": str(target), "bytes": target.stat().st_size}
        lists = {"files": packed.files, "built": packed.built, "left_out": packed.left_out}
        print(json.dumps({**report, **lists, "missing_binaries": packed.missing_binaries}, indent=2))
        return 0
    for name in packed.files:
        print(f"  {name}{'  built' if name in packed.built else ''}")
    for name in packed.left_out:
        print(f"  {name}  is {'hidden' if Path(name).name.startswith('.') else 'a link'} and left out")
    for name, platforms in packed.missing_binaries.items():
        print(f"  {name}  has no binary for {' and '.join(platforms)}, where the package will not run")
    print(f"{diagram.name}: {len(packed.files)} files in {target}, {target.stat().st_size} bytes")
    return 0


def write_picture(name: str, file: str, system: str | None, workspace: str | None, as_json: bool) -> int:
    """Run ``drawbar view DIAGRAM --svg FILE``; the verb belongs to the package that also opens a page."""
    whole = read(find(name, workspace))
    diagram = whole if system is None else system_at(whole, system).diagram
    target = Path(file)
    try:
        target.write_text(svg(diagram), encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot write {target}: {error.strerror}") from None
    if as_json:
        print(json.dumps({"diagram": diagram.name, "svg": str(target), "bytes": target.stat().st_size}))
    else:
        print(f"{diagram.name}: picture in {target}")
    return 0


def configure_diff(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``drawbar diff``."""
    parser.add_argument("before", metavar="A", help=DIAGRAM)
    parser.add_argument("after", metavar="B", help="the diagram to compare it with")
    add_workspace(parser)


def call_diff(args: argparse.Namespace) -> int:
    """Call ``drawbar diff`` and return its exit code."""
    if args.workspace:
        open_workspace(args.workspace)
    paths = find(args.before), find(args.after)
    found = changes(read(paths[0]), read(paths[1]))
    if args.json:
        print(json.dumps({"a": str(paths[0]), "b": str(paths[1]), "equal": not found, "changes": found}, indent=2))
    else:
        print("\n".join(found) if found else "no difference")
    return 1 if found else 0
