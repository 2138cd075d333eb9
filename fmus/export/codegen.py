"""C code of a traced block: its kernels and the model table, around the fixed runtime.

The code of an FMU is one translation unit, ``all.c``: kernels, table, then the runtime, all static but the FMI
functions. So nothing but the FMI is visible from outside, and the symbols of two FMUs in one process cannot clash.
"""

from __future__ import annotations

import hashlib
import string
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import casadi as ca
from numpy.typing import NDArray

from drawbar.blocks.authoring import guards as relations
from drawbar.blocks.authoring.guards import Guard
from drawbar.blocks.authoring.initialization import Initialization
from drawbar.blocks.authoring.model import Model
from drawbar.blocks.authoring.stability_bounds import LIMITS
from drawbar.blocks.core.errors import BuildError
from drawbar.blocks.core.interface import Port
from drawbar.fmus.export.constants_header import CONSTANTS_HEADER, constants_header
from drawbar.fmus.export.derivatives import jvp, state_derivatives
from drawbar.fmus.export.kernel_files import AT_START, EVERY_STEP, kernel_files, runtime_file
from drawbar.fmus.export.kernel_header import function_name, kernel_header
from drawbar.fmus.export.resources import descr_of, npy_bytes
from drawbar.fmus.export.rosenbrock import is_timed, kernels
from drawbar.fmus.runtime.constants import N_ARGUMENTS, SIGNATURE
from drawbar.fmus.toolchain.cross import WINDOWS

RUNTIME = (
    *("model.h", "instance.h", "initialization.c", "newton.c", "integrate.c", "rosenbrock.c"),
    *("resources.c", "fmi2.c", "derivative.c", "exchange.c", "state.c"),
)
FMI_HEADERS = ("fmi2Functions.h", "fmi2FunctionTypes.h", "fmi2TypesPlatform.h")

_ALL = """\
/* {name}: everything of this FMU in one translation unit */
#define CASADI_SYMBOL_EXPORT static
/* CasADi writes functions and arguments that nobody needs */
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#endif
#include "kernels.c"
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
#include "table.c"
#include "initialization.c"
#include "newton.c"
#include "integrate.c"
#include "rosenbrock.c"
#include "resources.c"
#include "fmi2.c"
#include "derivative.c"
#include "exchange.c"
#include "state.c"
"""
# of the header as the FMI project publishes it
_FULL_NAME = """\
#if defined(FMI2_FUNCTION_PREFIX)
  #define fmi2Paste(a,b)     a ## b
  #define fmi2PasteB(a,b)    fmi2Paste(a,b)
  #define fmi2FullName(name) fmi2PasteB(FMI2_FUNCTION_PREFIX, name)
#else
  #define fmi2FullName(name) name
#endif
"""
# of guards, as enum Relation of model.h
_RELATIONS = {
    getattr(relations, name): name for name in ("ABOVE", "AT_LEAST", "BELOW", "AT_MOST", "EQUAL", "OTHER", "TRUE")
}
_METHODS = {"euler": "EULER", "heun": "HEUN", "rk4": "RK4", "rosenbrock": "ROSENBROCK"}
Functions = dict[str, ca.Function | None]


@dataclass(frozen=True)
class Sources:
    """The C files of one FMU by name, its resources, and the GUID that follows from them and the description.

    `compiled` are the files that are compiled, the others are included; `origins` maps files to where the author's lie.
    """

    files: dict[str, str]
    guid: str
    compiled: tuple[str, ...] = ("all.c",)
    origins: dict[str, Path] = field(default_factory=dict)
    resources: dict[str, bytes] = field(default_factory=dict)


def generate(model: Model, description: str) -> Sources:
    """Return the C files of a block; `description` is its model description with the GUID left out."""
    files = {name: runtime_file(name) for name in RUNTIME} | {CONSTANTS_HEADER: constants_header()}
    arrays = {r.name: r.array(model.name) for r in model.c.resources} if model.c else {}
    functions, kernels = _equations(model)
    files |= kernels
    files["all.c"] = _ALL.format(name=model.name)
    compiled: tuple[str, ...] = ("all.c",)
    origins: dict[str, Path] = {}
    if model.c is not None:
        own = model.c.texts()
        runtime = {file.casefold() for file in (*files, *FMI_HEADERS, "table.c", WINDOWS)}
        if taken := [file for file in (*own, model.c.header) if file.casefold() in runtime]:
            raise BuildError(f"{model.name}: the runtime has a file {taken[0]} already; give yours another name")
        files |= own | {model.c.header: kernel_header(model, arrays)}
        origins = {path.name: path for path in model.c.paths}
        compiled = ("all.c", model.c.paths[0].name)
    packed = {r.path.name: npy_bytes(arrays[r.name]) for r in model.c.resources} if model.c else {}
    table = _table(model, functions, "", arrays)
    content = [description, table, *(files[k] for k in sorted(files))]
    content += [hashlib.sha256(packed[k]).hexdigest() for k in sorted(packed)]
    digest = hashlib.sha256("\0".join(content).encode()).hexdigest()
    guid = guid_of(digest)
    files["table.c"] = _table(model, functions, guid, arrays)
    return Sources(files, guid, compiled, origins, packed)


