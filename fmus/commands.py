"""The verbs ``build`` and ``info``."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from drawbar.blocks.authoring.block import Block, kind_of
from drawbar.blocks.authoring.registry import block_classes, find_block, open_workspace
from drawbar.blocks.core.errors import UsageError
from drawbar.blocks.core.interface import Interface, Port
from drawbar.blocks.core.progress_bar import Bar
from drawbar.fmus.export.kernel_header import write_header
from drawbar.fmus.export.package import build as build_fmu
from drawbar.fmus.loading.description import read_description
from drawbar.fmus.loading.python_requirements import import_advice
from drawbar.fmus.toolchain.cache import report_builds
from drawbar.fmus.toolchain.cross import PLATFORMS


def configure_build(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``drawbar build``."""
    parser.add_argument("blocks", nargs="*", metavar="BLOCK", help="block names; default: all installed blocks")
    add_workspace(parser)
    parser.add_argument(
        "--header",
        action="store_true",
        help="only write the header of each named kernel block beside its C file, for an editor; a build makes its own",
    )
    parser.add_argument("--out", default="fmus-built", metavar="DIR", help="folder for the FMUs (default: %(default)s)")
    add_platform(parser)


def add_platform(parser: argparse.ArgumentParser) -> None:
    """Add the argument of all verbs that build FMUs for use elsewhere."""
    parser.add_argument(
        "--platform",
        action="append",
        choices=[*PLATFORMS, "all"],
        help="hold binaries for this platform; may be repeated (default: this machine's alone, by its own compiler; "
        "others need `pip install 'drawbar[cross]'`)",
    )


def platforms_of(options: argparse.Namespace) -> list[str]:
    """Return the requested platforms; none for that of this machine."""
    asked = options.platform or []
    return list(PLATFORMS) if "all" in asked else asked


def add_workspace(parser: argparse.ArgumentParser) -> None:
    """Add the argument of all verbs that name blocks or read diagrams."""
    parser.add_argument(
        "--workspace", metavar="FOLDER", help="folder with blocks of your own, and with FMUs that a diagram names"
    )


def call_build(options: argparse.Namespace) -> int:
    """Call ``drawbar build`` and return its exit code."""
    if options.workspace:
        open_workspace(options.workspace)
    for name in options.blocks:
        if name.lower().endswith(".fmu"):
            raise UsageError(f"{name} names an FMU, and `drawbar build` makes one from a block: drawbar build Gain")
    blocks = [find_block(name) for name in options.blocks] or list(block_classes().values())
    if options.header:
        if not options.blocks:
            raise UsageError("--header: name the kernel blocks whose headers to write")
        return _write_headers(blocks, options.json)
    built = []
    bar = Bar("", quiet=options.json)
    for number, block in enumerate(blocks, start=1):
        with bar, report_builds(bar.compiling, block.__name__, number, len(blocks)):
            path = build_fmu(block, Path(options.out), platforms_of(options))
        built.append({"block": block.__name__, "fmu": str(path), "bytes": path.stat().st_size})
        if not options.json:
            print(f"{block.__name__}  {path}  {path.stat().st_size} bytes, valid")
    if options.json:
        print(json.dumps({"built": built}))
    return 0


def _write_headers(blocks: list[type[Block]], as_json: bool) -> int:
    written = []
    for block in blocks:
        path = write_header(block)
        written.append({"block": block.__name__, "header": str(path)})
        if not as_json:
            print(f"{block.__name__}  {path}")
    if as_json:
        print(json.dumps({"headers": written}))
    return 0


