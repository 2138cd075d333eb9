"""From a traced block to C: its kernels and the model table, around the fixed runtime.

A unit is one translation unit, ``all.c``: kernels, table, then the runtime, all static but the FMI functions. So
nothing but the FMI is visible from outside, and two units in one process cannot meet.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

import casadi as ca

from drawbar.blocks.authoring.block import Model
from drawbar.blocks.authoring.interface import Port

RUNTIME = ("model.h", "instance.h", "integrate.c", "fmi2.c")
FMI_HEADERS = ("fmi2Functions.h", "fmi2FunctionTypes.h", "fmi2TypesPlatform.h")

_ALL = """\
/* {name}: everything of this unit in one translation unit */
#define CASADI_SYMBOL_EXPORT static
#include "kernels.c"
#include "table.c"
#include "integrate.c"
#include "fmi2.c"
"""
_METHODS = {"euler": "EULER", "heun": "HEUN", "rk4": "RK4"}


@dataclass(frozen=True)
class Sources:
    """The C files of one unit by name, and the GUID that follows from them and the description."""

    files: dict[str, str]
    guid: str


def generate(model: Model, description: str) -> Sources:
    """C files of a block; `description` is its model description with the GUID left out."""
    kernels = _kernels(model)
    files = {name: resources.files("drawbar.fmus.runtime").joinpath(name).read_text("utf-8") for name in RUNTIME}
    files["kernels.c"] = kernels
    files["all.c"] = _ALL.format(name=model.name)
    table = _table(model, guid="")
    digest = hashlib.sha256("\0".join([description, table, *(files[k] for k in sorted(files))]).encode()).hexdigest()
    guid = f"{{{digest[:8]}-{digest[8:12]}-{digest[12:16]}-{digest[16:20]}-{digest[20:32]}}}"
    files["table.c"] = _table(model, guid)
    return Sources(files, guid)


def fmi_headers() -> dict[str, str]:
    """The FMI 2.0 headers, which the installed FMPy brings."""
    import fmpy

    folder = Path(fmpy.__file__).parent / "c-code"
    return {name: (folder / name).read_text("utf-8") for name in FMI_HEADERS}


def _functions(model: Model) -> dict[str, ca.Function | None]:
    return {"ode": model.ode, "update": model.update, "out": model.out}


def _kernels(model: Model) -> str:
    generator = ca.CodeGenerator("kernels.c", {"with_header": False})
    for function in _functions(model).values():
        if function is not None:
            generator.add(function)
    return str(generator.dump())


def _table(model: Model, guid: str) -> str:
    names = [name for port in model.ports for name in port.scalar_names()]
    starts = [float(v).hex() for v in model.start()]
    access = [a for port in model.ports for a in [_access(model, port)] * port.size]
    types = [t for port in model.ports for t in port.type[0].lower() * port.size]
    period = model.period or 0
    numerator, denominator = (period.numerator, period.denominator) if period else (0, 1)
    sizes = ", ".join(map(str, model.sizes()))
    kernels = ",\n    ".join(f".{kind} = {_kernel(f)}" for kind, f in _functions(model).items())
    return f"""\
/* what the runtime needs to know of {model.name} */
#include "model.h"

static const double start[] = {{{", ".join(starts) or "0"}}};
static const unsigned char access[] = {{{", ".join(access) or "0"}}};
static const char *const names[] = {{{", ".join(f'"{n}"' for n in names) or "0"}}};

static const Model model = {{
    "{model.name}", "{guid}",
    {sizes}, /* np, nu, nx, nz, ny */
    start, access, "{"".join(types)}", names,
    {_METHODS[model.method]}, {float(model.step).hex()}, {numerator}LL, {denominator}LL,
    {kernels},
}};
"""


def _kernel(function: ca.Function | None) -> str:
    if function is None:
        return "{0}"
    sizes = (function.sz_arg(), function.sz_res(), function.sz_iw(), function.sz_w())
    return f"{{{function.name()}, {', '.join(map(str, sizes))}}}"


def _access(model: Model, port: Port) -> str:
    if port.causality == "input":
        return "INPUT"
    if port.causality == "parameter":
        return "TUNABLE" if port.variability == "tunable" else "FIXED"
    return "STATE" if port in model.x or port in model.z else "CALCULATED"
