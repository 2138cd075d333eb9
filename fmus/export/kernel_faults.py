"""Faults in the C text of a kernel block, explained in the author's terms."""

from __future__ import annotations

import re

from drawbar.blocks.authoring.model import Model
from drawbar.blocks.core.errors import BuildError, did_you_mean
from drawbar.fmus.export.codegen import Sources
from drawbar.fmus.export.kernel_header import function_name
from drawbar.fmus.runtime.constants import SIGNATURE
from drawbar.fmus.toolchain.compilers import CompileError, find_compiler

NO_COMPILER = (
    "a kernel needs a C compiler, and there is none: install gcc or clang, or `pip install 'drawbar[cross]'` into "
    "this environment"
)
MAX_ERRORS = 5  # only the first; later ones mostly follow from them
_ERROR = re.compile(r"(?P<file>[^:]+):(?P<rest>\d+:.*\berror: .*)")
_EXPANSION = re.compile(r"(?P<file>[^:]+):(?P<place>[\d:]+): note: in expansion of macro")
# of GNU, LLVM and Apple linkers
_UNDEFINED = re.compile(r"undefined (?:reference to|symbol:|symbol) [`'\"]*_?(\w+)|\"_(\w+)\", referenced from")
_DEFINED = re.compile(r"^\s*int\s+(\w+)\s*\(", re.M)


def explain(model: Model, sources: Sources, error: CompileError, platform: str | None = None) -> BuildError:
    """Return the fault of a block that did not compile: a missing function, or compiler errors with their places."""
    assert model.c is not None
    main = model.c.paths[0]
    undefined = {a or b for line in error.output for a, b in _UNDEFINED.findall(line)}
    for function in model.c.functions:
        if function_name(model, function) in undefined:
            there = [name for name in _DEFINED.findall(sources.files[main.name]) if name not in model.c.functions]
            near = did_you_mean(function, there) if there else ""
            return BuildError(
                f"{model.name}: {main} has no function '{function}', which the declaration asks for{near}; "
                f"write {SIGNATURE.format(function)}"
            )
    if undefined:
        where = f" on {platform}" if platform else ""
        return BuildError(f"{model.name}: {main} calls {min(undefined)}(), which is defined nowhere{where}")
    lines = _errors(error.output, {name: str(path) for name, path in sources.origins.items()})
    if not lines:
        return error
    more = f"\n... {len(lines) - MAX_ERRORS} more" if len(lines) > MAX_ERRORS else ""
    return BuildError(f"{model.name}: its C text does not compile\n" + "\n".join(lines[:MAX_ERRORS]) + more)


def _errors(output: list[str], origins: dict[str, str]) -> list[str]:
    """Return the lines that report an error, at its place in the author's files where it has one."""
    lines: list[str] = []
    for line in output:
        if match := _ERROR.match(line):
            lines.append(f"{origins.get(match['file'], match['file'])}:{match['rest']}")
        # GNU reports errors in a function's name at the header, which prefixes it with the block's name
        elif (match := _EXPANSION.match(line)) and lines and match["file"] in origins:
            _, _, message = lines[-1].partition(" error: ")
            if not lines[-1].startswith(tuple(origins.values())):
                lines[-1] = f"{origins[match['file']]}:{match['place']}: error: {message}"
    return lines


def why_not_interpreted(model: Model) -> str:
    """Return the message that a kernel block does not run interpreted, with its reason and the remedy."""
    assert model.c is not None
    why = f"{model.name} is a kernel, and its {model.c.paths[0].name} cannot be interpreted"
    if find_compiler() is not None:
        return f"{why}; use the back end 'fmu' or 'native'"
    return f"{why}; {NO_COMPILER}"
