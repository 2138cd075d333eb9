"""The C text of kernels, and the optimization of each: vectorized where it runs in every step, less where it is long.

The levels are pragmas for GCC. Clang can only switch optimization off, so there it is off only for what runs at the
start only.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Sequence
from importlib import resources
from itertools import chain

import casadi as ca

from drawbar.fmus.runtime.constants import SIGNATURE
from drawbar.fmus.vectorize.code import cached_vector_code

EVERY_STEP = ("ode", "update", "out", "guard", "stability_bounds")  # kernels that run in every step
# kernels that run only at the start: -O2 takes half a minute for those of a vehicle, and a start calls some of them
AT_START = ("initial", "residual", "jacobian", "guess", "initial_outputs")
LONG_KERNEL = 20_000  # scalar operations, beyond which -O2 of GCC takes minutes and gains nothing over -Og
# kernels share their subexpressions already. The search for more takes half of the compiler's time, and its finds
# occupy registers: a vectorized derivative of a vehicle takes an eighth longer. The option holds for the runtime as
# well, which follows in the translation unit
_NO_SEARCH = """\
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize ("no-tree-pre", "no-code-hoisting")
#endif
"""
# the variant for processors without AVX takes GCC twice as long as the other one at -O2, and few will ever call it
_VECTORIZED = """
#include "vectors.h"
#define VECTORIZED(name) name##_any
#if defined(__x86_64__) && !defined(__AVX__) && !defined(_WIN32) && defined(__GNUC__) && !defined(__clang__)
#define VECTORIZED_TARGET __attribute__((optimize("O1")))
#else
#define VECTORIZED_TARGET
#endif
#include "vectorized.c"
#ifdef LANES_AVX
#undef VECTORIZED
#undef VECTORIZED_TARGET
#define VECTORIZED(name) name##_avx
#define VECTORIZED_TARGET __attribute__((target("avx")))
#include "vectorized.c"
#endif

"""

# CasADi's own functions, such as casadi_fmax, are visible from outside, and would clash in a program of two FMUs
_HELPER = re.compile(r"^(?=(?:casadi_real|casadi_int|void|int) casadi_\w+\()", re.MULTILINE)


def kernel_files(
    functions: Iterable[ca.Function], every_step: Container[str], at_start: Sequence[ca.Function] = ()
) -> dict[str, str]:
    """Return ``kernels.c`` of some functions and the files that it includes.

    Functions that run in `every_step` are vectorized if it pays. Functions that run `at_start` only are not optimized,
    and GCC compiles long ones with -Og, which changes no result, as no flag lets a compiler round differently.
    """
    vectorized: dict[str, str] = {}
    scalar: list[ca.Function] = []
    for function in functions:
        if function.name() in every_step and (text := cached_vector_code(function)) is not None:
            vectorized[function.name()] = text
        else:
            scalar.append(function)
    short, long = ([f for f in scalar if (f.n_instructions() > LONG_KERNEL) is longer] for longer in (False, True))
    kernels = _NO_SEARCH + _text(short, {"Og": long, "O0": at_start})
    if not vectorized:
        return {"kernels.c": kernels}
    calls = "".join(
        f"CASADI_SYMBOL_EXPORT {SIGNATURE.format(name)} {{\n    return LANES_CALL({name})(arg, res, iw, w, mem);\n}}\n"
        for name in vectorized
    )
    return {
        "kernels.c": kernels + _VECTORIZED + calls,
        "vectorized.c": "\n".join(vectorized.values()),
        "vectors.h": runtime_file("vectors.h"),
    }


def runtime_file(name: str) -> str:
    """Return the text of a file of the fixed runtime."""
    return resources.files("drawbar.fmus.runtime").joinpath(name).read_text("utf-8")


def _text(functions: Sequence[ca.Function], by_level: dict[str, Sequence[ca.Function]]) -> str:
    """Return CasADi's code of functions, followed by that of others between the pragmas of their level."""
    generator = ca.CodeGenerator("kernels.c", {"with_header": False})
    for function in (*functions, *chain(*by_level.values())):
        generator.add(function)
    text, behind = _HELPER.sub("static ", str(generator.dump())), ""
    for level, group in reversed(list(by_level.items())):
        if group:
            text, first, rest = text.partition(f"/* {group[0].name()}:(")
            assert first, "CasADi writes a comment before each function"
            behind = f"{_pragmas(level, 'push', 'off')}{first}{rest}{_pragmas(level, 'pop', 'on')}{behind}"
    return text + behind


def _pragmas(level: str, move: str, clang: str) -> str:
    """Return the pragmas at the beginning or the end of a level."""
    chosen = f'#pragma GCC optimize ("{level}")\n' if move == "push" else ""
    other = f"#pragma clang optimize {clang}\n" if level == "O0" else ""
    return f"\n#if defined(__clang__)\n{other}#elif defined(__GNUC__)\n#pragma GCC {move}_options\n{chosen}#endif\n"
