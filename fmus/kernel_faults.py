"""What is wrong with the C text of a kernel block, told in the author's terms."""

from __future__ import annotations

import re

from drawbar.blocks.authoring.block import Model
from drawbar.blocks.authoring.errors import BuildError, did_you_mean
from drawbar.fmus.codegen import Sources
from drawbar.fmus.kernel_header import SIGNATURE, function_name
from drawbar.fmus.toolchain import CompileError, find_compiler

MOST_ERRORS = 5  # the first ones; those behind them mostly follow from them
_ERROR = re.compile(r"(?P<file>[^:]+):(?P<rest>\d+:.*\berror: .*)")
# of GNU, LLVM and Apple linkers
_UNDEFINED = re.compile(r"undefined (?:reference to|symbol:|symbol) [`'\"]*_?(\w+)|\"_(\w+)\", referenced from")
_DEFINED = re.compile(r"^\s*int\s+(\w+)\s*\(", re.M)


def explain(model: Model, sources: Sources, error: CompileError) -> BuildError:
    """The fault of a block that did not compile: a function that is not there, or errors with their places."""
    assert model.c is not None
    main = model.c.paths[0]
    undefined = {a or b for line in error.complaint for a, b in _UNDEFINED.findall(line)}
    for function in model.c.functions:
        if undefined & {function_name(model, function), function_name(model, function).removeprefix("_")}:
            there = [name for name in _DEFINED.findall(sources.files[main.name]) if name not in model.c.functions]
            near = did_you_mean(function, there) if there else ""
            return BuildError(
                f"{model.name}: {main} has no function '{function}', which the declaration asks for{near}; "
                f"write {SIGNATURE.format(function)}"
            )
    if undefined:
        return BuildError(f"{model.name}: {main} calls {min(undefined)}(), which is defined nowhere")
    found = [match for line in error.complaint if (match := _ERROR.match(line))]
    if not found:
        return error
    lines = [f"{sources.origins.get(m['file'], m['file'])}:{m['rest']}" for m in found]
    more = f"\n... {len(lines) - MOST_ERRORS} more" if len(lines) > MOST_ERRORS else ""
    return BuildError(f"{model.name}: its C text does not compile\n" + "\n".join(lines[:MOST_ERRORS]) + more)


def refusal(file: str) -> str:
    """Why a kernel block does not run interpreted, and what to do."""
    why = f"is a kernel, and its {file} cannot be interpreted"
    if find_compiler() is not None:
        return f"{why}; use the back end 'fmu' or 'native'"
    return (
        f"{why}: it needs a C compiler, and there is none; install gcc or clang, or "
        "`pip install 'drawbar[cross]'` into this environment"
    )