def guid_of(digest: str) -> str:
    """Return the GUID that corresponds to a hash in hexadecimal digits."""
    return f"{{{digest[:8]}-{digest[8:12]}-{digest[12:16]}-{digest[16:20]}-{digest[20:32]}}}"


def fmi_headers() -> dict[str, str]:
    """Return the FMI 2.0 headers, which come with the installed FMPy, with the prefix of functions that it has removed.

    An importer that links several FMUs from their sources defines ``FMI2_FUNCTION_PREFIX`` for each.
    """
    place = find_spec("fmpy")  # its import would take longer than all else that a compiled block needs
    assert place is not None and place.origin is not None
    folder = Path(place.origin).parent / "c-code"
    headers = {name: (folder / name).read_text("utf-8") for name in FMI_HEADERS}
    head, found, rest = headers["fmi2Functions.h"].partition("#define fmi2FullName(name) name\n")
    if found and "#if defined(FMI2_FUNCTION_PREFIX)" not in head:
        headers["fmi2Functions.h"] = head + _FULL_NAME + rest
    return headers


@lru_cache(maxsize=64)  # parts of one block share its model, and vectorization takes seconds
def _equations(model: Model) -> tuple[Functions, dict[str, str]]:
    functions = _functions(model)
    return functions, _kernels(model, functions)


def _functions(model: Model) -> Functions:
    equations = model.initialization or Initialization()
    implicit = kernels(model)
    return {
        "ode": model.ode,
        "update": model.update,
        "out": model.out,
        "jvp": jvp(model),
        "derive": model.derive,
        "initial": equations.values,
        "residual": equations.residual,
        "jacobian": equations.jacobian,
        "guess": equations.guesses,
        "initial_outputs": equations.outputs,
        "guard": None if model.guards is None else model.guards.sides,
        "factor": None if implicit is None else implicit.factor,
        "solve": None if implicit is None else implicit.solve,
        "stability_bounds": None if model.stability_bounds is None else model.stability_bounds.bounds,
        "time_derivative": None if implicit is None else implicit.time_derivative,
    }


def _kernels(model: Model, functions: Functions) -> dict[str, str]:
    if model.c is not None:
        declared = "".join(f"{SIGNATURE.format(function_name(model, f))};\n" for f in model.c.functions)
        return {"kernels.c": f"/* the functions of {model.c.paths[0].name} */\n{declared}"}
    at_start = [f for kind in AT_START if (f := functions.get(kind)) is not None]
    return kernel_files(
        [f for kind, f in functions.items() if f is not None and kind not in AT_START],
        {f.name() for kind in EVERY_STEP if (f := functions.get(kind)) is not None},
        at_start,
    )