def configure_info(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``drawbar info``."""
    parser.add_argument("subject", metavar="BLOCK|FMU", help="name of a block, or path of an .fmu file")
    add_workspace(parser)


def call_info(options: argparse.Namespace) -> int:
    """Call ``drawbar info`` and return its exit code."""
    if options.workspace:
        open_workspace(options.workspace)
    subject = options.subject
    if subject.endswith(".fmu") or (Path(subject).is_file() and not subject.endswith(".py")):
        description = read_description(Path(subject))
        interface = description.interface
        facts = {"guid": description.guid, "binaries": _binaries(description.folder)}
        if description.python_requirements:
            facts |= {
                "requires": description.python_requirements,
                "outside Python": import_advice(description.folder),
            }
    else:
        if subject.endswith(".py"):
            folder, name = Path(subject).parent, Path(subject).stem
            raise UsageError(f"{subject} is no FMU; name the block in it, as in {name}:Class --workspace {folder}")
        block = find_block(subject)
        model = block.model()
        interface = model.interface
        facts = {"source": f"{block.__module__}:{block.__name__}", "text": (block.__doc__ or "").strip()}
        facts["kind"] = kind_of(block)
        if model.c is not None:
            facts["C file"] = str(model.c.paths[0])
            facts["functions"] = ", ".join(model.c.functions)
            facts |= {f"resource {r.name}": f"{r.path.name}: {r.description}" for r in model.c.resources}
        if model.period is None and model.x:
            facts["method"] = f"{model.method}, micro-step {float(model.step):g} s"
    if options.json:
        print(json.dumps({"name": interface.name, **facts, **_as_json(interface)}))
        return 0
    _print_info(interface, facts)
    return 0


def _binaries(folder: Path) -> str:
    return ", ".join(sorted(p.name for p in (folder / "binaries").glob("*"))) or "none"


def _as_json(interface: Interface) -> dict[str, Any]:
    return {
        "description": interface.description,
        "period": None if interface.period is None else str(interface.period),
        "sampled": interface.sampled,
        "fresh_read": interface.fresh_read,
        "input_derivatives": interface.interpolates,
        "directional_derivatives": interface.directional,
        "ports": [
            {
                "name": p.name,
                "causality": p.causality,
                "variability": p.variability,
                "initial": p.initial,
                "type": p.type,
                "unit": p.unit,
                "shape": list(p.shape),
                "start": list(p.start),
                "min": p.minimum,
                "max": p.maximum,
                "description": p.description,
            }
            for p in interface.ports
        ],
        "feedthrough": {k: list(v) for k, v in interface.feedthrough.items()},
        "initial_feedthrough": {k: list(v) for k, v in interface.initial_feedthrough.items()},
    }


def _print_info(interface: Interface, facts: dict[str, str]) -> None:
    print(interface.name)
    if "text" in facts:
        print("    " + facts.pop("text"))
    elif interface.description:
        print(f"    {interface.description}")
    for name, value in facts.items():
        print(f"  {name}: {value}")
    if interface.period is not None:
        print(f"  {'sampled every' if interface.sampled else 'takes no other step than'} {interface.period} s")
    titles = {
        "input": "inputs",
        "output": "outputs",
        "parameter": "parameters",
        "calculatedParameter": "calculated parameters",
        "local": "states and locals",
    }
    for causality, title in titles.items():
        ports = interface.of(causality)
        if ports:
            print(f"\n{title}")
            width = max(len(_shown(p)) for p in ports)
            for p in ports:
                print(f"  {_shown(p):{width}}  {_range(p):24} {p.description}{_sources(interface, p)}")
    through = {out: deps for out, deps in interface.feedthrough.items() if deps}
    if through:
        print("\ndirect feedthrough")
        for out, deps in through.items():
            print(f"  {out} from {', '.join(deps)}")


def _shown(port: Port) -> str:
    """Return the name, with the 0-based slice of Python where it is an array, and the unit of measure."""
    size = "".join(f"[1..{n}]" for n in port.shape)
    return f"{port.name}{size} [{port.unit or '?'}]"


def _sources(interface: Interface, port: Port) -> str:
    """Return what a calculated parameter or state depends on."""
    found = interface.initial_feedthrough
    names = dict.fromkeys(n for scalar in port.scalar_names() for n in found.get(scalar, ()))
    if port.causality == "calculatedParameter":
        return f" (calculated from {', '.join(names)})" if names else " (calculated)"
    said = {
        ("approx", "local"): "solved for",
        ("approx", "output"): "solved for",
        ("calculated", "local"): "calculated",
    }
    how = said.get((port.initial or "", port.causality))
    return f" ({how} at the start, from {', '.join(names)})" if how and names else ""


def _range(port: Port) -> str:
    start = "" if not port.start else ", ".join(f"{v:g}" if isinstance(v, float) else str(v) for v in port.start[:4])
    more = ", ..." if len(port.start) > 4 else ""
    limits = (
        "" if port.minimum is None and port.maximum is None else f" in [{_limit(port.minimum)}, {_limit(port.maximum)}]"
    )
    return f"{'= ' if start else ''}{start}{more}{limits}"


def _limit(value: float | None) -> str:
    return "" if value is None else f"{value:g}"