def _table(model: Model, functions: Functions, guid: str, arrays: dict[str, NDArray[Any]]) -> str:
    rates = state_derivatives(model)
    names = [name for port in model.ports for name in port.scalar_names()] + [rate.name for rate in rates]
    starts = [float(v).hex() for v in model.start()]
    access = [a for port in model.ports for a in [_access(port)] * port.size]
    access += ["CALCULATED"] * len(rates)
    types = "".join(port.type[0].lower() * port.size for port in model.ports) + "r" * len(rates)
    causality = "".join(port.causality[0] * port.size for port in model.ports) + "l" * len(rates)
    nominals = [value.hex() for value in model.nominals()]
    period = model.period or 0
    numerator, denominator = (period.numerator, period.denominator) if period else (0, 1)
    sizes = ", ".join(map(str, model.sizes()))
    written = {kind: _kernel(model, kind, f) for kind, f in functions.items()}
    kernels = ",\n    ".join(f".{kind} = {text}" for kind, text in written.items() if text)
    equations = model.initialization or Initialization()
    guards = () if model.guards is None else model.guards.each
    bounds = () if model.stability_bounds is None else model.stability_bounds.names
    derived = sum(port.size for port in model.p if port.causality == "calculatedParameter")
    states = [port for port in model.x + model.z for _ in range(port.size)]
    solved = [states[i] for i in equations.solved]
    factors = 0 if functions["factor"] is None else functions["factor"].numel_out(0)
    return f"""\
/* what the runtime needs to know of {model.name} */
#include <math.h>
#include "model.h"

static const double start[] = {{{", ".join(starts) or "0"}}};
static const unsigned char access[] = {{{", ".join(access) or "0"}}};
static const double nominal[] = {{{", ".join(nominals) or "0"}}};
static const char *const names[] = {{{", ".join(f'"{n}"' for n in names) or "0"}}};
{_resources(model, arrays)}
static const int given[] = {{{", ".join(map(str, equations.given)) or "0"}}};
static const int solved[] = {{{", ".join(map(str, equations.solved)) or "0"}}};
static const int shown[] = {{{", ".join(map(str, equations.shown)) or "0"}}};
static const double lowest[] = {{{", ".join(_number(p.minimum, "-HUGE_VAL") for p in solved) or "0"}}};
static const double highest[] = {{{", ".join(_number(p.maximum, "HUGE_VAL") for p in solved) or "0"}}};
static const char *const residuals[] = {{{", ".join(map(_text, equations.residuals)) or "0"}}};
static const unsigned char follows[] = {{{", ".join(map(str, model.follows_solution())) or "0"}}};
static const char *const bounds[] = {{{", ".join(map(_text, bounds)) or "0"}}};
static const Guard guards[] = {{{", ".join(map(_guard, guards)) or "{0}"}}};

static const Model model = {{
    "{model.name}", "{guid}",
    {sizes}, /* np, nu, nx, nz, ny */
    start, access, "{types}", "{causality}", names, nominal,
    {_METHODS[model.method]}, {float(model.step).hex()}, {numerator}LL, {denominator}LL,
    {kernels or ".ode = {{0}}"},
    .n_resources = {len(arrays)}, .resources = {"resources" if arrays else "0"},
    .nd = {derived}, .ni = {len(equations.given)}, .ns = {len(equations.solved)}, .nb = {len(equations.shown)},
    .ng = {len(guards)},
    .given = given, .solved = solved, .shown = shown, .lowest = lowest, .highest = highest,
    .residuals = residuals, .follows = follows, .guards = guards,
    .nf = {factors}, .timed = {int(is_timed(model))},
    .nr = {len(bounds)}, .bounds = bounds, .limit = {LIMITS.get(model.method, 1.0)},
}};
"""


def _resources(model: Model, arrays: dict[str, NDArray[Any]]) -> str:
    if model.c is None or not arrays:
        return ""
    rows = []
    for resource in model.c.resources:
        array = arrays[resource.name]
        sizes = ", ".join(f"{n}LL" for n in array.shape)
        kind = f'{array.itemsize}, "{descr_of(array)}"'
        rows.append(f'    {{"{resource.path.name}", {array.ndim}, {{{sizes}}}, {array.size}LL, {kind}}},\n')
    return f"static const Resource resources[] = {{\n{''.join(rows)}}};\n"


def _kernel(model: Model, kind: str, function: ca.Function | None) -> str:
    word = {"ode": "derivatives", "update": "update", "out": "outputs"}.get(kind, kind)
    if model.c is not None and word in model.c.functions:
        sizes = (N_ARGUMENTS + len(model.c.resources), 1, model.c.integer_work, model.c.work)
        return f"{{{function_name(model, word)}, {', '.join(map(str, sizes))}}}"
    if function is None:
        return ""
    sizes = (function.sz_arg(), function.sz_res(), function.sz_iw(), function.sz_w())
    return f"{{{function.name()}, {', '.join(map(str, sizes))}}}"


def _number(value: float | None, otherwise: str) -> str:
    return otherwise if value is None else float(value).hex()


def _text(text: str) -> str:
    """Return a C string literal; every character that is not plain is written as an octal number."""
    plain = {ord(c) for c in string.ascii_letters + string.digits + " _-+*/=<>()[]{}.,:;'!&|%^~#@$"}
    return '"' + "".join(chr(byte) if byte in plain else f"\\{byte:03o}" for byte in text.encode()) + '"'


def _guard(guard: Guard) -> str:
    return f"{{{_text(guard.name)}, {_RELATIONS[guard.relation]}, {_text(guard.advice)}}}"


def _access(port: Port) -> str:
    if port.causality == "input":
        return "INPUT"
    if port.initial == "approx":
        return "GUESS"
    if port.initial == "calculated":
        return "CALCULATED"
    if port.causality == "parameter":
        return "TUNABLE" if port.variability == "tunable" else "FIXED"
    return "STATE"
